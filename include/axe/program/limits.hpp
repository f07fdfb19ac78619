// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LIMITS_HPP
#define AXE_PROGRAM_LIMITS_HPP

#include <axe/program/levels.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

/// How large a program may be: what keeps stacks, memories and run numbers from overflowing, and what the simulator takes of any
/// machine, so that what `validate` accepts runs. Kernels, `validate`, `lower` and `sim::run` report what is beyond in the same words.
namespace axe {
inline namespace v0 {

/// Statements around a statement, at most.
inline constexpr int max_nesting = 256;
/// Nodes of an expression (`Expression::nodes`), at most.
inline constexpr std::int64_t max_expression_nodes = std::int64_t{1} << 20;
/// Blocks that a device runs in one run, and so blocks of a grid, at most.
inline constexpr std::int64_t max_blocks = (std::int64_t{1} << 24) - 2;

inline constexpr std::int64_t most_mbarrier_bytes = (1 << 20) - 1;    ///< that a phase of an mbarrier counts      [PTX, mbarrier]
inline constexpr std::int64_t most_mbarrier_arrivals = (1 << 20) - 1; ///< in a phase      [PTX, mbarrier]
inline constexpr int named_barriers = 16;                             ///< of a block      [PTX, bar]
inline constexpr int most_accesses = 262'143; ///< statements that access memory: what a cell of the shadow can tell apart
/// Addresses, and numbers of bytes, of a memory that does not say how many it has.
inline constexpr std::int64_t most_memory_bytes = std::int64_t{1} << 60;

/// Elements of an operand of an operator inside a block, at most, where lanes load and store: each is placed by itself.
inline constexpr std::int64_t most_view_elements = std::int64_t{1} << 22;
/// Elements that the lanes of a block handle in one operator, at most, counting what a lane does for each of them.
inline constexpr std::int64_t most_listed = std::int64_t{1} << 24;

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
/// Of an operator inside a block, where lanes load and store: `errc::too_hard` for what is more than instructions list for so many
/// `agents`. Views of more than `most_view_elements`, registers that each lane is to read too often, reductions of too many terms from a
/// memory. `lower` asks it again when hints are layouts. Cost: linear in operands; for registers in copies of an element.
AXE_DECL Result<void, Problem> check_lists(const Program& program, const Operation& operation, std::int64_t agents);
/// Does the statement itself read or write tensors? An operator does, and an instruction; a condition or a value that loads an element.
AXE_DECL bool accesses_memory(const Statement& s);
/// What of a program is beyond the simulator: a machine without shared memory or with too many devices, too many lanes in an agent, too
/// many statements that access memory. `validate` reports all, a run the first.
///
/// Cost: one walk over the program.
AXE_DECL std::vector<Problem> run_limit_problems(const Program& program);
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

inline std::string many_lanes_text(std::int64_t lanes)
{
    return detail::worded("an agent has {0} lanes; the simulator takes at most {1}", {lanes, most_lanes});
}
inline Problem too_many_elements(const std::string& tensor, std::int64_t elements)
{
    return Problem(errc::too_hard, "a view of {0} has {1} elements, more than 2^22", {tensor, elements});
}
/// @param held by one lane
inline Problem too_many_held(const std::string& tensor, std::int64_t held, std::int64_t lanes)
{
    return Problem(errc::too_hard, "a lane has {0} elements of the view of {1}; for {2} lanes the lists have more than 2^24",
                   {held, tensor, lanes});
}
/// The terms of all lanes, so many for each of the copies of elements that they hold: no more than can be listed?
inline Result<void, Problem> check_terms(const std::string& tensor, std::int64_t copies, std::int64_t terms, std::int64_t lanes)
{
    if (limited_product(terms, std::max(copies, lanes)) <= 2 * most_listed) return {}; // all lanes' lists are as long as one lane's
    return Problem(errc::too_hard,
                   "each of the {0} copies of elements of {1} has {2} terms: the lists of {3} lanes would have more than 2^25",
                   {copies, tensor, terms, lanes});
}

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/limits.hpp>
#endif

#endif
