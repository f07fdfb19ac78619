// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_IMPL_ENGINE_TABLE_HPP
#define AXE_SIM_OPCODES_IMPL_ENGINE_TABLE_HPP

#include <axe/sim/opcodes/dma.hpp>
#include <axe/sim/opcodes/engine_map.hpp>
#include <axe/sim/opcodes/engine_reduce.hpp>
#include <axe/sim/opcodes/engine_table.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode engine_opcodes[] = {
    {"dma", "an engine moves a view between memories", Dma<AnyViews>::prepare},
    {"engine_map", "an engine applies a function of elements", EngineMap<AnyViews>::prepare},
    {"engine_fill", "an engine writes a constant", EngineMap<AnyViews>::prepare},
    {"engine_reduce", "an engine reduces a view over some of its dimensions", EngineReduce<AnyViews>::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
