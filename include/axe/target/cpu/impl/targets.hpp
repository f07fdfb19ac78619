// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_CPU_IMPL_TARGETS_HPP
#define AXE_TARGET_CPU_IMPL_TARGETS_HPP

#include <axe/schedule/table.hpp>
#include <axe/target/cpu/machines.hpp>
#include <axe/target/cpu/targets.hpp>
#include <axe/target/family.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

AXE_DECL constexpr Target cpu = family_of(machines::cpu, simt_schedules, sim::simt_opcodes);

} // namespace targets
} // namespace v0
} // namespace axe

#endif
