// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_IMPL_TARGETS_HPP
#define AXE_TARGET_IMPL_TARGETS_HPP

/// What is in the targets of the library, a header a family.
#include <axe/target/cpu/targets.hpp>
#include <axe/target/nvidia/targets.hpp>
#include <axe/target/spyre/targets.hpp>
#include <axe/target/targets.hpp>
#include <axe/target/trainium/targets.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

AXE_DECL InlineVector<const Target*, 16> all() noexcept { return {&cpu, &sm80, &sm90, &sm100, &trn1, &trn2, &spyre}; }

AXE_DECL const Target* find(const char* name) noexcept
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
    return Problem(errc::bad_argument, hinted("{0}: the library has no target for machine {1}, it has {2}", "give the target"),
                   {program.name, program.machine.name, names});
}

} // namespace detail

AXE_DECL Result<Lowered, Problem> lower(const Program& program, const LowerOptions& options)
{
    const Target* target = targets::find(program.machine.name);
    if (target == nullptr) return detail::no_target(program);
    return lower(program, *target, options);
}

namespace sim {

AXE_DECL Result<Report, Problem> run(const Program& program, const Bindings& inputs, const RunOptions& options, Bindings reuse)
{
    const Target* target = targets::find(program.machine.name);
    if (target == nullptr) return detail::no_target(program);
    return run(program, *target, inputs, options, std::move(reuse));
}

AXE_DECL Result<PreparedProgram, Problem> prepare(const Program& program, int threads)
{
    const Target* target = targets::find(program.machine.name);
    if (target == nullptr) return detail::no_target(program);
    return prepare(program, *target, threads);
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
