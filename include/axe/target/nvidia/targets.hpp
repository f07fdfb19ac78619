// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TARGETS_HPP
#define AXE_TARGET_NVIDIA_TARGETS_HPP

#include <axe/schedule/table.hpp>
#include <axe/target/family.hpp>
#include <axe/target/nvidia/machines.hpp>
#include <axe/target/nvidia/opcodes.hpp>
#include <axe/target/nvidia/schedules/bulk_copy.hpp>
#include <axe/target/nvidia/schedules/bulk_prefetch.hpp>
#include <axe/target/nvidia/schedules/bulk_reduce.hpp>
#include <axe/target/nvidia/schedules/bulk_rows.hpp>
#include <axe/target/nvidia/schedules/cp_async.hpp>
#include <axe/target/nvidia/schedules/cp_async_elements.hpp>
#include <axe/target/nvidia/schedules/matrices.hpp>
#include <axe/target/nvidia/schedules/multimem.hpp>
#include <axe/target/nvidia/schedules/red_async.hpp>
#include <axe/target/nvidia/schedules/store_async.hpp>
#include <axe/target/nvidia/schedules/tcgen05.hpp>
#include <axe/target/nvidia/schedules/tcgen05_hints.hpp>
#include <axe/target/nvidia/schedules/tcgen05_scaled.hpp>
#include <axe/target/nvidia/schedules/tensor_shift.hpp>
#include <axe/target/nvidia/schedules/wgmma_hints.hpp>
#include <axe/target/nvidia/tensor_accumulators.hpp>

namespace axe {
inline namespace v0 {
namespace targets {
namespace nvidia {

/// Lanes as everywhere, and the instructions of this family: which of them a machine has its rows ask the machine.
constexpr Target family(const Machine& machine)
{
    return family_of(machine,
                     {simt_schedules, matrix_copy_schedules, async_schedules, async_element_schedules, store_async_schedules,
                      bulk_copy_schedules, bulk_reduce_schedules, bulk_prefetch_schedules, bulk_rows_schedules, red_async_schedules,
                      multimem_schedules, wgmma_schedules, tensor_copy_schedules, tensor_shift_schedules, tcgen05_schedules,
                      tcgen05_scaled_schedules},
                     {sim::simt_opcodes, sim::nvidia_opcodes}, {tcgen05_hints, wgmma_hints, simt_hints}, tensor_memory_passes);
}

} // namespace nvidia

extern const Target sm80, sm90, sm100;

} // namespace targets
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/nvidia/impl/targets.hpp>
#endif

#endif
