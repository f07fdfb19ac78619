// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_OPCODES_HPP
#define AXE_TARGET_SPYRE_OPCODES_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What the units of a core do, by whole sticks.
extern const Opcode spyre_opcodes[5];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/impl/opcodes.hpp>
#endif

#endif
