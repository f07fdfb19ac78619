// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_IMPL_TARGETS_HPP
#define AXE_TARGET_SPYRE_IMPL_TARGETS_HPP

#include <axe/target/family.hpp>
#include <axe/target/spyre/machines.hpp>
#include <axe/target/spyre/opcodes.hpp>
#include <axe/target/spyre/schedules.hpp>
#include <axe/target/spyre/targets.hpp>

namespace axe {
inline namespace v0 {
namespace targets {

AXE_DECL constexpr Target spyre = family_of(machines::spyre, spyre_schedules, sim::spyre_opcodes);

} // namespace targets
} // namespace v0
} // namespace axe

#endif
