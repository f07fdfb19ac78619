// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_KERNEL_CLUSTERS_HPP
#define AXE_PROGRAM_IMPL_KERNEL_CLUSTERS_HPP

#include <axe/program/kernel.hpp>

/// How kernel.hpp appends what blocks do together. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL ViewRef ViewRef::of_block(Affine rank) const
{
    ViewRef out = *this;
    out.view_.block = std::move(rank);
    return out;
}
AXE_DECL ViewRef ViewRef::remote() const
{
    ViewRef out = *this;
    out.view_.remote = true;
    out.view_.device.reset();
    return out;
}
AXE_DECL ViewRef ViewRef::remote(Affine device) const
{
    ViewRef out = *this;
    out.view_.remote = true;
    out.view_.device = std::move(device);
    return out;
}

/// Declares where a block is in its cluster: digits of the cluster's shape, and the rank, their number.
AXE_DECL void Kernel::place_in_clusters(Grid& grid, const Clusters& clusters, Tile& tile)
{
    grid.cluster = clusters.shape;
    grid.large_cluster = clusters.large;
    for (int d = 0; d < clusters.shape.size(); ++d) {
        const Var v = variable("cluster" + std::to_string(d), 0, std::max<std::int64_t>(1, clusters.shape[d]));
        grid.in_cluster.push_back(v);
        tile.in_cluster.emplace_back(v);
        tile.rank = tile.rank * clusters.shape[d] + Affine(v);
    }
}

namespace detail {

inline Flag flag(Flag::Action action, const ViewRef& element, Expression value, MemoryOrder order, Within within, int before = -1)
{
    return {action, element.view(), std::move(value), order, within, before};
}

} // namespace detail

AXE_DECL Scope& Scope::set_flag(const ViewRef& flag, Expression value, MemoryOrder order, Within within, SourceLine at)
{
    kernel_->append({-1, detail::flag(Flag::Action::store, flag, std::move(value), order, within)}, at);
    return *this;
}
AXE_DECL Scope& Scope::add_to_flag(const ViewRef& flag, Expression value, MemoryOrder order, Within within, ScalarRef before,
                                   SourceLine at)
{
    kernel_->check_owner(before);
    kernel_->append({-1, detail::flag(Flag::Action::add, flag, std::move(value), order, within, before.id)}, at);
    return *this;
}
AXE_DECL Scope& Scope::exchange_flag(const ViewRef& flag, Expression value, MemoryOrder order, Within within, ScalarRef before,
                                     SourceLine at)
{
    kernel_->check_owner(before);
    kernel_->append({-1, detail::flag(Flag::Action::exchange, flag, std::move(value), order, within, before.id)}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_at_least(const ViewRef& flag, Expression value, MemoryOrder order, Within within, SourceLine at)
{
    kernel_->append({-1, detail::flag(Flag::Action::wait_at_least, flag, std::move(value), order, within)}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_equal(const ViewRef& flag, Expression value, MemoryOrder order, Within within, SourceLine at)
{
    kernel_->append({-1, detail::flag(Flag::Action::wait_equal, flag, std::move(value), order, within)}, at);
    return *this;
}
AXE_DECL Scope& Scope::cluster_arrive(MemoryOrder order, SourceLine at)
{
    const bool relaxed = order == MemoryOrder::relaxed;
    kernel_->append({-1, ClusterBarrier{relaxed ? ClusterBarrier::Action::arrive_relaxed : ClusterBarrier::Action::arrive}}, at);
    return *this;
}
AXE_DECL Scope& Scope::cluster_wait(SourceLine at)
{
    kernel_->append({-1, ClusterBarrier{ClusterBarrier::Action::wait}}, at);
    return *this;
}
AXE_DECL Scope& Scope::cluster_sync(SourceLine at) { return cluster_arrive(MemoryOrder::release, at).cluster_wait(at); }

} // namespace v0
} // namespace axe

#endif
