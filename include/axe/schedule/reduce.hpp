// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_HPP
#define AXE_SCHEDULE_REDUCE_HPP

#include <axe/schedule/reduce/in_lane.hpp>
#include <axe/schedule/reduce/through_shared.hpp>

namespace axe {
inline namespace v0 {

/// Reductions within a block, of registers and of memories. The order in which terms are combined is fixed by the layouts, and the same
/// in every copy of a result.
inline constexpr Schedule reduce_schedules[] = {
    {Op::reduce, "in_lane", 30, "ld", "each lane reduces what it holds, or reads, by itself", detail::has_lanes_that_load,
     detail::emit_in_lane},
    {Op::reduce, "shuffle", 20, "shfl.sync", "each lane its own terms, then lanes of a warp by exchanges", detail::has_shuffles,
     detail::emit_shuffle},
    {Op::reduce, "through_shared", 10, "barrier", "each lane its own terms, then all by way of shared memory",
     detail::stages_in_shared, detail::emit_through_shared},
};

} // namespace v0
} // namespace axe

#endif
