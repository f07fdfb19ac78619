// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_CLUSTER_TENSORS_HPP
#define AXE_PROGRAM_IMPL_CLUSTER_TENSORS_HPP

#include <axe/mesh/reshard.hpp>
#include <axe/program/cluster_tensors.hpp>
#include <axe/program/impl/mesh_tensors.hpp>

#include <functional>
#include <numeric>

/// How blocks of a cluster have parts of tensors, and read those of others. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Affine ClusterTensor::begin(int dim) const
{
    return detail::begin_of_part(sharding, shape, dim, [&](int axis) { return coordinates[static_cast<std::size_t>(axis)]; });
}
AXE_DECL ViewRef ClusterTensor::own() const
{
    std::vector<Interval> box;
    for (const std::int64_t extent : part) box.emplace_back(0, extent);
    return tensor(box);
}
AXE_DECL ViewRef ClusterTensor::part_of(const ViewRef& whole) const
{
    std::vector<Interval> box;
    for (int d = 0; d < part.size(); ++d) box.emplace_back(begin(d), part[d]);
    return whole(box);
}
AXE_DECL ViewRef ClusterTensor::part_of(const ShardedTensor& whole) const
{
    std::vector<Interval> box;
    for (const int axis : whole.sharding.partial) box.emplace_back(coordinates[static_cast<std::size_t>(axis)]);
    for (int d = 0; d < part.size(); ++d) box.emplace_back(begin(d), part[d]);
    return whole.tensor(box);
}
AXE_DECL Expression ClusterTensor::holds() const
{
    return detail::first_along(sharding.undistributed, [&](int axis) { return coordinates[static_cast<std::size_t>(axis)]; });
}

namespace detail {

/// What is wrong with a mesh whose members are to be the blocks of a cluster of so many, on each of so many devices.
inline Status cluster_mesh_problem(const Mesh& mesh, std::int64_t blocks, std::int64_t devices)
{
    for (int i = 0; i < mesh.launch.size(); ++i)
        if (mesh.launch[i].scope > MeshScope::cluster)
            return Error(errc::bad_argument, i, "axis {0} of the mesh is not one of a cluster, or of devices", i);
    if (const Status s = launch_mesh_problem(mesh); !s.ok()) return s;
    using enum MeshScope;
    if (const std::int64_t members = scope_volume(mesh, cluster, cluster); members != blocks)
        return Error(errc::bad_argument, -1, "the mesh has {0} members; the cluster has {1} blocks", members, blocks);
    if (const std::int64_t members = scope_volume(mesh, node, device); members != 1 && members != devices)
        return Error(errc::bad_argument, -1, "the mesh has {0} devices; the machine has {1}", members, devices);
    return {};
}

/// The rank in its cluster of the block at coordinate(axis) along the axes of the cluster.
template <class Number, class Coordinate>
Number rank_of_block(const Mesh& mesh, Number rank, Coordinate&& coordinate)
{
    for (int axis = 0; axis < mesh.rank(); ++axis)
        if (!is_of_devices(mesh, axis)) rank = rank * static_cast<int>(mesh.shape[axis]) + coordinate(axis);
    return rank;
}

/// Would blocks read what other devices have, whose shared memories they do not reach? The error has the axis. Each member of the mesh is asked
/// for each part of `from` that it needs.
inline Status read_across_devices(const Sharding& to, const Sharding& from)
{
    const Mesh& mesh = from.mesh;
    const auto error = [](int axis) {
        return Error(errc::bad_argument, axis, "along mesh axis {0} blocks would read shared memory of another device", axis);
    };
    for (const int axis : from.partial)
        if (is_of_devices(mesh, axis) && mesh.shape[axis] > 1 && !has_axis(to.partial, axis)) return error(axis);
    for (std::int64_t member = 0; member < size(mesh); ++member) {
        const Coord at = coordinate(mesh.shape, member);
        bool holds = true;
        for (const int axis : to.undistributed) holds = holds && at[axis] == 0;
        if (!holds) continue;
        for (const int axis : from.undistributed)
            if (is_of_devices(mesh, axis) && at[axis] != 0) return error(axis);
        for (int dim = 0; dim < from.rank(); ++dim) {
            const std::int64_t parts = parts_of(from, dim), wanted = parts_of(to, dim);
            std::int64_t mine = 0;
            for (int i = dim < to.rank() ? to.begin(dim) : 0; dim < to.rank() && i < to.end(dim); ++i)
                mine = mine * mesh.shape[to.axes[i]] + at[to.axes[i]];
            for (std::int64_t part = mine * parts / wanted; part * wanted < (mine + 1) * parts; ++part) {
                std::int64_t digits = part;
                for (int i = from.end(dim) - 1; i >= from.begin(dim); --i) { // the fastest first
                    const int axis = from.axes[i];
                    if (is_of_devices(mesh, axis) && digits % mesh.shape[axis] != at[axis]) return error(axis);
                    digits /= mesh.shape[axis];
                }
            }
        }
    }
    return {};
}

/// What a block does for its part of a tensor with another sharding.
class ClusterReads {
  public:
    ClusterReads(Scope cta, const ClusterTensor& to, const ClusterTensor& from, const ViewRef& source, SourceLine at)
        : cta_(cta), to_(to), from_(from), source_(source), at_(at)
    {
        for (int d = 0; d < to.part.size(); ++d) piece_.push_back(std::gcd(to.part[d], from.part[d]));
        for (const int axis : from.sharding.partial)
            if (!has_axis(to.sharding.partial, axis)) added_.push_back(axis);
        coordinates_.assign(from.coordinates.begin(), from.coordinates.end());
        for (const int axis : from.sharding.undistributed) coordinates_[static_cast<std::size_t>(axis)] = 0;
    }
    /// Piece by piece, in dimensions from d on.
    void read(int dim = 0)
    {
        if (dim == to_.part.size()) return read_piece();
        const Sharding& s = from_.sharding;
        const std::int64_t part = from_.part[dim], pieces = to_.part[dim] / piece_[dim];
        const auto at_piece = [&](const Affine& piece) {
            const Affine begin = to_.begin(dim) + piece * piece_[dim]; // in the value
            target_.emplace_back(piece * piece_[dim], piece_[dim]);
            if (parts_of(s, dim) == 1) {
                place_.emplace_back(begin, piece_[dim]);
            } else {
                const Expression of(begin), extent(static_cast<double>(part));
                place_.emplace_back(cta_.index(floor_mod(of, extent), 0, part - piece_[dim] + 1, "within", at_), piece_[dim]);
                Expression digits = floor_div(of, extent);
                for (int i = s.end(dim) - 1; i >= s.begin(dim); --i) { // the fastest digit first
                    const Expression size(static_cast<double>(s.mesh.shape[s.axes[i]]));
                    coordinates_[static_cast<std::size_t>(s.axes[i])] = floor_mod(digits, size);
                    digits = floor_div(digits, size);
                }
            }
            read(dim + 1);
            target_.pop_back();
            place_.pop_back();
        };
        if (pieces == 1)
            at_piece(0);
        else
            cta_.loop(0, pieces, 1, at_piece, at_);
    }

  private:
    void read_piece()
    {
        const ViewRef d = to_.tensor(target_);
        if (added_.empty()) {
            cta_.get(d, there(), {}, at_);
            return;
        }
        const DType one = source_.dtype(), other = d.dtype();
        const DType type = one == DType::f64 || other == DType::f64 ? DType::f64
                           : is_whole(one) && is_whole(other)       ? DType::i32
                                                                    : DType::f32;
        const auto registers = [&](const char* name) {
            return cta_.alloc(Role::registers, piece_, type, LayoutHint::registers, name, -1, at_);
        };
        const auto sum = registers("sum"), term = registers("term");
        cta_.fill(sum, 0, {}, at_);
        for_each_term(0, [&] { cta_.get(term, there(), {}, at_).map(Function::add, sum, {sum, term}, {}, at_); });
        cta_.copy(d, sum, {}, at_);
    }
    void for_each_term(std::size_t which, const std::function<void()>& body)
    {
        if (which == added_.size()) return body();
        const auto axis = static_cast<std::size_t>(added_[which]);
        cta_.loop(
            0, from_.sharding.mesh.shape[added_[which]], 1,
            [&](const Affine& i) {
                coordinates_[axis] = Expression(i);
                for_each_term(which + 1, body);
            },
            at_);
    }
    /// The piece, where the block has it that is at these coordinates.
    ViewRef there()
    {
        const Mesh& mesh = from_.sharding.mesh;
        const Expression rank =
            rank_of_block(mesh, Expression(0), [&](int axis) { return coordinates_[static_cast<std::size_t>(axis)]; });
        const std::int64_t blocks = scope_volume(mesh, MeshScope::cluster, MeshScope::cluster);
        return source_.of_block(cta_.index(rank, 0, blocks, "from", at_))(place_);
    }

    Scope cta_;
    const ClusterTensor &to_, &from_;
    ViewRef source_;
    SourceLine at_;
    Shape piece_{};
    std::vector<int> added_{};              ///< axes whose terms are added up
    std::vector<Expression> coordinates_{}; ///< of the block that is read, by axis
    std::vector<Interval> target_{}, place_{};
};

} // namespace detail

AXE_DECL Result<Sharding> on_devices(const Sharding& sharding)
{
    const Mesh& mesh = sharding.mesh;
    MeshTopology devices;
    for (const MeshAxis& axis : mesh.launch)
        if (axis.scope <= MeshScope::device) devices.push_back(axis);
    if (const Status s = detail::launch_mesh_problem(mesh); !s.ok()) return s.error();
    if (devices.empty()) return Error(errc::bad_argument, -1, "the mesh has no axes of devices");
    Result<Sharding> out;
    out->mesh = *device_mesh(devices); // whose axes are the first ones, as scopes go from devices to blocks
    for (int dim = 0; dim < sharding.rank(); ++dim) {
        bool behind = false;
        for (int i = sharding.begin(dim); i < sharding.end(dim); ++i) {
            const int axis = sharding.axes[i];
            const bool several = mesh.shape[axis] > 1;
            if (!detail::is_of_devices(mesh, axis)) {
                behind = behind || several;
                continue;
            }
            if (behind && several)
                return Error(errc::bad_argument, axis, "mesh axis {0} splits dimension {1} over devices behind one of blocks", axis,
                             dim);
            out->axes.push_back(axis);
        }
        out->ends.push_back(out->axes.size());
    }
    for (const int axis : sharding.partial) {
        if (!detail::is_of_devices(mesh, axis))
            return Error(errc::bad_argument, axis, "mesh axis {0} is one of blocks, and of its partial sums devices have no terms",
                         axis);
        out->partial.push_back(axis);
    }
    for (const int axis : sharding.undistributed)
        if (detail::is_of_devices(mesh, axis)) out->undistributed.push_back(axis);
    return out;
}

AXE_DECL ClusterTensor sharded(Kernel& kernel, Scope cta, const Tile& tile, std::string name, const Shape& shape, DType type,
                               const Sharding& sharding, const Placement& placement, SourceLine at)
{
    const Mesh& mesh = sharding.mesh;
    const std::string where = "tensor " + name + ": ";
    const auto part = local_shape(sharding, shape);
    const Status mesh_problem =
        detail::cluster_mesh_problem(mesh, detail::MeshTensors::blocks_of_cluster(kernel, tile), kernel.machine().scopes[0].count);
    if (!part || !mesh_problem.ok()) {
        detail::MeshTensors::refuse(kernel, part ? mesh_problem.error() : part.error(), where);
        ClusterTensor one{cta.alloc(Role::shared, {1}, type, {}, std::move(name), -1, at), Sharding{}, {1}, {1}, {}};
        return one; // something that is declared
    }
    ClusterTensor out{cta.alloc(Role::shared, *part, type, placement, std::move(name), -1, at), sharding, shape, *part, {}};
    for (int axis = 0; axis < mesh.rank(); ++axis)
        out.coordinates.push_back(cta.index(*shard_coordinate(mesh, axis, kernel.device(), Expression(tile.rank)), 0,
                                            mesh.shape[axis], mesh.names[axis].name().c_str(), at));
    return out;
}

AXE_DECL void reshard(Kernel& kernel, Scope cta, const ClusterTensor& to, const ClusterTensor& from, SourceLine at)
{
    const auto refuse = [&](const Error& e) { detail::MeshTensors::refuse(kernel, e, "reshard: "); };
    if (const auto steps = reshard(from.sharding, to.sharding); !steps) return refuse(steps.error());
    if (!(from.shape == to.shape)) return refuse(detail::reshard_of_other_shape());
    if (const Status s = detail::read_across_devices(to.sharding, from.sharding); !s.ok()) return refuse(s.error());
    if (!detail::MeshTensors::is_shared(kernel, to.tensor))
        return refuse(Error(errc::bad_argument, -1, "the target is not in shared memory"));
    ViewRef source = from.tensor;
    if (!detail::MeshTensors::is_shared(kernel, source)) { // accumulators: no other block reads them
        const TensorRef staged = cta.alloc(Role::shared, source.shape(), source.dtype(), {},
                                           detail::MeshTensors::name_of(kernel, source) + "_staged", -1, at);
        cta.copy(staged, source, {}, at);
        source = staged;
    }
    cta.cluster_sync(at);
    detail::ClusterReads reads(cta, to, from, source, at);
    if (to.sharding.undistributed.empty())
        reads.read();
    else
        cta.when(to.holds(), [&] { reads.read(); }, {}, at);
    cta.cluster_sync(at);
}

} // namespace v0
} // namespace axe

#endif
