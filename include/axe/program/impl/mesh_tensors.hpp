// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_MESH_TENSORS_HPP
#define AXE_PROGRAM_IMPL_MESH_TENSORS_HPP

#include <axe/mesh/reshard.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <axe/text/common/words.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// What appends to kernels for meshes: it may give a kernel its problem.
struct MeshTensors {
    static void refuse(Kernel& kernel, const Error& e, const std::string& where)
    {
        kernel.refuse(e.code, where + e.message().c_str());
    }

    static std::string name_of(const Kernel& kernel, const ViewRef& view) { return tensor_of(kernel.program_, view.view()).name; }
    /// Has each block its own of it?
    static bool is_shared(const Kernel& kernel, const ViewRef& view)
    {
        const Memory* shared = memory_for(kernel.machine(), Role::shared);
        return shared != nullptr && tensor_of(kernel.program_, view.view()).memory == shared->name;
    }

    /// How many blocks a cluster has, by the rank that a block has there.
    static std::int64_t blocks_of_cluster(const Kernel& kernel, const Tile& tile) { return kernel.highest(tile.rank) + 1; }

    static TensorRef declare(Kernel& kernel, Binding binding, std::string name, const ShardPlacement& placed, DType type)
    {
        if (binding != Binding::local) return kernel.declare(binding, std::move(name), placed.shape, type, placed.layout);
        return kernel.alloc(Role::global, placed.shape, type, placed.layout, std::move(name));
    }
};

/// Is the axis of a launch mesh one of devices, or of their nodes?
inline bool is_of_devices(const Mesh& mesh, int axis) { return mesh.launch[axis].scope <= MeshScope::device; }

/// Is the mesh a part of its launch mesh?
inline Status launch_mesh_problem(const Mesh& mesh)
{
    if (const auto launch = device_mesh(mesh.launch); !launch || !(*launch == mesh))
        return Error(errc::bad_argument, -1, "the sharding is over a sub-mesh; give one over the launch mesh");
    return {};
}

/// Where the part of a dimension begins that is at coordinate(axis) along each axis of the mesh.
template <class Coordinate>
Affine begin_of_part(const Sharding& s, const Shape& shape, int dim, Coordinate&& coordinate)
{
    if (parts_of(s, dim) == 1) return 0;
    Affine part = 0;
    for (int i = s.begin(dim); i < s.end(dim); ++i) part = part * s.mesh.shape[s.axes[i]] + coordinate(s.axes[i]);
    return part * (shape[dim] / parts_of(s, dim));
}
/// A condition: coordinate(axis) is 0 along each of the axes.
template <class Coordinate>
Expression first_along(const Sharding::List& axes, Coordinate&& coordinate)
{
    Expression out = 1;
    for (const int axis : axes) out = both(out, equals(Expression(coordinate(axis)), 0));
    return out;
}

/// Where a member of a mesh is, and what it has of tensors that shardings over the mesh distribute.
class MeshParts {
  public:
    /// The member that runs the scope, with coordinates on the axes along which one of the shardings differs from member to member.
    /// @param shardings over one launch mesh
    /// @param block its number on its device, as of `shard_coordinate`
    MeshParts(Kernel& kernel, Scope scope, const std::vector<const Sharding*>& shardings, const Expression& block, SourceLine at)
    {
        const Mesh& mesh = shardings.front()->mesh;
        coordinates_.resize(static_cast<std::size_t>(mesh.rank()));
        for (int axis = 0; axis < mesh.rank(); ++axis)
            if (std::any_of(shardings.begin(), shardings.end(),
                            [&](const Sharding* s) { return state_of(*s, axis).state != ShardState::broadcast; }))
                coordinates_[static_cast<std::size_t>(axis)] = scope.index(*shard_coordinate(mesh, axis, kernel.device(), block), 0,
                                                                           mesh.shape[axis], mesh.names[axis].name().c_str(), at);
    }

    [[nodiscard]] const Affine& operator()(int axis) const { return coordinates_[static_cast<std::size_t>(axis)]; }
    /// Of the member's term, where the tensor is a partial sum, a box of its part.
    [[nodiscard]] ViewRef part(const ShardedTensor& x, const std::vector<Interval>& box) const
    {
        std::vector<Interval> out;
        for (const int axis : x.sharding.partial) out.emplace_back((*this)(axis));
        for (std::size_t d = 0; d < box.size(); ++d)
            out.emplace_back(begin_of_part(x.sharding, x.shape, static_cast<int>(d), *this) + box[d].begin, box[d].extent);
        return x.tensor(out);
    }

  private:
    std::vector<Affine> coordinates_{}; ///< by axis
};

inline Error reshard_of_other_shape() { return Error(errc::size_mismatch, -1, "the two tensors have different shapes"); }

/// Has the layout an axis that moves something?
constexpr bool moves_on(const Layout& layout, const Axis& axis) noexcept
{
    for (const Iter& it : layout.shard)
        if (it.axis == axis && it.extent > 1 && it.stride != 0) return true;
    for (const Iter& it : layout.replica)
        if (it.axis == axis && it.extent > 1 && it.stride != 0) return true;
    return layout.offset[axis] != 0;
}

/// The value on an axis of the layout of a mesh at coordinates that the run computes.
inline Result<Expression> value_at(const Mesh& mesh, const Result<Layout>& layout, const Axis& axis,
                                   const std::vector<Expression>& coordinates)
{
    if (!layout) return layout.error();
    const auto digits = group(*layout, mesh.shape);
    if (!digits) return digits.error();
    if (static_cast<int>(coordinates.size()) != mesh.rank())
        return Error(errc::rank_mismatch, -1, "there are {0} coordinates, the mesh has {1} dimensions",
                     static_cast<std::int64_t>(coordinates.size()), mesh.rank());
    Expression out = static_cast<double>(digits->layout.offset[axis]);
    for (int d = 0; d < mesh.rank(); ++d) {
        std::int64_t weight = mesh.shape[d];
        for (int i = digits->begin(d); i < digits->end(d); ++i) {
            const Iter& it = digits->layout.shard[i];
            weight /= it.extent;
            if (!(it.axis == axis)) continue;
            Expression digit = coordinates[static_cast<std::size_t>(d)];
            if (weight > 1) digit = floor_div(digit, Expression(static_cast<double>(weight)));
            if (i > digits->begin(d)) digit = floor_mod(digit, Expression(static_cast<double>(it.extent)));
            out = out + digit * Expression(static_cast<double>(it.stride));
        }
    }
    return out;
}

} // namespace detail

AXE_DECL ShardedTensor sharded(Kernel& kernel, Binding binding, std::string name, const Shape& shape, DType type,
                               const Sharding& sharding)
{
    const auto placed = device_placement(sharding, shape);
    const std::string where = "tensor " + name + ": ";
    ShardPlacement one; // what is declared in the place of a tensor that cannot be
    one.shape = shape;
    one.layout.shard.push_back(Iter(volume(shape).value_or(1), 1));
    if (!placed)
        detail::MeshTensors::refuse(kernel, placed.error(), where);
    else
        one = *placed;
    return {detail::MeshTensors::declare(kernel, binding, std::move(name), one, type), sharding, shape};
}

AXE_DECL TensorPart part_of(Kernel& kernel, Scope scope, const ShardedTensor& whole, const Expression& block, SourceLine at)
{
    const Sharding& s = whole.sharding;
    const auto local = local_shape(s, whole.shape);
    if (!local) return {whole.tensor, 1}; // the kernel has that as its problem
    if (const Status wrong = detail::launch_mesh_problem(s.mesh); !wrong.ok()) {
        detail::MeshTensors::refuse(kernel, wrong.error(), "tensor " + detail::MeshTensors::name_of(kernel, whole.tensor) + ": ");
        return {whole.tensor, 1};
    }
    const detail::MeshParts member(kernel, scope, {&s}, block, at);
    std::vector<Interval> box;
    for (const std::int64_t extent : *local) box.emplace_back(0, extent);
    return {member.part(whole, box), detail::first_along(s.undistributed, member)};
}

AXE_DECL void reshard(Kernel& kernel, const ShardedTensor& to, const ShardedTensor& from, const Options& options, SourceLine at)
{
    if (const auto steps = reshard(from.sharding, to.sharding); !steps)
        return detail::MeshTensors::refuse(kernel, steps.error(), "reshard: ");
    if (!(from.shape == to.shape)) return detail::MeshTensors::refuse(kernel, detail::reshard_of_other_shape(), "reshard: ");
    InlineVector<int, max_rank> reduced;
    for (int i = 0; i < from.sharding.partial.size(); ++i)
        if (!has_axis(to.sharding.partial, from.sharding.partial[i])) reduced.push_back(i);
    if (reduced.empty())
        kernel.copy(to.tensor, from.tensor, options, at);
    else
        kernel.reduce(Function::add, to.tensor, from.tensor, reduced, false, options, at);
}

AXE_DECL Result<Expression> shard_coordinate(const Mesh& mesh, int axis, const Expression& device, const Expression& block)
{
    if (const auto zero = shard_id(mesh, axis, 0); !zero) return zero.error();
    const int at = axis < 0 ? axis + mesh.launch.size() : axis;
    const bool is_device = mesh.launch[at].scope <= MeshScope::device;
    std::int64_t weight = 1; // of the axis in the number of the device, or of the block
    for (int i = at + 1; i < mesh.launch.size(); ++i)
        if ((mesh.launch[i].scope <= MeshScope::device) == is_device) weight *= mesh.launch[i].size;
    const Expression number = is_device ? device : block;
    return floor_mod(floor_div(number, Expression(static_cast<double>(weight))),
                     Expression(static_cast<double>(mesh.launch[at].size)));
}
AXE_DECL Result<Expression> shard_coordinate(const Mesh& mesh, const Axis& axis, const Expression& device, const Expression& block)
{
    for (int i = 0; i < mesh.launch.size(); ++i)
        if (mesh.launch[i].name == axis) return shard_coordinate(mesh, i, device, block);
    return shard_id(mesh, axis, 0).error();
}

AXE_DECL Result<Expression> device_at(const Mesh& mesh, const std::vector<Expression>& coordinates)
{
    return detail::value_at(mesh, hardware_layout(mesh), "gpuid", coordinates);
}
AXE_DECL Result<Expression> rank_at(const Mesh& mesh, const std::vector<Expression>& coordinates)
{
    return detail::value_at(mesh, cluster_layout(mesh), "rank", coordinates);
}

AXE_DECL ViewRef remote(Kernel& kernel, Scope scope, const ViewRef& view, const Mesh& mesh, const TileIndex& member, SourceLine at)
{
    // A coordinate for each dimension, held to it by the run.
    const std::string name = detail::MeshTensors::name_of(kernel, view);
    std::vector<Expression> coordinates;
    if (member.is_number) {
        const Affine number = scope.index(member.values[0], 0, size(mesh), name + "_member", at);
        std::int64_t weight = size(mesh);
        for (int d = 0; d < mesh.rank(); ++d) {
            weight /= mesh.shape[d];
            coordinates.push_back(floor_mod(floor_div(Expression(number), Expression(static_cast<double>(weight))),
                                            Expression(static_cast<double>(mesh.shape[d]))));
        }
    } else {
        for (std::size_t d = 0; d < member.values.size() && static_cast<int>(d) < mesh.rank(); ++d)
            coordinates.emplace_back(
                scope.index(member.values[d], 0, mesh.shape[static_cast<int>(d)], name + "_member" + std::to_string(d), at));
        coordinates.resize(member.values.size());
    }
    const bool is_of_block = detail::MeshTensors::is_shared(kernel, view);
    const auto where = is_of_block ? rank_at(mesh, coordinates) : device_at(mesh, coordinates);
    if (!where) {
        detail::MeshTensors::refuse(kernel, where.error(), "remote " + name + ": ");
        return view;
    }
    const std::int64_t count = is_of_block ? scope_volume(mesh, MeshScope::cluster, MeshScope::cluster)
                                           : scope_volume(mesh, MeshScope::node, MeshScope::device);
    const Affine place = scope.index(*where, 0, count, name + (is_of_block ? "_rank" : "_device"), at);
    return is_of_block ? view.of_block(place) : view.remote(place);
}

} // namespace v0
} // namespace axe

#endif
