// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_MESH_SCOPES_HPP
#define AXE_MESH_MESH_SCOPES_HPP

#include <axe/mesh/device_mesh.hpp>

/// What the ids of a mesh are on the hardware: numbers of devices and of blocks, and the blocks of a cluster that wait for each other.
namespace axe {
inline namespace v0 {
namespace detail {

/// An axis of mixed-radix numbers: `size` values, each worth `weight`.
struct ScopeAxis {
    Axis axis;
    std::int64_t size, weight;
};

/// Cuts a digit of the ids where the axes begin and end; false where it ends within one of them.
template <class List>
constexpr bool cut_digit(Iter digit, const ScopeAxis* axes, int count, List& out) noexcept
{
    // Outermost first: what is left of the digit lies below the axis.
    for (int i = 0; i < count && digit.extent > 1; ++i) {
        const std::int64_t weight = axes[i].weight, step = magnitude(digit.stride);
        std::int64_t inner = 1;
        if (step < weight) {
            if (!divides(step, weight)) { // within the axes below, if it does not come out of them
                if (!mul(step, digit.extent - 1, inner) || inner >= weight) return false;
                continue;
            }
            inner = quotient(weight, step);
            if (inner >= digit.extent) continue;
            if (!divides(inner, digit.extent)) return false;
        } else if (!divides(weight, step)) {
            return false;
        }
        const std::int64_t stride = step < weight ? 1 : quotient(step, weight);
        if (!out.push_back(Iter(quotient(digit.extent, inner), digit.stride < 0 ? -stride : stride, axes[i].axis))) return false;
        digit.extent = inner;
    }
    return digit.extent == 1;
}

/// A layout of ids on the axes of which ids are row-major numbers.
constexpr Result<Layout> on_axes(const Layout& ids, const ScopeAxis* axes, int count) noexcept
{
    const auto mixed = [] {
        return Error(errc::not_grouped, -1, "the ids of the sub-mesh are not digits of nodes, devices, clusters and blocks");
    };
    Result<Layout> result;
    for (const Iter& it : ids.shard)
        if (!cut_digit(it, axes, count, result->shard)) return mixed();
    std::int64_t rest = ids.offset[mesh_id];
    for (int i = 0; i < count; ++i) {
        const std::int64_t at = quotient(rest, axes[i].weight);
        rest -= at * axes[i].weight;
        std::int64_t low = at, high = at;
        for (const Iter& it : result->shard)
            if (it.axis == axes[i].axis) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
        if (low < 0 || high >= axes[i].size) return mixed(); // a carry into the next axis
        if (at == 0) continue;
        std::int64_t* entry = result->offset.entry(axes[i].axis);
        if (entry == nullptr) return mixed();
        *entry = at;
    }
    return result;
}

} // namespace detail

/// How many members the axes of these scopes have together in the launch mesh.
constexpr std::int64_t scope_volume(const Mesh& mesh, MeshScope from, MeshScope to) noexcept
{
    std::int64_t n = 1;
    for (const MeshAxis& axis : mesh.launch) n *= axis.scope >= from && axis.scope <= to ? axis.size : 1;
    return n;
}

/// Where the members of a mesh are: its layout with the axes of a machine in the place of `id`,
///
///   id = gpuid·n + cta,   n the product of the cluster and block axes of the launch mesh
///
/// so that node and device axes together number the devices, cluster and block axes the blocks of each.
/// `errc::not_grouped` for a sub-mesh whose ids are not digits of the two (`sub_mesh` of a mesh that was flattened). Cost: linear.
constexpr Result<Layout> hardware_layout(const Mesh& mesh) noexcept
{
    const std::int64_t devices = scope_volume(mesh, MeshScope::node, MeshScope::device),
                       blocks = scope_volume(mesh, MeshScope::cluster, MeshScope::block);
    const detail::ScopeAxis axes[] = {{"gpuid", devices, blocks}, {"cta", blocks, 1}};
    return detail::on_axes(mesh.ids, axes, 2);
}

/// Where the members of a mesh are in clusters: its layout with the axis `rank` for the number in the cluster, row-major over the cluster
/// axes of the launch mesh, and `outer` and `inner` for the rest of the id:
///
///   id = (outer·r + rank)·n + inner,   r the product of the cluster axes, n that of the block axes
///
/// `errc::bad_argument` without cluster axes; `errc::not_grouped` for ids that are not digits of these. Cost: linear.
constexpr Result<Layout> cluster_layout(const Mesh& mesh) noexcept
{
    using enum MeshScope;
    const std::int64_t outer = scope_volume(mesh, node, device), blocks = scope_volume(mesh, cluster, cluster),
                       inner = scope_volume(mesh, block, block);
    bool has_clusters = false;
    for (const MeshAxis& axis : mesh.launch) has_clusters = has_clusters || axis.scope == cluster;
    if (!has_clusters) return Error(errc::bad_argument, -1, "the launch mesh has no cluster axes");
    const detail::ScopeAxis axes[] = {{"outer", outer, blocks * inner}, {"rank", blocks, inner}, {"inner", inner, 1}};
    return detail::on_axes(mesh.ids, axes, 3);
}

/// The blocks of a cluster that a sub-mesh selects, the same in every cluster that it has members in.
struct BarrierGroup {
    Shape shape{};                          ///< how many along each of `axes`
    InlineVector<int, max_rank> axes{};     ///< among the cluster axes of the launch mesh, those along which there are several
    InlineVector<std::int64_t, 32> ranks{}; ///< in the cluster, ascending
    friend constexpr bool operator==(const BarrierGroup&, const BarrierGroup&) = default;
};

/// Which blocks of a cluster wait for each other at a barrier of a sub-mesh: the blocks whose rank in the cluster, row-major over the
/// cluster axes of the launch mesh, is one of `ranks`.
///
/// `errc::bad_argument` without cluster axes; `errc::not_grouped` where the group differs from cluster to cluster or is not a box of the
/// cluster axes; `errc::capacity` for more than 32 blocks. Cost: linear in the blocks of a cluster.
constexpr Result<BarrierGroup> barrier_group(const Mesh& mesh) noexcept
{
    using enum MeshScope;
    const std::int64_t blocks = scope_volume(mesh, cluster, cluster);
    Shape dims;
    for (const MeshAxis& axis : mesh.launch)
        if (axis.scope == cluster) dims.push_back(axis.size);
    if (dims.empty()) return Error(errc::bad_argument, -1, "the launch mesh has no cluster axes; a barrier group is of a cluster");
    if (blocks > 32) return Error(errc::capacity, 32, "a barrier group is of at most {0} blocks, the cluster has {1}", 32, blocks);
    const auto placed = cluster_layout(mesh);
    if (!placed) return Error(errc::not_grouped, -1, "the blocks that the sub-mesh selects are not the same in every cluster");
    // Which ranks there are: the sums of the digits on `rank`.
    bool has[32]{};
    has[placed->offset["rank"]] = true;
    for (const Iter& it : placed->shard) {
        if (!(it.axis == Axis("rank"))) continue;
        bool next[32]{};
        for (std::int64_t r = 0; r < blocks; ++r)
            for (std::int64_t i = 0; has[r] && i < it.extent; ++i) next[r + i * it.stride] = true;
        for (std::int64_t r = 0; r < blocks; ++r) has[r] = next[r];
    }
    Result<BarrierGroup> result;
    for (std::int64_t r = 0; r < blocks; ++r)
        if (has[r]) result->ranks.push_back(r);
    std::int64_t product = 1;
    for (int axis = 0; axis < dims.size(); ++axis) {
        std::int64_t count = 0;
        for (std::int64_t at = 0; at < dims[axis]; ++at) {
            bool any = false;
            for (const std::int64_t r : result->ranks) any = any || coordinate(dims, r)[axis] == at;
            count += any;
        }
        product *= count;
        if (count == 1) continue;
        result->shape.push_back(count);
        result->axes.push_back(axis);
    }
    if (product != result->ranks.size())
        return Error(errc::not_grouped, -1, "the {0} blocks that the sub-mesh selects of a cluster are not a box of its axes",
                     result->ranks.size());
    return result;
}

} // namespace v0
} // namespace axe

#endif
