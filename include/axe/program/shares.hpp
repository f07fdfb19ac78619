// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_SHARES_HPP
#define AXE_PROGRAM_SHARES_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/problem.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// Tiles in blocks that are not within one device's share of a tensor that is distributed over devices, and are not remote: a block
/// accesses the memory of its own device unless its view says otherwise. The dimension, the tile, and the two shares are in the message.
/// And remote views that no block can access. `validate` reports all, `lower` and a run the first.
///
///   tile ⊆ share   for all values of the variables, dimension by dimension
///
/// Nothing is said of loops whose bounds are not constant, of layouts whose dimensions do not group the devices, and of tiles with more
/// than 2^22 origins and indices: a run finds those, when it comes to them.
/// Cost: none for programs without such tensors; else a walk over the program, and for each view its origins times the runs of indices.
AXE_DECL std::vector<Problem> share_problems(const Program& program);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/shares.hpp>
#endif

#endif
