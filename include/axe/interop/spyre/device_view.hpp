// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_DEVICE_VIEW_HPP
#define AXE_INTEROP_SPYRE_DEVICE_VIEW_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/to_axe.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Two layouts on the device's own coordinates: where each is on the device, and which host element upstream's identity gives it.
///
/// Of coordinates in one of the boxes of `valid_box` that is the element that is there; the others are padding.
struct DeviceView {
    Shape shape{};    ///< device_size
    Layout address{}; ///< of device elements, the arrangement inside sticks included
    Layout host{};    ///< of host elements, the tensor's offset included
    std::int64_t elements = 1;

    friend constexpr bool operator==(const DeviceView&, const DeviceView&) = default;
};

/// The tensor as two layouts on one index space, which every tensor with elements has:
///   address(d) = Σ_j d_j·device_strides_j, arranged,    host(d) = offset + Σ_j d_j·stride_map_j over the entries ≥ 0
///
/// `errc::bad_extent` for a device without sticks; `errc::overflow`; those of `check` and of an arrangement. Cost: the dimensions.
constexpr Result<DeviceView> over_device(const Tensor& tensor, const Axis& address = {}, const Axis& host = {}) noexcept
{
    const auto order = shuffle(tensor, address);
    if (!order) return order.error();
    const SpyreLayout& device = tensor.device;
    const Strides strides = device_strides(device);
    Result<DeviceView> result;
    DeviceView& out = *result;
    out.shape = device.device_size;
    out.elements = *device_elements(device);
    if (device.device_size.back() == 0) return detail::no_stick(device.device_size.size() - 1);
    for (int j = 0; j < device.device_size.size(); ++j) {
        const std::int64_t step = device.stride_map[j] > 0 ? device.stride_map[j] : 0;
        axe::detail::append(out.address.shard, device.device_size[j], strides[j], address);
        axe::detail::append(out.host.shard, device.device_size[j], step, host);
    }
    if (tensor.torch.offset != 0) out.host.offset.entries.push_back({host, tensor.torch.offset});
    if (const Status e = axe::check(out.host); !e.ok()) return e;
    if (device.arrangement == Arrangement::standard) return result;
    const auto both = compose(*order, out.address, address);
    if (!both) return both.error();
    out.address = *both;
    return result;
}

namespace detail {

/// The boxes of device coordinates that hold the elements x < extent of one host dimension, as far as link k on and inside it:
///   {d_k < ⌊extent/w_k⌋, the rest whole}  and  {d_k = ⌊extent/w_k⌋, the rest below extent mod w_k}
constexpr std::int64_t box_count(const Chain& chain, int k, std::int64_t extent) noexcept
{
    if (k == chain.size()) return 1;
    const std::int64_t whole = extent / chain[k].weight, rest = extent % chain[k].weight;
    return (whole > 0 ? box_count(chain, k + 1, chain[k].weight) : 0) + (rest > 0 ? box_count(chain, k + 1, rest) : 0);
}

/// Writes the box of that number.
constexpr void write_box(const Chain& chain, std::int64_t extent, std::int64_t number, Region& box) noexcept
{
    for (int k = 0; k < chain.size(); ++k) {
        const std::int64_t whole = extent / chain[k].weight, rest = extent % chain[k].weight;
        const std::int64_t full = whole > 0 ? box_count(chain, k + 1, chain[k].weight) : 0;
        const bool is_full = number < full;
        box[chain[k].at] = is_full ? Range{0, whole} : Range{whole, whole + 1};
        if (!is_full) number -= full;
        extent = is_full ? chain[k].weight : rest;
    }
}

} // namespace detail

/// How many boxes of device coordinates hold the elements: 2 for each ragged digit at most, 0 for an empty tensor.
///
/// Cost: the dimensions squared, and the boxes of one host dimension.
constexpr std::int64_t valid_box_count(const Tensor& tensor) noexcept
{
    if (element_count(tensor.torch).value_or(0) == 0) return 0;
    std::int64_t count = 1;
    for (int d = 0; d < tensor.host.shape.size(); ++d)
        count *= detail::box_count(detail::chain_of(tensor, d, tensor.device.stride_map), 0, tensor.host.shape[d]);
    return count;
}

/// The box of that number, from 0 on: the boxes do not meet, and what is in none of them is padding.
///
/// Whole boxes come first. The number is less than `valid_box_count`. Cost: as `valid_box_count`.
constexpr Region valid_box(const Tensor& tensor, std::int64_t number) noexcept
{
    Region box;
    for (int j = 0; j < tensor.digits.size(); ++j)
        box.push_back({0, tensor.digits[j].dim == Digit::copies ? tensor.device.device_size[j] : 1});
    for (int d = tensor.host.shape.size() - 1; d >= 0; --d) {
        const auto chain = detail::chain_of(tensor, d, tensor.device.stride_map);
        const std::int64_t count = detail::box_count(chain, 0, tensor.host.shape[d]);
        detail::write_box(chain, tensor.host.shape[d], number % count, box);
        number /= count;
    }
    return box;
}

/// What a place of the device holds: an element, or padding.
struct Slot {
    bool is_element = false;
    Coord element{}; ///< PyTorch's indices; of several that share the place, the first

    friend constexpr bool operator==(const Slot&, const Slot&) = default;
};

/// The element at a device coordinate, the way back from `device_coordinate`.
///
/// `errc::rank_mismatch`, or `errc::out_of_domain` with the device dimension. Cost: the dimensions squared.
constexpr Result<Slot> slot_at(const Tensor& tensor, const DeviceCoord& d) noexcept
{
    const Shape& size = tensor.device.device_size;
    if (d.size() != size.size())
        return Error(errc::rank_mismatch, -1, "the coordinate has {0} indices, the device {1} dimensions", d.size(), size.size());
    for (int j = 0; j < d.size(); ++j)
        if (d[j] < 0 || d[j] >= size[j])
            return Error(errc::out_of_domain, j, "index {0} of device dimension {1} is outside [0, {2})", d[j], j, size[j]);
    Result<Slot> result{Slot{}};
    if (element_count(tensor.torch).value_or(0) == 0) return result;
    std::int64_t x[max_rank]{};
    for (int j = 0; j < d.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        if (digit.dim == Digit::copies) continue;
        const std::int64_t most = digit.dim < 0 ? 0 : (tensor.host.shape[digit.dim] - 1) / digit.weight;
        if (d[j] > most) return result; // before it can overflow
        if (digit.dim >= 0 && !axe::detail::add(x[digit.dim], d[j] * digit.weight, x[digit.dim])) return result;
    }
    for (int e = 0; e < tensor.host.shape.size(); ++e)
        if (x[e] >= tensor.host.shape[e]) return result;
    for (int j = 0; j < d.size(); ++j) // the sum of digits that do not belong to one number
        if (tensor.digits[j].dim >= 0 && rest_of(tensor.digits, j, x[tensor.digits[j].dim]) / tensor.digits[j].weight != d[j])
            return result;
    result->is_element = true;
    for (int i = 0; i < tensor.parts.size(); ++i)
        result->element.push_back(x[tensor.parts[i].dim] / tensor.parts[i].weight % tensor.torch.shape[i]);
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
