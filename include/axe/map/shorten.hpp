// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SHORTEN_HPP
#define AXE_MAP_SHORTEN_HPP

#include <axe/map/canonical_map.hpp>
#include <axe/map/simplify.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// The nodes that the results and constraints of a map are made of; its pool may hold others.
inline std::int64_t nodes_in_use(const IndexingMap& map)
{
    std::vector<bool> used(static_cast<std::size_t>(map.pool.size()));
    for (const IndexExpr e : map.results) used[static_cast<std::size_t>(e.id)] = true;
    for (const IndexConstraint& c : map.constraints) used[static_cast<std::size_t>(c.expression.id)] = true;
    std::int64_t out = 0;
    for (std::int32_t id = map.pool.size() - 1; id >= 0; --id) { // operands come before what uses them
        if (!used[static_cast<std::size_t>(id)]) continue;
        ++out;
        for (const IndexExpr operand : {map.pool[{id}].left, map.pool[{id}].right})
            if (operand.id >= 0) used[static_cast<std::size_t>(operand.id)] = true;
    }
    return out;
}

/// Maps of so many nodes are simplified although they grow by it.
inline constexpr std::int64_t short_map = 64;

} // namespace detail

/// The same map, simplified where that does not let it grow: `canonical_map` of one without constraints, else `simplify`, else the
/// map as it is.
///
/// For each step of a chain of operations. A simpler result may need more nodes than the results share as they are, and so on from
/// step to step. Where the answer would have more than the map, and more than 64, the map stays as it is: a chain has at most the
/// nodes of its operations.
/// @param longest  a map of more nodes is not simplified, and of half as many again not tried at all: what becomes long is to be
///                 simplified once, at the end, and not at every step.
/// @returns errors of `simplify`.
/// Cost: linear for longer maps, else that of `canonical_map` where it answers, else that of `simplify` too.
inline Result<IndexingMap> shorten(const IndexingMap& map, std::int64_t longest = detail::short_map)
{
    if (map.is_undefined) return map;
    const std::int64_t nodes = detail::nodes_in_use(map), most = std::max(nodes, detail::short_map);
    if (nodes - longest > longest / 2) return map;
    if (map.constraints.empty() && !map.has_empty_interval()) {
        Result<IndexingMap> canonical = canonical_map(map);
        if (canonical && detail::nodes_in_use(*canonical) <= most) return canonical;
    }
    if (nodes > longest) return map;
    Result<IndexingMap> simple = simplify(map);
    if (!simple || detail::nodes_in_use(*simple) <= most) return simple;
    return map;
}

} // namespace v0
} // namespace axe

#endif
