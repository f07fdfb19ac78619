// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_MESH_SHARDING_HPP
#define AXE_MESH_MESH_SHARDING_HPP

#include <axe/mesh/mesh_scopes.hpp>

/// How a tensor is distributed over a mesh: along each dimension of the mesh it is split, replicated, a partial sum, or on one member.
namespace axe {
inline namespace v0 {

/// What a tensor is along one dimension of a mesh.
enum class ShardState : std::uint8_t {
    broadcast,     ///< B: every member has it
    split,         ///< S: each member has a part of a dimension
    partial,       ///< P: each member has a term, and the value is the sum
    undistributed, ///< U: the member at coordinate 0 has it, the others nothing
};

/// The letter of a state.
constexpr char letter(ShardState state) noexcept { return "BSPU"[static_cast<int>(state)]; }

/// The state along one dimension of the mesh; of a split which dimension of the tensor, and which digit of it, the slowest 0.
struct AxisState {
    ShardState state = ShardState::broadcast;
    int dim = -1, digit = -1;
    friend constexpr bool operator==(const AxisState&, const AxisState&) = default;
};

/// A distribution of tensors over a mesh, by dimensions of the mesh. Made by `make_sharding`.
struct Sharding {
    using List = InlineVector<int, max_rank>;

    Mesh mesh{};
    List axes{};          ///< that split: of tensor dimension d those from begin(d) to end(d), the slowest first
    List ends{};          ///< of each dimension of the tensor that is named
    List partial{};       ///< ascending
    List undistributed{}; ///< ascending

    /// The number of dimensions of the tensor that are named; those behind are not split.
    [[nodiscard]] constexpr int rank() const noexcept { return ends.size(); }
    [[nodiscard]] constexpr int begin(int dim) const noexcept { return dim == 0 ? 0 : ends[dim - 1]; }
    [[nodiscard]] constexpr int end(int dim) const noexcept { return ends[dim]; }
    friend constexpr bool operator==(const Sharding&, const Sharding&) = default;
};

/// For each dimension of a tensor the names of the axes that split it, the slowest first.
using MeshSplit = InlineVector<MeshAxes, max_rank>;

/// Is the dimension of the mesh in the list?
constexpr bool has_axis(const Sharding::List& list, int axis) noexcept
{
    for (const int i : list)
        if (i == axis) return true;
    return false;
}

namespace detail {

constexpr Error too_many_axes() noexcept { return Error(errc::capacity, max_rank, "a sharding names at most {0} axes", max_rank); }
constexpr Error axis_named_twice(int where, int axis) noexcept
{
    return Error(errc::bad_axis, where, "mesh axis {0} is named twice", axis);
}
constexpr Error too_many_placement_iters(int most) noexcept
{
    return Error(errc::capacity, most, "the placement needs more than {0} iters", most);
}

/// Puts the dimensions of these names into a list, ascending.
constexpr Status put_axes(const Mesh& mesh, const MeshAxes& names, Sharding::List& out) noexcept
{
    if (names.overfull()) return too_many_axes();
    for (int i = 0; i < names.size(); ++i) {
        const int axis = find_dimension(mesh, names[i]);
        if (axis < 0)
            return Error(errc::unknown_axis, i, "entry {0} of the partial or undistributed axes is not an axis of the mesh", i);
        if (has_axis(out, axis)) return axis_named_twice(i, axis);
        int at = 0;
        while (at < out.size() && out[at] < axis) ++at;
        out.insert(at, axis);
    }
    return {};
}

} // namespace detail

/// The sharding that splits tensor dimension d over the axes `split[d]`, the first slowest; along `partial` members have terms, along
/// `undistributed` the member at 0 has the tensor, along all other axes it is replicated.      [TLE, `sharding(mesh, split, partial)`]
///
/// `errc::unknown_axis` for a name that the mesh does not have; `errc::bad_axis` for an axis that is named twice, in one list or in two;
/// `errc::capacity`. Cost: axes squared.
constexpr Result<Sharding> make_sharding(const Mesh& mesh, const MeshSplit& split, const MeshAxes& partial = {},
                                         const MeshAxes& undistributed = {}) noexcept
{
    Result<Sharding> result;
    Sharding& out = *result;
    out.mesh = mesh;
    if (split.overfull())
        return Error(errc::capacity, max_rank, "a tensor has at most {0} dimensions, the split {1}", max_rank, split.size());
    for (int d = 0; d < split.size(); ++d) {
        if (split[d].overfull()) return detail::too_many_axes();
        for (const Axis& name : split[d]) {
            const int axis = find_dimension(mesh, name);
            if (axis < 0) return Error(errc::unknown_axis, d, "an axis that splits dimension {0} is not an axis of the mesh", d);
            if (has_axis(out.axes, axis)) return detail::axis_named_twice(d, axis);
            out.axes.push_back(axis);
        }
        out.ends.push_back(out.axes.size());
    }
    if (const Status e = detail::put_axes(mesh, partial, out.partial); !e.ok()) return e;
    if (const Status e = detail::put_axes(mesh, undistributed, out.undistributed); !e.ok()) return e;
    for (int axis = 0; axis < mesh.rank(); ++axis) {
        const bool s = has_axis(out.axes, axis), p = has_axis(out.partial, axis);
        if (s && p) return Error(errc::bad_axis, axis, "mesh axis {0} is in both split and partial", axis);
        if ((s || p) && has_axis(out.undistributed, axis))
            return Error(errc::bad_axis, axis, "mesh axis {0} is undistributed and in split or partial", axis);
    }
    return result;
}

/// The state along a dimension of the mesh.
constexpr AxisState state_of(const Sharding& sharding, int axis) noexcept
{
    for (int d = 0; d < sharding.rank(); ++d)
        for (int i = sharding.begin(d); i < sharding.end(d); ++i)
            if (sharding.axes[i] == axis) return {ShardState::split, d, i - sharding.begin(d)};
    if (has_axis(sharding.partial, axis)) return {ShardState::partial, -1, -1};
    if (has_axis(sharding.undistributed, axis)) return {ShardState::undistributed, -1, -1};
    return {};
}

/// Of how many parts dimension d of the tensor is.
constexpr std::int64_t parts_of(const Sharding& sharding, int dim) noexcept
{
    std::int64_t n = 1;
    for (int i = dim < sharding.rank() ? sharding.begin(dim) : 0; dim < sharding.rank() && i < sharding.end(dim); ++i)
        n *= sharding.mesh.shape[sharding.axes[i]];
    return n;
}

/// The shape of what a member holds:  local_d = shape_d / Π of the axes that split d.
///
/// `errc::rank_mismatch` where the sharding names more dimensions than the tensor has; `errc::not_grouped` with a dimension that does not
/// divide; the errors of `volume`. Cost: linear.
constexpr Result<Shape> local_shape(const Sharding& sharding, const Shape& shape) noexcept
{
    if (const auto n = volume(shape); !n) return n.error();
    if (sharding.rank() > shape.size())
        return Error(errc::rank_mismatch, -1, "the sharding splits {0} dimensions, the tensor has {1}", sharding.rank(),
                     shape.size());
    Result<Shape> result;
    for (int d = 0; d < shape.size(); ++d) {
        const std::int64_t parts = parts_of(sharding, d);
        if (!detail::divides(parts, shape[d]))
            return Error(errc::not_grouped, d, "dimension {0} of {1} elements does not divide over {2} members of the mesh", d,
                         shape[d], parts);
        result->push_back(detail::quotient(shape[d], parts));
    }
    return result;
}

/// The range of the tensor that the member at a coordinate of the mesh holds, of a partial sum the range of its term:
///
///   [i_d·local_d, (i_d + 1)·local_d),   i_d the mixed-radix number of the coordinates on the axes that split d, the first slowest
///
/// `errc::no_layout` for a member that holds nothing; the errors of `local_shape` and `linear_index`. Cost: linear.
constexpr Result<Region> shard_region(const Sharding& sharding, const Shape& shape, const Coord& at) noexcept
{
    const auto local = local_shape(sharding, shape);
    if (!local) return local.error();
    if (const auto index = linear_index(sharding.mesh.shape, at); !index) return index.error();
    for (const int axis : sharding.undistributed)
        if (at[axis] != 0)
            return Error(errc::no_layout, axis,
                         "the member at coordinate {0} of mesh axis {1} holds nothing: the tensor is undistributed", at[axis],
                         axis);
    Result<Region> result;
    for (int d = 0; d < shape.size(); ++d) {
        std::int64_t part = 0;
        if (d < sharding.rank())
            for (int i = sharding.begin(d); i < sharding.end(d); ++i)
                part = part * sharding.mesh.shape[sharding.axes[i]] + at[sharding.axes[i]];
        result->push_back({part * (*local)[d], (part + 1) * (*local)[d]});
    }
    return result;
}

/// A tensor on the members of a mesh, as a layout of a program: over `shape`, whose first `terms` dimensions count the terms of a partial
/// sum, one for each partial axis, and are not dimensions of the value; a reduction over them is the value.
struct ShardPlacement {
    Layout layout{};
    Shape shape{};
    int terms = 0;
    friend constexpr bool operator==(const ShardPlacement&, const ShardPlacement&) = default;
};

namespace detail {

/// Appends what a dimension of the mesh is on its axes.
template <class List>
constexpr Status put_digits(const Grouped<Layout>& digits, int axis, List& out) noexcept
{
    for (int i = digits.begin(axis); i < digits.end(axis); ++i)
        if (!out.push_back(digits.layout.shard[i])) return too_many_placement_iters(List::capacity);
    return {};
}

constexpr Result<ShardPlacement> placed_on(const Sharding& sharding, const Shape& shape, const Layout& members) noexcept
{
    const Mesh& mesh = sharding.mesh;
    const auto local = local_shape(sharding, shape);
    if (!local) return local.error();
    const auto digits = group(members, mesh.shape);
    if (!digits) return digits.error();
    Result<ShardPlacement> result;
    Layout& out = result->layout;
    result->terms = sharding.partial.size();
    for (const int axis : sharding.partial) {
        result->shape.push_back(mesh.shape[axis]);
        if (const Status e = put_digits(*digits, axis, out.shard); !e.ok()) return e;
    }
    std::int64_t pitch = mesh_volume(*local);
    for (int d = 0; d < shape.size(); ++d) {
        result->shape.push_back(shape[d]);
        if (d < sharding.rank())
            for (int i = sharding.begin(d); i < sharding.end(d); ++i)
                if (const Status e = put_digits(*digits, sharding.axes[i], out.shard); !e.ok()) return e;
        pitch = quotient(pitch, (*local)[d]);
        if ((*local)[d] > 1 && !out.shard.push_back(Iter((*local)[d], pitch))) return too_many_placement_iters(Layout::max_shard);
    }
    for (int axis = 0; axis < mesh.rank(); ++axis)
        if (state_of(sharding, axis).state == ShardState::broadcast)
            if (const Status e = put_digits(*digits, axis, out.replica); !e.ok()) return e;
    out.offset = digits->layout.offset;
    if (result->shape.overfull()) return shape_capacity(max_rank, result->shape.size());
    const auto plain = canonicalize(out);
    if (!plain) return plain.error();
    out = *plain;
    return result;
}

} // namespace detail

/// The sharding of a tensor as a layout on the axes of a machine, `gpuid` and `cta`, with the part of a member row-major on `m`:
///
///   L(k, x) = { the members that hold term k of x } × the place in the part
///
/// It is what tensors of programs take; with partial axes the tensor is one of terms (`ShardPlacement`), so that it has no value to read,
/// and a reduction over its first dimensions has. Errors: those of `local_shape` and `hardware_layout`, `errc::capacity`. Cost: linear.
constexpr Result<ShardPlacement> placement(const Sharding& sharding, const Shape& shape) noexcept
{
    const auto members = hardware_layout(sharding.mesh);
    if (!members) return members.error();
    return detail::placed_on(sharding, shape, *members);
}

/// The same in the memory of devices, which all blocks of a device access: on `gpuid` as above, and what is on one device row-major on `m`,
/// the terms and parts of its blocks one after the other, copies of several of its blocks once. Without axes of blocks it is `placement`.
constexpr Result<ShardPlacement> device_placement(const Sharding& sharding, const Shape& shape) noexcept
{
    Result<ShardPlacement> result = placement(sharding, shape);
    if (!result) return result;
    const Axis device("gpuid");
    const Layout members = result->layout;
    Layout& out = result->layout;
    std::int64_t pitch = 1;
    for (int i = out.shard.size() - 1; i >= 0; --i) {
        if (out.shard[i].axis == device) continue;
        const std::int64_t extent = out.shard[i].extent;
        out.shard[i] = Iter(extent, pitch);
        pitch *= extent; // of elements of the shape, whose volume is a number
    }
    out.replica = {};
    for (const Iter& it : members.replica)
        if (it.axis == device) out.replica.push_back(it);
    out.offset = {};
    if (const Status e = detail::add_offset(out.offset, device, members.offset[device]); !e.ok()) return e;
    const auto plain = canonicalize(out);
    if (!plain) return plain.error();
    out = *plain;
    return result;
}

/// `placement` with the ids of the mesh on the axis `id`.
constexpr Result<ShardPlacement> id_placement(const Sharding& sharding, const Shape& shape) noexcept
{
    return detail::placed_on(sharding, shape, sharding.mesh.ids);
}

} // namespace v0
} // namespace axe

#endif
