// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_DISTRIBUTED_DOT_HPP
#define AXE_PROGRAM_IMPL_DISTRIBUTED_DOT_HPP

#include <axe/program/distributed_dot.hpp>
#include <axe/program/impl/mesh_tensors.hpp>

#include <array>

/// How devices multiply their parts. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// A tile of the sums, of which `rows` by `columns` are elements of C. What an edge does not have is 0, and goes through shared memory.
struct DotTile {
    Scope scope;
    const DotOptions& options;
    std::int64_t rows, columns;
    SourceLine at;
    std::optional<TensorRef> sums{};

    void alloc()
    {
        sums = scope.alloc(Role::accumulator, {options.tile[0], options.tile[1]}, options.growing, accumulator, "sums", -1, at);
    }
    [[nodiscard]] bool is_whole() const { return rows == options.tile[0] && columns == options.tile[1]; }
    /// A tile in shared memory with the box in it, and 0 around it.
    TensorRef tile_of(const ViewRef& box, const Shape& shape, const Placement& placement, const char* name)
    {
        const auto out = scope.alloc(Role::shared, shape, box.dtype(), placement, name, -1, at);
        if (box.shape() == shape)
            scope.copy(out, box, {}, at);
        else
            scope.fill(out, 0, {}, at).sync(at).copy(out(Interval(0, box.shape()[0]), Interval(0, box.shape()[1])), box, {}, at);
        return out;
    }
    void load(const ViewRef& box)
    {
        if (is_whole()) {
            scope.copy(*sums, box, {}, at);
            return;
        }
        const auto staged = tile_of(box, {options.tile[0], options.tile[1]}, {}, "staged");
        scope.sync(at).copy(*sums, staged, {}, at).sync(at);
    }
    void multiply(const ViewRef& a, const ViewRef& b)
    {
        const auto x = tile_of(a, {options.tile[0], options.tile[2]}, conflict_free, "a"),
                   y = tile_of(b, {options.tile[2], options.tile[1]}, conflict_free, "b");
        scope.sync(at).gemm(*sums, x, y, at).sync(at);
    }
    void store(const ViewRef& box)
    {
        if (is_whole()) {
            scope.copy(box, *sums, {}, at);
            return;
        }
        const auto staged = scope.alloc(Role::shared, {options.tile[0], options.tile[1]}, box.dtype(), {}, "staged", -1, at);
        scope.copy(staged, *sums, {}, at).sync(at).copy(box, staged(Interval(0, rows), Interval(0, columns)), {}, at);
    }
};

/// Axes along which an addend is replicated, and C a partial sum: the first member adds it. An error where it is distributed otherwise.
inline Result<Sharding::List> axes_of_addend(const Sharding& c, const Sharding& addend)
{
    Result<Sharding::List> out;
    if (!(c.mesh == addend.mesh)) return Error(errc::bad_argument, -1, "the addend is distributed over another mesh");
    for (int axis = 0; axis < c.mesh.rank(); ++axis) {
        const AxisState wanted = state_of(c, axis), given = state_of(addend, axis);
        if (given == wanted || c.mesh.shape[axis] == 1) continue;
        if (wanted.state != ShardState::partial || given.state != ShardState::broadcast)
            return Error(errc::bad_argument, axis, "the addend is not distributed as the product along mesh axis {0}", axis);
        out->push_back(axis);
    }
    return out;
}

/// What is wrong with the shapes of the factors.
inline Status factors_problem(const Shape& a, const Shape& b)
{
    if (a.size() != 2 || b.size() != 2)
        return Error(errc::rank_mismatch, -1, "the factors have {0} and {1} dimensions; they are to be [m, k] and [k, n]", a.size(),
                     b.size());
    if (a[1] != b[0]) return Error(errc::size_mismatch, -1, "the inner dimension is {0} of A and {1} of B", a[1], b[0]);
    return {};
}
inline Error addend_has_another_shape(const Shape& product)
{
    return Error(errc::size_mismatch, -1, "the addend does not have the shape of the product, which is [{0}, {1}]", product[0],
                 product[1]);
}

/// What is wrong with the sizes and the mesh.
inline Status dot_problem(const ShardedTensor& a, const ShardedTensor& b, const DotOptions& options)
{
    if (const Status s = factors_problem(a.shape, b.shape); !s.ok()) return s;
    if (options.tile.size() != 3 || options.tile[0] < 1 || options.tile[1] < 1 || options.tile[2] < 1)
        return Error(errc::bad_argument, -1, "the tile is not of rows, columns and a part of the inner dimension, each at least 1");
    if (const Status s = launch_mesh_problem(a.sharding.mesh); !s.ok()) return s;
    for (int axis = 0; axis < a.sharding.mesh.rank(); ++axis)
        if (a.sharding.mesh.launch[axis].scope > MeshScope::device && a.sharding.mesh.shape[axis] > 1)
            return Error(errc::bad_argument, axis, "mesh axis {0} is one of blocks; devices multiply what each of them has", axis);
    const Shape product{a.shape[0], b.shape[1]};
    if (options.addend && !(options.addend->shape == product)) return addend_has_another_shape(product);
    return {};
}

} // namespace detail

AXE_DECL ShardedTensor distributed_dot(Kernel& kernel, Binding binding, std::string name, DType type, const ShardedTensor& a,
                                       const ShardedTensor& b, const DotOptions& options, SourceLine at)
{
    const std::string where = "distributed_dot " + name + ": ";
    const auto product = dot_sharding(a.sharding, b.sharding);
    const auto refuse = [&](const Error& e) {
        detail::MeshTensors::refuse(kernel, e, where);
        return a; // something that is declared
    };
    if (const Status s = detail::dot_problem(a, b, options); !s.ok()) return refuse(s.error());
    if (!product) return refuse(product.error());
    Result<Sharding::List> once;
    if (options.addend) once = detail::axes_of_addend(*product, options.addend->sharding);
    if (!once) return refuse(once.error());
    const ShardedTensor c = sharded(kernel, binding, std::move(name), {a.shape[0], b.shape[1]}, type, *product);
    const auto part = local_shape(*product, c.shape);
    if (!part) return c; // `sharded` has said so
    const std::int64_t inner = a.shape[1] / parts_of(a.sharding, 1);

    std::vector<const Sharding*> shardings{&a.sharding, &b.sharding, &c.sharding};
    if (options.addend) shardings.push_back(&options.addend->sharding);

    // The tiles that are whole, and those at the edges of the part, which have extents of their own.
    const auto ranges = [&](int dim) {
        const std::int64_t extent = (*part)[dim], tile = options.tile[dim], whole = extent / tile * tile;
        std::vector<std::array<std::int64_t, 3>> out; // from, to, in tiles of
        if (whole > 0) out.push_back({0, whole, tile});
        if (whole < extent) out.push_back({whole, extent, extent - whole});
        return out;
    };
    for (const auto& [row, row_end, rows] : ranges(0))
        for (const auto& [column, column_end, columns] : ranges(1))
            kernel.cta(
                tiles({row_end - row, column_end - column}, {rows, columns}),
                [&](Scope cta, const Tile& t) {
                    const detail::MeshParts device(kernel, cta, shardings, 0, at);
                    const Interval of_rows(t.rows.begin + row, rows), of_columns(t.cols.begin + column, columns);
                    const auto work = [&] {
                        detail::DotTile tile{cta, options, rows, columns, at};
                        tile.alloc();
                        if (options.addend)
                            cta.when(
                                detail::first_along(*once, device),
                                [&] { tile.load(device.part(*options.addend, {of_rows, of_columns})); },
                                [&] { cta.fill(*tile.sums, 0, {}, at); }, at);
                        else
                            cta.fill(*tile.sums, 0, {}, at);
                        const auto multiply = [&](const Interval& s) {
                            tile.multiply(device.part(a, {of_rows, s}), device.part(b, {s, of_columns}));
                        };
                        const std::int64_t step = options.tile[2], whole = inner / step * step;
                        if (whole > 0) cta.loop(0, whole, step, [&](const Affine& s) { multiply({s, step}); }, at);
                        if (whole < inner) multiply({whole, inner - whole});
                        tile.store(device.part(c, {of_rows, of_columns}));
                    };
                    if (c.sharding.undistributed.empty())
                        work();
                    else
                        cta.when(detail::first_along(c.sharding.undistributed, device), work, {}, at);
                },
                4, at);
    return c;
}

} // namespace v0
} // namespace axe

#endif
