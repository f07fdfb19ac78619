// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_BOX_HPP
#define AXE_MAP_BOX_HPP

#include <axe/map/empty.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The least and the greatest value of goal 0, over all points that hold the constraints; empty without such a point.
inline Result<IndexInterval> goal_bounds(const BasicSet& system, int position)
{
    IndexInterval out;
    for (const int sign : {1, -1}) {
        BasicSet s = system;
        for (int c = 0; c < s.columns(); ++c) s.row(s.goal_row(0))[c] *= sign;
        IntegerSearch search(SearchGoal::goal);
        search.run(std::move(s));
        if (Error e = search.error()) {
            e.position = position;
            return e;
        }
        if (!search.is_found) return IndexInterval{};
        const WideInt value = sign * search.goal;
        if (!is_short(value)) return Error(errc::overflow, position, "the values of expression {0} leave the integer", position);
        (sign > 0 ? out.low : out.high) = static_cast<std::int64_t>(value);
    }
    return out;
}

} // namespace detail

/// The least and the greatest value of an expression of the map's pool over the domain; empty where the domain is.
///
/// Both are attained. Errors: as `find_point`, and `errc::overflow` for values beyond the integer.
inline Result<IndexInterval> bounds_of(const IndexingMap& map, IndexExpr expression)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    return detail::goal_bounds(detail::domain_system(map, {expression}), -1);
}

/// For each result the least and the greatest value over the domain: the smallest box that holds the image.
///
/// All are empty where the domain is. Errors: as `bounds_of`, with the number of the result.
inline Result<std::vector<IndexInterval>> image_box(const IndexingMap& map)
{
    std::vector<IndexInterval> out;
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        auto bounds = bounds_of(map, map.results[i]);
        if (!bounds) {
            Error e = bounds.error();
            e.position = static_cast<int>(i);
            return e;
        }
        out.push_back(*bounds);
    }
    if (out.empty())
        if (const Error e = detail::map_is_decidable(map)) return e;
    return out;
}

/// For each variable the least and the greatest value among the points of the domain whose results lie in the box.
///
/// All are empty where there is no such point. Errors: as `find_point`, with the number of the variable; `errc::rank_mismatch` for a box
/// that has not one interval for each result.
inline Result<std::vector<IndexInterval>> preimage_box(const IndexingMap& map, const std::vector<IndexInterval>& box)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    if (box.size() != map.results.size())
        return Error(errc::rank_mismatch, -1, "the map has {0} results, and the box has {1} intervals",
                     static_cast<std::int64_t>(map.results.size()), static_cast<std::int64_t>(box.size()));
    std::vector<IndexInterval> out;
    std::vector<detail::AskedConstraint> asked;
    for (std::size_t i = 0; i < box.size(); ++i) asked.push_back({map.results[i], detail::as_range(box[i])});
    detail::BasicSet system = detail::domain_system(map, {IndexExpr{}}, asked);
    for (int j = 0; j < system.dim_count(); ++j) {
        detail::WideInt* goal = system.row(system.goal_row(0));
        std::fill(goal, goal + system.columns(), detail::WideInt{0});
        goal[system.of_dim(j)] = 1;
        goal[0] = map.variables[static_cast<std::size_t>(j)].bounds.low;
        const auto bounds = detail::goal_bounds(system, j);
        if (!bounds) return bounds.error();
        out.push_back(*bounds);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
