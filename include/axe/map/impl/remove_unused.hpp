// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_REMOVE_UNUSED_HPP
#define AXE_MAP_IMPL_REMOVE_UNUSED_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/variables_of.hpp>

#include <numeric>

namespace axe {
inline namespace v0 {
namespace detail {

/// For each variable one of those that constraints tie it to, the same one for all that are tied together.
/// @param mentions  the variables of each constraint
inline std::vector<std::size_t> tied_variables(std::size_t variables, const std::vector<std::vector<bool>>& mentions)
{
    std::vector<std::size_t> group(variables);
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (const std::vector<bool>& of : mentions) {
        const auto first = static_cast<std::size_t>(std::find(of.begin(), of.end(), true) - of.begin());
        for (std::size_t v = first; v < variables; ++v)
            if (of[v]) std::replace(group.begin(), group.end(), std::size_t{group[v]}, std::size_t{group[first]});
    }
    return group;
}

} // namespace detail

AXE_DECL Unused remove_unused(const IndexingMap& map, UnusedKind which)
{
    Unused out;
    const std::size_t count = map.variables.size();
    out.removed.resize(count);
    if (map.is_undefined) {
        out.map = map;
        return out;
    }
    std::vector<std::vector<bool>> mentions;
    for (const IndexConstraint& c : map.constraints) mentions.push_back(variables_of(map, c.expression));
    const std::vector<std::size_t> group = detail::tied_variables(count, mentions);
    std::vector<std::size_t> group_of; // of each constraint; none for those without variables
    for (const std::vector<bool>& of : mentions) {
        const auto first = static_cast<std::size_t>(std::find(of.begin(), of.end(), true) - of.begin());
        group_of.push_back(first < count ? group[first] : count);
    }
    // A group is used when a result mentions one of it, or when one of it must stay.
    std::vector<bool> is_used(count), gone(map.constraints.size());
    for (const IndexExpr r : map.results) {
        const std::vector<bool> of = variables_of(map, r);
        for (std::size_t v = 0; v < count; ++v)
            if (of[v]) is_used[group[v]] = true;
    }
    for (std::size_t v = 0; v < count; ++v) {
        const bool is_dimension = static_cast<int>(v) < map.dimensions;
        if (which != UnusedKind::every && is_dimension != (which == UnusedKind::dimensions)) is_used[group[v]] = true;
    }
    bool is_empty = false;
    for (std::size_t g = 0; g < count; ++g) {
        if (group[g] != g || is_used[g]) continue;
        IndexingMap alone = map; // the others do not matter: one value each
        alone.results.clear();
        alone.constraints.clear();
        for (std::size_t v = 0; v < count; ++v)
            if (group[v] != g) alone.variables[v].bounds = {0, 0};
        for (std::size_t i = 0; i < gone.size(); ++i)
            if (group_of[i] == g) alone.constraints.push_back(map.constraints[i]);
        const auto none = axe::is_empty(alone);
        if (none.undecided()) continue;
        is_empty = is_empty || none.yes();
        for (std::size_t v = 0; v < count; ++v) out.removed[v] = out.removed[v] || group[v] == g;
        for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = gone[i] || group_of[i] == g;
    }
    if (std::find(out.removed.begin(), out.removed.end(), true) == out.removed.end()) {
        out.map = map;
        return out;
    }

    std::vector<IndexExpr> places(map.variables.size());
    for (int v = 0; v < static_cast<int>(map.variables.size()); ++v) {
        if (out.removed[static_cast<std::size_t>(v)]) continue;
        places[static_cast<std::size_t>(v)] = out.map.pool.variable(static_cast<int>(out.map.variables.size()));
        out.map.variables.push_back(map.variables[static_cast<std::size_t>(v)]);
        if (v < map.first_range())
            ++out.map.dimensions;
        else if (v < map.first_runtime())
            ++out.map.ranges;
    }
    detail::make_names_unique(out.map);
    // As they are, also where a constraint holds nowhere: what they mention has stayed.
    detail::PoolCopy copy(out.map.pool, map.pool, std::move(places));
    for (std::size_t i = 0; i < gone.size(); ++i)
        if (!gone[i]) constrain(out.map, copy(map.constraints[i].expression), map.constraints[i].interval);
    copy.append(out.map.results, map.results);
    if (is_empty) constrain(out.map, out.map.pool.constant(0), {});
    return out;
}

} // namespace v0
} // namespace axe

#endif
