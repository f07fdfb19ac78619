// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_VARIABLES_OF_HPP
#define AXE_MAP_VARIABLES_OF_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// Which variables does the expression mention?  [v] for each variable of the map.
/// Cost: linear in the nodes up to the expression.
inline std::vector<bool> variables_of(const IndexingMap& map, IndexExpr expression)
{
    std::vector<bool> out(map.variables.size()), needed(static_cast<std::size_t>(expression.id) + 1);
    needed.back() = true;
    for (std::int32_t id = expression.id; id >= 0; --id) { // operands come before what uses them
        if (!needed[static_cast<std::size_t>(id)]) continue;
        const IndexNode& n = map.pool[{id}];
        if (n.op == IndexOp::variable) out[static_cast<std::size_t>(n.value)] = true;
        for (const IndexExpr operand : {n.left, n.right})
            if (operand.id >= 0) needed[static_cast<std::size_t>(operand.id)] = true;
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
