// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_ARRANGEMENT_HPP
#define AXE_INTEROP_SPYRE_ARRANGEMENT_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/tensor.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Does each stick of the tensor hold one element?
constexpr bool is_sparse(const SpyreLayout& layout) noexcept { return layout.stride_map.back() == synthetic; }

/// Four elements stay together when 16 bits become 32 or the other way round.                 [torch-spyre, element_arrangement.md]
inline constexpr std::int64_t group_size = 4;

namespace detail {

/// The order that a conversion between 32 and 16 bits leaves in sticks of 64, or pairs of sticks of 32.
inline constexpr std::int64_t staggered_columns = 64;

/// Full sticks of `per_stick` elements, of a format that has such sticks?
constexpr Status check_stagger(const Tensor& t, std::int64_t per_stick) noexcept
{
    const SpyreLayout& device = t.device;
    const int last = device.device_size.size() - 1;
    const std::int64_t most = *elements_per_stick(device.format);
    if (most != per_stick)
        return Error(errc::bad_argument, last, "the arrangement needs sticks of {0} elements; those of the format have {1}",
                     per_stick, most);
    const Digit& digit = t.digits[last];
    const std::int64_t extent = digit.dim < 0 ? 1 : t.host.shape[digit.dim];
    if (device.device_size[last] != most || extent % most != 0)
        return Error(errc::bad_argument, last, "the arrangement needs full sticks of {0}; the stick dimension has {1} elements",
                     most, extent);
    return {};
}

/// A pair of sticks for all 64 columns?
constexpr Status check_pairs(const Tensor& t, int count) noexcept
{
    if (count < 0 || t.digits[count].weight != t.device.device_size.back())
        return Error(errc::bad_argument, count, "no device dimension counts the sticks one by one, so they have no pairs");
    const std::int64_t sticks = t.host.shape[t.digits[count].dim] / t.digits[count].weight;
    if (sticks % 2 != 0 || t.device.device_size[count] % 2 != 0)
        return Error(errc::bad_argument, count, "the arrangement needs an even number of sticks; there are {0}, with room for {1}",
                     sticks, t.device.device_size[count]);
    return {};
}

/// The device of a matrix of weights, [⌈N/128⌉, K, 128], in sticks of two rows of 64?
constexpr Status check_weights(const Tensor& t) noexcept
{
    const Shape& size = t.device.device_size;
    const bool is_matrix = size.size() == 3 && t.digits[0].dim >= 0 && t.digits[0].dim == t.digits[2].dim && t.digits[1].dim >= 0 &&
                           t.digits[0].weight == size[2] && t.digits[1].weight == 1 && size[2] == stick_bytes;
    if (!is_matrix || bits(t.device.format) != 8)
        return Error(errc::bad_argument, -1, "sticks of [2,64] need a matrix of 8-bit elements on a device of [N/128, K, 128]");
    const std::int64_t rows = t.host.shape[t.digits[1].dim], columns = t.host.shape[t.digits[2].dim];
    if (rows % 2 != 0 || size[1] % 2 != 0)
        return Error(errc::bad_argument, 1, "sticks of [2,64] need an even number of rows; there are {0}, with room for {1}", rows,
                     size[1]);
    if (columns % 64 != 0)
        return Error(errc::bad_argument, 2, "sticks of [2,64] need a multiple of 64 columns; there are {0}", columns);
    return {};
}

} // namespace detail

/// Can the tensor have its arrangement?
///
/// dl16_to_fp32: 32 elements a stick, full sticks, an even number of them. fp32_to_dl16: 64, full sticks. qfp8wt: a matrix of 8 bits,
/// K even, N a multiple of 64. exx2: two elements. `errc::bad_argument` with the device dimension.
constexpr Status check_arrangement(const Tensor& t) noexcept
{
    if (const Status e = check(t.device); !e.ok()) return e;
    const int last = t.device.device_size.size() - 1;
    switch (t.device.arrangement) {
    case Arrangement::standard:
    case Arrangement::qfp8ch: return {};
    case Arrangement::dl16_to_fp32:
        if (const Status e = detail::check_stagger(t, 32); !e.ok()) return e;
        return detail::check_pairs(t, t.digits[last].outer);
    case Arrangement::fp32_to_dl16: return detail::check_stagger(t, 64);
    case Arrangement::qfp8wt: return detail::check_weights(t);
    case Arrangement::exx2: break;
    }
    const std::int64_t values = t.digits[last].dim < 0 ? 1 : t.host.shape[t.digits[last].dim];
    if (values == 2) return {};
    return Error(errc::bad_argument, last, "a stick of EXX2 holds two values; the stick dimension has {0}", values);
}

/// The tensor in another order inside its sticks.
///
/// A stagger of a sparse tensor has no effect: it becomes `standard`, as upstream has it. Errors: as `check_arrangement`.
constexpr Result<Tensor> arrange(const Tensor& t, Arrangement arrangement) noexcept
{
    Result<Tensor> result(t);
    const bool is_stagger = arrangement == Arrangement::dl16_to_fp32 || arrangement == Arrangement::fp32_to_dl16;
    if (const Status e = check(t.device); !e.ok()) return e;
    result->device.arrangement = is_stagger && is_sparse(t.device) ? Arrangement::standard : arrangement;
    if (const Status e = check_arrangement(*result); !e.ok()) return e;
    return result;
}

/// Where the arrangement brings what the standard order has at an address: a layout, one to one on the device's elements.
///
///   dl16_to_fp32   column 64p + 8g + 4s + e of a stick dimension:  stick 2p+s, place 4g+e
///   fp32_to_dl16   column 64p + 32h + 4g + e:                      stick p, place 8g+4h+e
///   qfp8wt         (k, n):  (k mod 2) + 2·(n mod 64) + 128·⌊k/2⌋ + 128·(K/2)·⌊n/64⌋
/// In digits of the address all are one permutation of them; the second undoes the first, its places read as columns. qfp8ch and exx2
/// are standard: upstream names them without an order.
///
/// Errors: as `check_arrangement`; `errc::bad_extent` for a device without sticks.       [torch-spyre, element_arrangement.md; spyre_mem.cpp]
constexpr Result<Layout> shuffle(const Tensor& t, const Axis& axis = {}) noexcept
{
    if (const Status e = check_arrangement(t); !e.ok()) return e;
    const auto elements = device_elements(t.device);
    if (!elements) return elements.error();
    if (*elements == 0) return detail::no_stick(-1);
    const std::int64_t per_stick = *elements_per_stick(t.device.format);
    Result<Layout> result;
    const auto put = [&](std::int64_t extent, std::int64_t stride) { axe::detail::append(result->shard, extent, stride, axis); };
    const Strides strides = device_strides(t.device);
    switch (t.device.arrangement) {
    case Arrangement::dl16_to_fp32: { // address: …, pair, s, …, g_high, h, e with g = 4·s + g_high
        const int count = t.digits.back().outer;
        const std::int64_t step = strides[count], footprint = step * t.device.device_size[count];
        put(*elements / footprint, footprint);
        put(t.device.device_size[count] / 2, 2 * step);
        put(2, 4 * group_size);
        put(step / per_stick, per_stick);
        put(4, group_size);
        put(2, step);
        put(group_size, 1);
        break;
    }
    case Arrangement::fp32_to_dl16:
        put(*elements / per_stick, per_stick);
        put(2, group_size);
        put(8, 2 * group_size);
        put(group_size, 1);
        break;
    case Arrangement::qfp8wt: { // address: n_high, k_high, k mod 2, half, n mod 64
        const std::int64_t rows = t.device.device_size[1];
        put(t.device.device_size[0], rows * stick_bytes);
        put(rows / 2, stick_bytes);
        put(2, 1);
        put(2, rows / 2 * stick_bytes);
        put(64, 2);
        break;
    }
    default: put(*elements, 1); break;
    }
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
