// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_VARIABLES_OF_HPP
#define AXE_MAP_VARIABLES_OF_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// Marks the operands of what is marked, and theirs.
/// @returns how many are
template <class Marks>
std::int64_t mark_operands(const IndexPool& pool, Marks& marked)
{
    std::int64_t count = 0;
    for (std::size_t id = marked.size(); id-- > 0;) { // operands come before what uses them
        if (marked[id] == 0) continue;
        ++count;
        const IndexNode& n = pool[{static_cast<std::int32_t>(id)}];
        for (const IndexExpr operand : {n.left, n.right})
            if (operand.id >= 0) marked[static_cast<std::size_t>(operand.id)] = 1;
    }
    return count;
}

} // namespace detail

/// Which variables does the expression mention?  [v] for each variable of the map.
/// Cost: linear in the nodes up to the expression.
inline std::vector<bool> variables_of(const IndexingMap& map, IndexExpr expression)
{
    std::vector<bool> out(map.variables.size());
    std::vector<char> needed(static_cast<std::size_t>(expression.id) + 1);
    needed.back() = 1;
    detail::mark_operands(map.pool, needed);
    for (std::size_t id = 0; id < needed.size(); ++id)
        if (const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}]; needed[id] != 0 && n.op == IndexOp::variable)
            out[static_cast<std::size_t>(n.value)] = true;
    return out;
}

} // namespace v0
} // namespace axe

#endif
