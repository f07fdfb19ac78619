// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_TARGETS_HPP
#define AXE_TARGET_SPYRE_TARGETS_HPP

#include <axe/schedule/collective.hpp>
#include <axe/schedule/hints.hpp>
#include <axe/sim/opcodes/table.hpp>
#include <axe/target/spyre/machines.hpp>
#include <axe/target/spyre/opcodes.hpp>
#include <axe/target/spyre/schedules.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

extern const Target spyre;
AXE_DECL constexpr Target spyre{machines::spyre,
                                {spyre_schedules, collective_schedules},
                                {sim::spyre_opcodes, sim::device_opcodes},
                                {operator_rows},
                                {function_rows},
                                {},
                                {simt_hints}};

} // namespace targets
} // namespace v0
} // namespace axe

#endif
