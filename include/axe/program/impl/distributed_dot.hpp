// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_DISTRIBUTED_DOT_HPP
#define AXE_PROGRAM_IMPL_DISTRIBUTED_DOT_HPP

#include <axe/program/distributed_dot.hpp>
#include <axe/program/impl/mesh_tensors.hpp>

/// How devices multiply their parts. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// What a device has of tensors, while a grid is written: coordinates of the mesh and numbers of parts, each an index of the block.
class DeviceParts {
  public:
    DeviceParts(Kernel& kernel, Scope scope, const Mesh& mesh, SourceLine at)
        : kernel_(&kernel), scope_(scope), mesh_(&mesh), at_(at), coordinates_(static_cast<std::size_t>(mesh.rank()))
    {
    }
    const Affine& coordinate(int axis)
    {
        auto& out = coordinates_[static_cast<std::size_t>(axis)];
        if (!out) // of the launch mesh, which has the axis
            out = scope_.index(*shard_coordinate(*mesh_, axis, kernel_->device()), 0, mesh_->shape[axis],
                               std::string(mesh_->names[axis].name().begin(), mesh_->names[axis].name().end()), at_);
        return *out;
    }
    /// Where the device's part of the dimension begins.
    Affine begin(const ShardedTensor& x, int dim)
    {
        const Sharding& s = x.sharding;
        if (parts_of(s, dim) == 1) return 0;
        Affine part = 0;
        for (int i = s.begin(dim); i < s.end(dim); ++i) part = part * s.mesh.shape[s.axes[i]] + coordinate(s.axes[i]);
        return part * (x.shape[dim] / parts_of(s, dim));
    }
    /// Of the device's term, where it is a partial sum, these rows and columns of its part.
    ViewRef box(const ShardedTensor& x, const Interval& rows, const Interval& columns)
    {
        std::vector<Interval> out;
        for (const int axis : x.sharding.partial) out.emplace_back(coordinate(axis));
        out.emplace_back(begin(x, 0) + rows.begin, rows.extent);
        out.emplace_back(begin(x, 1) + columns.begin, columns.extent);
        return x.tensor(out);
    }
    /// Is the device the first one along these axes?
    Expression is_first(const Sharding::List& axes)
    {
        Expression out = 1;
        for (const int axis : axes) out = both(out, equals(Expression(coordinate(axis)), 0));
        return out;
    }

  private:
    Kernel* kernel_;
    Scope scope_;
    const Mesh* mesh_;
    SourceLine at_;
    std::vector<std::optional<Affine>> coordinates_;
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

/// What is wrong with the sizes and the mesh.
inline Status dot_problem(const ShardedTensor& a, const ShardedTensor& b, const DotOptions& options)
{
    if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[1] != b.shape[0])
        return Error(errc::size_mismatch, -1, "the factors have the shapes {0} and {1}; they are to be [m, k] and [k, n]",
                     shape_words(a.shape), shape_words(b.shape));
    if (options.tile.size() != 3 || options.tile[0] < 1 || options.tile[1] < 1 || options.tile[2] < 1)
        return Error(errc::bad_argument, -1, "the tile is {0}; it has rows, columns and a part of the inner dimension",
                     shape_words(options.tile));
    if (const auto launch = device_mesh(a.sharding.mesh.launch); !launch || !(*launch == a.sharding.mesh))
        return Error(errc::bad_argument, -1, "the factors are on a sub-mesh; give shardings over the launch mesh");
    if (const auto& c = options.addend; c && !(c->shape == Shape{a.shape[0], b.shape[1]}))
        return Error(errc::size_mismatch, -1, "the addend has the shape {0}, the product {1}", shape_words(c->shape),
                     shape_words(Shape{a.shape[0], b.shape[1]}));
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
                    detail::DeviceParts device(kernel, cta, c.sharding.mesh, at);
                    const Interval of_rows(t.rows.begin + row, rows), of_columns(t.cols.begin + column, columns);
                    const auto work = [&] {
                        const auto sums = cta.alloc(Role::accumulator, {rows, columns}, options.growing, accumulator, "sums", -1, at);
                        if (options.addend)
                            cta.when(
                                device.is_first(*once),
                                [&] { cta.copy(sums, device.box(*options.addend, of_rows, of_columns), {}, at); },
                                [&] { cta.fill(sums, 0, {}, at); }, at);
                        else
                            cta.fill(sums, 0, {}, at);
                        const auto multiply = [&](const Interval& s) {
                            const auto x = cta.alloc(Role::shared, {rows, s.extent}, a.tensor.dtype(), conflict_free, "a", -1, at),
                                       y = cta.alloc(Role::shared, {s.extent, columns}, b.tensor.dtype(), conflict_free, "b", -1, at);
                            cta.copy(x, device.box(a, of_rows, s), {}, at).copy(y, device.box(b, s, of_columns), {}, at).sync(at);
                            cta.gemm(sums, x, y, at).sync(at);
                        };
                        const std::int64_t step = options.tile[2], whole = inner / step * step;
                        if (whole > 0) cta.loop(0, whole, step, [&](const Affine& s) { multiply({s, step}); }, at);
                        if (whole < inner) multiply({whole, inner - whole});
                        cta.copy(device.box(c, of_rows, of_columns), sums, {}, at);
                    };
                    if (c.sharding.undistributed.empty())
                        work();
                    else
                        cta.when(device.is_first(c.sharding.undistributed), work, {}, at);
                },
                4, at);
    return c;
}

} // namespace v0
} // namespace axe

#endif
