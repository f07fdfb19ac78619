// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_JAX_HPP
#define AXE_INTEROP_SHARDING_JAX_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/mesh_text.hpp>
#include <axe/support/errors.hpp>

/// JAX's PartitionSpec over a Mesh:  P(entry {, entry} [, unreduced={axes}])
///
///   entry := 'axis' | ( 'axis' {, 'axis'} ) | None | P.UNCONSTRAINED          one a dimension; those left out are None
///                                                                    [JAX, jax.sharding.PartitionSpec, NamedSharding]
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// A whole axis of the mesh that no part names yet.
constexpr bool read_whole_axis(Reader& in, const Spec& spec, Part& out) noexcept
{
    int axis = -1;
    in.peek();
    const int where = in.at;
    if (!read_axis(in, spec.mesh, axis)) return false;
    out = whole_axis(spec.mesh, axis);
    bool taken = false;
    for (const Part& part : spec.parts) taken = taken || part.axis == axis;
    for (const Unreduced& u : spec.unreduced) taken = taken || u.part.axis == axis;
    return !taken || axis_again(in, where);
}

/// One entry: the parts of a dimension.
constexpr bool read_jax_entry(Reader& in, Spec& spec) noexcept
{
    Dimension dim(0);
    Part part;
    const auto axis = [&] {
        if (in.peek() == ')') return true; // after the comma that makes one name a tuple
        return read_whole_axis(in, spec, part) && keep(in, spec.parts, part);
    };
    if (accept_word(in, "None")) {
    } else if (accept_all(in, "P.UNCONSTRAINED") || accept_all(in, "PartitionSpec.UNCONSTRAINED") ||
               accept_word(in, "UNCONSTRAINED")) {
        dim.open = true;
    } else if (in.accept('(')) {
        if (!read_list(in, ')', "expected ',' or ')' after the axis at character {0}", axis)) return false;
    } else if (in.peek() == '\'' || in.peek() == '"') {
        if (!axis()) return false;
    } else {
        return in.expected("expected 'axis', ('axis', ...), None or P.UNCONSTRAINED at character {0}");
    }
    dim.end = spec.parts.size();
    return keep(in, spec.dims, dim);
}

constexpr bool read_jax(Reader& in, Spec& spec) noexcept
{
    if (!accept_all(in, "PartitionSpec") && !accept_all(in, "P")) return in.expected("expected P( at character {0}");
    if (!in.expect('(', "expected '(' after P at character {0}")) return false;
    bool marked = false;
    const auto entry = [&] {
        if (in.peek() == ')') return true; // P('x',)
        if (!accept_all(in, "unreduced")) {
            if (marked) return in.expected("expected ')' after the unreduced axes at character {0}");
            return read_jax_entry(in, spec);
        }
        const auto axis = [&] {
            Part part;
            return read_whole_axis(in, spec, part) && keep(in, spec.unreduced, Unreduced(part, Reduction::sum));
        };
        marked = true;
        return in.expect('=', "expected '=' after unreduced at character {0}") &&
               in.expect('{', "expected '{' before the unreduced axes at character {0}") && read_axes(in, axis);
    };
    return read_list(in, ')', "expected ',' or ')' after the entry at character {0}", entry) && in.finish();
}

} // namespace detail

namespace detail {

constexpr Status read_jax_over(TextView text, const Mesh& mesh, int rank, Spec& spec) noexcept
{
    if (const Status e = check(mesh); !e.ok()) return e;
    if (rank < 0 || rank > max_rank) return axe::detail::shape_capacity(max_rank, rank);
    take(spec.mesh, mesh);
    Reader in(text);
    if (!read_jax(in, spec)) return in.error;
    if (spec.rank() > rank)
        return Error(errc::rank_mismatch, -1, "the PartitionSpec has {0} entries, the shape {1} dimensions", spec.rank(), rank);
    while (spec.rank() < rank) spec.dims.push_back(Dimension(spec.parts.size()));
    return {};
}

} // namespace detail

/// Reads `P('x', ('y', 'z'), None)` over a mesh, for a tensor of `rank` dimensions.
///
/// `errc::rank_mismatch` for more entries than dimensions; `errc::unknown_axis`, `errc::bad_argument` for an axis that comes twice, and
/// `errc::bad_syntax`, each with the character.
constexpr Result<Spec> parse_jax(TextView text, const Mesh& mesh, int rank) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::read_jax_over(text, mesh, rank, *result); !e.ok()) result = e;
    return result;
}

/// JAX's text of a spec: `P('x', ('y', 'z'), None)`.
///
/// `errc::no_layout` for what a PartitionSpec has no word for: sub-axes, parts that stay on a device, open dimensions that are split
/// already, priorities, explicitly replicated axes, reductions other than sums.
constexpr Result<SpecText> print_jax(const Spec& given) noexcept
{
    using namespace detail;
    Result<SpecText> result;
    SpecText& out = *result;
    if (const Status e = check(given); !e.ok()) return e;
    const Spec spec = placement_of(given);
    if (const Status e =
            check_whole(spec, "dimension {0} is split over {1} places of mesh axis {2}: a PartitionSpec names whole axes");
        !e.ok())
        return e;
    if (!given.replicated.empty())
        return Error(errc::no_layout, -1, "a PartitionSpec cannot express that an axis must stay replicated");
    for (const Unreduced& u : spec.unreduced)
        if (u.reduction != Reduction::sum)
            return Error(errc::no_layout, -1, "JAX's unreduced axes are sums; these terms have a different reduction");
    out.put("P(");
    for (int d = 0; d < spec.rank(); ++d) {
        const Dimension& dim = given.dims[d];
        if ((dim.open && spec.end(d) > spec.begin(d)) || dim.priority >= 0)
            return Error(errc::no_layout, d,
                         "dimension {0} is split and open, or has a priority; a PartitionSpec cannot express that", d);
        if (d > 0) out.put(", ");
        const int count = spec.end(d) - spec.begin(d);
        if (count == 0) out.put(dim.open ? "P.UNCONSTRAINED" : "None");
        if (count > 1) out.put('(');
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            if (i > spec.begin(d)) out.put(", ");
            put_name(out, '\'', spec.mesh.axes[spec.parts[i].axis].name);
        }
        if (count > 1) out.put(')');
    }
    for (int i = 0; i < spec.unreduced.size(); ++i) {
        out.put(i > 0 ? ", " : spec.rank() > 0 ? ", unreduced={" : "unreduced={");
        put_name(out, '\'', spec.mesh.axes[spec.unreduced[i].part.axis].name);
    }
    if (!spec.unreduced.empty()) out.put('}');
    out.put(')');
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
