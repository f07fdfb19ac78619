// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TARGETS_HPP
#define AXE_TARGET_TARGETS_HPP

#include <axe/schedule/lowered.hpp>
#include <axe/sim/report/report.hpp>
#include <axe/target/machines.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

/// The targets of the library, a value for each machine. What is in them stands in target/<family>/targets.hpp; where
/// AXE_KERNELS_COMPILED is defined, one source of the program has them.
extern const Target cpu, sm80, sm90, trn1, trn2, spyre;

/// Every target of the library.
inline InlineVector<const Target*, 16> all() noexcept { return {&cpu, &sm80, &sm90, &trn1, &trn2, &spyre}; }

/// The target whose machine has this name; null when the library has none.
inline const Target* find(const char* name) noexcept
{
    for (const Target* target : all())
        if (detail::same_text(target->machine.name, name)) return target;
    return nullptr;
}

} // namespace targets

namespace detail {

inline Problem no_target(const Program& program)
{
    std::string names;
    for (const Target* target : targets::all()) names += (names.empty() ? "" : ", ") + std::string(target->machine.name);
    return {errc::bad_argument, worded("{0}: the library has no target for machine {1}, it has {2}; hint: give the target",
                                       {program.name, program.machine.name, names})};
}

} // namespace detail

/// `lower(program, target)` for the library's target that has the program's machine, by its name.
///
/// `errc::bad_argument` when there is none; else the problems of that function.
inline Outcome<Lowered> lower(const Program& program)
{
    const Target* target = targets::find(program.machine.name);
    if (target == nullptr) return detail::no_target(program);
    return lower(program, *target);
}

namespace sim {

/// `run(program, target, inputs, options, reuse)` for the library's target that has the program's machine, by its name.
///
/// `errc::bad_argument` when there is none; else the problems of that function.
inline Outcome<Report> run(const Program& program, const Bindings& inputs, const RunOptions& options = {}, Bindings reuse = {})
{
    const Target* target = targets::find(program.machine.name);
    if (target == nullptr) return detail::no_target(program);
    return run(program, *target, inputs, options, std::move(reuse));
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
