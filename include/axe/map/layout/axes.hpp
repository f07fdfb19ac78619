// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_AXES_HPP
#define AXE_MAP_LAYOUT_AXES_HPP

#include <axe/layout/layout.hpp>
#include <axe/support/errors.hpp>

#include <algorithm>
#include <vector>

/// Which axis of a layout is which result of a map.
namespace axe {
inline namespace v0 {
namespace detail {

/// The axes on which a checked layout has a coordinate other than 0, some of them more than once.
inline std::vector<Axis> axes_with_coordinates(const Layout& layout)
{
    std::vector<Axis> axes;
    const auto add = [&](const Iter& it) {
        if (it.extent > 1 && it.stride != 0) axes.push_back(it.axis);
    };
    for (const Iter& it : layout.shard) add(it);
    for (const Iter& it : layout.replica) add(it);
    for (const Point::Entry& e : layout.offset)
        if (e.value != 0) axes.push_back(e.axis);
    return axes;
}
/// Those in order of their names; `m` where none is. They are those of the map, however it is written.
inline std::vector<Axis> result_axes_of(const Layout& layout)
{
    std::vector<Axis> axes = axes_with_coordinates(layout);
    if (axes.empty()) axes.push_back({});
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

/// `m` for one result, r0, r1, … for several; for none `m` as well, on which nothing moves.
inline std::vector<Axis> result_axes(std::size_t results)
{
    std::vector<Axis> axes;
    if (results <= 1) axes.push_back({});
    for (std::size_t j = 0; results > 1 && j < results; ++j) {
        Message s;
        s.put('r');
        s.put(static_cast<std::int64_t>(j));
        axes.push_back(Axis::make(s.c_str(), s.size).value());
    }
    return axes;
}

/// `errc::bad_axis` when a list names an axis twice.
inline Status check_axes_distinct(const std::vector<Axis>& axes)
{
    for (std::size_t i = 0; i < axes.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (axes[i] == axes[k]) return axis_again(static_cast<int>(i), static_cast<int>(k));
    return {};
}

/// Does every axis on which the layout is not 0 stand in the list, and each once?
inline Status check_axes_named(const Layout& layout, const std::vector<Axis>& axes)
{
    if (const Status e = check_axes_distinct(axes); !e.ok()) return e;
    const auto has = [&](const Axis& a) { return std::find(axes.begin(), axes.end(), a) != axes.end(); };
    const std::vector<Axis> moving = axes_with_coordinates(layout);
    if (!std::all_of(moving.begin(), moving.end(), has))
        return Error(errc::unknown_axis, -1, "the layout is nonzero on an axis that is not among the {0} named",
                     static_cast<std::int64_t>(axes.size()));
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
