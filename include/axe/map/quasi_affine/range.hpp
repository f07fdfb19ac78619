// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_RANGE_HPP
#define AXE_MAP_QUASI_AFFINE_RANGE_HPP

#include <axe/map/quasi_affine/space.hpp>
#include <axe/map/range/interval_arithmetic.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

IndexInterval range(FormSpace& space, const QuasiAffine& form);

inline IndexInterval range(FormSpace& space, const FormAtom& atom)
{
    if (atom.range_epoch == space.epoch) return atom.range;
    switch (atom.kind) {
    case AtomKind::variable: atom.range = space.bounds[static_cast<std::size_t>(atom.value)]; break;
    case AtomKind::floor: atom.range = quotient(range(space, *atom.left), atom.value); break;
    case AtomKind::product: atom.range = product(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::minimum: atom.range = minimum(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::maximum: atom.range = maximum(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::quotient: atom.range = quotient(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::remainder: atom.range = remainder(range(space, *atom.left), range(space, *atom.right)); break;
    case AtomKind::opaque: return atom.range; // as its maker knew
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
        if (form.end() - form.begin() < fact.form->count) continue;
        const FormTerm& lead = fact.form->terms[0];
        std::int64_t q = 0;
        for (const FormTerm& t : form)
            if (t.atom == lead.atom && t.coefficient % lead.coefficient == 0) q = t.coefficient / lead.coefficient;
        if (q == 0) continue;
        int shared = 0; // both are in order
        for (const FormTerm& t : form)
            if (shared < fact.form->count && fact.form->terms[shared].atom == t.atom) ++shared;
        if (shared < fact.form->count) continue;
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
/// @returns false when a number overflows first.
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
