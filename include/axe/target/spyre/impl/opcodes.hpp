// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_IMPL_OPCODES_HPP
#define AXE_TARGET_SPYRE_IMPL_OPCODES_HPP

#include <axe/sim/opcodes/dma.hpp>
#include <axe/sim/opcodes/engine_map.hpp>
#include <axe/sim/opcodes/engine_reduce.hpp>
#include <axe/target/spyre/opcodes.hpp>
#include <axe/target/spyre/opcodes/stick_matmul.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode spyre_opcodes[] = {
    {"stick_matmul", "the matrix unit multiplies, in the scratchpad", StickMatmul::prepare},
    {"dma", "DMA, between the host, the card and the scratchpads", Dma<Sticks>::prepare},
    {"engine_map", "the vector unit applies a function of elements", EngineMap<Sticks>::prepare},
    {"engine_fill", "the vector unit writes a constant", EngineMap<Sticks>::prepare},
    {"engine_reduce", "the vector unit reduces", EngineReduce<Sticks>::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
