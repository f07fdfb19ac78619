// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_RUN_HPP
#define AXE_SIM_RUN_HPP

#include <axe/program/target.hpp>
#include <axe/sim/report/report.hpp>

#include <memory>

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

struct Executables;

/// A program that is ready to run: what `run` works out before the first instruction, worked out once for any number of runs.
///
/// One run at a time. The program and the target must outlive it.
class PreparedProgram {
  public:
    PreparedProgram() noexcept; ///< nothing, of which a run is `errc::bad_argument`
    explicit PreparedProgram(std::unique_ptr<Executables> made) noexcept;
    PreparedProgram(PreparedProgram&&) noexcept;
    PreparedProgram& operator=(PreparedProgram&&) noexcept;
    ~PreparedProgram();

    /// As `run` of the program, with the same results.
    [[nodiscard]] Result<Report, Problem> run(const Bindings& inputs, const RunOptions& options = {}, Bindings reuse = {});

  private:
    std::unique_ptr<Executables> made_;
};

/// Makes a program of instructions ready.
///
/// @param threads of the host, between which the work is shared; the result does not depend on it
/// @returns the problems of `run` that do not depend on inputs
/// Cost: linear in the statements and in the places of their tables.
AXE_DECL Result<PreparedProgram, Problem> prepare(const Program& program, const Target& target, int threads = 1);
Result<PreparedProgram, Problem> prepare(const Program&& program, const Target& target,
                                         int threads = 1) = delete; ///< the program would be gone

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/impl/run.hpp>
#endif

#endif
