// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_IMPL_OPCODES_HPP
#define AXE_TARGET_NVIDIA_IMPL_OPCODES_HPP

#include <axe/target/nvidia/opcodes.hpp>
#include <axe/target/nvidia/opcodes/bulk_copy.hpp>
#include <axe/target/nvidia/opcodes/bulk_prefetch.hpp>
#include <axe/target/nvidia/opcodes/bulk_reduce.hpp>
#include <axe/target/nvidia/opcodes/bulk_rows.hpp>
#include <axe/target/nvidia/opcodes/cp_async.hpp>
#include <axe/target/nvidia/opcodes/matrix_move.hpp>
#include <axe/target/nvidia/opcodes/multimem.hpp>
#include <axe/target/nvidia/opcodes/red_async.hpp>
#include <axe/target/nvidia/opcodes/store_async.hpp>
#include <axe/target/nvidia/opcodes/tcgen05_cp.hpp>
#include <axe/target/nvidia/opcodes/tcgen05_mma.hpp>
#include <axe/target/nvidia/opcodes/tcgen05_scaled_mma.hpp>
#include <axe/target/nvidia/opcodes/tcgen05_shift.hpp>
#include <axe/target/nvidia/opcodes/tensor_move.hpp>
#include <axe/target/nvidia/opcodes/wgmma.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL constexpr Opcode nvidia_opcodes[] = {
    {"cp_async", "lanes start copies from global to shared memory", CopyAsync::prepare},
    {"bulk_copy", "one agent starts a copy of a tile between global and shared memory", BulkCopy::prepare},
    {"bulk_prefetch", "one agent has a tile of global memory brought to the second-level cache", BulkPrefetch::prepare},
    {"bulk_rows", "one agent starts copies of rows that an index chooses, four at a time", BulkRows::prepare},
    {"multimem_ld_reduce", "each lane loads what all devices have at one place, combined", Multimem::prepare},
    {"multimem_st", "each lane stores registers to one place of all devices", Multimem::prepare},
    {"multimem_red", "each lane combines registers with one place of all devices", Multimem::prepare},
    {"red_async", "each lane combines a register with the shared memory of a block of the cluster", RedAsync::prepare},
    {"store_async", "each lane stores registers into the shared memory of a block of the cluster", StoreAsync::prepare},
    {"bulk_reduce", "one agent starts a reduction of a tile of shared memory into global memory", BulkReduce::prepare},
    {"ldmatrix", "a warp loads 8x8 matrices as fragments", MatrixMove::prepare},
    {"tcgen05_cp", "one agent starts a copy of a box of shared memory to tensor memory", TensorCopy::prepare},
    {"tcgen05_cp_scales", "one agent starts a copy of scales of shared memory to tensor memory", TensorScaleCopy::prepare},
    {"tcgen05_ld", "warps load boxes of tensor memory into their registers", TensorMove::prepare},
    {"tcgen05_mma", "one agent starts products of tiles into tensor memory", TensorProduct::prepare},
    {"tcgen05_mma_ws", "one agent starts products of tiles into all lanes of tensor memory", TensorProduct::prepare},
    {"tcgen05_mma_scaled", "one agent starts products with block scales into tensor memory", ScaledTensorProduct::prepare},
    {"tcgen05_shift", "one agent starts a shift of rows of tensor memory", TensorShift::prepare},
    {"tcgen05_st", "warps store registers to boxes of tensor memory", TensorMove::prepare},
    {"wgmma", "warpgroups multiply tiles of shared memory, asynchronously", Wgmma::prepare},
    {"stmatrix", "a warp stores fragments as 8x8 matrices", MatrixMove::prepare},
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
