// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_REMOVE_UNUSED_HPP
#define AXE_MAP_IMPL_REMOVE_UNUSED_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/variables_of.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// One of the groups that constraints tie variables into, and the constraints that do.
struct TiedVariables {
    std::vector<int> variables{};
    std::vector<std::size_t> constraints{};
    bool is_used = false;
};

/// The groups of a map's variables; a group is used when a result mentions one of it, or when one of it must stay.
inline std::vector<TiedVariables> tied_variables(const IndexingMap& map, const std::vector<bool>& may_go)
{
    const std::size_t count = map.variables.size();
    std::vector<std::size_t> group(count); // the least variable that it is tied to
    for (std::size_t v = 0; v < count; ++v) group[v] = v;
    std::vector<std::vector<bool>> mentioned;
    for (const IndexConstraint& c : map.constraints) {
        mentioned.push_back(variables_of(map, c.expression));
        std::size_t least = count;
        for (std::size_t v = count; v-- > 0;)
            if (mentioned.back()[v]) least = std::min(least, group[v]);
        for (std::size_t v = 0; v < count; ++v) {
            if (!mentioned.back()[v] || group[v] == least) continue;
            const std::size_t old = group[v];
            for (std::size_t& g : group) g = g == old ? least : g;
        }
    }
    std::vector<TiedVariables> out(count);
    for (std::size_t v = 0; v < count; ++v) {
        out[group[v]].variables.push_back(static_cast<int>(v));
        if (!may_go[v]) out[group[v]].is_used = true;
    }
    for (std::size_t i = 0; i < mentioned.size(); ++i) {
        const auto first = std::find(mentioned[i].begin(), mentioned[i].end(), true);
        if (first != mentioned[i].end())
            out[group[static_cast<std::size_t>(first - mentioned[i].begin())]].constraints.push_back(i);
    }
    for (const IndexExpr r : map.results) {
        const std::vector<bool> of = variables_of(map, r);
        for (std::size_t v = 0; v < count; ++v)
            if (of[v]) out[group[v]].is_used = true;
    }
    return out;
}

} // namespace detail

AXE_DECL Unused remove_unused(const IndexingMap& map, UnusedKind which)
{
    Unused out;
    out.removed.resize(map.variables.size());
    if (map.is_undefined) {
        out.map = map;
        return out;
    }
    std::vector<bool> may_go(map.variables.size(), which != UnusedKind::symbols);
    if (which != UnusedKind::every)
        for (std::size_t v = static_cast<std::size_t>(map.dimensions); v < may_go.size(); ++v) may_go[v] = !may_go[v];
    std::vector<bool> gone(map.constraints.size());
    bool is_empty = false;
    for (const detail::TiedVariables& group : detail::tied_variables(map, may_go)) {
        if (group.is_used) continue;
        IndexingMap alone = map; // the others do not matter: one value each
        alone.results.clear();
        alone.constraints.clear();
        for (IndexVariable& v : alone.variables) v.bounds = {0, 0};
        for (const int v : group.variables)
            alone.variables[static_cast<std::size_t>(v)] = map.variables[static_cast<std::size_t>(v)];
        for (const std::size_t i : group.constraints) alone.constraints.push_back(map.constraints[i]);
        const auto none = axe::is_empty(alone);
        if (none.undecided()) continue;
        is_empty = is_empty || none.yes();
        for (const int v : group.variables) out.removed[static_cast<std::size_t>(v)] = true;
        for (const std::size_t i : group.constraints) gone[i] = true;
    }
    if (std::find(out.removed.begin(), out.removed.end(), true) == out.removed.end()) {
        out.map = map;
        return out;
    }

    IndexingMap rest = map;
    rest.constraints.clear();
    for (std::size_t i = 0; i < gone.size(); ++i)
        if (!gone[i]) rest.constraints.push_back(map.constraints[i]);
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
    detail::append_replaced(out.map, rest, places);
    if (is_empty) constrain(out.map, out.map.pool.constant(0), {});
    return out;
}

} // namespace v0
} // namespace axe

#endif
