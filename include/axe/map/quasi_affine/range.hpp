// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_RANGE_HPP
#define AXE_MAP_QUASI_AFFINE_RANGE_HPP

#include <axe/map/quasi_affine/space.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Arithmetic of intervals whose ends may be unknown: the least and the greatest integer stand for all beyond them.
inline constexpr std::int64_t no_low = every_integer.low, no_high = every_integer.high;

constexpr bool is_bounded(const IndexInterval& x) noexcept { return x.low != no_low && x.high != no_high; }

constexpr std::int64_t clamped(wider_t<std::int64_t> x) noexcept
{
    return x < no_low ? no_low : x > no_high ? no_high : static_cast<std::int64_t>(x);
}
constexpr IndexInterval sum(const IndexInterval& x, const IndexInterval& y) noexcept
{
    using Wide = wider_t<std::int64_t>;
    return {x.low == no_low || y.low == no_low ? no_low : clamped(Wide{x.low} + y.low),
            x.high == no_high || y.high == no_high ? no_high : clamped(Wide{x.high} + y.high)};
}
constexpr IndexInterval shifted(const IndexInterval& x, std::int64_t c) noexcept { return sum(x, {c, c}); }

constexpr IndexInterval scaled(const IndexInterval& x, std::int64_t c) noexcept
{
    using Wide = wider_t<std::int64_t>;
    if (c == 0) return {0, 0};
    const std::int64_t first = c > 0 ? x.low : x.high, last = c > 0 ? x.high : x.low;
    const bool no_first = first == no_low || first == no_high, no_last = last == no_low || last == no_high;
    return {no_first ? no_low : clamped(Wide{first} * c), no_last ? no_high : clamped(Wide{last} * c)};
}
/// Of ⌊x/k⌋, k ≥ 1.
constexpr IndexInterval quotient(const IndexInterval& x, std::int64_t k) noexcept
{
    return {x.low == no_low ? no_low : floor_div(x.low, k), x.high == no_high ? no_high : floor_div(x.high, k)};
}
/// The integers n with k·n in x, k ≥ 1.
constexpr IndexInterval divided(const IndexInterval& x, std::int64_t k) noexcept
{
    return {x.low == no_low ? no_low : -floor_div(-x.low, k), x.high == no_high ? no_high : floor_div(x.high, k)};
}
inline IndexInterval product(const IndexInterval& x, const IndexInterval& y) noexcept
{
    if (!is_bounded(x) || !is_bounded(y))
        return x == IndexInterval{0, 0} || y == IndexInterval{0, 0} ? IndexInterval{0, 0} : every_integer;
    using Wide = wider_t<std::int64_t>;
    const Wide corners[] = {Wide{x.low} * y.low, Wide{x.low} * y.high, Wide{x.high} * y.low, Wide{x.high} * y.high};
    Wide low = corners[0], high = corners[0];
    for (const Wide c : corners) {
        low = c < low ? c : low;
        high = c > high ? c : high;
    }
    return {clamped(low), clamped(high)};
}

IndexInterval range(FormSpace& space, const QuasiAffine& form);

inline IndexInterval range(FormSpace& space, const FormAtom& atom)
{
    if (atom.range_epoch == space.epoch) return atom.range;
    switch (atom.kind) {
    case AtomKind::variable: atom.range = space.bounds[static_cast<std::size_t>(atom.value)]; break;
    case AtomKind::floor: atom.range = quotient(range(space, *atom.left), atom.value); break;
    case AtomKind::product: atom.range = product(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::opaque: return atom.range; // as whoever made it knew
    }
    atom.range_epoch = space.epoch;
    return atom.range;
}

template <class Form>
IndexInterval sum_of_ranges(FormSpace& space, const Form& form)
{
    IndexInterval out{form.constant, form.constant};
    for (const FormTerm& t : form) out = sum(out, scaled(range(space, *t.atom), t.coefficient));
    return out;
}

/// The sum of the ranges, and what each fact says: form = q·fact + rest.
template <class Form>
IndexInterval range_by_facts(FormSpace& space, const Form& form)
{
    IndexInterval out = sum_of_ranges(space, form);
    for (const FormFact& fact : space.facts) {
        const FormTerm& lead = fact.form->terms[0];
        std::int64_t q = 0;
        int shared = 0;
        for (const FormTerm& t : form) {
            if (t.atom == lead.atom && t.coefficient % lead.coefficient == 0) q = t.coefficient / lead.coefficient;
            for (const FormTerm& f : *fact.form) shared += f.atom == t.atom ? 1 : 0;
        }
        if (q == 0 || shared < fact.form->count) continue;
        FormBuilder rest(space.arena);
        rest.constant = form.constant;
        for (const FormTerm& t : form) rest.add(t.atom, t.coefficient);
        rest.add(*fact.form, -q);
        if (rest.is_sound()) out = intersection(out, sum(sum_of_ranges(space, rest), scaled(fact.interval, q)));
    }
    return out;
}

/// Takes the divisions out of b, one after the other: with t·f = k·c, t·(f·⌊L/k⌋) = c·(L − r) for some r in [0, k), and what of L is
/// elsewhere in the form cancels. After each step scale·(what b was) is in b + slack, and `step(b, scale, slack)` is called.
/// @returns false when a number leaves the integer first.
template <class Step>
bool without_divisions(FormBuilder& b, std::int64_t& scale, IndexInterval& slack, Step step)
{
    while (b.is_sound()) {
        const FormTerm* next = nullptr;
        for (const FormTerm& t : b)
            if (t.atom->kind == AtomKind::floor && (next == nullptr || t.atom->depth > next->atom->depth ||
                                                    (t.atom->depth == next->atom->depth && t.atom->value > next->atom->value)))
                next = &t;
        if (next == nullptr) return true;
        const FormTerm f = *next;
        const std::int64_t k = f.atom->value, widen = k / gcd(f.coefficient, k);
        std::int64_t c = 0;
        if (!mul(f.coefficient, widen, c) || !mul(scale, widen, scale)) return false;
        b.add(f.atom, -f.coefficient);
        b.scale(widen);
        c /= k;
        b.add(*f.atom->left, c);
        slack = sum(scaled(slack, widen), scaled({0, k - 1}, -c));
        if (b.is_sound()) step(b, scale, slack);
    }
    return false;
}

/// An interval that holds all values of the form on the domain. Terms that move together are seen: x − k·⌊x/k⌋ is in [0, k−1],
/// whatever x is. Not remembered; the ranges of its atoms are.
inline IndexInterval range_anew(FormSpace& space, const QuasiAffine& form)
{
    IndexInterval out = range_by_facts(space, form);
    if (!form.has_divisions() || form.count < 2) return out;
    FormBuilder b(space.arena);
    b.add(form, 1);
    std::int64_t scale = 1;
    IndexInterval slack{0, 0};
    without_divisions(b, scale, slack, [&](const FormBuilder& at, std::int64_t times, const IndexInterval& more) {
        out = intersection(out, divided(sum(range_by_facts(space, at), more), times));
    });
    return out;
}
inline IndexInterval range(FormSpace& space, const QuasiAffine& form)
{
    if (form.range_epoch != space.epoch) {
        form.range = range_anew(space, form);
        form.range_epoch = space.epoch;
    }
    return form.range;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
