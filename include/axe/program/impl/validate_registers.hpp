// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_REGISTERS_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_REGISTERS_HPP

#include <axe/program/agent_role.hpp>
#include <axe/program/impl/validator.hpp>
#include <axe/program/register_count.hpp>

/// What `validate` asks of changes of the number of registers. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline void Validator::visit(const RegisterCount& r)
{
    what_ = ", registers";
    if (place_.level < 0) return report(errc::bad_argument, registers_outside_text());
    if (place_.in_agent)
        report(errc::bad_argument, "registers are changed inside each_agent or each_thread; it is for warpgroups of the block");
    if (place_.divergent)
        report(errc::bad_argument, "registers are changed under a condition that can differ between the lanes of a warpgroup");
    if (std::string wrong = thread_registers_problem(p_.machine, r.registers); !wrong.empty())
        return report(errc::bad_argument, std::move(wrong));
    const int warps = warpgroup_agents(p_.machine);
    if (place_.agents % warps != 0 || place_.first % warps != 0 || place_.stride != 1)
        report(errc::bad_argument,
               worded("{0} agents from {1} in steps of {2} change their registers; only whole warpgroups of {3} agents do",
                      {place_.agents, place_.first, place_.stride, warps}));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
