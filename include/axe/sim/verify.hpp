// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_VERIFY_HPP
#define AXE_SIM_VERIFY_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/verification.hpp>

namespace axe {
inline namespace v0 {

/// Is each element of a run's outputs one that a correct run may give:  low ≤ got ≤ high, and NaN only where one may be?
///
/// Compared with what the program's specification says (`Kernel::computes`), the run is "right" or "wrong". An output without a formula is
/// compared with what the program's own operators give by plain loops (`reference`), and the run is "consistent" at best: a mistake of
/// the kernel itself is in both. `options.against` asks for one of the two, or both; `options.rows` for some rows only.
///
/// @param program the one with operators, before it was lowered; the lowered one, too, where each output has a formula
/// @param inputs what the run was given; @param outputs what it gave, an array for each output and inout.
/// The errors of `specified`, `reference` and `check_outputs`. Cost: that of `specified` or `reference`.
AXE_DECL Result<Verification, Problem> verify(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                              const ReferenceOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/impl/verify.hpp>
#endif

#endif
