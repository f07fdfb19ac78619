// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_DOT_SHARDING_HPP
#define AXE_MESH_DOT_SHARDING_HPP

#include <axe/mesh/mesh_sharding.hpp>

/// How the product of two distributed matrices is distributed, where each member multiplies what it has, or also what a first member has.
namespace axe {
inline namespace v0 {
namespace detail {

/// The axes that split a dimension, those of size 1 left out: they move nothing.
constexpr Sharding::List splitting_axes(const Sharding& s, int dim) noexcept
{
    Sharding::List out;
    if (dim < s.rank())
        for (int i = s.begin(dim); i < s.end(dim); ++i)
            if (s.mesh.shape[s.axes[i]] > 1) out.push_back(s.axes[i]);
    return out;
}

} // namespace detail

/// The sharding of C = A·B, A [m, k] and B [k, n], where each member multiplies the parts that it has, and nothing is moved. By axes of the
/// mesh, of A and of B:
///
///   S(m), B → S(m)     B, S(n) → S(n)     S(k), S(k) → P     B, B → B
///   P, B → P           B, P → P           U, U or B → U      B, U → U
///
/// `errc::bad_argument` with the axis for all other pairs: members then have parts that do not fit, or of the result not enough;
/// `errc::bad_argument` too where the inner dimension is split in two orders, or the meshes differ; `errc::rank_mismatch` for shardings that
/// name more than two dimensions. Cost: axes squared.      [TLE, `distributed_dot`]
constexpr Result<Sharding> dot_sharding(const Sharding& a, const Sharding& b) noexcept
{
    if (!(a.mesh == b.mesh)) return Error(errc::bad_argument, -1, "the factors are distributed over different meshes");
    if (a.rank() > 2 || b.rank() > 2)
        return Error(errc::rank_mismatch, -1, "the shardings of the factors split {0} and {1} dimensions; a matrix has 2", a.rank(),
                     b.rank());
    using enum ShardState;
    const Mesh& mesh = a.mesh;
    Result<Sharding> result;
    Sharding& out = *result;
    out.mesh = mesh;
    for (int axis = 0; axis < mesh.rank(); ++axis) {
        if (mesh.shape[axis] == 1) continue;
        const AxisState x = state_of(a, axis), y = state_of(b, axis);
        const bool x_inner = x.state == split && x.dim == 1, y_inner = y.state == split && y.dim == 0;
        if (x_inner != y_inner)
            return Error(errc::bad_argument, axis, "mesh axis {0} splits the inner dimension of one factor and not of the other",
                         axis);
        if (x_inner) {
            out.partial.push_back(axis);
            continue;
        }
        if (x.state == undistributed || y.state == undistributed) {
            const AxisState& other = x.state == undistributed ? y : x;
            if (other.state != undistributed && other.state != broadcast)
                return Error(errc::bad_argument, axis,
                             "mesh axis {0}: one factor is on the first member alone, of the other one each has a part", axis);
            out.undistributed.push_back(axis);
        } else if (x.state == partial || y.state == partial) {
            if (x.state != broadcast && y.state != broadcast)
                return Error(errc::bad_argument, axis,
                             "mesh axis {0}: one factor is a partial sum, the other one is not replicated", axis);
            out.partial.push_back(axis);
        } else if (x.state == split && y.state == split) {
            return Error(errc::bad_argument, axis,
                         "mesh axis {0} splits rows of A and columns of B; of the product its members have the diagonal alone",
                         axis);
        }
    }
    if (!(detail::splitting_axes(a, 1) == detail::splitting_axes(b, 0)))
        return Error(errc::bad_argument, -1, "the inner dimension is split over the axes of the mesh in two orders");
    for (const Sharding::List& list : {detail::splitting_axes(a, 0), detail::splitting_axes(b, 1)}) {
        for (const int axis : list) out.axes.push_back(axis);
        out.ends.push_back(out.axes.size());
    }
    return result;
}

/// A product whose members read from each other what the first one of them has.
struct DotReads {
    Sharding product{};
    Sharding::List a{}, b{}; ///< axes along which all members read the first one's part of the factor, ascending
    friend constexpr bool operator==(const DotReads&, const DotReads&) = default;
};

/// The sharding of C = A·B where members also read: a factor that is on the first member alone along an axis on which the other factor has
/// parts or terms is that member's for all of them, as if it were replicated.
///
///   U, S(n) → S(n)     S(m), U → S(m)     U, P → P     P, U → P     all other pairs as `dot_sharding`
///
/// Errors of `dot_sharding`, of the factors so replicated. Cost: axes squared.
constexpr Result<DotReads> dot_sharding_with_reads(const Sharding& a, const Sharding& b) noexcept
{
    Result<DotReads> result;
    Sharding x = a, y = b;
    using enum ShardState;
    const auto has_parts = [](ShardState s) { return s == split || s == partial; };
    if (a.mesh == b.mesh) { // else `dot_sharding` says so
        x.undistributed.clear();
        y.undistributed.clear();
        for (int axis = 0; axis < a.mesh.rank(); ++axis) {
            const ShardState of_a = state_of(a, axis).state, of_b = state_of(b, axis).state;
            const bool several = a.mesh.shape[axis] > 1;
            if (of_a == undistributed) (several && has_parts(of_b) ? result->a : x.undistributed).push_back(axis);
            if (of_b == undistributed) (several && has_parts(of_a) ? result->b : y.undistributed).push_back(axis);
        }
    }
    const auto product = dot_sharding(x, y);
    if (!product) return product.error();
    result->product = *product;
    return result;
}

} // namespace v0
} // namespace axe

#endif
