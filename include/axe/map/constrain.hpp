// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_CONSTRAIN_HPP
#define AXE_MAP_CONSTRAIN_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// Adds `expression in interval` to the map's domain, where it belongs:  domain ∩ {v : expression(v) ∈ interval}
///
/// On a variable it narrows the variable's interval, on a constant it goes or empties the map, and on an expression that is
/// constrained already the two intervals become one. Nothing is rearranged, and whether the interval is implied is not asked.
/// Cost: linear in the constraints.
inline void constrain(IndexingMap& map, IndexExpr expression, const IndexInterval& interval)
{
    const IndexNode& node = map.pool[expression];
    if (node.op == IndexOp::variable) {
        IndexInterval& bounds = map.variables[static_cast<std::size_t>(node.value)].bounds;
        bounds = intersection(bounds, interval);
        return;
    }
    if (node.op == IndexOp::constant && interval.contains(node.value)) return;
    const IndexInterval held = node.op == IndexOp::constant ? IndexInterval{} : interval;
    for (IndexConstraint& c : map.constraints) {
        if (c.expression == expression) {
            c.interval = intersection(c.interval, held);
            return;
        }
    }
    map.constraints.push_back({expression, held});
}

namespace detail {

/// Is the name one that variables without a name have by their place: d0, s12, rt3?
inline bool is_place_name(const std::string& name)
{
    const std::size_t letters = name.compare(0, 2, "rt") == 0                                  ? 2
                                : name.compare(0, 1, "d") == 0 || name.compare(0, 1, "s") == 0 ? 1
                                                                                               : 0;
    return letters != 0 && letters < name.size() && name.find_first_not_of("0123456789", letters) == std::string::npos;
}

/// After variables moved or came together: no two of one name, and none named like another's place.
inline void make_names_unique(IndexingMap& map)
{
    for (std::size_t i = 0; i < map.variables.size(); ++i) {
        std::string& name = map.variables[i].name;
        bool taken = is_place_name(name);
        for (std::size_t k = 0; k < i && !taken && !name.empty(); ++k) taken = map.variables[k].name == name;
        if (taken) name.clear();
    }
}

/// Appends variable v of another map, and returns what it is in this one; the caller counts it as a dimension or a range variable.
inline IndexExpr take_variable(IndexingMap& out, const IndexingMap& from, std::size_t v)
{
    out.variables.push_back(from.variables[v]);
    return out.pool.variable(static_cast<int>(out.variables.size()) - 1);
}

/// Puts the results and constraints of `from` into `out`, its variables replaced; the pool's error says what overflowed or is divided
/// by 0. Where a number is outside its interval there is no point, so what follows has no value that counts: results are 0.
inline void append_replaced(IndexingMap& out, const IndexingMap& from, std::vector<IndexExpr> replacement)
{
    PoolCopy copy(out.pool, from.pool, std::move(replacement));
    bool is_empty = out.has_empty_interval();
    for (std::size_t i = 0; i < from.constraints.size() && !is_empty; ++i) {
        const IndexConstraint& c = from.constraints[i];
        const IndexExpr expression = copy(c.expression);
        constrain(out, expression, c.interval);
        is_empty = out.pool.is_constant(expression) && !c.interval.contains(out.pool[expression].value);
    }
    if (is_empty)
        out.results.insert(out.results.end(), from.results.size(), out.pool.constant(0));
    else
        copy.append(out.results, from.results);
}

/// A map that holds nowhere, with the dimensions of `like`, no other variables and as many results as asked for.
inline IndexingMap nowhere(const IndexingMap& like, std::size_t results)
{
    IndexingMap out;
    out.variables.assign(like.variables.begin(), like.variables.begin() + like.dimensions);
    out.dimensions = like.dimensions;
    out.results.assign(results, out.pool.constant(0));
    out.constraints.push_back({out.pool.constant(0), {}});
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
