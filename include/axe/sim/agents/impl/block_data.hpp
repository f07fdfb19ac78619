// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_DATA_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_DATA_HPP

#include <axe/sim/agents/block.hpp>

/// Where a block has the bytes of a tensor, and their shadow: in its own memory, or that of another block or device.
namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL DeviceState& Block::memory_of(const View& v, int agent) const
{
    if (!v.remote) return *device_;
    return device_->devices[v.device ? (*v.device)(variables(agent)) : 0];
}
AXE_DECL std::byte* Block::data(const LaneAccess& a, int agent)
{
    const auto t = static_cast<std::size_t>(a.tensor);
    if (a.names_block()) return owner_of(*a.view, agent).memory_->shared[t].begin();
    if (a.is_remote()) return memory_of(*a.view, agent).global[t].data;
    if (a.plan->owner == Owner::lane)
        return memory_->registers[t].data.data() + static_cast<std::size_t>(agent) * memory_->registers[t].agent_bytes;
    return a.plan->owner == Owner::block ? memory_->shared[t].begin() : device_->global[t].data;
}
AXE_DECL std::byte* Block::data_to_overwrite(const LaneAccess& a)
{
    const auto t = static_cast<std::size_t>(a.tensor);
    if (a.names_block()) return data(a, 0);
    return a.plan->owner == Owner::block ? memory_->shared[t].overwrite() : device_->global[t].data;
}
AXE_DECL Shadow& Block::shadow(const TensorPlan& p, int tensor)
{
    const auto t = static_cast<std::size_t>(tensor);
    if (p.owner == Owner::block) return memory_->shared[t].shadow;
    Shadow& of_device = device_->global[t].shadow;
    if (worker_->shadows.empty() || !of_device.exists()) return of_device;
    Shadow& own = worker_->shadows[t];
    if (!own.exists()) own.make_over(of_device);
    return own;
}
AXE_DECL Shadow& Block::shadow(const LaneAccess& a, const Actor& actor)
{
    if (a.is_remote())
        return memory_of(*a.view, actor.issuer < 0 ? actor.agent : actor.issuer).global[static_cast<std::size_t>(a.tensor)].shadow;
    if (a.plan->owner != Owner::block || (actor.in < 0 && !a.names_block())) return shadow(*a.plan, a.tensor);
    Block& of = actor.in >= 0 ? *cluster_->blocks[static_cast<std::size_t>(actor.in)]
                              : owner_of(*a.view, actor.issuer < 0 ? actor.agent : actor.issuer);
    return of.memory_->shared[static_cast<std::size_t>(a.tensor)].shadow;
}
AXE_DECL Buffer& Block::buffer(const TensorPlan& p, int tensor)
{
    const auto t = static_cast<std::size_t>(tensor);
    if (p.owner != Owner::block) return device_->global[t];
    static_cast<void>(memory_->shared[t].begin());
    return memory_->shared[t];
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
