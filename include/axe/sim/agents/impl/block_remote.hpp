// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_REMOTE_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_REMOTE_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

/// How a block accesses the memory of other devices.
namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL bool Block::names_device(const View& v, int agent, int statement)
{
    if (!v.device) return true;
    const std::int64_t device = (*v.device)(variables(agent));
    if (device >= 0 && device < device_->device_count) return true;
    return fail(
        FaultKind::out_of_bounds, statement,
        detail::worded("agent {0} accesses the memory of device {1}; the machine has {2}", {agent, device, device_->device_count}));
}

AXE_DECL DeviceState* Block::holder_of(const View& v, const std::int64_t* coord, int agent, int statement)
{
    const TensorPlan& plan = this->plan(v.tensor);
    if (!names_device(v, agent, statement)) return nullptr;
    const std::int64_t holder = plan.device(coord);
    if (v.remote && !v.device) return &device_->devices[holder];
    DeviceState& of = memory_of(v, agent);
    if (plan.device.holds(holder, of.number)) return &of;
    fail(FaultKind::wrong_owner, statement,
         elsewhere_text(agent_text(agent), element_text(plan, coord), holder, of.number, v.remote));
    return nullptr;
}

inline void Block::tell(OtherRuns& out) const
{
    for (const Agent& a : agents_) out.join(a.clock.others);
}

AXE_DECL void Block::count_links(const Executable& e, const LaneAccess& a, int agent, const LaneElements& places, bool comes)
{
    const int named = a.plan->of_all_devices ? -1 : memory_of(*a.view, agent).number;
    if (named == device_->number) return;
    Tally& tally = this->tally(e);
    for (std::size_t i = 0; i < a.entries(); ++i) {
        if (places.table[i] <= outside) continue;
        const int other = named >= 0 ? named : static_cast<int>((places.base + places.table[i]) / a.plan->apart);
        if (other != device_->number) tally.count_link(!comes, other, device_->device_count, a.bytes);
    }
}

/// Of a run of another device: the block that it is, if it is one.
inline std::string who_elsewhere(const DeviceState& of, std::uint64_t run_of_event, const std::string& who)
{
    const auto run = static_cast<std::uint32_t>(run_of_event & max_run);
    for (const DeviceState::RunOfGrid& grid : of.grid_runs) {
        if (run < grid.first || run - grid.first >= grid.count) continue;
        const Coord at = block_at(*grid.grid, std::int64_t{run} - grid.first);
        return detail::worded("{0} of block {1} of device {2}", {who, coord_text(at.items, at.size()), of.number});
    }
    return "device " + std::to_string(of.number);
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
