// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_HPP
#define AXE_TARGET_NVIDIA_OPCODES_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The opcodes that only machines of this family have.
extern const Opcode nvidia_opcodes[21];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/nvidia/impl/opcodes.hpp>
#endif

#endif
