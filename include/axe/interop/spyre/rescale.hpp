// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_RESCALE_HPP
#define AXE_INTEROP_SPYRE_RESCALE_HPP

#include <axe/interop/spyre/tensor.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Where a layout made by an order of dimensions counts its sticks: before the dimension that is adjacent, or first of two.
constexpr int stick_count_dimension(const SpyreLayout& layout) noexcept
{
    const int rank = layout.device_size.size();
    return rank >= 3 ? rank - 3 : rank - 2;
}

/// The extent of the stick dimension is not known.
inline constexpr std::int64_t unknown_extent = -1;

namespace detail {

/// The layout with a stick of `format`, and sticks for `elements` in device dimension `count`, −1: no axis counts them.
constexpr Result<SpyreLayout> restick(const SpyreLayout& layout, DataFormat format, int count, std::int64_t elements) noexcept
{
    const auto per_stick = elements_per_stick(format);
    if (!per_stick) return per_stick.error();
    const int last = layout.device_size.size() - 1;
    Result<SpyreLayout> result(layout);
    SpyreLayout& out = *result;
    out.format = format;
    out.arrangement = Arrangement::standard;
    out.device_size[last] = *per_stick;
    if (count >= 0) {
        out.device_size[count] = elements / *per_stick + (elements % *per_stick != 0);
        if (!axe::detail::mul(layout.stride_map[last], *per_stick, out.stride_map[count]))
            return Error(errc::overflow, count, "the stride of device dimension {0} overflows", count);
    }
    if (const auto bytes = storage_bytes(out); !bytes) return bytes.error();
    return result;
}

} // namespace detail

/// The layout of the same tensor in another format: what `make_tensor` gives for it.      [torch-spyre, rescale_stl_for_dtype]
///
///   sticks = ⌈extent/e⌉, e the elements of a stick of `format`; the entry of the count of sticks is that of the stick dimension · e
///
/// `layout` is one made by an order of dimensions, so that the place of the count is known; a sparse one keeps its single stick.
/// @param extent  elements of the stick dimension. Without it the room of the sticks must be whole sticks of the new format too: three
///                sticks of 32 may hold 65 elements or 96, which are two sticks of 64 each, but nothing tells 64 from 65.
/// @returns `errc::bad_argument` without an extent that is needed, or for one that the sticks have no room for; `errc::overflow`, the
///          errors of `check`. The arrangement becomes standard: a conversion says which one it leaves.
constexpr Result<SpyreLayout> rescale(const SpyreLayout& layout, DataFormat format, std::int64_t extent = unknown_extent) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const auto to = elements_per_stick(format);
    if (!to) return to.error();
    const int last = layout.device_size.size() - 1, count = stick_count_dimension(layout);
    if (count < 0 || layout.stride_map[last] == synthetic) return detail::restick(layout, format, -1, 0);
    std::int64_t room = 0;
    if (!axe::detail::mul(layout.device_size[count], layout.device_size[last], room))
        return Error(errc::overflow, count, "the room of {0} sticks overflows", layout.device_size[count]);
    if (extent == unknown_extent && room % *to != 0)
        return Error(errc::bad_argument, count,
                     "room for {0} elements is not a whole number of {1}-element sticks; give the extent of the stick dimension",
                     room, *to);
    if (extent != unknown_extent && (extent < 0 || extent > room))
        return Error(errc::bad_argument, count, "the stick dimension cannot have {0} elements: its sticks have room for {1}",
                     extent, room);
    return detail::restick(layout, format, count, extent == unknown_extent ? room : extent);
}

/// The tensor in another format: its sizes are known, so that the sticks are, whatever order its device dimensions have.
///
/// @returns `errc::no_layout` with the device dimension where sticks are not filled one after the other; else as of the layout.
constexpr Result<Tensor> rescale(const Tensor& tensor, DataFormat format) noexcept
{
    if (const Status e = check(tensor.device); !e.ok()) return e;
    const int last = tensor.device.device_size.size() - 1;
    const Digit digit = tensor.digits[last];
    const auto device = [&](int count, std::int64_t elements) { return detail::restick(tensor.device, format, count, elements); };
    Result<Tensor> result(tensor);
    if (digit.dim < 0) { // one element a stick, or copies of one
        const auto as_sparse = device(-1, 0);
        if (!as_sparse) return as_sparse.error();
        result->device = *as_sparse;
        return result;
    }
    int count = digit.outer;
    std::int64_t elements = tensor.host.shape[digit.dim];
    if (count < 0) { // a single stick, counted where the order of dimensions has it
        count = stick_count_dimension(tensor.device);
        if (count < 0 || tensor.device.device_size[count] != 1)
            return Error(errc::no_layout, last, "no device dimension counts the sticks of device dimension {0}", last);
    } else {
        if (tensor.digits[count].weight != tensor.device.device_size[last])
            return Error(errc::no_layout, count, "device dimension {0} counts steps of {1}, not sticks of {2}", count,
                         tensor.digits[count].weight, tensor.device.device_size[last]);
        const int outer = tensor.digits[count].outer;
        if (outer >= 0 && tensor.digits[outer].weight < elements) elements = tensor.digits[outer].weight;
    }
    const auto made = device(count, elements);
    if (!made) return made.error();
    result->device = *made;
    const int outer = digit.outer < 0 ? Digit::none : tensor.digits[count].outer;
    result->digits[count] = {digit.dim, made->device_size[last], outer};
    result->digits[last].outer = count;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
