// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_RUN_HPP
#define AXE_SIM_RUN_HPP

#include <axe/program/target.hpp>
#include <axe/sim/report/report.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Runs a program of instructions on inputs.
///
/// @param program what `lower` made, or instructions that were written as such, on its machine
/// @param target whose opcodes say what the instructions do
/// @param inputs an array for each input and inout; borrowed, not copied, where a tensor is stored as the array is
/// @param reuse arrays that are no longer needed, such as the outputs of the run before: an output of the same name, shape and type is
///        written into their memory
/// @returns outputs and counts; a fault is part of the report, a problem means that the run could not begin: inputs that do not fit,
///          an instruction that does not fit its operands, more memory asked than there is
/// Cost: see docs/performance.md. Deterministic: the same bits whatever the number of threads.
AXE_DECL Result<Report, Problem> run(const Program& program, const Target& target, const Bindings& inputs,
                                     const RunOptions& options = {}, Bindings reuse = {});

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/impl/run.hpp>
#endif

#endif
