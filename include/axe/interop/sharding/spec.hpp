// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_SPEC_HPP
#define AXE_INTEROP_SHARDING_SPEC_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/mesh.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// How the terms of a partial result become the result.
enum class Reduction : std::uint8_t { sum, mean, product, max, min };

constexpr const char* name(Reduction reduction) noexcept
{
    constexpr const char* names[] = {"sum", "mean", "product", "max", "min"};
    return names[static_cast<int>(reduction)];
}

/// A digit of a dimension: `size` places of a mesh axis, or, where `axis` is −1, `size` parts that stay on one device.
///
/// Of an axis of n places, seen as [before, size, n/(before·size)], it is the middle one; the whole axis has before = 1 and size = n.
///                                                                                  [Shardy, sharding_representation.md, sub-axes]
struct Part {
    int axis;
    std::int64_t before;
    std::int64_t size;

    Part() = default; // trivial, so that unused room costs nothing
    constexpr Part(int of_axis, std::int64_t product_before, std::int64_t places) noexcept
        : axis(of_axis), before(product_before), size(places)
    {
    }
    [[nodiscard]] constexpr bool stays() const noexcept { return axis < 0; }
    friend constexpr bool operator==(const Part&, const Part&) = default;
};

/// What is said of one dimension of a tensor besides its parts, which are `parts` up to `end`, from the end of the one before.
struct Dimension {
    int end;
    bool open;    ///< may a compiler split it further?
    int priority; ///< in which round it may; −1 when none is given

    Dimension() = default;
    constexpr Dimension(int past, bool is_open = false, int round = -1) noexcept : end(past), open(is_open), priority(round) {}
    friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

/// Places along which each device holds a term of the result, not the result.
struct Unreduced {
    Part part;
    Reduction reduction;

    Unreduced() = default;
    constexpr Unreduced(const Part& places, Reduction how) noexcept : part(places), reduction(how) {}
    friend constexpr bool operator==(const Unreduced&, const Unreduced&) = default;
};

/// The placement of a tensor on a mesh, which all frameworks express in their own notation: the common value that each format is read to.
///
/// Each dimension has digits, major to minor: places of the mesh along which it is split, and, seldom, digits that stay on a device
/// (torch's `_StridedShard`); what is left of the dimension stays innermost. Along all places that no dimension names, the tensor
/// is copied, or, where `unreduced` names them, summed up from terms. `replicated`, `open` and `priority` say what a compiler may
/// change later and move nothing.
struct Spec {
    static constexpr int max_parts = 24;
    static constexpr int max_marks = 8;

    Mesh mesh{};
    InlineVector<Part, max_parts> parts{};
    InlineVector<Dimension, max_rank> dims{};
    InlineVector<Part, max_marks> replicated{};
    InlineVector<Unreduced, max_marks> unreduced{};

    [[nodiscard]] constexpr int rank() const noexcept { return dims.size(); }
    [[nodiscard]] constexpr int begin(int dim) const noexcept { return dim == 0 ? 0 : dims[dim - 1].end; }
    [[nodiscard]] constexpr int end(int dim) const noexcept { return dims[dim].end; }
    friend constexpr bool operator==(const Spec&, const Spec&) = default;
};

/// A whole axis of a mesh.
constexpr Part whole_axis(const Mesh& mesh, int axis) noexcept { return {axis, 1, mesh.axes[axis].size}; }

/// In how many parts the mesh splits a dimension, and how many digits of it stay.
struct Splits {
    std::int64_t across = 1, within = 1;
};
constexpr Splits splits(const Spec& spec, int dim) noexcept
{
    Splits out;
    for (int i = spec.begin(dim); i < spec.end(dim); ++i) (spec.parts[i].stays() ? out.within : out.across) *= spec.parts[i].size;
    return out;
}

namespace detail {

/// Do two sub-axes of one axis share no place, so that one mesh has both as separate axes?
constexpr bool apart(const Part& a, const Part& b) noexcept
{
    const auto follows = [](const Part& x, const Part& y) { return divides(x.before * x.size, y.before); };
    return a.size == 1 || b.size == 1 || follows(a, b) || follows(b, a);
}

constexpr Status check_part(const Mesh& mesh, const Part& part, int at) noexcept
{
    if (part.axis < -1 || part.axis >= mesh.axes.size())
        return Error(errc::bad_argument, at, "part {0} names mesh axis {1}; the mesh has {2} axes", at, part.axis,
                     mesh.axes.size());
    if (part.size < 1 || part.before < 1) return Error(errc::bad_extent, at, "part {0} has a size below 1", at);
    if (part.stays()) return {};
    std::int64_t product = 0;
    const std::int64_t places = mesh.axes[part.axis].size;
    if (!mul(part.before, part.size, product) || product > places || !divides(product, places))
        return Error(errc::bad_argument, at,
                     "part {0}: its size and the places before it do not divide the {1} places of the mesh axis", at, places);
    return {};
}

/// Unreduced places in the order of the mesh, sub-axes of one reduction that follow each other as one.
constexpr void join(InlineVector<Unreduced, Spec::max_marks>& list) noexcept
{
    for (int i = 1; i < list.size(); ++i)
        for (int k = i; k > 0; --k) {
            const Part &a = list[k - 1].part, &b = list[k].part;
            if (a.axis < b.axis || (a.axis == b.axis && a.before <= b.before)) break;
            const Unreduced moved = list[k];
            list[k] = list[k - 1];
            list[k - 1] = moved;
        }
    for (int i = list.size() - 2; i >= 0; --i) {
        Part& part = list[i].part;
        const Part& next = list[i + 1].part;
        if (part.axis != next.axis || part.before * part.size != next.before || list[i].reduction != list[i + 1].reduction)
            continue;
        part.size *= next.size;
        list.erase(i + 1);
    }
}

} // namespace detail

namespace detail {

/// Is the value a spec over its mesh, which is one?
constexpr Status check_parts(const Spec& spec) noexcept
{
    if (spec.parts.overfull())
        return Error(errc::capacity, Spec::max_parts, "a sharding has at most {0} parts, this one has {1}", Spec::max_parts,
                     spec.parts.count);
    if (spec.dims.overfull())
        return Error(errc::capacity, max_rank, "a sharding has at most {0} dimensions, this one has {1}", max_rank,
                     spec.dims.count);
    if (spec.replicated.overfull() || spec.unreduced.overfull()) return marks_capacity(Spec::max_marks);
    for (int d = 0; d < spec.rank(); ++d)
        if (spec.end(d) < spec.begin(d) || spec.end(d) > spec.parts.size())
            return Error(errc::bad_argument, d, "the parts of dimension {0} are not a range of the sharding's parts", d);
    for (int d = 0; d < spec.rank(); ++d) {
        std::int64_t product = 1;
        for (int i = spec.begin(d); i < spec.end(d); ++i)
            if (spec.parts[i].size > 0 && !mul(product, spec.parts[i].size, product))
                return Error(errc::overflow, d, "the product of the parts of dimension {0} overflows", d);
    }
    if (spec.parts.size() != (spec.rank() == 0 ? 0 : spec.end(spec.rank() - 1)))
        return Error(errc::bad_argument, -1, "the sharding has {0} parts, but its dimensions use {1}", spec.parts.size(),
                     spec.rank() == 0 ? 0 : spec.end(spec.rank() - 1));

    Part all[Spec::max_parts + 2 * Spec::max_marks];
    int count = 0;
    for (const Part& part : spec.parts) all[count++] = part;
    for (const Part& part : spec.replicated) all[count++] = part;
    for (const Unreduced& u : spec.unreduced) all[count++] = u.part;
    for (int i = 0; i < count; ++i) {
        if (const Status e = check_part(spec.mesh, all[i], i); !e.ok()) return e;
        if (i >= spec.parts.size() && all[i].stays())
            return Error(errc::bad_argument, i, "part {0} is replicated or unreduced, but names no mesh axis", i);
        for (int k = 0; k < i; ++k)
            if (!all[i].stays() && all[i].axis == all[k].axis && !apart(all[i], all[k]))
                return Error(errc::bad_argument, i, "parts {0} and {1} name the same places of mesh axis {2}", k, i, all[i].axis);
    }
    return {};
}

/// Appends the parts of a dimension without those of one place, sub-axes that follow each other as one, and what stays innermost, as
/// it stays there anyway. The parts may not be those of `out`.
constexpr void append_dimension(const InlineVector<Part, Spec::max_parts>& parts, int begin, int end, Spec& out) noexcept
{
    const int first = out.parts.size();
    for (int i = begin; i < end; ++i) {
        const Part part = parts[i];
        if (part.size == 1) continue;
        Part* last = out.parts.size() > first ? &out.parts.back() : nullptr;
        if (last != nullptr && last->axis == part.axis && (part.stays() || last->before * last->size == part.before))
            last->size *= part.size;
        else
            out.parts.push_back(part);
    }
    if (out.parts.size() > first && out.parts.back().stays()) out.parts.pop_back();
    out.dims.push_back(Dimension(out.parts.size()));
}

/// All of `placement_of` but the mesh; `out` is empty.
constexpr void append_placement(const Spec& spec, Spec& out) noexcept
{
    for (const Unreduced& u : spec.unreduced)
        if (u.part.size > 1) out.unreduced.push_back(u);
    join(out.unreduced);
    for (int d = 0; d < spec.rank(); ++d) append_dimension(spec.parts, spec.begin(d), spec.end(d), out);
}

} // namespace detail

/// Is the value a spec? Its mesh is one, every part is a part of its axis, and no two name the same places.
constexpr Status check(const Spec& spec) noexcept
{
    if (const Status e = check(spec.mesh); !e.ok()) return e;
    return detail::check_parts(spec);
}

/// The same without what moves nothing: explicitly replicated axes, open dimensions, priorities, sub-axes that follow each other.
constexpr Spec placement_of(const Spec& spec) noexcept
{
    Spec out;
    detail::take(out.mesh, spec.mesh);
    detail::append_placement(spec, out);
    return out;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
