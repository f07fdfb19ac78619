// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_IMPL_OPCODES_HPP
#define AXE_TARGET_TRAINIUM_IMPL_OPCODES_HPP

#include <axe/sim/opcodes/dma.hpp>
#include <axe/sim/opcodes/engine_map.hpp>
#include <axe/sim/opcodes/engine_reduce.hpp>
#include <axe/target/trainium/opcodes.hpp>
#include <axe/target/trainium/opcodes/nc_matmul.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode trainium_opcodes[] = {
    {"nc_matmul", "the systolic array multiplies, from SBUF to PSUM", NcMatmul::prepare},
    {"dma", "DMA, between HBM and SBUF", Dma<AnyViews>::prepare},
    {"engine_map", "an engine applies a function of elements, partition by partition", EngineMap<PartitionRules>::prepare},
    {"engine_fill", "an engine writes a constant", EngineMap<PartitionRules>::prepare},
    {"engine_reduce", "an engine reduces along the free dimension", EngineReduce<PartitionRules>::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
