// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TARGETS_HPP
#define AXE_TARGET_TARGETS_HPP

#include <axe/schedule/lower.hpp>
#include <axe/sim/run.hpp>
#include <axe/target/machines.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

/// The targets of the library, a value for each machine. Their contents are in target/<family>/targets.hpp.
extern const Target cpu, sm80, sm90, sm100, trn1, trn2, spyre;

/// Every target of the library.
AXE_DECL InlineVector<const Target*, 16> all() noexcept;

/// The target whose machine has this name; null when the library has none.
AXE_DECL const Target* find(const char* name) noexcept;

} // namespace targets

/// `lower(program, target, options)` for the library's target that has the program's machine, by its name.
///
/// `errc::bad_argument` if none exists; else the problems of that function.
AXE_DECL Result<Lowered, Problem> lower(const Program& program, const LowerOptions& options = {});

namespace sim {

/// `run(program, target, inputs, options, reuse)` for the library's target that has the program's machine, by its name.
///
/// `errc::bad_argument` if none exists; else the problems of that function.
AXE_DECL Result<Report, Problem> run(const Program& program, const Bindings& inputs, const RunOptions& options = {},
                                     Bindings reuse = {});

/// `prepare(program, target, threads)` for the library's target that has the program's machine, by its name.
///
/// `errc::bad_argument` if none exists; else the problems of that function.
AXE_DECL Result<PreparedProgram, Problem> prepare(const Program& program, int threads = 1);
Result<PreparedProgram, Problem> prepare(const Program&& program, int threads = 1) = delete; ///< the program would be gone

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/impl/targets.hpp>
#endif

#endif
