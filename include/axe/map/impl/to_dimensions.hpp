// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_TO_DIMENSIONS_HPP
#define AXE_MAP_IMPL_TO_DIMENSIONS_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/to_dimensions.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The map with its variables in another order: `order` lists the old numbers, the first `dimensions` of them the dimensions.
inline IndexingMap reordered(const IndexingMap& map, const std::vector<int>& order, int dimensions, int ranges)
{
    IndexingMap out;
    out.dimensions = dimensions;
    out.ranges = ranges;
    std::vector<IndexExpr> places(map.variables.size());
    for (const int v : order) places[static_cast<std::size_t>(v)] = take_variable(out, map, static_cast<std::size_t>(v));
    make_names_unique(out);
    append_replaced(out, map, places);
    return out;
}

} // namespace detail

AXE_DECL Result<IndexingMap> ranges_to_dimensions(const IndexingMap& map, const std::vector<int>& indices)
{
    if (map.is_undefined) return map;
    std::vector<bool> taken(static_cast<std::size_t>(map.ranges));
    std::vector<int> order;
    for (int v = 0; v < map.dimensions; ++v) order.push_back(v);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const int s = indices[i];
        if (s < 0 || s >= map.ranges)
            return Error(errc::bad_argument, static_cast<int>(i), "no range variable {0} exists; the map has {1}", s, map.ranges);
        if (taken[static_cast<std::size_t>(s)])
            return Error(errc::bad_argument, static_cast<int>(i), "range variable {0} is listed twice", s);
        taken[static_cast<std::size_t>(s)] = true;
        order.push_back(map.first_range() + s);
    }
    for (int s = 0; s < map.ranges; ++s)
        if (!taken[static_cast<std::size_t>(s)]) order.push_back(map.first_range() + s);
    for (int v = map.first_runtime(); v < static_cast<int>(map.variables.size()); ++v) order.push_back(v);
    const int moved = static_cast<int>(indices.size());
    return detail::reordered(map, order, map.dimensions + moved, map.ranges - moved);
}

AXE_DECL IndexingMap symbols_to_dimensions(const IndexingMap& map)
{
    if (map.is_undefined) return map;
    std::vector<int> order;
    for (int v = 0; v < static_cast<int>(map.variables.size()); ++v) order.push_back(v);
    return detail::reordered(map, order, static_cast<int>(order.size()), 0);
}

} // namespace v0
} // namespace axe

#endif
