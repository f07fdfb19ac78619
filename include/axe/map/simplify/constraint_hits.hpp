// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_CONSTRAINT_HITS_HPP
#define AXE_MAP_SIMPLIFY_CONSTRAINT_HITS_HPP

#include <axe/map/simplify/constraint.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool is_sole(const FormAtom& atom) noexcept { return atom.lowest == atom.highest; }
/// The only variable of the form, −1 when there are more.
inline std::int32_t sole_variable(const QuasiAffine& form) noexcept
{
    std::int32_t out = -1;
    for (const FormTerm& t : form) {
        if (!is_sole(*t.atom) || (out >= 0 && out != t.atom->lowest)) return -1;
        out = t.atom->lowest;
    }
    return out;
}

/// The value of a form of one variable.
inline bool value_at(const QuasiAffine& form, std::int64_t x, std::int64_t& out)
{
    out = form.constant;
    for (const FormTerm& t : form) {
        const FormAtom& a = *t.atom;
        std::int64_t value = x, other = a.value;
        if ((a.left != nullptr && !value_at(*a.left, x, value)) || (a.right != nullptr && !value_at(*a.right, x, other)))
            return false;
        if (a.kind == AtomKind::product) {
            if (!mul(value, other, value)) return false;
        } else if (a.kind == AtomKind::minimum || a.kind == AtomKind::maximum) {
            value = (value < other) == (a.kind == AtomKind::minimum) ? value : other;
        } else if (a.left != nullptr) {
            if (other == 0 || (other == -1 && value == every_integer.low)) return false;
            value = a.kind == AtomKind::remainder ? floor_remainder(value, other) : floor_div(value, other);
        }
        if (!add_product(t.coefficient, value, out)) return false;
    }
    return true;
}

/// How far x is at least from a point where all hold, upwards or down; 0 when it is one, −1 when it is not known.
inline std::int64_t distance(FormSpace& space, const std::vector<const DomainConstraint*>& own, std::int64_t x, bool up)
{
    for (const DomainConstraint* c : own) {
        std::int64_t value = 0;
        if (!value_at(*c->form, x, value)) return -1;
        if (c->interval.contains(value)) continue;
        RemainderTerm d;
        const bool plain = as_remainder(space, *c, d) && d.base->count == 1 && d.base->terms[0].atom->kind == AtomKind::variable &&
                           d.base->terms[0].coefficient == 1 && is_bounded(c->interval);
        if (!plain) return 1;
        const std::int64_t away = up ? c->interval.low - value : value - c->interval.high;
        return away > 0 ? away : away + d.modulus;
    }
    return 0;
}

/// Moves the ends of each variable's interval to where all constraints on it alone hold.
inline bool tighten_to_hits(FormSpace& space, const std::vector<DomainConstraint>& constraints)
{
    for (std::size_t v = 0; v < space.bounds.size(); ++v) {
        std::vector<const DomainConstraint*> own;
        for (const DomainConstraint& c : constraints)
            if (sole_variable(*c.form) == static_cast<std::int32_t>(v)) own.push_back(&c);
        if (own.empty()) continue;
        IndexInterval& bounds = space.bounds[v];
        if (!is_bounded(bounds)) continue;
        for (const bool first : {true, false}) {
            std::int64_t& end = first ? bounds.low : bounds.high;
            std::int64_t x = end;
            // Past this many the interval stays: nothing is wrong with it, it is only not the tightest.
            for (int steps = 0; steps < 4096; ++steps) {
                const std::int64_t step = distance(space, own, x, first);
                if (step <= 0) {
                    if (step == 0) end = x;
                    break;
                }
                if (!(first ? add(x, step, x) : sub(x, step, x)) || !bounds.contains(x)) return false;
            }
        }
    }
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
