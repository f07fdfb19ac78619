// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_BOX_HULL_HPP
#define AXE_MAP_LAYOUT_BOX_HULL_HPP

#include <axe/map/box.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/layout/errors.hpp>
#include <axe/map/presburger/redundancy.hpp>
#include <axe/map/rescale.hpp>
#include <axe/map/variables_of.hpp>

/// Domains as boxes, as far as they are some.
namespace axe {
inline namespace v0 {
namespace detail {

/// Leaves out what holds everywhere in the box.
inline void remove_always_true(IndexingMap& map)
{
    remove_redundant(map);
    if (map.has_empty_interval()) return;
    IndexingMap box = map;
    box.constraints.clear();
    map.constraints.erase(std::remove_if(map.constraints.begin(), map.constraints.end(),
                                         [&](const IndexConstraint& c) { return is_always(box, c).yes(); }),
                          map.constraints.end());
}

/// Narrows the variables' intervals to what the constraints leave of them, and drops constraints that then say nothing more: the
/// same relation. An interval of a dimension is then the smallest there is.
///
/// `errc::no_layout` for an empty domain; otherwise the errors of `bounds_of`.
inline Status narrow_to_box_hull(IndexingMap& map)
{
    map = rescale(map);
    remove_always_true(map);
    if (map.has_empty_interval()) return domain_is_empty();
    if (map.constraints.empty()) return {};
    std::vector<bool> is_bound(map.variables.size());
    for (const IndexConstraint& c : map.constraints) {
        const std::vector<bool> used = variables_of(map, c.expression);
        for (std::size_t v = 0; v < used.size(); ++v) is_bound[v] = is_bound[v] || used[v];
    }
    bool is_narrower = false;
    for (int d = 0; d < map.dimensions; ++d) {
        if (!is_bound[static_cast<std::size_t>(d)]) continue;
        const auto bounds = bounds_of(map, map.dimension(d));
        if (!bounds) return bounds.error();
        if (bounds->is_empty()) return domain_is_empty();
        IndexInterval& old = map.variables[static_cast<std::size_t>(d)].bounds;
        is_narrower = is_narrower || !(old == *bounds);
        old = *bounds;
    }
    if (is_narrower) remove_always_true(map);
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
