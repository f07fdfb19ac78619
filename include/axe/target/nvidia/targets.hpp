// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TARGETS_HPP
#define AXE_TARGET_NVIDIA_TARGETS_HPP

#include <axe/target/cpu/targets.hpp>
#include <axe/target/nvidia/machines.hpp>
#include <axe/target/nvidia/opcodes.hpp>
#include <axe/target/nvidia/schedules/cp_async.hpp>
#include <axe/target/nvidia/schedules/matrices.hpp>

namespace axe {
inline namespace v0 {
namespace targets {
namespace nvidia {

/// Lanes as everywhere, and the instructions of this family: which of them a machine has its rows ask the machine.
constexpr Target family(const Machine& machine)
{
    return {machine,
            {simt_schedules, matrix_copy_schedules, async_schedules, collective_schedules},
            {sim::simt_opcodes, sim::nvidia_opcodes, sim::device_opcodes},
            {operator_rows},
            {function_rows},
            {},
            {simt_hints}};
}

} // namespace nvidia

extern const Target sm80, sm90;
AXE_DECL constexpr Target sm80 = nvidia::family(machines::sm80), sm90 = nvidia::family(machines::sm90);

} // namespace targets
} // namespace v0
} // namespace axe

#endif
