// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_OPCODES_HPP
#define AXE_TARGET_TRAINIUM_OPCODES_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What the engines of a NeuronCore do; each works on every partition for itself.
extern const Opcode trainium_opcodes[5];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/trainium/impl/opcodes.hpp>
#endif

#endif
