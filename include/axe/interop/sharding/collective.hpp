// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_COLLECTIVE_HPP
#define AXE_INTEROP_SHARDING_COLLECTIVE_HPP

#include <axe/interop/sharding/find.hpp>
#include <axe/layout/canonicalize.hpp>
#include <axe/schedule/collective/traffic.hpp>

/// Which collective leads from one sharding of a tensor to another.
namespace axe {
inline namespace v0 {
namespace sharding {

/// What the devices have to exchange to take a tensor from one placement to another.
struct Resharding {
    Collective collective{};              ///< `local`: no device receives anything
    Traffic traffic{};                    ///< the elements that devices must receive
    bool same = false;                    ///< do the two place alike, so that nothing is to be done?
    Reduction reduction = Reduction::sum; ///< of a collective that reduces
};

namespace detail {

/// Cuts a term where another, a part of it with the same reduction, begins and ends; false where it is not a part of it.
constexpr bool cut_term(const Term& whole, const Term& part, Term (&rest)[2]) noexcept
{
    std::int64_t part_end = 0, end = 0;
    if (part.reduction != whole.reduction || !mul(part.stride, part.extent, part_end) || !mul(whole.stride, whole.extent, end))
        return false;
    if (part.stride < whole.stride || part_end > end || !divides(whole.stride, part.stride) || !divides(part_end, end))
        return false;
    rest[0] = Term(quotient(end, part_end), part_end, whole.reduction);
    rest[1] = Term(quotient(part.stride, whole.stride), whole.stride, whole.reduction);
    return true;
}

/// The terms of `from` that are reduced on the way to one with the terms `kept`: those that are not kept.
inline Result<Terms> reduced_terms(Terms from, const Terms& kept) noexcept
{
    for (const Term& term : kept) {
        Term rest[2]{};
        int at = 0;
        while (at < from.size() && !cut_term(from[at], term, rest)) ++at;
        if (at == from.size())
            return Error(
                errc::bad_argument, -1,
                "the target has {0} terms {1} devices apart that the source does not have; a collective cannot create terms",
                term.extent, term.stride);
        from.erase(at);
        for (const Term& left : rest)
            if (left.extent > 1 && !from.push_back(left)) return too_many_terms();
    }
    normalize(from);
    return from;
}

/// Makes digits of D, before all others, of these copies, which are terms; the shape gets a dimension for each.
inline Status split_off(const Terms& terms, Layout& layout, Shape& shape) noexcept
{
    if (const Status e = split_at_terms(terms, layout.replica); !e.ok()) return e;
    int at = 0;
    for (const Term& term : terms) {
        for (int i = layout.replica.size() - 1; i >= 0; --i)
            if (layout.replica[i].stride == term.stride && layout.replica[i].extent == term.extent) layout.replica.erase(i);
        layout.shard.insert(at, Iter(term.extent, term.stride, device_axis)); // what has no room is counted, and rejected later
        shape.insert(at++, term.extent);
    }
    return {};
}

} // namespace detail

/// The collective that makes `to` of `from`, two placements of one tensor on devices, and the traffic.
///
/// Terms of `from` that `to` does not have are reduced; those that both have stay apart. Where neither has terms it is
/// `classify_copy(from.layout, to.layout)`. What has to be done in several steps is `reshard`.
///
/// `errc::bad_argument` for terms that `to` alone has, for terms that are not copies of their layout, and where terms of different
/// reductions would be reduced together; the errors of `classify_reduction` and `traffic_of_reduction`. Exact; cost: theirs.
inline Result<Resharding, Problem> collective_of(const Placed& from, const Placed& to, const Shape& shape)
{
    using namespace detail;
    const auto before = canonicalize(from.layout), after = canonicalize(to.layout);
    if (!before) return before.error();
    if (!after) return after.error();
    Resharding out;
    const Decision same = sharding::equal(from, to);
    if (same.undecided()) return same.error();
    out.same = same.yes();

    const auto terms = reduced_terms(from.terms, to.terms);
    if (!terms) return terms.error();
    InlineVector<int, max_rank> reduced;
    for (int i = 0; i < terms->size(); ++i) {
        reduced.push_back(i);
        out.reduction = (*terms)[i].reduction;
        if ((*terms)[i].reduction != (*terms)[0].reduction)
            return Problem(errc::bad_argument, "the terms have two reductions, {0} and {1}; reduce by one of them first",
                           {name((*terms)[0].reduction), name(out.reduction)});
    }
    Layout source = *before, target = *after;
    Shape wanted = shape, all;
    // The dimensions: terms that are reduced, terms that stay, those of the tensor.
    if (const Status e = split_off(to.terms, target, wanted); !e.ok()) return e.error();
    all = shape;
    if (const Status e = split_off(to.terms, source, all); !e.ok()) return e.error();
    if (const Status e = split_off(*terms, source, all); !e.ok()) return e.error();
    auto collective = classify_reduction(source, all, reduced, target, device_axis);
    if (!collective) return collective.error();
    const auto traffic = traffic_of_reduction(source, all, reduced, target, device_axis);
    if (!traffic) return traffic.error();
    out.collective = std::move(*collective);
    out.traffic = *traffic;
    return out;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
