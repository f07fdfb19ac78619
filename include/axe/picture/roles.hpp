// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_ROLES_HPP
#define AXE_PICTURE_ROLES_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// What a role does without a wait: from column `begin` to column `end` of the picture, which follow each other in time.
struct RoleStep {
    int begin = 0, end = 0;
    int from = -1, to = -1; ///< the stages of what it reads and writes; −1: in no stage
    std::string text{};     ///< "0 → 1": the stages, or the name of what has none
    std::string detail{};   ///< the statements, and the ticks of the trace
};
/// The agents of a slice with a name, by the first of them.
struct RoleRow {
    std::string name{}, tensors{}; ///< "a, b → sums"
    int agent = 0;
    std::vector<RoleStep> steps{};
    /// What its agent has started and goes on by itself: from the issue to the first wait that sees it complete.
    std::vector<RoleStep> flights{};
};
/// Roles against stages, of one block: a row for each role of the program, in the order of their first steps.
///
/// A column lies between two ticks at which a step or a flight begins or ends: the order of the trace's logical time without its lengths. An
/// operation that goes on by itself is a flight, from its issue to the first wait that sees it complete: copies by groups or on an mbarrier, products of
/// warpgroups, products and copies in tensor memory. A copy that completes on an mbarrier takes its agent one tick, and is complete when
/// the ticks of its pieces are over, or later.
struct RolePicture {
    std::string title{};
    int columns = 0;
    std::vector<RoleRow> rows{};
};

/// The roles of a program in one block of a run.
///
/// A tensor in shared or tensor memory whose first dimension the statement gives by a number has stages: that number.
///
/// @param lowered the program that was run; @param trace of that run, of which the first device counts
/// Cost: a walk over the program, and one over the trace for each role.
AXE_DECL RolePicture roles(const Program& lowered, const sim::Trace& trace, int block = 0);

/// The picture as a separate file: SVG 1.1, no scripts, fonts or links, legible on light and dark pages. The same picture gives the same
/// bytes.
AXE_DECL std::string draw(const RolePicture& picture);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/roles.hpp>
#endif

#endif
