// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_VERIFY_HPP
#define AXE_SIM_VERIFY_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/verification.hpp>

namespace axe {
inline namespace v0 {

/// Is each element of a run's outputs one that a correct run may give:  low ≤ got ≤ high, and NaN only where one may be?
///
/// @param program the one with operators, before it was lowered; @param inputs what the run was given; @param outputs what it gave,
///        an array for each output and inout.
/// The errors of `reference` and of `check_outputs`. Cost: that of `reference`.
AXE_DECL Result<Verification, Problem> verify(const Program& program, const Bindings& inputs, const Bindings& outputs,
                                              const ReferenceOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/impl/verify.hpp>
#endif

#endif
