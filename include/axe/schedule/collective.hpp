// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_HPP
#define AXE_SCHEDULE_COLLECTIVE_HPP

#include <axe/schedule/collective/fill.hpp>
#include <axe/schedule/collective/peer.hpp>
#include <axe/schedule/collective/ring_reduce.hpp>

namespace axe {
inline namespace v0 {

/// Copies and reductions between devices, outside of blocks.
///
/// Barriers that these emit are between their own steps. That what is read has been written, and that what is written may be, by all
/// devices: that is the program's to say, with a separate barrier before, and one after.
inline constexpr Schedule collective_schedules[] = {
    {Op::fill, "local", 5, "ld or dma", "each device fills what it holds itself", detail::moves_between_devices,
     detail::emit_device_fill},
    {Op::copy, "local", 50, "ld or dma", "each device copies what it has itself", detail::moves_between_devices,
     detail::emit_local_copy},
    {Op::copy, "peer", 40, "several devices", "each device reads what it wants from those that have it", detail::has_peers,
     detail::emit_peer_copy},
    {Op::copy, "ring", 30, "several devices", "all_gather from neighbor to neighbor", detail::has_peers, detail::emit_ring_gather},
    {Op::copy, "push", 20, "several devices", "each device writes what it has to those that want it", detail::has_peers,
     detail::emit_push_copy},
    {Op::copy_async, "local", 50, "ld or dma", "each device copies what it has itself", detail::moves_between_devices,
     detail::emit_local_copy},
    {Op::copy_async, "peer", 40, "several devices", "each device reads what it wants from those that have it", detail::has_peers,
     detail::emit_peer_copy},
    {Op::copy_async, "push", 20, "several devices", "each device writes what it has to those that want it", detail::has_peers,
     detail::emit_push_copy},
    {Op::reduce, "in_network", 60, "multimem.ld_reduce", "each device reads sums that the network between the devices makes",
     detail::has_multimem, detail::emit_in_network},
    {Op::reduce, "one_shot", 50, "ld or dma", "each device reads the terms of what it wants from all, in a fixed order",
     detail::moves_between_devices, detail::emit_one_shot},
    {Op::reduce, "ring", 40, "several devices", "reduce_scatter and all_reduce from neighbor to neighbor", detail::has_peers,
     detail::emit_ring_reduce},
};

} // namespace v0
} // namespace axe

#endif
