// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_CLUSTER_DOT_HPP
#define AXE_PROGRAM_IMPL_CLUSTER_DOT_HPP

#include <axe/program/cluster_dot.hpp>
#include <axe/program/impl/cluster_tensors.hpp>
#include <axe/program/impl/distributed_dot.hpp>

/// How blocks of a cluster multiply their parts. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// A part with zeros around it, as matrix instructions take it.
inline Shape rounded_part(const Shape& part)
{
    Shape out;
    for (const std::int64_t extent : part) out.push_back((extent + 15) / 16 * 16);
    return out;
}

/// How C is distributed, and what is read; or what is wrong with the factors.
inline Result<DotReads> cluster_product(const ClusterTensor& a, const ClusterTensor& b)
{
    if (const Status s = factors_problem(a.shape, b.shape); !s.ok()) return s.error();
    auto out = dot_sharding_with_reads(a.sharding, b.sharding);
    if (!out) return out;
    for (const Sharding::List& read : {out->a, out->b})
        for (const int axis : read)
            if (is_of_devices(a.sharding.mesh, axis))
                return Error(
                    errc::bad_argument, axis,
                    "mesh axis {0}: one factor is on the first device alone, whose shared memory no block of another one reads",
                    axis);
    return out;
}

/// A tile in shared memory with the elements of a view in it, and 0 around them.
inline TensorRef tile_around(Scope cta, const ViewRef& elements, const Shape& part, const char* name, SourceLine at)
{
    const Shape shape = rounded_part(part);
    const TensorRef out = cta.alloc(Role::shared, shape, elements.dtype(), conflict_free, name, -1, at);
    if (!(shape == part)) cta.fill(out, 0, {}, at).sync(at);
    cta.copy(out(Interval(0, part[0]), Interval(0, part[1])), elements, {}, at);
    return out;
}

/// What a block multiplies: its own part, or a copy of what the first one along the axes has.
inline TensorRef factor_of_dot(Scope cta, const ClusterTensor& x, const Sharding::List& axes, const char* name, SourceLine at)
{
    if (axes.empty() && rounded_part(x.part) == x.part) return x.tensor;
    if (axes.empty()) return tile_around(cta, x.own(), x.part, name, at);
    const Affine rank = rank_of_block(x.sharding.mesh, Affine(0), [&](int axis) {
        return has_axis(axes, axis) ? Affine(0) : x.coordinates[static_cast<std::size_t>(axis)];
    });
    return tile_around(cta, x.own().of_block(rank), x.part, name, at);
}

} // namespace detail

AXE_DECL ClusterTensor dot_sums(Kernel& kernel, Scope cta, std::string name, DType type, const ClusterTensor& a,
                                const ClusterTensor& b, const std::optional<ClusterTensor>& addend, SourceLine at)
{
    const auto refuse = [&](const Error& e) {
        detail::MeshTensors::refuse(kernel, e, "dot_sums " + name + ": ");
        return a; // something that is declared
    };
    const auto plan = detail::cluster_product(a, b);
    if (!plan) return refuse(plan.error());
    const Shape shape{a.shape[0], b.shape[1]};
    Result<Sharding::List> once;
    if (addend && !(addend->shape == shape)) return refuse(detail::addend_has_another_shape(shape));
    if (addend) once = detail::axes_of_addend(plan->product, addend->sharding);
    if (!once) return refuse(once.error());
    const Shape part{a.part[0], b.part[1]}, rounded = detail::rounded_part(part);
    const ClusterTensor c{cta.alloc(Role::accumulator, rounded, type, accumulator, std::move(name), -1, at), plan->product, shape,
                          part, a.coordinates};
    if (!addend) {
        cta.fill(c.tensor, 0, {}, at);
        return c;
    }
    const Expression first = detail::first_along(*once, [&](int axis) { return a.coordinates[static_cast<std::size_t>(axis)]; });
    cta.sync(at);
    cta.when(
        first,
        [&] {
            const auto whole = rounded == part ? addend->tensor : detail::tile_around(cta, addend->own(), part, "addend", at);
            if (!(rounded == part)) cta.sync(at);
            cta.copy(c.tensor, whole, {}, at);
        },
        [&] { cta.fill(c.tensor, 0, {}, at); }, at);
    return c;
}

AXE_DECL void distributed_dot(Kernel& kernel, Scope cta, const ClusterTensor& c, const ClusterTensor& a, const ClusterTensor& b,
                              SourceLine at)
{
    const std::string where = "distributed_dot " + detail::MeshTensors::name_of(kernel, c.tensor) + ": ";
    const auto refuse = [&](const Error& e) { detail::MeshTensors::refuse(kernel, e, where); };
    const auto plan = detail::cluster_product(a, b);
    if (!plan) return refuse(plan.error());
    if (!(c.shape == Shape{a.shape[0], b.shape[1]}))
        return refuse(Error(errc::size_mismatch, -1, "the sums do not have the shape of the product, which is [{0}, {1}]",
                            a.shape[0], b.shape[1]));
    for (int axis = 0; axis < c.sharding.mesh.rank(); ++axis)
        if (!(state_of(c.sharding, axis) == state_of(plan->product, axis)) && c.sharding.mesh.shape[axis] > 1)
            return refuse(Error(errc::bad_argument, axis, "the sums are not distributed as the product along mesh axis {0}", axis));
    const bool reads = !plan->a.empty() || !plan->b.empty();
    const auto meet = [&] { reads ? cta.cluster_sync(at) : cta.sync(at); };
    const auto multiply = [&] {
        const auto x = detail::factor_of_dot(cta, a, plan->a, "a_tile", at),
                   y = detail::factor_of_dot(cta, b, plan->b, "b_tile", at);
        if (x.id() != a.tensor.id() || y.id() != b.tensor.id()) cta.sync(at);
        cta.gemm(c.tensor, x, y, at);
    };
    meet();
    if (plan->product.undistributed.empty())
        multiply();
    else
        cta.when(detail::first_along(plan->product.undistributed,
                                     [&](int axis) { return a.coordinates[static_cast<std::size_t>(axis)]; }),
                 multiply, {}, at);
    meet();
}

} // namespace v0
} // namespace axe

#endif
