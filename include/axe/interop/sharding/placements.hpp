// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_PLACEMENTS_HPP
#define AXE_INTEROP_SHARDING_PLACEMENTS_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/place.hpp>
#include <axe/support/errors.hpp>

/// One word for each dimension of the mesh, first to last: how PyTorch's DTensor and OneFlow's SBP say it.
namespace axe {
inline namespace v0 {
namespace sharding {

/// What becomes of a tensor along one mesh dimension.
struct Placement {
    enum class Kind : std::uint8_t { replicate, shard, partial };

    Kind kind;
    int dim; ///< of shard: the dimension of the tensor, from its end where below 0
    std::int64_t
        factor; ///< of shard: in how many parts the dimension counts as cut before, each of which is split; 1 of a plain one
    Reduction reduction; ///< of partial

    Placement() = default; // trivial, so that unused room costs nothing
    constexpr Placement(Kind what, int of_dim, std::int64_t split_factor, Reduction how) noexcept
        : kind(what), dim(of_dim), factor(split_factor), reduction(how)
    {
    }
    static constexpr Placement replicate() noexcept { return {Kind::replicate, 0, 1, Reduction::sum}; }
    static constexpr Placement shard(int of_dim, std::int64_t split_factor = 1) noexcept
    {
        return {Kind::shard, of_dim, split_factor, Reduction::sum};
    }
    static constexpr Placement partial(Reduction how = Reduction::sum) noexcept { return {Kind::partial, 0, 1, how}; }
    friend constexpr bool operator==(const Placement&, const Placement&) = default;
};
using Placements = InlineVector<Placement, max_mesh_axes>;

namespace detail {

using DimensionParts = InlineVector<Part, Spec::max_parts>;

/// Splits what is still on a device of one dimension over a mesh axis: of its digits that stay, major first, `skip` are passed and the
/// next ones become places of the axis. Digits are cut as needed; `errc::not_grouped` when they do not divide.
constexpr Status take_digits(DimensionParts& parts, std::int64_t skip, const Part& axis, int dim) noexcept
{
    const auto full = [] { return parts_capacity(Spec::max_parts); };
    const auto uneven = [&](std::int64_t have, std::int64_t want) {
        return Error(errc::not_grouped, dim,
                     "dimension {0} has {1} parts on a device and needs a step of {2}; one must divide the other", dim, have, want);
    };
    int at = 0;
    if (axis.size == 1) return {};
    for (; skip > 1; ++at) {
        if (at == parts.size()) {
            if (!parts.push_back(Part(-1, 1, skip))) return full();
            skip = 1;
            continue;
        }
        if (!parts[at].stays()) continue;
        const std::int64_t size = parts[at].size;
        if (!divides(least(size, skip), greatest(size, skip))) return uneven(size, skip);
        if (size > skip) {
            parts[at].size = skip;
            if (!parts.insert(at + 1, Part(-1, 1, quotient(size, skip)))) return full();
        }
        skip = size > skip ? 1 : quotient(skip, size);
    }
    for (std::int64_t before = 1, left = axis.size; left > 1; ++at) {
        while (at < parts.size() && !parts[at].stays()) ++at;
        const std::int64_t size = at < parts.size() ? parts[at].size : left;
        if (!divides(least(size, left), greatest(size, left))) return uneven(size, left);
        const std::int64_t taken = least(size, left);
        if (at == parts.size() || size > taken) {
            if (at < parts.size()) parts[at].size = quotient(size, taken);
            if (!parts.insert(at, Part(axis.axis, before, taken))) return full();
        } else {
            parts[at] = Part(axis.axis, before, taken);
        }
        before *= taken;
        left = quotient(left, taken);
    }
    return {};
}

} // namespace detail

namespace detail {

/// Is there one placement for each mesh dimension, and does each split a dimension that a tensor of this rank has?
constexpr Status check_placements(const Placements& placements, const Mesh& mesh, int rank) noexcept
{
    if (const Status e = check(mesh); !e.ok()) return e;
    if (rank < 0 || rank > max_rank) return axe::detail::shape_capacity(max_rank, rank);
    if (placements.size() != mesh.axes.size())
        return Error(errc::rank_mismatch, -1, "{0} placements for a mesh of {1} dimensions", placements.size(), mesh.axes.size());
    for (int i = 0; i < placements.size(); ++i) {
        const Placement& p = placements[i];
        if (p.kind != Placement::Kind::shard) continue;
        if (p.dim < -rank || p.dim >= rank)
            return Error(errc::bad_argument, i, "placement {0} splits dimension {1}; the tensor has {2} dimensions", i, p.dim,
                         rank);
        if (p.factor < 1)
            return Error(errc::bad_argument, i, "placement {0} has a split factor of {1}; it must be at least 1", i, p.factor);
    }
    return {};
}

constexpr Status read_placements_over(const Placements& placements, const Mesh& mesh, int rank, Spec& spec) noexcept
{
    using Kind = Placement::Kind;
    if (const Status e = check_placements(placements, mesh, rank); !e.ok()) return e;
    take(spec.mesh, mesh);
    for (int d = 0; d < rank; ++d) {
        DimensionParts parts;
        for (int i = 0; i < placements.size(); ++i) {
            const Placement& p = placements[i];
            if (p.kind != Kind::shard || (p.dim < 0 ? p.dim + rank : p.dim) != d) continue;
            if (const Status e = take_digits(parts, p.factor, whole_axis(mesh, i), d); !e.ok()) return e;
        }
        if (spec.parts.size() + parts.size() > Spec::max_parts) return parts_capacity(Spec::max_parts);
        append_dimension(parts, 0, parts.size(), spec);
    }
    for (int i = 0; i < placements.size(); ++i)
        if (placements[i].kind == Kind::partial && mesh.axes[i].size > 1 &&
            !spec.unreduced.push_back(Unreduced(whole_axis(mesh, i), placements[i].reduction)))
            return marks_capacity(Spec::max_marks);
    return check_parts(spec);
}

} // namespace detail

/// The spec of placements over a mesh, for a tensor of `rank` dimensions: they act in order, each on what the ones before have left
/// on a device.
///
///   Shard(d)                  the part that is left of d, in as many pieces as the mesh dimension has places
///   Shard(d), factor k        that part cut in k first, then each in pieces; place i has piece i of each     [PyTorch, _StridedShard]
///   Replicate, Partial        nothing is split; Partial(f) leaves terms
///
/// `errc::rank_mismatch` when there is not one placement for each mesh dimension, `errc::bad_argument` for a dimension that the tensor
/// does not have or a factor below 1, `errc::not_grouped` when a strided part and a later split do not divide.
constexpr Result<Spec> to_spec(const Placements& placements, const Mesh& mesh, int rank) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::read_placements_over(placements, mesh, rank, *result); !e.ok()) result = e;
    return result;
}

/// The placements that place as the spec does. An axis that splits a dimension outside one that comes later in the mesh, or outside
/// digits that stay, gets a factor.
///
/// `errc::no_layout` with the dimension for a mesh axis of which only a part is used, or which is used in several places.
constexpr Result<Placements> to_placements(const Spec& given) noexcept
{
    using namespace detail;
    Result<Placements> result;
    if (const Status e = check(given); !e.ok()) return e;
    const Spec spec = placement_of(given);
    for (int axis = 0; axis < spec.mesh.axes.size(); ++axis) {
        Placement placement = Placement::replicate();
        std::int64_t have = 1, factor = 1, product = 1;
        const auto in_part = [&](int where) {
            return Error(errc::no_layout, where,
                         "mesh axis {0} is used in part or more than once; a placement splits one dimension by the whole axis",
                         axis);
        };
        for (int d = 0; d < spec.rank(); ++d) {
            factor = 1;
            for (int i = spec.begin(d); i < spec.end(d); ++i) {
                const Part& part = spec.parts[i];
                if (part.axis != axis) {
                    if (part.stays() || part.axis > axis) factor *= part.size;
                    continue;
                }
                if (part.before != have || (have > 1 && (placement.dim != d || factor != product))) return in_part(d);
                if (have == 1) placement = Placement::shard(d, factor);
                if (have == 1) product = factor;
                have *= part.size;
            }
        }
        for (const Unreduced& u : spec.unreduced)
            if (u.part.axis == axis) {
                if (have > 1 || u.part.size != spec.mesh.axes[axis].size) return in_part(-1);
                placement = Placement::partial(u.reduction);
            }
        if (placement.kind == Placement::Kind::shard && have != spec.mesh.axes[axis].size) return in_part(placement.dim);
        result->push_back(placement);
    }
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
