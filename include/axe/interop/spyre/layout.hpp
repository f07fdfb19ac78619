// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_LAYOUT_HPP
#define AXE_INTEROP_SPYRE_LAYOUT_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/format.hpp>
#include <axe/layout/shape.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The order of elements inside sticks.                                   [torch-spyre, element_arrangement.md; spyre_mem.cpp]
enum class Arrangement : std::uint8_t {
    standard,     ///< one after the other
    dl16_to_fp32, ///< what a conversion from 16 to 32 bits leaves: fours, even ones in one stick, odd ones in the next
    fp32_to_dl16, ///< the way back
    qfp8ch,       ///< of 8 bits, quantized a channel at a time: as standard, until upstream says otherwise
    qfp8wt,       ///< weights of 8 bits: sticks of two dimensions, [2, 64]
    exx2,         ///< two values a stick
};

inline constexpr int arrangement_count = 6;

/// The name of an arrangement, as upstream spells it.
constexpr const char* name(Arrangement arrangement) noexcept
{
    constexpr const char* names[arrangement_count] = {"STANDARD", "DL16_TO_FP32", "FP32_TO_DL16", "QFP8CH", "QFP8WT", "EXX2"};
    return names[static_cast<int>(arrangement)];
}

/// The entry of a stride map where the host has nothing: the coordinate is always 0.
inline constexpr std::int64_t synthetic = -1;

using Strides = InlineVector<std::int64_t, max_rank>;

} // namespace spyre

/// How Spyre lays out a tensor, as upstream keeps it.                                   [torch-spyre, SpyreTensorLayout]
///
/// Device dimensions are row-major, the last one runs within a stick. Entry j of the stride map is how many host elements one step
/// along device dimension j is; −1 where the host has nothing, 0 where every step meets the same element again.
///   host offset = Σ_j d_j·stride_map_j  over the entries ≥ 0
///
/// An extent may be 0: a tensor without elements.
struct SpyreLayout {
    Shape device_size{};
    spyre::Strides stride_map{};
    spyre::DataFormat format = spyre::DataFormat::sen169_fp16;
    spyre::Arrangement arrangement = spyre::Arrangement::standard;

    friend constexpr bool operator==(const SpyreLayout&, const SpyreLayout&) = default;
};

/// Is the value a layout: of one rank from 1 to 16, extents of 0 and more, entries of −1 and more, a last extent that a stick holds?
///
/// Errors: `errc::capacity`, `errc::rank_mismatch`, `errc::bad_extent` and `errc::bad_argument` with the dimension.
constexpr Status check(const SpyreLayout& layout) noexcept
{
    const int rank = layout.device_size.size();
    if (rank > max_rank || rank == 0)
        return Error(errc::capacity, max_rank, "a device layout has 1 to {0} dimensions, this one has {1}", max_rank, rank);
    if (layout.stride_map.size() != rank)
        return Error(errc::rank_mismatch, -1, "the device has {0} dimensions, the stride map {1} entries", rank,
                     layout.stride_map.size());
    for (int j = 0; j < rank; ++j) {
        if (layout.device_size[j] < 0)
            return Error(errc::bad_extent, j, "device dimension {0} has negative size {1}", j, layout.device_size[j]);
        if (layout.stride_map[j] < spyre::synthetic)
            return Error(errc::bad_argument, j, "entry {0} of the stride map is {1}; it must be at least −1", j,
                         layout.stride_map[j]);
    }
    const auto most = spyre::elements_per_stick(layout.format);
    if (!most) return most.error();
    if (layout.device_size.back() > *most)
        return Error(errc::bad_extent, rank - 1, "the stick dimension has {0} elements, a stick of this format {1}",
                     layout.device_size.back(), *most);
    return {};
}

namespace spyre {

/// The number of sticks: the product of all extents but the last. `errc::overflow`; the errors of `check`.
constexpr Result<std::int64_t> stick_count(const SpyreLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    std::int64_t sticks = 1;
    for (int j = 0; j + 1 < layout.device_size.size(); ++j)
        if (layout.device_size[j] == 0) return 0;
    for (int j = 0; j + 1 < layout.device_size.size(); ++j)
        if (!axe::detail::mul(sticks, layout.device_size[j], sticks))
            return Error(errc::overflow, j, "the sticks of the tensor overflow at device dimension {0}", j);
    return sticks;
}

/// The elements that the tensor's sticks have room for. `errc::overflow`; the errors of `check`.
constexpr Result<std::int64_t> device_elements(const SpyreLayout& layout) noexcept
{
    const auto sticks = stick_count(layout);
    if (!sticks) return sticks;
    std::int64_t elements = 0;
    if (!axe::detail::mul(*sticks, *elements_per_stick(layout.format), elements)) return detail::sticks_overflow(*sticks);
    return elements;
}

/// The bytes that the tensor takes on the device: whole sticks, also where the last extent is less than one.
///
/// `errc::overflow`, of the elements as well; the errors of `check`, among them that no stick is known of the format.
constexpr Result<std::int64_t> storage_bytes(const SpyreLayout& layout) noexcept
{
    const auto sticks = stick_count(layout);
    if (!sticks) return sticks;
    std::int64_t bytes = 0;
    if (!axe::detail::mul(*sticks, stick_bytes, bytes))
        return Error(errc::overflow, -1, "the bytes of {0} sticks overflow", *sticks);
    if (const auto elements = device_elements(layout); !elements) return elements;
    return bytes;
}

/// How many device elements one step along each device dimension is, a stick counting as all the elements it has room for.
///
/// The layout is one that `storage_bytes` has an answer for.
constexpr Strides device_strides(const SpyreLayout& layout) noexcept
{
    Strides strides;
    for (int j = 0; j < layout.device_size.size(); ++j) strides.push_back(1);
    std::int64_t step = elements_per_stick(layout.format).value_or(1);
    for (int j = layout.device_size.size() - 2; j >= 0; --j) {
        strides[j] = step;
        const std::int64_t size = layout.device_size[j] == 0 ? 1 : layout.device_size[j];
        if (!axe::detail::mul(step, size, step)) step = 0; // of a device without elements
    }
    return strides;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
