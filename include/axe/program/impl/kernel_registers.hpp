// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_KERNEL_REGISTERS_HPP
#define AXE_PROGRAM_IMPL_KERNEL_REGISTERS_HPP

#include <axe/program/kernel.hpp>

/// How kernel.hpp appends what warpgroups have: registers, one agent of them. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Scope& Scope::decrease_registers(std::int64_t registers, SourceLine at)
{
    kernel_->append({-1, RegisterCount{RegisterCount::Action::decrease, registers}}, at);
    return *this;
}
AXE_DECL Scope& Scope::increase_registers(std::int64_t registers, SourceLine at)
{
    kernel_->append({-1, RegisterCount{RegisterCount::Action::increase, registers}}, at);
    return *this;
}
AXE_DECL Scope& Scope::elected(const std::function<void(Scope)>& body, SourceLine at)
{
    return agents(first_agent_, 1, 1, "elected", body, at);
}
AXE_DECL Kernel& Kernel::thread_registers(std::int64_t registers)
{
    program_.thread_registers = registers;
    return *this;
}

} // namespace v0
} // namespace axe

#endif
