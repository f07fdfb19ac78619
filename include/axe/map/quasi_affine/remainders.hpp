// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_REMAINDERS_HPP
#define AXE_MAP_QUASI_AFFINE_REMAINDERS_HPP

#include <axe/map/quasi_affine/range.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

const QuasiAffine* floor_form(FormSpace& space, const QuasiAffine* form, std::int64_t divisor);

/// coefficient·(base mod modulus): a remainder found in a form. `quotient` is ⌊base / modulus⌋.
struct RemainderTerm {
    std::int64_t coefficient = 0;
    const QuasiAffine* base = nullptr;
    std::int64_t modulus = 0;
    const FormAtom* quotient = nullptr;
};

/// Does the work hold c·base (its constant aside), each coefficient at least as large and of the same sign?
inline bool holds(const FormBuilder& work, const QuasiAffine& base, std::int64_t c)
{
    for (const FormTerm& t : base) {
        const std::int64_t there = work.coefficient(t.atom);
        std::int64_t wanted = 0;
        if (!mul(c, t.coefficient, wanted)) return false;
        if (wanted > 0 ? there < wanted : there > wanted) return false;
    }
    return base.count > 0;
}

/// Looks for remainders in the form `work`: c·B + f·⌊B/n⌋ = c·(B mod n) + (f + c·n)·⌊B/n⌋, or what of it leaves no division,
/// −f/n·(B mod n) + (c + f/n)·B. `accept(digit)` returns whether to take it out; it is then no longer in `work`.
///
/// B is what a division A/m of the form divides, or a coarser one of the same A that is there as well: ⌊A/m⌋ = ⌊⌊A/m'⌋ / (m/m')⌋.
/// Finer divisions come first, so that digits of a number, weighted as they may be, come out as digits.
template <class Accept>
void find_remainders(FormSpace& space, FormBuilder& work, Accept accept)
{
    int count = 0;
    for (const FormTerm& t : work) count += t.atom->kind == AtomKind::floor ? 1 : 0;
    if (count == 0) return;
    const FormAtom** const divisions = space.arena.make<const FormAtom*>(static_cast<std::size_t>(count));
    count = 0;
    for (const FormTerm& t : work) {
        if (t.atom->kind != AtomKind::floor) continue;
        int at = count++;
        for (; at > 0 && t.atom->value < divisions[at - 1]->value; --at) divisions[at] = divisions[at - 1];
        divisions[at] = t.atom;
    }
    for (int i = 0; i < count; ++i) {
        const FormAtom* const f = divisions[i];
        const auto attempt = [&](const QuasiAffine* base, std::int64_t n) {
            if (base == nullptr || base->count == 0) return false;
            const std::int64_t have = work.coefficient(f);
            if (have == 0) return false;
            // Either the base goes altogether, or the division.
            std::int64_t choices[2] = {0, 0};
            const FormTerm& lead = base->terms[base->count - 1];
            const std::int64_t there = work.coefficient(lead.atom);
            if (there != 0 && there % lead.coefficient == 0) choices[0] = there / lead.coefficient;
            if (have % n == 0) choices[1] = -(have / n);
            if (choices[0] != 0)
                for (const FormTerm& t : *base) {
                    std::int64_t all = 0;
                    if (!mul(choices[0], t.coefficient, all) || all != work.coefficient(t.atom)) choices[0] = 0;
                }
            for (const std::int64_t c : choices) {
                std::int64_t step = 0, after = 0;
                if (c == 0 || !mul(c, n, step) || !add(have, step, after) || !holds(work, *base, c)) continue;
                if (!accept(RemainderTerm{c, base, n, f})) continue;
                work.add(*base, -c);
                work.add(f, step);
                return true;
            }
            return false;
        };
        // Coarser divisions of the same number, the nearest first.
        bool found = false;
        std::int64_t below = f->value;
        while (!found) {
            const FormAtom* g = nullptr;
            for (const FormTerm& t : work)
                if (t.atom->kind == AtomKind::floor && t.atom->value < below && f->value % t.atom->value == 0 &&
                    (g == nullptr || t.atom->value > g->value))
                    g = t.atom;
            if (g == nullptr) break;
            below = g->value;
            found = attempt(floor_form(space, f->left, g->value), f->value / g->value);
        }
        if (!found) attempt(f->left, f->value);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
