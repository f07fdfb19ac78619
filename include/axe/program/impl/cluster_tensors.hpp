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
AXE_DECL Expression ClusterTensor::holds() const
{
    return detail::first_along(sharding.undistributed, [&](int axis) { return coordinates[static_cast<std::size_t>(axis)]; });
}

namespace detail {

/// What is wrong with a mesh whose members are to be the blocks of a cluster of so many.
inline Status cluster_mesh_problem(const Mesh& mesh, std::int64_t blocks)
{
    for (int i = 0; i < mesh.launch.size(); ++i)
        if (mesh.launch[i].scope != MeshScope::cluster)
            return Error(errc::bad_argument, i, "axis {0} of the mesh is not one of a cluster", i);
    if (const auto launch = device_mesh(mesh.launch); !launch || !(*launch == mesh))
        return Error(errc::bad_argument, -1, "the sharding is over a sub-mesh; give one over the launch mesh");
    if (size(mesh) != blocks)
        return Error(errc::bad_argument, -1, "the mesh has {0} members; the cluster has {1} blocks", size(mesh), blocks);
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
            if (const std::int64_t parts = parts_of(s, dim); parts == 1) {
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
        Expression rank = 0;
        for (int axis = 0; axis < mesh.rank(); ++axis)
            rank = rank * Expression(static_cast<double>(mesh.shape[axis])) + coordinates_[static_cast<std::size_t>(axis)];
        return source_.of_block(cta_.index(rank, 0, size(mesh), "from", at_))(place_);
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

AXE_DECL ClusterTensor sharded(Kernel& kernel, Scope cta, const Tile& tile, std::string name, const Shape& shape, DType type,
                               const Sharding& sharding, const Placement& placement, SourceLine at)
{
    const Mesh& mesh = sharding.mesh;
    const std::string where = "tensor " + name + ": ";
    const auto part = local_shape(sharding, shape);
    const Status mesh_problem = detail::cluster_mesh_problem(mesh, detail::MeshTensors::blocks_of_cluster(kernel, tile));
    if (!part || !mesh_problem.ok()) {
        detail::MeshTensors::refuse(kernel, part ? mesh_problem.error() : part.error(), where);
        ClusterTensor one{cta.alloc(Role::shared, {1}, type, {}, std::move(name), -1, at), Sharding{}, {1}, {1}, {}};
        return one; // something that is declared
    }
    ClusterTensor out{cta.alloc(Role::shared, *part, type, placement, std::move(name), -1, at), sharding, shape, *part, {}};
    for (int axis = 0; axis < mesh.rank(); ++axis)
        out.coordinates.push_back(cta.index(*shard_coordinate(mesh, axis, 0, Expression(tile.rank)), 0, mesh.shape[axis],
                                            mesh.names[axis].name().c_str(), at));
    return out;
}

AXE_DECL void reshard(Kernel& kernel, Scope cta, const ClusterTensor& to, const ClusterTensor& from, SourceLine at)
{
    const auto refuse = [&](const Error& e) { detail::MeshTensors::refuse(kernel, e, "reshard: "); };
    if (const auto steps = reshard(from.sharding, to.sharding); !steps) return refuse(steps.error());
    if (!(from.shape == to.shape)) return refuse(detail::reshard_of_other_shape());
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
