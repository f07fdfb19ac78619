// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_FLOOR_DIVISION_HPP
#define AXE_MAP_QUASI_AFFINE_FLOOR_DIVISION_HPP

#include <axe/map/quasi_affine/summand_samples.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Takes multiples of k out of a dividend: form = k·(what is added to out) + result. A remainder (B mod n) stays whole, unless the
/// multiple of its division leaves altogether.
inline const QuasiAffine* take_multiples(FormSpace& space, const QuasiAffine& form, std::int64_t k, FormBuilder& out)
{
    FormBuilder plain(space.arena), kept(space.arena);
    const Summands& all = summands_of(space, form);
    plain.add(all.constant);
    for (int i = 0; i < all.count; ++i) {
        const Summand& u = all.units[i];
        const std::int64_t c = u.coefficient;
        if (u.atom != nullptr) {
            plain.add(u.atom, c);
            continue;
        }
        std::int64_t down = 0;
        if (c % k == 0) {
            add_summand(out, u, c / k);
        } else if (mul(c, u.digit.modulus, down) && down % k == 0) {
            plain.add(*u.digit.base, c);
            out.add(u.digit.quotient, -(down / k));
        } else {
            const NearestParts parts = nearest_parts(c, k);
            add_summand(out, u, parts.multiple);
            add_summand(kept, u, parts.rest);
        }
    }
    if (!plain.is_sound()) return nullptr;
    for (const FormTerm& t : plain) {
        const NearestParts parts = nearest_parts(t.coefficient, k);
        out.add(t.atom, parts.multiple);
        kept.add(t.atom, parts.rest);
    }
    kept.add(plain.constant);
    const std::int64_t r = floor_mod(kept.constant, k), q = floor_div(kept.constant, k);
    out.add(q);
    kept.constant = r;
    return kept.fits ? space.make(kept) : nullptr;
}

/// `narrow_by_window` for one g and the remainders by it. With `split` a summand r·u that is too wide goes by its own remainder: with
/// t = g / gcd(r, g), r·u = r·(u mod t) + g·(r·t/g)·⌊u/t⌋. (No two can: each nearly fills the window.)
inline bool narrow_by(FormSpace& space, const Summands& all, const SummandSamples& samples, const QuasiAffine*& form,
                      std::int64_t& k, std::int64_t g, const SummandRemainders& rests, bool is_first, bool split)
{
    if (!split && samples.cross(all, g, rests)) return false;
    IndexInterval rest{all.constant, all.constant};
    int parted = -1;
    for (int i = 0; i < all.count && is_bounded(rest); ++i) {
        const std::int64_t r = rests[i];
        IndexInterval own = range(space, all.units[i]);
        if (split && parted < 0 && r != 0) {
            const std::int64_t t = g / gcd(r, g);
            if (t < g && (!is_bounded(own) || floor_div(own.low, t) != floor_div(own.high, t))) {
                own = {0, t - 1};
                parted = i;
            }
        }
        rest = sum(rest, scaled(own, r));
    }
    if (split && parted < 0) return false;
    const auto is_within = [&] { return is_bounded(rest) && floor_div(rest.low, g) == floor_div(rest.high, g); };
    if (!is_within() && is_first && !split && g != k && (!space.facts.empty() || form->has_divisions())) {
        FormBuilder b(space.arena);
        b.constant = all.constant;
        for (int i = 0; i < all.count; ++i) add_summand(b, all.units[i], rests[i]);
        if (const QuasiAffine* const whole = space.make(b)) rest = range(space, *whole);
    }
    if (!is_within()) return false;
    FormBuilder next(space.arena);
    next.constant = floor_div(rest.low, g);
    for (int i = 0; i < all.count; ++i) {
        const std::int64_t c = all.units[i].coefficient, r = rests[i];
        if (r != c) add_summand(next, all.units[i], multiples(c, r, g));
        if (i != parted) continue;
        const std::int64_t t = g / gcd(r, g);
        FormBuilder one(space.arena);
        add_summand(one, all.units[i], 1);
        const QuasiAffine* const u = space.make(one);
        const QuasiAffine* const high = u == nullptr ? nullptr : floor_form(space, u, t);
        if (high == nullptr) return false;
        next.add(*high, r / (g / t));
    }
    const QuasiAffine* const narrowed = space.make(next);
    if (narrowed == nullptr) return false;
    form = narrowed;
    k /= g;
    return true;
}

/// With g | k and form = g·A + R, R within [g·w, g·w + g):  ⌊form / k⌋ = ⌊(A + w) / (k/g)⌋. The largest such g > 1; what is to be
/// divided then, and k, are replaced.
inline bool narrow_by_window(FormSpace& space, const QuasiAffine*& form, std::int64_t& k)
{
    const Summands& all = summands_of(space, *form);
    std::int64_t* const divisors = space.arena.make<std::int64_t>(static_cast<std::size_t>(all.count * (all.count + 1)) / 2 + 1);
    int count = 0;
    const auto offer = [&](std::int64_t g) {
        if (g < 2) return;
        int at = 0;
        while (at < count && divisors[at] > g) ++at;
        if (at < count && divisors[at] == g) return;
        for (int i = count++; i > at; --i) divisors[i] = divisors[i - 1];
        divisors[at] = g;
    };
    const SummandSamples samples(space, all);
    offer(k);
    for (int i = 0; i < all.count; ++i) offer(gcd(all.units[i].coefficient, k));
    const int single = count;
    if (all.count <= 8)
        for (int i = 0; i < single; ++i)
            for (int j = 0; j < i; ++j) offer(gcd(divisors[i], divisors[j]));
    SummandRemainders rests(space, all);
    const bool sees_more = !space.facts.empty() || form->has_divisions();
    for (int d = 0; d < count; ++d) {
        const std::int64_t g = divisors[d];
        // The nearest remainders have the narrowest range; others may fit better within the window, if one that is not a wider would do.
        rests.take(g, Nearest::upper);
        const bool is_wide = rests.are_wider(g - 1);
        if ((!is_wide || (sees_more && g != k)) && narrow_by(space, all, samples, form, k, g, rests, true, false)) return true;
        for (const Nearest way : {Nearest::lower, Nearest::none})
            if (!is_wide && rests.take(g, way) && narrow_by(space, all, samples, form, k, g, rests, false, false)) return true;
    }
    for (const Nearest way : {Nearest::upper, Nearest::lower})
        if (rests.take(k, way) && narrow_by(space, all, samples, form, k, k, rests, false, true)) return true;
    return false;
}

/// ⌊(b + ⌊a/m⌋) / k⌋ = ⌊(m·b + a) / (k·m)⌋, and ⌊(b − ⌊a/m⌋) / k⌋ = ⌊(m·b − a + m − 1) / (k·m)⌋.
inline bool flatten(FormSpace& space, const QuasiAffine*& form, std::int64_t& k)
{
    const FormTerm* inner = nullptr;
    for (const FormTerm& t : *form)
        if (t.atom->kind == AtomKind::floor && (t.coefficient == 1 || t.coefficient == -1) &&
            (inner == nullptr || t.atom->value > inner->atom->value))
            inner = &t;
    if (inner == nullptr) return false;
    const std::int64_t m = inner->atom->value;
    std::int64_t wider = 0;
    if (!mul(k, m, wider)) return false;
    FormBuilder b(space.arena);
    b.add(*form, 1);
    b.add(inner->atom, -inner->coefficient);
    b.scale(m);
    b.add(*inner->atom->left, inner->coefficient);
    if (inner->coefficient < 0) b.add(m - 1);
    const QuasiAffine* const flat = space.make(b);
    if (flat == nullptr) return false;
    form = flat;
    k = wider;
    return true;
}

/// Of ⌊L/k⌋ = −⌊(k − 1 − L)/k⌋ the side that is not taken: the first coefficient is negative, those aside that are their own
/// opposites modulo k; where all are, the constant is the larger.
inline bool is_other_side(const QuasiAffine& form, std::int64_t k)
{
    for (const FormTerm& t : form)
        if (t.coefficient != k - t.coefficient) return t.coefficient < 0;
    return form.constant > k - 1 - form.constant;
}

/// ⌊form / divisor⌋ for divisor ≥ 1, or none when a number overflows or divisions are nested too deep.
///
/// Multiples of the divisor leave; what cannot move the quotient is dropped, and the rest made smaller with its divisor; divisions of
/// divisions become one. What remains is a separate form: an atom.
inline const QuasiAffine* floor_form(FormSpace& space, const QuasiAffine* form, std::int64_t divisor)
{
    if (divisor == 1) return form;
    if (form->count == 0) return space.constant(floor_div(form->constant, divisor));
    FormSpace::Quotient& known = space.quotient(form, divisor);
    if (known.epoch == space.epoch) return known.result;
    FormBuilder out(space.arena);
    const QuasiAffine* at = form;
    std::int64_t k = divisor;
    constexpr int most_turns = 64;
    // Each turn takes something away; should they not come to an end, the form as it is will do.
    int turn = 0, taken = 0;
    for (; at != nullptr; ++turn) {
        if (k == 1) {
            out.add(*at, 1);
            break;
        }
        if (turn > 0) {
            if (const FormSpace::Quotient& q = space.quotient(at, k); q.epoch == space.epoch) {
                if (q.result == nullptr)
                    at = nullptr;
                else
                    out.add(*q.result, 1);
                break;
            }
        }
        if (!FormSamples(space).cross(*at, k)) {
            const IndexInterval r = range(space, *at);
            if (is_bounded(r) && floor_div(r.low, k) == floor_div(r.high, k)) {
                out.add(floor_div(r.low, k));
                break;
            }
        }
        if (taken < 2) {
            const QuasiAffine* const left = take_multiples(space, *at, k, out);
            if (left != at) {
                at = left;
                ++taken;
                continue;
            }
        }
        // Bits of a variable in reverse: not to be hidden in a wider division.
        bool is_reversed_bit = k == 2 && at->constant == 1;
        for (const FormTerm& t : *at)
            if (const QuasiAffine* const inner = t.atom->kind == AtomKind::floor ? t.atom->left : nullptr)
                is_reversed_bit = is_reversed_bit && inner->count == 1 && inner->constant == 0 && inner->depth == 0;
        if (turn < most_turns && (narrow_by_window(space, at, k) || (!is_reversed_bit && flatten(space, at, k)))) {
            taken = 0;
            continue;
        }
        if (at->depth >= deepest_form) {
            at = nullptr;
            break;
        }
        if (is_other_side(*at, k)) {
            FormBuilder mirrored(space.arena), moved(space.arena);
            mirrored.add(k - 1);
            mirrored.add(*at, -1);
            const QuasiAffine* other = space.make(mirrored);
            if (other != nullptr) other = take_multiples(space, *other, k, moved);
            const bool is_taken = other != nullptr && moved.is_sound() && other->count > 0 && !is_other_side(*other, k);
            other = is_taken ? floor_form(space, other, k) : nullptr;
            if (other != nullptr) {
                moved.add(*other, 1);
                for (const FormTerm& t : moved) out.add(t.atom, -t.coefficient);
                out.fits = out.fits && moved.is_sound();
                out.add(-moved.constant);
                break;
            }
        }
        const FormAtom* const quotient = space.atom(AtomKind::floor, k, at);
        out.add(quotient, 1);
        // Nothing above changed this one: asked for by itself, as when what is printed is read again, it is itself.
        if (taken < 2) {
            FormSpace::Quotient& own = space.quotient(at, k);
            own.result = space.make(quotient);
            own.epoch = space.epoch;
        }
        break;
    }
    const QuasiAffine* const result = at == nullptr ? nullptr : space.make(out);
    // The table may have moved its slots, not what they point to.
    known.result = result;
    known.epoch = space.epoch;
    return result;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
