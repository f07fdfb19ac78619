// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_TENSOR_MAP_HPP
#define AXE_TARGET_NVIDIA_TMA_TENSOR_MAP_HPP

#include <axe/target/nvidia/tma/modes.hpp>

namespace axe {
inline namespace v0 {

/// The most dimensions of a tensor map.
inline constexpr int tma_rank = 5;
/// Numbers of a tensor map, one for each dimension, the innermost first as in the CUDA call.
using TmaNumbers = InlineVector<std::int64_t, tma_rank>;

/// What cuTensorMapEncodeTiled is given: a global tensor of up to five dimensions, and the box of it that one instruction copies.
///
/// Element i of the global tensor is at byte  address + i_0·w + Σ_{d>0} i_d·strides_{d−1}.  The address is that of a tensor, plus `offset`
/// bytes; what is known of the tensor's is its `alignment`. A value: structural, without allocation.
struct TensorMap {
    TmaType type = TmaType::u8;
    std::int64_t alignment = 16; ///< of the tensor's address, bytes
    std::int64_t offset = 0;     ///< of the map's address from the tensor's, bytes
    TmaNumbers dims{};
    TmaNumbers strides{}; ///< bytes, of all dimensions but the innermost
    TmaNumbers box{};
    TmaNumbers element_strides{}; ///< empty: all 1
    TmaInterleave interleave = TmaInterleave::none;
    TmaSwizzle swizzle = TmaSwizzle::none;
    TmaPromotion promotion = TmaPromotion::none;
    TmaFill fill = TmaFill::zero;

    [[nodiscard]] constexpr int rank() const noexcept { return dims.size(); }
    /// The element stride of a dimension; that of the innermost is ignored without interleave.
    [[nodiscard]] constexpr std::int64_t element_stride(int dim) const noexcept
    {
        return element_strides.empty() || (dim == 0 && interleave == TmaInterleave::none) ? 1 : element_strides[dim];
    }
    friend constexpr bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// By which rules a map is checked.
struct TmaRules {
    int arch = 90; ///< 90, 100, 103, 120
    TmaUse use = TmaUse::load;
    /// Also what CCCL asks and the driver does not: no box larger than the tensor, no stride below the span of the dimensions within.
    bool strict = false;
};

/// The elements that a copy moves in a dimension of the box:  ⌈box/element stride⌉
constexpr std::int64_t box_elements(const TensorMap& map, int dim) noexcept
{
    const std::int64_t step = map.element_stride(dim);
    return (map.box[dim] + step - 1) / step;
}

/// The elements that one copy moves, those outside the tensor included.
constexpr std::int64_t box_elements(const TensorMap& map) noexcept
{
    std::int64_t n = 1;
    for (int d = 0; d < map.rank(); ++d) n *= box_elements(map, d);
    return n;
}

/// The bytes of a row of the box in shared memory, from which the next one begins: those of the swizzle's span, which a row fills from its
/// first byte on; without a swizzle those of its elements, the gaps of padded types included.      [cycles and bytes of an H200: tests/silicon]
constexpr std::int64_t row_pitch(const TensorMap& map) noexcept
{
    const std::int64_t bytes = box_elements(map, 0) * row(map.type).shared_bits / 8;
    return map.interleave == TmaInterleave::none && row(map.swizzle).span > bytes ? row(map.swizzle).span : bytes;
}

/// The bytes that one copy takes in shared memory, the gaps after rows and what is outside the tensor included.
constexpr std::int64_t box_bytes(const TensorMap& map) noexcept
{
    return box_elements(map) / box_elements(map, 0) * row_pitch(map);
}

namespace detail {

constexpr std::int64_t tma_most_dim = std::int64_t{1} << 32, tma_stride_end = std::int64_t{1} << 40, tma_most_box = 228 << 10;

/// The least common alignment of address and strides.
constexpr std::int64_t tma_alignment(TmaType type, TmaInterleave interleave) noexcept
{
    return interleave == TmaInterleave::b32 ? 32 : row(type).alignment;
}

constexpr Status check_tma_lists(const TensorMap& map) noexcept
{
    const int rank = map.rank();
    if (rank < 1 || rank > tma_rank)
        return Error(errc::rank_mismatch, -1, "a tensor map has 1 to {0} dimensions, got {1}", tma_rank, rank);
    if (map.strides.size() != rank - 1)
        return Error(errc::rank_mismatch, -1,
                     "a tensor map of {0} dimensions has {1} strides, one for each but the innermost; got {2}", rank, rank - 1,
                     map.strides.size());
    if (map.box.size() != rank)
        return Error(errc::rank_mismatch, -1, "the box of a tensor map of {0} dimensions has as many extents, got {1}", rank,
                     map.box.size());
    if (!map.element_strides.empty() && map.element_strides.size() != rank)
        return Error(errc::rank_mismatch, -1, "a tensor map of {0} dimensions has as many element strides, got {1}", rank,
                     map.element_strides.size());
    if (map.interleave != TmaInterleave::none && rank < 3)
        return Error(errc::rank_mismatch, -1, "an interleaved tensor map has at least 3 dimensions, got {0}", rank);
    return {};
}

/// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col ask of the global tensor alike.
constexpr Status check_tma_global(TmaType type, TmaInterleave interleave, std::int64_t address_alignment, std::int64_t offset,
                                  const TmaNumbers& dims, const TmaNumbers& strides) noexcept
{
    const std::int64_t least = tma_alignment(type, interleave);
    if (address_alignment < 1 || address_alignment % least != 0)
        return Error(errc::bad_argument, -1,
                     "the global address of a tensor map must be a multiple of {0} bytes, this one is known to be one of {1}",
                     least, address_alignment);
    if (offset % least != 0)
        return Error(errc::bad_argument, -1, "the tensor map begins {0} bytes after its tensor, which must be a multiple of {1}",
                     offset, least);
    for (int d = 0; d < dims.size(); ++d)
        if (dims[d] < 1 || dims[d] > tma_most_dim)
            return Error(errc::bad_extent, d, "dimension {0} of a tensor map has {1} elements; it must have 1 to 2^32", d, dims[d]);
    if (const int multiple = row(type).multiple; dims[0] % multiple != 0)
        return Error(errc::bad_extent, 0,
                     "dimension 0 of a tensor map of packed elements has {0} of them; it must have a multiple of {1}", dims[0],
                     multiple);
    for (int d = 0; d < strides.size(); ++d) {
        if (strides[d] < 0 || strides[d] >= tma_stride_end)
            return Error(errc::bad_argument, d + 1,
                         "the stride of dimension {0} of a tensor map is {1} bytes; it must be 0 to 2^40 - 1", d + 1, strides[d]);
        if (strides[d] % least != 0)
            return Error(errc::bad_argument, d + 1,
                         "the stride of dimension {0} of a tensor map is {1} bytes; it must be a multiple of {2}", d + 1,
                         strides[d], least);
    }
    return {};
}

constexpr Status check_tma_element_strides(const TmaNumbers& strides) noexcept
{
    for (int d = 0; d < strides.size(); ++d)
        if (strides[d] < 1 || strides[d] > 8)
            return Error(errc::bad_argument, d, "the element stride of dimension {0} is {1}; it must be 1 to 8", d, strides[d]);
    return {};
}

/// A box is no larger than what a multiprocessor has of shared memory. The driver divides each extent by its element stride and drops the
/// rest, that of the innermost dimension, too.
constexpr Status check_tma_box_bytes(std::int64_t bytes) noexcept
{
    if (bytes > tma_most_box)
        return Error(errc::bad_extent, -1, "the box has {0} bytes; it must have {1} at most", bytes, tma_most_box);
    return {};
}

/// Type, interleave, swizzle, fill, use and architecture together; `inner` is the bytes of a row of the box in shared memory.
constexpr Status check_tma_modes(TmaType type, TmaInterleave interleave, TmaSwizzle swizzle, TmaFill fill, std::int64_t inner,
                                 const TmaRules& rules) noexcept
{
    const TmaTypeRow& t = row(type);
    const TmaSwizzleRow& s = row(swizzle);
    const bool interleaved = interleave != TmaInterleave::none;
    if (interleave == TmaInterleave::b32 && swizzle != TmaSwizzle::b32)
        return Error(errc::bad_argument, -1, "an interleave of 32 bytes needs the swizzle of 32 bytes, got one of {0}", s.span);
    if (type == TmaType::u6_align16 && interleaved)
        return Error(errc::bad_argument, -1, "elements of 6 bits are not interleaved, got an interleave of {0} bytes",
                     row(interleave).bytes);
    if (swizzle == TmaSwizzle::b96 && interleaved)
        return Error(errc::bad_argument, -1, "a swizzle of 96 bytes does not go with an interleave, got one of {0} bytes",
                     row(interleave).bytes);
    if (!interleaved && s.span > 0 && inner > s.span)
        return Error(errc::bad_extent, 0, "a row of the box is {0} bytes; with a swizzle of {1} it must be {1} at most", inner,
                     s.span);
    if (!admits(type, swizzle, rules.use))
        return Error(
            errc::bad_argument, -1,
            "padded elements of {0} bits do not go with this swizzle of {1} bytes; they go with none, 128B and its atoms of 32B",
            t.bits, s.span);
    if (type == TmaType::u4_align16 && rules.use != TmaUse::load)
        return Error(errc::bad_argument, -1, "padded elements of 4 bits are only loaded");
    if (rules.use == TmaUse::reduce && t.bits < 8)
        return Error(errc::bad_argument, -1, "a reduction takes elements of at least 8 bits, got {0}", t.bits);
    if (swizzle == TmaSwizzle::b128_atom32_flip8 && rules.use != TmaUse::load)
        return Error(errc::bad_argument, -1, "a swizzle that flips 8 bytes is only of loads");
    if (fill == TmaFill::nan && !t.is_float)
        return Error(errc::bad_argument, -1, "NaN fills floating-point elements only, got integers of {0} bits", t.bits);
    if (rules.arch < t.arch)
        return Error(errc::bad_argument, -1, "elements of {0} bits are of sm{1} and later, got sm{2}", t.bits, t.arch, rules.arch);
    if (rules.arch < s.arch)
        return Error(errc::bad_argument, -1, "this swizzle of {0} bytes is of sm{1} and later, got sm{2}", s.span, s.arch,
                     rules.arch);
    if (swizzle == TmaSwizzle::b96 && rules.arch > s.arch)
        return Error(errc::bad_argument, -1, "a swizzle of 96 bytes is of sm{0} alone, got sm{1}", s.arch, rules.arch);
    return {};
}

constexpr Status check_tma_box(const TensorMap& map) noexcept
{
    for (int d = 0; d < map.rank(); ++d)
        if (map.box[d] < 1 || map.box[d] > 256)
            return Error(errc::bad_extent, d, "the box has {1} elements in dimension {0}; it must have 1 to 256", d, map.box[d]);
    const TmaTypeRow& t = row(map.type);
    if (t.box != 0 && map.box[0] != t.box)
        return Error(errc::bad_extent, 0, "the box of padded elements has {0} in dimension 0; it must have {1}", map.box[0], t.box);
    if (map.box[0] * t.bits % 128 != 0)
        return Error(errc::bad_extent, 0, "a row of the box is {0} elements of {1} bits; it must be a multiple of 16 bytes",
                     map.box[0], t.bits);
    if (const Status e = check_tma_element_strides(map.element_strides); !e.ok()) return e;
    std::int64_t bits = t.shared_bits;
    for (int d = 0; d < map.rank(); ++d) bits *= map.element_strides.empty() ? map.box[d] : map.box[d] / map.element_strides[d];
    return check_tma_box_bytes(bits / 8);
}

/// CCCL's own rules.      [CCCL 571f2fc3, make_tma_descriptor.rst]
constexpr Status check_tma_strict(const TensorMap& map) noexcept
{
    for (int d = 0; d < map.rank(); ++d)
        if (map.box[d] > map.dims[d])
            return Error(errc::bad_extent, d,
                         "the box has {1} elements in dimension {0}, the tensor {2}; strict rules ask for no more", d, map.box[d],
                         map.dims[d]);
    std::int64_t span = map.dims[0] * row(map.type).bits / 8;
    for (int d = 1; d < map.rank(); ++d) {
        const std::int64_t stride = map.strides[d - 1];
        if (stride != 0 && stride < span)
            return Error(
                errc::bad_argument, d,
                "the stride of dimension {0} is {1} bytes, the dimensions within span {2}; strict rules ask for 0, or no less", d,
                stride, span);
        if (stride == 0) continue;
        if (!mul(stride, map.dims[d], span))
            return Error(errc::overflow, d, "the span of dimension {0} of the tensor map overflows", d);
    }
    return {};
}

} // namespace detail

/// Would cuTensorMapEncodeTiled take it, and the instruction of this use and architecture?
///
/// Each rule has its own message with the number found and what would be right. The bytes of a row of the box are those in global memory
/// where they must be a multiple of 16, and those in shared memory where a swizzle bounds them. Constant cost.
///      [CUDA 13.0, cuda.h, cuTensorMapEncodeTiled; PTX ISA 9.1, 9.7.9.25.5.1; CCCL 571f2fc3, make_tma_descriptor.rst: atoms from sm100;
///      ptxas 13.0, tensormap.replace: the swizzle of 96 bytes of sm103 alone, elements below a byte from sm100]
constexpr Status check(const TensorMap& map, const TmaRules& rules = {}) noexcept
{
    if (const Status e = detail::check_tma_lists(map); !e.ok()) return e;
    if (const Status e = detail::check_tma_global(map.type, map.interleave, map.alignment, map.offset, map.dims, map.strides);
        !e.ok())
        return e;
    if (const Status e = detail::check_tma_box(map); !e.ok()) return e;
    const std::int64_t inner = map.box[0] * row(map.type).shared_bits / 8;
    if (const Status e = detail::check_tma_modes(map.type, map.interleave, map.swizzle, map.fill, inner, rules); !e.ok()) return e;
    return rules.strict ? detail::check_tma_strict(map) : Status{};
}

} // namespace v0
} // namespace axe

#endif
