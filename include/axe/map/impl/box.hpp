// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_BOX_HPP
#define AXE_MAP_IMPL_BOX_HPP

#include <axe/map/box.hpp>
#include <axe/map/presburger/domain_system.hpp>

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
        if (!search.status().ok()) {
            Error e = search.status().error();
            e.position = position;
            return e;
        }
        if (!search.is_found) return IndexInterval{};
        const WideInt value = sign * search.goal;
        if (!is_short(value))
            return Error(errc::overflow, position,
                         position < 0 ? "the values of the expression overflow" : "the values of expression {0} overflow",
                         position);
        (sign > 0 ? out.low : out.high) = static_cast<std::int64_t>(value);
    }
    return out;
}

/// @param position of the expression among those asked for; −1 of one alone
inline Result<IndexInterval> bounds_at(const IndexingMap& map, IndexExpr expression, int position)
{
    if (const Status e = map_is_decidable(map); !e.ok()) return e;
    return goal_bounds(domain_system(map, {expression}), position);
}

} // namespace detail

AXE_DECL Result<IndexInterval> bounds_of(const IndexingMap& map, IndexExpr expression)
{
    return detail::bounds_at(map, expression, -1);
}

AXE_DECL Result<std::vector<IndexInterval>> image_box(const IndexingMap& map)
{
    std::vector<IndexInterval> out;
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        auto bounds = detail::bounds_at(map, map.results[i], static_cast<int>(i));
        if (!bounds) {
            Error e = bounds.error();
            e.position = static_cast<int>(i);
            return e;
        }
        out.push_back(*bounds);
    }
    if (out.empty())
        if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    return out;
}

AXE_DECL Result<std::vector<IndexInterval>> preimage_box(const IndexingMap& map, const std::vector<IndexInterval>& box)
{
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    if (box.size() != map.results.size())
        return Error(errc::rank_mismatch, -1, "the map has {0} results, but the box has {1} intervals",
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
