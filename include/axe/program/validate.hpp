// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_VALIDATE_HPP
#define AXE_PROGRAM_VALIDATE_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// All that is wrong with a program, in the order of its text; nothing: it may be lowered and run.
///
/// Of the machine, whatever `check` says. Of each tensor: shape, memory, alignment; of its layout: that it admits the shape, is on axes
/// that the memory and its owner have, within their places, and puts no two elements in one. Of each statement: that it is where it
/// may be, that what it uses exists, that the owner's memory has room for what is alive together (what a tensor with a hint takes at least), that no
/// view leaves its tensor for certain, and the operator's own rules (operators.hpp).
/// What only a run can know is the simulator's to find: races, indices that data give, reads of what was never written.
/// `errc::capacity`, and nothing else is looked at, where bodies or expressions are larger than limits.hpp says.
/// Cost: linear in statements, tensors and variables, and `is_injective` of each layout.
AXE_DECL std::vector<Problem> validate(const Program& program);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/validate.hpp>
#endif

#endif
