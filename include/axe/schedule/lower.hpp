// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_LOWER_HPP
#define AXE_SCHEDULE_LOWER_HPP

#include <axe/program/target.hpp>
#include <axe/schedule/lowered.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// The program with each operator replaced by the instructions of a schedule, layouts chosen where the program gave hints, and `Each`
/// taken away. The statements of an operator keep its number, and its temporaries are allocated in its place.
///
/// @param target whose machine has the name of the program's: the program's own may differ from it in its numbers, a mesh of devices
///        among them
///
/// What does not fit the machine's memories, registers and threads is a problem here, too, with the numbers of a run.
/// The problem lists, for an operator that no schedule does, every schedule of the target that its machine can have, with its reason; for
/// one that only a slower class of instructions does, where the options do not allow that, those of faster classes.
AXE_DECL Result<Lowered, Problem> lower(const Program& program, const Target& target, const LowerOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/schedule/impl/lower.hpp>
#endif

#endif
