// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_HPP
#define AXE_TARGET_NVIDIA_OPCODES_HPP

#include <axe/sim/opcodes/opcode.hpp>
#include <axe/target/nvidia/opcodes/bulk_copy.hpp>
#include <axe/target/nvidia/opcodes/cp_async.hpp>
#include <axe/target/nvidia/opcodes/matrix_move.hpp>
#include <axe/target/nvidia/opcodes/store_async.hpp>
#include <axe/target/nvidia/opcodes/wgmma.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The opcodes that only machines of this family have.
inline constexpr Opcode nvidia_opcodes[] = {
    {"cp_async", "lanes start copies from global to shared memory", CopyAsync::prepare},
    {"bulk_copy", "one agent starts a copy of a tile between global and shared memory", BulkCopy::prepare},
    {"store_async", "each lane stores registers into the shared memory of a block of the cluster", StoreAsync::prepare},
    {"ldmatrix", "a warp loads 8x8 matrices as fragments", MatrixMove::prepare},
    {"wgmma", "warpgroups multiply tiles of shared memory, asynchronously", Wgmma::prepare},
    {"stmatrix", "a warp stores fragments as 8x8 matrices", MatrixMove::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
