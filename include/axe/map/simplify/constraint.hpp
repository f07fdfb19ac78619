// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_CONSTRAINT_HPP
#define AXE_MAP_SIMPLIFY_CONSTRAINT_HPP

#include <axe/map/simplify/printing_plan.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A constraint in normal form: no constant, coefficients without a common divisor, the first of them positive.
struct DomainConstraint {
    const QuasiAffine* form = nullptr;
    IndexInterval interval{};
    // The expression it was: scale·form + shift; or no longer that, but as much as the constraint when it is in `held`.
    IndexExpr original{};
    std::int64_t scale = 1, shift = 0;
    bool is_cut = false;
    IndexInterval held{};

    /// The interval of the original expression.
    [[nodiscard]] IndexInterval of_original() const { return is_cut ? held : shifted(scaled(interval, scale), shift); }
    void cut()
    {
        held = of_original();
        is_cut = true;
    }
};

/// Shares out what the coefficients have in common, and the constant.
inline void normalize(FormSpace& space, DomainConstraint& c)
{
    std::int64_t g = 0;
    for (const FormTerm& t : *c.form) g = gcd(g, t.coefficient);
    if (c.form->terms[0].coefficient < 0) g = -g;
    if (g == 1 && c.form->constant == 0) return;
    const IndexInterval moved = shifted(c.interval, -c.form->constant);
    // An end that overflows on the way would say less than it did.
    if ((moved.low == no_low) != (c.interval.low == no_low) || (moved.high == no_high) != (c.interval.high == no_high)) return;
    FormBuilder b(space.arena);
    for (const FormTerm& t : *c.form) b.add(t.atom, t.coefficient / g);
    const QuasiAffine* const form = space.make(b);
    if (form == nullptr) return;
    std::int64_t shift = 0, scale = 0;
    if (!mul(c.scale, c.form->constant, shift) || !add(shift, c.shift, shift) || !mul(c.scale, g, scale)) c.original = {};
    c.shift = shift;
    c.scale = scale;
    c.interval = divided(g < 0 ? scaled(moved, -1) : moved, magnitude(g));
    c.form = form;
}

/// form = (P + s) mod n − s, and nothing else?
inline bool as_remainder(FormSpace& space, const DomainConstraint& c, RemainderTerm& digit)
{
    if (!c.form->has_divisions()) return false;
    const Summands& all = summands_of(space, *c.form);
    if (all.count != 1 || all.units[0].atom != nullptr) return false;
    digit = all.units[0].digit;
    return digit.coefficient == 1 && all.constant == -digit.base->constant;
}
inline const QuasiAffine* without_constant(FormSpace& space, const QuasiAffine& form)
{
    return space.make(0, form.terms, form.count);
}
/// The constraint P mod n in `residues`.
inline bool set_remainder(FormSpace& space, DomainConstraint& c, const QuasiAffine& p, std::int64_t n,
                          const IndexInterval& residues)
{
    const QuasiAffine* const quotient = floor_form(space, &p, n);
    if (quotient == nullptr) return false;
    FormBuilder b(space.arena);
    b.add(p, 1);
    b.add(*quotient, -n);
    const QuasiAffine* const form = space.make(b);
    if (form == nullptr || form->count == 0) return false;
    if (form == c.form && c.interval == residues) return true;
    c.cut();
    c.form = form;
    c.interval = residues;
    normalize(space, c);
    return true;
}
/// P mod m in [a, a] and P mod n in [b, b] as P mod lcm(m, n) in [c, c].
inline bool merge_residues(FormSpace& space, DomainConstraint& x, DomainConstraint& y, bool& merged)
{
    RemainderTerm dx, dy;
    if (!x.interval.is_point() || !y.interval.is_point() || !as_remainder(space, x, dx) || !as_remainder(space, y, dy)) return true;
    const QuasiAffine* const p = without_constant(space, *dx.base);
    if (p != without_constant(space, *dy.base)) return true;
    const std::int64_t m = dx.modulus, n = dy.modulus, g = gcd(m, n);
    const std::int64_t a = floor_mod(x.interval.low, m), b = floor_mod(y.interval.low, n);
    if (floor_mod(a, g) != floor_mod(b, g)) return false;
    std::int64_t both = 0;
    if (!mul(m, n / g, both) || both > (std::int64_t{1} << 31)) return true;
    // a + m·t with m·t ≡ b − a modulo n
    const std::int64_t t = floor_mod((b - a) / g % (n / g) * inverse_mod(m / g, n / g), n / g);
    const std::int64_t residue = a + m * t;
    if (both == m)
        merged = true;
    else
        merged = set_remainder(space, x, *p, both, {residue, residue});
    if (merged && both != m) x.original = {};
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
