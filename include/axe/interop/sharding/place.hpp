// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_PLACE_HPP
#define AXE_INTEROP_SHARDING_PLACE_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/spec.hpp>
#include <axe/layout/equal.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// Copies that are not copies: along `extent` devices, `stride` apart, each holds a term, and the reduction of all is the element.
struct Term {
    std::int64_t extent;
    std::int64_t stride;
    Reduction reduction;

    Term() = default;
    constexpr Term(std::int64_t n, std::int64_t s, Reduction how) noexcept : extent(n), stride(s), reduction(how) {}
    friend constexpr bool operator==(const Term&, const Term&) = default;
};

using Terms = InlineVector<Term, Spec::max_marks>;

/// A layout of a distributed tensor, on `gpuid` and `m`, and which of its copies are terms.
///
/// A partial sum is not a placement: where an element is and what has to be done to get its value are two things. So the layout
/// holds every device that stores something for the element, terms included, as replicas, and `terms` names the strides of
/// `gpuid` along which these are to be reduced. Without terms it is a plain layout.
struct Placed {
    Layout layout{};
    Terms terms{}; ///< by stride
    friend constexpr bool operator==(const Placed&, const Placed&) = default;
};

namespace detail {

constexpr Error too_many_iters() noexcept
{
    return {errc::capacity, Layout::max_shard, "the layout needs more than {0} iters", Layout::max_shard};
}
constexpr Error too_many_terms() noexcept
{
    return {errc::capacity, Spec::max_marks, "the terms need more than {0} strides", Spec::max_marks};
}

/// The steps through devices that one part of a mesh axis makes, major first.
///
/// The digits of the axis are cut where the part begins and ends; `errc::not_grouped` when one of these is inside a digit and does
/// not divide it.
template <class List>
constexpr Status append_steps(const Mesh& mesh, const Part& part, List& out) noexcept
{
    const std::int64_t end = part.before * part.size;
    std::int64_t before = 1; // of the digit
    for (const DeviceDigit& digit : mesh.digits) {
        if (digit.axis != part.axis) continue;
        const std::int64_t after = before * digit.extent;
        if (after > part.before && before < end) {
            const std::int64_t from = greatest(before, part.before), to = least(after, end);
            if (!divides(before, from) || !divides(from, to) || !divides(to, after))
                return Error(errc::not_grouped, part.axis,
                             "the order of the devices on mesh axis {0} does not split at the sub-axis of {1} places after {2}",
                             part.axis, part.size, part.before);
            if (to > from && !out.push_back(Iter(quotient(to, from), digit.stride * quotient(after, to), device_axis)))
                return too_many_iters();
        }
        before = after;
    }
    return {};
}

/// What the parts of the dimensions leave of an axis.
template <class List>
constexpr Status append_rest(const Spec& spec, int axis, List& out) noexcept
{
    const std::int64_t places = spec.mesh.axes[axis].size;
    for (std::int64_t from = 1; from < places;) {
        std::int64_t to = places, next = from; // the least part that begins here or after
        for (const Part& part : spec.parts) {
            if (part.axis != axis || part.size == 1 || part.before < from) continue;
            if (part.before <= to) {
                to = part.before;
                next = part.before * part.size;
            }
        }
        if (to > from)
            if (const Status e = append_steps(spec.mesh, Part(axis, from, quotient(to, from)), out); !e.ok()) return e;
        from = to < places ? next : places;
    }
    return {};
}

/// By stride, positive, with those of one reduction that continue each other as one.
constexpr void normalize(Terms& terms) noexcept
{
    for (Term& term : terms) term.stride = magnitude(term.stride);
    for (int i = 1; i < terms.size(); ++i)
        for (int k = i; k > 0 && terms[k].stride < terms[k - 1].stride; --k) {
            const Term moved = terms[k];
            terms[k] = terms[k - 1];
            terms[k - 1] = moved;
        }
    for (int i = terms.size() - 1; i >= 0; --i) {
        if (terms[i].extent == 1) {
            terms.erase(i);
        } else if (i + 1 < terms.size() && terms[i].reduction == terms[i + 1].reduction &&
                   terms[i].stride * terms[i].extent == terms[i + 1].stride) {
            terms[i].extent *= terms[i + 1].extent;
            terms.erase(i + 1);
        }
    }
}

} // namespace detail

namespace detail {

/// `place` of a spec that is checked, into an empty value.
constexpr Status place_checked(const Spec& spec, const Shape& shape, Placed& placed) noexcept
{
    Layout& out = placed.layout;
    if (const auto v = volume(shape); !v) return v.error();
    if (spec.rank() == 0 && spec.mesh.axes.empty() && !shape.empty()) { // one device, which has all of any tensor
        Spec whole;
        take(whole.mesh, spec.mesh);
        for (int d = 0; d < shape.size(); ++d) whole.dims.push_back(Dimension(0));
        return place_checked(whole, shape, placed);
    }
    if (shape.size() != spec.rank()) return sharding_rank(shape.size(), spec.rank());
    std::int64_t pitch[max_rank + 1]{}, local[max_rank]{};
    pitch[shape.size()] = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
        const Splits n = splits(spec, d);
        if (n.across > shape[d] || !divides(n.across * n.within, shape[d]))
            return Error(errc::not_grouped, d, "dimension {0} of {1} elements does not divide into {2} parts", d, shape[d],
                         n.across * n.within);
        local[d] = quotient(shape[d], n.across);
        pitch[d] = pitch[d + 1] * local[d];
    }
    for (int d = 0; d < shape.size(); ++d) {
        std::int64_t inner = local[d];
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            const Part& part = spec.parts[i];
            if (!part.stays()) {
                if (const Status e = append_steps(spec.mesh, part, out.shard); !e.ok()) return e;
                continue;
            }
            inner = quotient(inner, part.size);
            if (part.size > 1 && !out.shard.push_back(Iter(part.size, pitch[d + 1] * inner))) return too_many_iters();
        }
        if (inner > 1 && !out.shard.push_back(Iter(inner, pitch[d + 1]))) return too_many_iters();
    }
    for (int axis = 0; axis < spec.mesh.axes.size(); ++axis)
        if (const Status e = append_rest(spec, axis, out.replica); !e.ok()) return e;
    if (spec.mesh.first != 0) *out.offset.entry(device_axis) = spec.mesh.first;

    for (const Unreduced& u : spec.unreduced) {
        InlineVector<Iter, Spec::max_marks> steps;
        if (const Status e = append_steps(spec.mesh, u.part, steps); !e.ok()) return e;
        for (const Iter& it : steps)
            if (!placed.terms.push_back(Term(it.extent, it.stride, u.reduction))) return too_many_terms();
    }
    normalize(placed.terms);
    return {};
}

} // namespace detail

/// The placement of a tensor: its layout over the shape, the device on `gpuid`, the element within the device's part, row-major, on `m`.
///
///   L(x) = { devices whose place has, along the parts of each dimension d, the leading digits of x_d } × the place in that part
///
/// Over a mesh without axes, which has one device, a spec of rank 0 places tensors of any rank.        [Shardy, maximal shardings]
///
/// Exists when every dimension divides into its parts (`errc::not_grouped` with the dimension; `padded` serves the others) and the
/// order of the devices splits where sub-axes do (`errc::not_grouped`). `errc::rank_mismatch`, `errc::capacity`, and what `check`
/// says of spec and shape. Cost: parts times digits of the mesh.
constexpr Result<Placed> place(const Spec& spec, const Shape& shape) noexcept
{
    Result<Placed> result;
    Status e = check(spec);
    if (e.ok()) e = detail::place_checked(spec, shape, *result);
    if (!e.ok()) result = e;
    return result;
}

/// Do two specs, of whatever frameworks, place alike: equal layouts (`axe::equal`), and the same copies are terms? The witness of a no
/// is the least element that is elsewhere, −1 where only the terms differ.
constexpr Decision equal(const Placed& a, const Placed& b) noexcept
{
    const Decision layouts = axe::equal(a.layout, b.layout);
    if (layouts.undecided() || !layouts) return layouts;
    return a.terms == b.terms ? Decision(true) : Decision(false);
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
