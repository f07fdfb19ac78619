// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_ENGINE_TABLE_HPP
#define AXE_SIM_OPCODES_ENGINE_TABLE_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What engines do, each on whole views, where the target requires no more of their layouts. A target whose engines ask more instantiates
/// the same classes with its own rules.
extern const Opcode engine_opcodes[4];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/opcodes/impl/engine_table.hpp>
#endif

#endif
