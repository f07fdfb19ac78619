// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_TABLE_HPP
#define AXE_SIM_OPCODES_TABLE_HPP

#include <axe/sim/opcodes/atomic.hpp>
#include <axe/sim/opcodes/dma.hpp>
#include <axe/sim/opcodes/engine_map.hpp>
#include <axe/sim/opcodes/engine_reduce.hpp>
#include <axe/sim/opcodes/indexed.hpp>
#include <axe/sim/opcodes/map.hpp>
#include <axe/sim/opcodes/mma.hpp>
#include <axe/sim/opcodes/move.hpp>
#include <axe/sim/opcodes/shuffle.hpp>
#include <axe/target/nvidia/opcodes/cp_async.hpp>
#include <axe/target/nvidia/opcodes/matrix_move.hpp>
#include <axe/target/spyre/opcodes/stick_matmul.hpp>
#include <axe/target/trainium/opcodes/nc_matmul.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// An opcode of blocks, and how it is made ready.
struct OpcodeRow {
    const char* opcode;
    Prepared (*prepare)(const Preparation&);
};

/// What the executor can do inside a block. An opcode joins with a header and a line here.
inline const std::vector<OpcodeRow>& block_opcodes()
{
    static const std::vector<OpcodeRow> rows{
        {"move", Move::prepare},
        {"fill", Move::prepare},
        {"map", Map::prepare},
        {"cp_async", CopyAsync::prepare},
        {"shuffle", Shuffle::prepare},
        {"ldmatrix", MatrixMove::prepare},
        {"stmatrix", MatrixMove::prepare},
        {"mma", Mma::prepare},
        {"atomic", Atomic::prepare},
        {"indexed", Indexed::prepare},
        {"dma", Dma::prepare},
        {"nc_matmul", NcMatmul::prepare},
        {"engine_map", EngineMap::prepare},
        {"engine_fill", EngineMap::prepare},
        {"engine_reduce", EngineReduce::prepare},
        {"stick_matmul", StickMatmul::prepare},
    };
    return rows;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
