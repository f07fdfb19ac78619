// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_CPU_TARGETS_HPP
#define AXE_TARGET_CPU_TARGETS_HPP

#include <axe/schedule/hints.hpp>
#include <axe/schedule/table.hpp>
#include <axe/sim/opcodes/table.hpp>
#include <axe/target/cpu/machines.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

/// Lanes that load, store, multiply and add: every schedule and every opcode that suits any machine, and no other. What a target of a
/// user's own begins with.
extern const Target cpu;
AXE_DECL constexpr Target cpu{machines::cpu,
                              {simt_schedules, collective_schedules},
                              {sim::simt_opcodes, sim::device_opcodes},
                              {operator_rows},
                              {function_rows},
                              {},
                              {simt_hints}};

} // namespace targets
} // namespace v0
} // namespace axe

#endif
