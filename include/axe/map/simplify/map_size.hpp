// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_MAP_SIZE_HPP
#define AXE_MAP_SIMPLIFY_MAP_SIZE_HPP

#include <axe/map/range/expression_ranges.hpp>
#include <axe/map/small_vector.hpp>
#include <axe/map/variables_of.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// The nodes that results and constraints are made of, and how many they are; the pool may hold others.
struct UsedNodes {
    SmallVector<char, 256> marked;
    std::int64_t count = 0;

    explicit UsedNodes(const IndexingMap& map)
    {
        marked.resize(static_cast<std::size_t>(map.pool.size()));
        for (const IndexExpr e : map.results) marked[static_cast<std::size_t>(e.id)] = 1;
        for (const IndexConstraint& c : map.constraints) marked[static_cast<std::size_t>(c.expression.id)] = 1;
        count = mark_operands(map.pool, marked);
    }
};
inline std::int64_t nodes_of(const IndexingMap& map) { return UsedNodes(map).count; }

/// Maps of more nodes, shared ones counted once, are large: only what is near the results is taken apart, and what does not come
/// out with fewer nodes stays as it is.
inline constexpr std::int64_t large_map = 80;

inline bool has_more_nodes(const IndexingMap& map, std::int64_t most) { return map.pool.size() > most && nodes_of(map) > most; }
inline bool is_large(const IndexingMap& map) { return has_more_nodes(map, large_map); }

/// The ranges of the divisions that are below another one on every way from a result or constraint; every integer for other nodes.
inline std::vector<IndexInterval> deep_parts(const IndexingMap& map)
{
    const auto count = static_cast<std::size_t>(map.pool.size());
    std::vector<char> level(count, 2);
    for (const IndexExpr e : map.results) level[static_cast<std::size_t>(e.id)] = 0;
    for (const IndexConstraint& c : map.constraints) level[static_cast<std::size_t>(c.expression.id)] = 0;
    for (std::size_t id = count; id-- > 0;) {
        const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}];
        const char below = n.op == IndexOp::floor_div || n.op == IndexOp::mod ? char{1} : level[id];
        for (const IndexExpr x : {n.left, n.right})
            if (x.id >= 0) level[static_cast<std::size_t>(x.id)] = least(level[static_cast<std::size_t>(x.id)], below);
    }
    std::vector<IndexInterval> out(count, every_integer);
    ExpressionRanges range(map);
    for (std::size_t id = 0; id < count; ++id) {
        const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}];
        if (level[id] == 1 && (n.op == IndexOp::floor_div || n.op == IndexOp::mod))
            out[id] = range({static_cast<std::int32_t>(id)});
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
