// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_ADDRESS_HPP
#define AXE_SIM_MEMORY_ADDRESS_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/mixed_radix.hpp>
#include <axe/tensor/host_memory.hpp>
#include <axe/tensor/tensor.hpp>
#include <axe/text/common/words.hpp>

#include <algorithm>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What one index of a dimension adds to a coordinate: index·stride, or, where the dimension is made of several digits, a look-up.
struct DimensionMap {
    std::int64_t stride = 0;
    std::vector<std::int64_t> table{}; ///< empty: the map is linear
    [[nodiscard]] bool is_linear() const noexcept { return table.empty(); }
    [[nodiscard]] std::int64_t operator()(std::int64_t index) const noexcept
    {
        return table.empty() ? index * stride : table[static_cast<std::size_t>(index)];
    }
};

/// Copies of an element: i·step, 0 ≤ i < extent, step > 0.
struct CopyDigit {
    std::int64_t extent = 1, step = 1;
};

/// A coordinate of a tensor's elements on one axis, or a weighted sum of such coordinates, taken apart by dimension:
///
///   Σ_d map_d(c_d) + constant + r,   r ∈ copies
///
/// which is how a layout that its tensor's shape groups works. Any other layout becomes one table over all elements.
struct AxisMap {
    std::vector<DimensionMap> dims{};
    std::vector<std::int64_t> flat{}; ///< by row-major number, where the shape does not group the layout
    std::int64_t constant = 0;
    std::vector<std::int64_t> copies{0};  ///< ascending, each once
    std::vector<CopyDigit> copy_digits{}; ///< which make up the copies
    std::int64_t low = 0, high = 0;       ///< the least and the greatest value over the tensor, copies included
    Shape shape{};

    /// The first copy of the element at a coordinate inside the shape.
    [[nodiscard]] std::int64_t operator()(const std::int64_t* coord) const noexcept
    {
        std::int64_t sum = constant + copies.front();
        if (!flat.empty()) {
            std::int64_t index = 0;
            for (int d = 0; d < shape.size(); ++d) index = index * shape[d] + coord[d];
            return sum + flat[static_cast<std::size_t>(index)];
        }
        for (std::size_t d = 0; d < dims.size(); ++d) sum += dims[d](coord[d]);
        return sum;
    }
    /// Does it have the same value wherever the element?
    [[nodiscard]] bool is_constant() const noexcept
    {
        if (!flat.empty()) return false;
        return std::all_of(dims.begin(), dims.end(), [](const DimensionMap& m) { return m.is_linear() && m.stride == 0; });
    }
    [[nodiscard]] bool holds(std::int64_t first_copy, std::int64_t value) const noexcept
    {
        if (copies.size() == 1) return value == first_copy;
        return std::binary_search(copies.begin(), copies.end(), value - first_copy + copies.front());
    }
    /// The copy that `who` takes an element from: where a digit tells copies apart, the one with the digit of `who`, which is the one in the
    /// same group of devices. Each copy is taken by as many.
    [[nodiscard]] std::int64_t nearest(std::int64_t first_copy, std::int64_t who) const noexcept
    {
        if (holds(first_copy, who)) return who;
        std::int64_t copy = first_copy;
        for (const CopyDigit& digit : copy_digits)
            copy += detail::floor_mod(detail::floor_div(who - constant, digit.step), digit.extent) * digit.step;
        return copy;
    }
};

/// The least and the greatest value of a map over the tensor, copies included.
inline void find_range(AxisMap& map)
{
    map.low = map.constant + map.copies.front();
    map.high = map.constant + map.copies.back();
    const auto grow = [&](std::int64_t least, std::int64_t most) {
        map.low += least;
        map.high += most;
    };
    if (!map.flat.empty()) {
        const auto [least, most] = std::minmax_element(map.flat.begin(), map.flat.end());
        grow(*least, *most);
    }
    for (std::size_t d = 0; d < map.dims.size(); ++d) {
        const DimensionMap& m = map.dims[d];
        if (m.is_linear()) {
            const std::int64_t last = (map.shape[static_cast<int>(d)] - 1) * m.stride;
            grow(std::min<std::int64_t>(last, 0), std::max<std::int64_t>(last, 0));
        } else {
            const auto [least, most] = std::minmax_element(m.table.begin(), m.table.end());
            grow(*least, *most);
        }
    }
}

/// The values of a map, index after index.
inline std::vector<std::int64_t> all_values(const MixedRadix& map)
{
    std::vector<std::int64_t> values{0}, outer;
    for (const auto& digit : map.digits) {
        outer.swap(values);
        values.clear();
        values.reserve(outer.size() * static_cast<std::size_t>(digit.extent));
        for (const std::int64_t v : outer)
            for (std::int64_t i = 0; i < digit.extent; ++i) values.push_back(v + i * digit.stride);
    }
    return values;
}

struct WeightedAxis {
    Axis axis{};
    std::int64_t weight = 1;
};

/// The map of Σ weight·(coordinate on axis).
///
/// `errc::capacity` where there is no memory for a table, of a dimension made of several digits; `errc::too_hard` for more than 2^26 copies.
inline Result<AxisMap, Problem> axis_map(const Tensor& tensor, const std::vector<WeightedAxis>& axes)
{
    const Layout& layout = tensor.layout.layout;
    constexpr std::int64_t most = std::int64_t{1} << 26;
    const auto weight = [&](const Axis& axis) {
        std::int64_t sum = 0;
        for (const WeightedAxis& w : axes) sum += w.axis == axis ? w.weight : 0;
        return sum;
    };
    const auto check_table = [&](std::int64_t entries) { // of its numbers, and of those that they are made from
        return check_memory(
            detail::worded("tensor {0}, the table of a dimension that its layout cuts into several digits", {tensor.name}),
            wider_t<std::int64_t>{entries} * 16);
    };
    AxisMap map;
    map.shape = tensor.shape;
    for (const auto& e : layout.offset) map.constant += e.value * weight(e.axis);
    for (const auto& it : layout.replica) {
        const std::int64_t step = it.stride * weight(it.axis);
        if (step == 0 || it.extent == 1) continue;
        std::vector<std::int64_t> grown;
        if (static_cast<std::int64_t>(map.copies.size()) > most / it.extent)
            return Problem(errc::too_hard, "tensor {0} has more than 2^26 copies of an element", {tensor.name});
        for (const std::int64_t r : map.copies)
            for (std::int64_t i = 0; i < it.extent; ++i) grown.push_back(r + i * step);
        std::sort(grown.begin(), grown.end());
        grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
        map.copies = std::move(grown);
        map.copy_digits.push_back({it.extent, std::abs(step)});
    }
    const auto weighted = [&](const Iter& it) { return it.stride * weight(it.axis); };
    const auto grouped = group(layout, tensor.shape);
    if (!grouped) {
        if (!grouped.error().is_none()) return Problem(grouped.error(), "tensor " + tensor.name + ": ");
        if (const auto p = check_table(*volume(tensor.shape)); !p.ok()) return p;
        const auto digits = MixedRadix::from(layout.shard.begin(), layout.shard.end(), weighted);
        if (!digits) return Problem(digits.error(), "tensor " + tensor.name + ": ");
        map.flat = all_values(*digits);
        find_range(map);
        return map;
    }
    for (int d = 0; d < tensor.shape.size(); ++d) {
        DimensionMap dim;
        const Iter* iters = grouped->layout.shard.begin();
        const auto digits = MixedRadix::from(iters + grouped->begin(d), iters + grouped->end(d), weighted);
        if (!digits) return Problem(digits.error(), "tensor " + tensor.name + ": ");
        dim.stride = digits->slope();
        if (!digits->is_linear()) {
            if (const auto p = check_table(tensor.shape[d]); !p.ok()) return p;
            dim.table = all_values(*digits);
        }
        map.dims.push_back(std::move(dim));
    }
    find_range(map);
    return map;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
