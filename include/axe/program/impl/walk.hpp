// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_WALK_HPP
#define AXE_PROGRAM_IMPL_WALK_HPP

#include <axe/program/walk.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL bool blocks_depend_on_each_other(const Grid& grid) { return !grid.cluster.empty() || clusters_depend_on_each_other(grid); }
AXE_DECL bool clusters_depend_on_each_other(const Grid& grid)
{
    return for_each_statement(grid.body, [](const Statement& s) { return std::holds_alternative<Flag>(s.what); });
}

} // namespace v0
} // namespace axe

#endif
