// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_TABLE_HPP
#define AXE_SIM_OPCODES_TABLE_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What lanes do, each for its own elements or together with those of their agent.
extern const Opcode simt_opcodes[9];

/// What devices do outside of blocks.
extern const Opcode device_opcodes[3];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/opcodes/impl/table.hpp>
#endif

#endif
