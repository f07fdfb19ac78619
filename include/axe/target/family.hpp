// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_FAMILY_HPP
#define AXE_TARGET_FAMILY_HPP

#include <axe/program/target.hpp>
#include <axe/schedule/collective.hpp>
#include <axe/schedule/hints.hpp>
#include <axe/schedule/raw.hpp>
#include <axe/sim/opcodes/raw.hpp>
#include <axe/sim/opcodes/table.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

/// The target of a machine, from what is specific to its family, and what all targets of the library have: every operator and function,
/// schedules of collectives and of raw functions, and the instructions outside blocks.
constexpr Target family_of(const Machine& machine, const Tables<Schedule>& schedules, const Tables<sim::Opcode>& opcodes,
                           const Tables<HintRule>& hints = simt_hints, const Tables<Pass>& passes = {})
{
    return {machine,
            {schedules, collective_schedules, raw_schedules},
            {opcodes, sim::device_opcodes, sim::raw_opcodes},
            {operator_rows},
            {function_rows},
            passes,
            hints};
}

} // namespace targets
} // namespace v0
} // namespace axe

#endif
