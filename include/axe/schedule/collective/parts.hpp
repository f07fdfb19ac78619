// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_PARTS_HPP
#define AXE_SCHEDULE_COLLECTIVE_PARTS_HPP

#include <axe/schedule/collective/reduce.hpp>

/// What a device holds of a view, as a separate view: the digits that name the device fixed, the others free.
namespace axe {
inline namespace v0 {
namespace detail {

/// Of each digit of a map its value, or −1 where it is free.
using Fixed = std::vector<std::int64_t>;

/// The values of the digits that move the elements of a device, before or after. `errc::bad_argument` where a device's elements are of
/// several values, so that they are not a box.
inline Result<std::map<std::int64_t, Fixed>, Problem> fixed_on_devices(const DeviceMap& map, bool before, const std::string& name)
{
    std::vector<std::pair<std::int64_t, Fixed>> rows{{0, Fixed{}}};
    for (const DeviceDigit& digit : map.digits) {
        const auto& values = before ? digit.from : digit.to;
        const bool moves = std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; });
        if (!moves) {
            for (auto& row : rows) row.second.push_back(-1);
            continue;
        }
        if (static_cast<std::int64_t>(rows.size()) * digit.extent > device_row_limit) return devices_too_hard(device_row_limit);
        std::vector<std::pair<std::int64_t, Fixed>> next;
        for (const auto& [device, fixed] : rows)
            for (std::int64_t i = 0; i < digit.extent; ++i) {
                next.emplace_back(device + values[static_cast<std::size_t>(i)], fixed);
                next.back().second.push_back(i);
            }
        rows = std::move(next);
    }
    std::map<std::int64_t, Fixed> out;
    for (const auto& [device, fixed] : rows)
        for (const std::int64_t copy : before ? map.from_copies : map.to_copies)
            if (const auto [at, is_new] = out.emplace(device + copy, fixed); !is_new)
                return Problem(errc::bad_argument, "the elements of {0} on device {1} are not a box", {name, at->first});
    return out;
}

/// Both conditions together; nothing where they contradict each other.
inline std::optional<Fixed> both_fixed(const Fixed& a, const Fixed& b)
{
    Fixed out(a);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return std::nullopt;
        if (a[i] < 0) out[i] = b[i];
    }
    return out;
}

/// A box of a view, and which of its dimensions are reduced.
struct Box {
    View view{};
    InlineVector<int, max_rank> reduced{};
};

inline Problem part_capacity() { return {errc::capacity, "a part of the view has too many dimensions"}; }

/// The part of a view that fixed digits leave. `view` is on the dimensions of the map, or on those alone that are not reduced. Its
/// dimensions are the free digits, those that follow each other in a dimension taken together; of two views with the same digits
/// fixed they correspond, reduced ones apart.
inline Result<Box, Problem> box_of(const View& view, const DeviceMap& map, const Fixed& fixed,
                                   const InlineVector<int, max_rank>& reduced, bool has_reduced)
{
    Box out;
    out.view = view;
    out.view.extents = {};
    out.view.dims = {};
    out.view.steps = {};
    int last = -1; // the digit before, where it is free and of the same dimension
    for (std::size_t i = 0; i < map.digits.size(); ++i) {
        const DeviceDigit& digit = map.digits[i];
        const bool is_reduced = is_among(reduced, digit.dim);
        if (is_reduced && !has_reduced) continue;
        int k = digit.dim; // of the view
        if (!has_reduced)
            for (const int r : reduced) k -= r < digit.dim ? 1 : 0;
        const int dim = view.dims[k];
        const std::int64_t step = view.steps[k] * digit.weight;
        if (fixed[i] >= 0) {
            if (dim >= 0) out.view.origin[static_cast<std::size_t>(dim)] += Affine(fixed[i] * step);
            last = -1;
        } else if (last == digit.dim) {
            out.view.extents[out.view.rank() - 1] *= digit.extent;
            out.view.steps[out.view.rank() - 1] = step;
        } else {
            if (out.view.rank() == max_rank) return part_capacity();
            if (is_reduced) out.reduced.push_back(out.view.rank());
            out.view.extents.push_back(digit.extent);
            out.view.dims.push_back(dim);
            out.view.steps.push_back(step);
            last = digit.dim;
        }
    }
    return out;
}

/// Indices [low, high) of a dimension of a view.
inline View interval_of(View view, int k, std::int64_t low, std::int64_t high)
{
    if (view.dims[k] >= 0) view.origin[static_cast<std::size_t>(view.dims[k])] += Affine(low * view.steps[k]);
    view.extents[k] = high - low;
    return view;
}

/// A temporary tensor that each device has: `slots` boxes of the shape, in a memory of the operands.
struct Slots {
    View whole{};
    /// Slot `slot` of a device, of as many elements as `extents` says.
    [[nodiscard]] View at(std::int64_t device, std::int64_t slot, const Shape& extents) const
    {
        View out = whole;
        out.origin[0] = device;
        out.origin[1] = slot;
        out.extents = extents;
        out.dims = {};
        out.steps = {};
        for (int k = 0; k < extents.size(); ++k) {
            out.dims.push_back(k + 2);
            out.steps.push_back(1);
        }
        return out;
    }
};

inline Result<Slots, Problem> slots_of(Request& request, const char* use, DType type, std::int64_t slots, const Shape& extents)
{
    const Memory& memory = request.memory(request.view(0));
    const auto each = volume(extents);
    if (!each) return each.error();
    const std::int64_t devices = request.machine().scopes[0].count;
    ProgramTensor t;
    t.name = request.tensor(0).name + "." + use;
    t.dtype = type;
    t.memory = memory.name;
    t.shape = {devices, slots};
    for (const std::int64_t n : extents)
        if (!t.shape.push_back(n)) return part_capacity();
    t.layout.layout.shard = {{devices, 1, device_axis(request.machine())}, {slots * *each, 1, memory.axes[memory.axes.size() - 1]}};
    return Slots{request.temporary(std::move(t))};
}

/// Statements that one device runs.
inline Statement on_device(std::int64_t device, Body body)
{
    Statement out;
    out.what = Slice{Slice::Of::devices, static_cast<int>(device), 1, 1, std::move(body), {}};
    return out;
}

inline Statement meeting()
{
    Statement out;
    out.what = Barrier{};
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
