// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_DEVICE_MESH_HPP
#define AXE_MESH_DEVICE_MESH_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/layout/group.hpp>

/// Meshes of nodes, devices, clusters and blocks, as values: names, a shape, and a layout from coordinates to physical ids.
namespace axe {
inline namespace v0 {

/// A level of the hierarchy that an axis of a mesh counts members of, outermost first.
enum class MeshScope : std::uint8_t {
    node,    ///< hosts
    device,  ///< devices of a node
    cluster, ///< clusters of blocks on a device, or the blocks of one
    block,   ///< blocks
};
inline constexpr int mesh_scopes = 4;

/// The name of a scope, as the enumerator is spelled.
constexpr const char* name(MeshScope scope) noexcept
{
    constexpr const char* names[] = {"node", "device", "cluster", "block"};
    return names[static_cast<int>(scope)];
}

/// One axis of the hierarchy that a mesh is launched on.
struct MeshAxis {
    Axis name;
    std::int64_t size;
    MeshScope scope;

    MeshAxis() = default; // trivial, so that unused room costs nothing
    constexpr MeshAxis(const Axis& called, std::int64_t members, MeshScope of = MeshScope::device) noexcept
        : name(called), size(members), scope(of)
    {
    }
    friend constexpr bool operator==(const MeshAxis&, const MeshAxis&) = default;
};
/// All axes, outermost first.
using MeshTopology = InlineVector<MeshAxis, max_rank>;
/// Names of axes of a mesh.
using MeshAxes = InlineVector<Axis, max_rank>;

/// The axis of the layout of a mesh: its physical ids, 0 to the size of the launch mesh, row-major over the launch mesh.
inline constexpr Axis mesh_id{"id"};

/// Members of a hierarchy, arranged: dimension d is called `names[d]`, and the member at a coordinate has the id
///
///   id(c) = ids(c),   ids a layout on `id`, of the launch mesh row-major:  ((c_0·n_1 + c_1)·n_2 + c_2)·…
///
/// A sub-mesh has the `launch` of the mesh that it was made of. Made by `device_mesh`, `sub_mesh`, `flatten` and `reshape`.
struct Mesh {
    MeshTopology launch{};
    MeshAxes names{};
    Shape shape{};
    Layout ids{};

    /// The number of dimensions.
    [[nodiscard]] constexpr int rank() const noexcept { return shape.size(); }
    friend constexpr bool operator==(const Mesh&, const Mesh&) = default;
};

namespace detail {

/// The layout of the ids, cut into the dimensions of the mesh.
constexpr Result<Grouped<Layout>> mesh_digits(const Mesh& mesh) noexcept { return group(mesh.ids, mesh.shape); }

/// The number of members; of a mesh that was made.
constexpr std::int64_t mesh_volume(const Shape& shape) noexcept
{
    std::int64_t n = 1;
    for (const std::int64_t extent : shape) n *= extent;
    return n;
}

/// `dim0`, `dim1`, …
constexpr Axis mesh_dimension_name(int dim) noexcept
{
    char text[] = "dim00";
    text[dim < 10 ? 3 : 4] = static_cast<char>('0' + dim % 10);
    if (dim >= 10) text[3] = '1';
    return *Axis::make(text, dim < 10 ? 4 : 5);
}

} // namespace detail

/// The mesh of a hierarchy, with ids row-major over all axes: the last axis has neighbors.
///
/// `errc::bad_argument` without axes; `errc::bad_extent`, `errc::bad_axis` for a name that comes twice, `errc::bad_argument` where an axis
/// comes after one of a scope further inside, all with the axis; `errc::capacity`; `errc::overflow`. Cost: linear.
constexpr Result<Mesh> device_mesh(const MeshTopology& topology) noexcept
{
    Result<Mesh> result;
    if (topology.overfull())
        return Error(errc::capacity, max_rank, "a mesh has at most {0} dimensions, this one has {1}", max_rank, topology.size());
    if (topology.empty()) return Error(errc::bad_argument, -1, "a device mesh needs at least one axis");
    std::int64_t size = 1;
    for (int i = 0; i < topology.size(); ++i) {
        const MeshAxis& axis = topology[i];
        if (axis.size < 1)
            return Error(errc::bad_extent, i, "axis {0} of the mesh has size {1}; it must be at least 1", i, axis.size);
        if (!detail::mul(size, axis.size, size))
            return Error(errc::overflow, i, "the number of ids of the mesh overflows at axis {0}", i);
        for (int k = 0; k < i; ++k)
            if (topology[k].name == axis.name)
                return Error(errc::bad_axis, i, "axes {0} and {1} of the mesh have the same name", k, i);
        if (i > 0 && axis.scope < topology[i - 1].scope)
            return Error(errc::bad_argument, i,
                         "axis {0} of the mesh is of a scope outside that of axis {1}; scopes go from node to block", i, i - 1);
        result->launch.push_back(axis);
        result->names.push_back(axis.name);
        result->shape.push_back(axis.size);
    }
    if (size > 1) result->ids.shard.push_back(Iter(size, 1, mesh_id));
    return result;
}

/// The number of members.
constexpr std::int64_t size(const Mesh& mesh) noexcept { return detail::mesh_volume(mesh.shape); }

/// The mesh as a layout: from its coordinates, row-major over `mesh.shape`, to ids on `id`.
constexpr const Layout& layout_of(const Mesh& mesh) noexcept { return mesh.ids; }

/// The shape of the launch mesh, the same for all its sub-meshes.
constexpr Shape launch_shape(const Mesh& mesh) noexcept
{
    Shape out;
    for (const MeshAxis& axis : mesh.launch) out.push_back(axis.size);
    return out;
}

/// The dimension of this name; −1 if none exists.
constexpr int find_dimension(const Mesh& mesh, const Axis& name) noexcept
{
    for (int i = 0; i < mesh.names.size(); ++i)
        if (mesh.names[i] == name) return i;
    return -1;
}

/// The physical id of the member at a coordinate. `errc::rank_mismatch`, `errc::out_of_domain` with the dimension.
constexpr Result<std::int64_t> id_at(const Mesh& mesh, const Coord& coord) noexcept
{
    const auto index = linear_index(mesh.shape, coord);
    if (!index) return index.error();
    const auto point = evaluate(mesh.ids, *index);
    if (!point) return point.error();
    return (*point)[mesh_id];
}

/// The coordinate of an id in the launch mesh, also of one that a sub-mesh does not have. `errc::out_of_domain` past the launch mesh.
constexpr Result<Coord> launch_coordinate(const Mesh& mesh, std::int64_t id) noexcept
{
    const Shape shape = launch_shape(mesh);
    if (const std::int64_t n = detail::mesh_volume(shape); id < 0 || id >= n)
        return Error(errc::out_of_domain, -1, "id {0} is outside the launch mesh, which has {1} ids", id, n);
    return coordinate(shape, id);
}

/// The coordinate of an id on one axis of the launch mesh, which a negative number counts from the end:
///
///   shard_id(mesh, axis, id) = ⌊id / Π of the sizes behind the axis⌋ mod its size
///
/// `errc::out_of_domain` for an axis or an id that the launch mesh does not have.
constexpr Result<std::int64_t> shard_id(const Mesh& mesh, int axis, std::int64_t id) noexcept
{
    const int rank = mesh.launch.size(), at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank)
        return Error(errc::out_of_domain, axis, "axis {0} is outside the launch mesh, which has {1} axes", axis, rank);
    const auto coord = launch_coordinate(mesh, id);
    if (!coord) return coord.error();
    return (*coord)[at];
}
/// The same of an axis by its name. `errc::unknown_axis`.
constexpr Result<std::int64_t> shard_id(const Mesh& mesh, const Axis& axis, std::int64_t id) noexcept
{
    for (int i = 0; i < mesh.launch.size(); ++i)
        if (mesh.launch[i].name == axis) return shard_id(mesh, i, id);
    return Error(errc::unknown_axis, -1, "the launch mesh has no axis of that name");
}

/// The same members in the same order on another shape. As many dimensions keep their names; one is called `flat`, else they are
/// `dim0`, `dim1`, …
///
/// `errc::size_mismatch`, `errc::not_grouped` where the ids along a dimension would not be digits (of a sub-mesh alone); the errors of
/// `volume`. Cost: linear in digits and dimensions.
constexpr Result<Mesh> reshape(const Mesh& mesh, const Shape& shape) noexcept
{
    const auto n = volume(shape);
    if (!n) return n.error();
    if (*n != size(mesh)) return Error(errc::size_mismatch, -1, "the mesh has {0} members, the shape {1}", size(mesh), *n);
    Result<Mesh> result;
    result->launch = mesh.launch;
    result->shape = shape;
    result->ids = mesh.ids;
    for (int d = 0; d < shape.size(); ++d)
        result->names.push_back(shape.size() == mesh.rank() ? mesh.names[d]
                                : shape.size() == 1         ? Axis("flat")
                                                            : detail::mesh_dimension_name(d));
    const auto digits = detail::mesh_digits(*result);
    if (!digits)
        return Error(errc::not_grouped, digits.error().position,
                     "the ids of the sub-mesh do not split at dimension {0} of the shape; make the mesh of another slice",
                     digits.error().position);
    return result;
}

/// The same members in one dimension, `flat`.
constexpr Result<Mesh> flatten(const Mesh& mesh) noexcept { return reshape(mesh, Shape{size(mesh)}); }

} // namespace v0
} // namespace axe

#endif
