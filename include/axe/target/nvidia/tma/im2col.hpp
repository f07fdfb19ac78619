// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IM2COL_HPP
#define AXE_TARGET_NVIDIA_TMA_IM2COL_HPP

#include <axe/target/nvidia/tma/tensor_map.hpp>

namespace axe {
inline namespace v0 {

/// What cuTensorMapEncodeIm2col is given: a tensor of channels, one to three spatial dimensions and a batch, and the pixels of it that
/// one copy takes as a column.
///
/// `dims` and `strides` are those of a `TensorMap`, innermost first: C, W, H, D, N as far as there are. Corner i is of spatial dimension i,
/// W first; the lower one counts from the first pixel, the upper one from the last.
struct Im2colMap {
    using Corner = InlineVector<std::int64_t, tma_rank - 2>;

    TmaType type = TmaType::u8;
    std::int64_t alignment = 16; ///< of the tensor's address, bytes
    std::int64_t offset = 0;     ///< of the map's address from the tensor's, bytes
    TmaNumbers dims{};
    TmaNumbers strides{}; ///< bytes, of all dimensions but the innermost
    Corner lower{}, upper{};
    std::int64_t channels = 1;    ///< of each pixel
    std::int64_t pixels = 1;      ///< of each column
    TmaNumbers element_strides{}; ///< empty: all 1
    TmaInterleave interleave = TmaInterleave::none;
    TmaSwizzle swizzle = TmaSwizzle::none;
    TmaPromotion promotion = TmaPromotion::none;
    TmaFill fill = TmaFill::zero;

    [[nodiscard]] constexpr int rank() const noexcept { return dims.size(); }
    friend constexpr bool operator==(const Im2colMap&, const Im2colMap&) = default;
};

/// Corners of a map of 3, 4 and 5 dimensions are in [−2^b, 2^b).
inline constexpr int im2col_corner_bits[] = {15, 7, 4};

namespace detail {

constexpr Status check_corners(const Im2colMap& map) noexcept
{
    const std::int64_t end = std::int64_t{1} << im2col_corner_bits[map.rank() - 3];
    const int first = map.interleave == TmaInterleave::none ? 1 : 0; // dimension 0 is the channels, unless they are slices
    for (int i = 0; i < map.rank() - 2; ++i) {
        if (map.lower[i] < -end || map.lower[i] >= end)
            return Error(errc::out_of_domain, i, "lower corner {0} of an im2col map is {1}; it must be at least -{2} and below {2}",
                         i, map.lower[i], end);
        if (map.upper[i] < -end || map.upper[i] >= end)
            return Error(errc::out_of_domain, i, "upper corner {0} of an im2col map is {1}; it must be at least -{2} and below {2}",
                         i, map.upper[i], end);
        if (map.dims[first + i] + map.upper[i] - map.lower[i] < 1)
            return Error(errc::bad_extent, i, "the corners {1} and {2} of spatial dimension {0} leave no pixel between them", i,
                         map.lower[i], map.upper[i]);
    }
    return {};
}

} // namespace detail

/// Would cuTensorMapEncodeIm2col take it? Each rule has its own message; those that both calls have are the same.
///
/// Constant cost.      [CUDA 13.0, cuda.h, cuTensorMapEncodeIm2col; the order of corners: CUTLASS, copy_traits_sm90_im2col.hpp]
constexpr Status check(const Im2colMap& map, const TmaRules& rules = {}) noexcept
{
    const int rank = map.rank();
    if (rank < 3 || rank > tma_rank)
        return Error(errc::rank_mismatch, -1, "an im2col map has 3 to {0} dimensions, got {1}", tma_rank, rank);
    if (map.strides.size() != rank - 1)
        return Error(errc::rank_mismatch, -1, "an im2col map of {0} dimensions has {1} strides, got {2}", rank, rank - 1,
                     map.strides.size());
    if (map.lower.size() != rank - 2 || map.upper.size() != rank - 2)
        return Error(errc::rank_mismatch, -1,
                     "the corners of an im2col map have {0} offsets, one for each spatial dimension; got {1} and {2}", rank - 2,
                     map.lower.size(), map.upper.size());
    if (!map.element_strides.empty() && map.element_strides.size() != rank)
        return Error(errc::rank_mismatch, -1, "an im2col map of {0} dimensions has as many element strides, got {1}", rank,
                     map.element_strides.size());
    if (const Status e = detail::check_tma_global(map.type, map.interleave, map.alignment, map.offset, map.dims, map.strides);
        !e.ok())
        return e;
    if (const Status e = detail::check_corners(map); !e.ok()) return e;
    if (map.channels < 1 || map.channels > 256)
        return Error(errc::bad_extent, 0, "an im2col map has {0} channels for a pixel; it must have 1 to 256", map.channels);
    if (const int box = row(map.type).box; box != 0 && map.channels != box)
        return Error(errc::bad_extent, 0, "an im2col map of padded elements has {0} channels for a pixel; it must have {1}",
                     map.channels, box);
    if (map.pixels < 1 || map.pixels > 1024)
        return Error(errc::bad_extent, -1, "an im2col map has {0} pixels in a column; it must have 1 to 1024", map.pixels);
    if (map.channels * row(map.type).bits % 128 != 0)
        return Error(errc::bad_extent, 0,
                     "an im2col map has {0} channels of {1} bits for a pixel; they must be a multiple of 16 bytes", map.channels,
                     row(map.type).bits);
    if (const Status e = detail::check_tma_element_strides(map.element_strides); !e.ok()) return e;
    if (const Status e = detail::check_tma_box_bytes(map.channels * map.pixels * row(map.type).shared_bits / 8); !e.ok()) return e;
    return detail::check_tma_modes(map.type, map.interleave, map.swizzle, map.fill, map.channels * row(map.type).shared_bits / 8,
                                   rules);
}

} // namespace v0
} // namespace axe

#endif
