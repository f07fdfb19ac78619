// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LIMITS_HPP
#define AXE_PROGRAM_LIMITS_HPP

#include <axe/program/levels.hpp>
#include <axe/program/program.hpp>
#include <axe/program/run_limits.hpp>
#include <axe/program/walk.hpp>

/// How large a program may be: what keeps stacks, memories and run numbers from overflowing. Kernels, `validate`, `lower` and
/// `sim::run` report what is beyond in the same words.
namespace axe {
inline namespace v0 {

/// Statements around a statement, at most.
inline constexpr int max_nesting = 256;
/// Nodes of an expression (`Expression::nodes`), at most.
inline constexpr std::int64_t max_expression_nodes = std::int64_t{1} << 20;
/// Blocks that a device runs in one run, and so blocks of a grid, at most.
inline constexpr std::int64_t max_blocks = (std::int64_t{1} << 24) - 2;

/// `errc::capacity` for the body of a statement that is inside `depth` others, if it is too deep.
AXE_DECL Result<void, Problem> check_nesting(int depth);
/// `errc::capacity` for an expression of too many nodes. Cost: constant.
AXE_DECL Result<void, Problem> check_size(const Expression& e);
/// Of a grid's clusters: `volume`'s errors, `errc::rank_mismatch` and `errc::bad_extent` where their shape does not divide the grid's,
/// `errc::capacity` for more blocks than the machine's clusters have, `errc::bad_argument` on a machine without them. Cost: constant.
AXE_DECL Result<void, Problem> check_clusters(const Machine& machine, const Grid& grid);
/// Of a grid: `check_clusters`, `volume`'s errors of its counts, `errc::capacity` for too many blocks, `errc::bad_argument` for agents that the machine's
/// blocks do not have. Cost: constant.
AXE_DECL Result<void, Problem> check_grid(const Machine& machine, const Grid& grid);
/// `check_nesting` of all statements and `check_size` of all their expressions: the first problem, after the words that say where. What
/// is sound is safe to walk through with one call inside another for each body.
///
/// Cost: linear in statements; no recursion.
AXE_DECL Result<void, Problem> check_sizes(const Program& program);
/// `check_sizes`, `check_grid` of all grids, and that tensors, variables and scalars exist where they are named, that the lists of views
/// fit each other, and the operators' own rules: what `lower` and `sim::run` ask before they begin, since they could not go through
/// anything else.
///
/// Cost: linear in statements and expressions.
AXE_DECL Result<void, Problem> check_limits(const Program& program);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/limits.hpp>
#endif

#endif
