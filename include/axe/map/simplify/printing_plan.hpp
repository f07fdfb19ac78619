// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_PRINTING_PLAN_HPP
#define AXE_MAP_SIMPLIFY_PRINTING_PLAN_HPP

#include <axe/map/quasi_affine/normal_form.hpp>
#include <axe/map/simplify/cost.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A summand of a printed form: coefficient·(base mod value), coefficient·⌊base / value⌋, or coefficient·atom.
struct FormPiece {
    enum class Kind : std::uint8_t { atom, division, remainder };
    Kind kind = Kind::atom;
    std::int64_t coefficient = 0;
    const FormAtom* atom = nullptr;
    const QuasiAffine* base = nullptr;
    std::int64_t value = 0;
    ExpressionCost cost{}; ///< without its coefficient
};

/// How a form is printed.
struct FormPlan {
    FormPiece* pieces = nullptr;
    int count = 0;
    std::int64_t constant = 0;
    ExpressionCost cost{};         ///< with the constant
    ExpressionCost cost_of_rest{}; ///< without it
    bool fits = true;              ///< no sum or product on the way can overflow
};

/// How forms are printed with the fewest divisions and remainders, then the fewest nodes.
class FormPlanner {
  public:
    FormPlanner(FormSpace& space, ExpressionCosts& costs) : space_(&space), costs_(&costs) {}

    const FormPlan& plan(const QuasiAffine& form)
    {
        if (form.plan != nullptr) return *form.plan;
        FormBuilder work(space_->arena);
        work.add(form, 1);
        const auto room = static_cast<std::size_t>(2 * form.count);
        auto* const p = ::new (static_cast<void*>(space_->arena.make<FormPlan>(1))) FormPlan{};
        p->pieces = space_->arena.make<FormPiece>(room);
        if (form.has_divisions()) {
            find_remainders(*space_, work, [&](const RemainderTerm& d) {
                // The remainder for its division and what cancels: taken when it is no dearer.
                ExpressionCost before{}, after = scaled_cost(remainder_cost(d), d.coefficient);
                after.nodes += 1;
                const auto change = [&](const FormAtom* atom, std::int64_t by) {
                    const std::int64_t c = work.coefficient(atom);
                    before += term_cost(*atom, c);
                    after += term_cost(*atom, c + by);
                };
                for (const FormTerm& t : *d.base) change(t.atom, -d.coefficient * t.coefficient);
                change(d.quotient, d.coefficient * d.modulus);
                if (before < after) return false;
                p->pieces[p->count++] = {FormPiece::Kind::remainder, d.coefficient, nullptr, d.base, d.modulus, remainder_cost(d)};
                return true;
            });
            for (int i = 0; i < p->count; ++i) choose_base(p->pieces[i], work.constant);
            absorb(work, *p);
        }
        for (const FormTerm& t : work)
            p->pieces[p->count++] = {FormPiece::Kind::atom, t.coefficient, t.atom, nullptr, 0, atom_cost(*t.atom)};
        p->constant = work.constant;
        finish(*p);
        form.plan = p;
        return *p;
    }

  private:
    static constexpr ExpressionCost scaled_cost(ExpressionCost c, std::int64_t factor) noexcept
    {
        if (factor != 1) c.nodes += 2;
        return c;
    }
    /// Of a term within a sum, its plus included.
    ExpressionCost term_cost(const FormAtom& atom, std::int64_t coefficient)
    {
        if (coefficient == 0) return {};
        ExpressionCost c = scaled_cost(atom_cost(atom), coefficient);
        c.nodes += 1;
        return c;
    }
    ExpressionCost atom_cost(const FormAtom& atom)
    {
        if (atom.kind == AtomKind::variable) return {0, 1};
        if (atom.kind == AtomKind::opaque) return (*costs_)({static_cast<std::int32_t>(atom.value)});
        const bool divides = atom.kind == AtomKind::floor || atom.kind == AtomKind::quotient || atom.kind == AtomKind::remainder;
        const ExpressionCost cost = plan(*atom.left).cost + ExpressionCost{divides ? 1 : 0, atom.right == nullptr ? 2 : 1};
        return atom.right == nullptr ? cost : cost + plan(*atom.right).cost;
    }
    /// Of the form in the making, which is not made when it is a sum of variables. False when it cannot be made.
    bool cost_of(const FormBuilder& b, ExpressionCost& cost)
    {
        cost = {0, b.count() == 0 ? 1 : b.constant == 0 ? -1 : 1};
        for (const FormTerm& t : b) {
            if (t.atom->kind != AtomKind::variable) {
                const QuasiAffine* const form = space_->make(b);
                if (form != nullptr) cost = plan(*form).cost;
                return form != nullptr;
            }
            cost.nodes += t.coefficient == 1 ? 2 : 4;
        }
        return b.is_sound();
    }
    ExpressionCost remainder_cost(const RemainderTerm& d) { return plan(*d.base).cost + ExpressionCost{1, 2}; }

    static ExpressionCost constant_cost(std::int64_t c) noexcept { return {0, c == 0 ? 0 : 2}; }

    /// B mod n of the same value with a shorter text: as the input wrote it, or  c·(B mod n) = −c·((−1 − B) mod n) + c·(n − 1).
    void choose_base(FormPiece& piece, std::int64_t& constant)
    {
        const auto offer = [&](const FormBuilder& form, std::int64_t c, std::int64_t rest, bool if_equal) {
            ExpressionCost cost{};
            if (!cost_of(form, cost)) return;
            cost += ExpressionCost{1, 2};
            const ExpressionCost now = scaled_cost(piece.cost, piece.coefficient) + constant_cost(constant);
            const ExpressionCost then = scaled_cost(cost, c) + constant_cost(rest);
            if (!(then < now) && !(if_equal && then == now)) return;
            const QuasiAffine* const base = space_->make(form);
            if (base == nullptr) return;
            piece.base = base;
            piece.coefficient = c;
            piece.cost = cost;
            constant = rest;
        };
        const std::int64_t n = piece.value;
        FormBuilder b(space_->arena);
        b.add(*piece.base, -1);
        b.constant = floor_mod(b.constant - 1, n);
        std::int64_t rest = 0;
        if (b.is_sound() && mul(piece.coefficient, n - 1, rest) && add(rest, constant, rest) && rest != every_integer.low)
            offer(b, -piece.coefficient, rest, false);
        const QuasiAffine* remainder = nullptr; // base mod n
        for (const FormRemainder& r : space_->remainders) {
            // A base with divisions may have this very remainder in itself.
            if (r.modulus != n || r.base->has_divisions()) continue;
            if (r.form->terms[0].atom != piece.base->terms[0].atom && r.form->count < 2) continue;
            if (remainder == nullptr) {
                const QuasiAffine* const quotient = floor_form(*space_, piece.base, n);
                if (quotient == nullptr) break;
                b.clear();
                b.add(*piece.base, 1);
                b.add(*quotient, -n);
                remainder = space_->make(b);
                if (remainder == nullptr) break;
            }
            if (remainder != r.form) continue;
            b.clear();
            b.add(*r.base, 1);
            offer(b, piece.coefficient, constant, true);
            break;
        }
    }

    /// c·⌊L/k⌋ + c·q·a = c·⌊(L + k·q·a)/k⌋ and c·⌊L/k⌋ = −c·⌊(k − 1 − L)/k⌋, where that is shorter; such divisions become pieces.
    void absorb(FormBuilder& work, FormPlan& p)
    {
        for (int i = 0; i < work.count(); ++i) {
            const FormTerm f = work.begin()[i];
            if (f.atom->kind != AtomKind::floor) continue;
            const std::int64_t k = f.atom->value;
            const QuasiAffine* best = nullptr;
            std::int64_t best_c = 0;
            ExpressionCost best_cost{};
            for (const bool as_it_is : {true, false}) {
                const std::int64_t c = as_it_is ? f.coefficient : -f.coefficient;
                FormBuilder wider(space_->arena);
                if (!as_it_is) wider.add(k - 1);
                wider.add(*f.atom->left, as_it_is ? 1 : -1);
                if (!wider.is_sound()) continue;
                // What stays outside counts as well.
                ExpressionCost outside{};
                bool takes_any = false;
                std::int64_t constant = work.constant;
                for (const FormTerm& t : work) {
                    if (t.atom == f.atom) continue;
                    const std::int64_t inside = wider.coefficient(t.atom);
                    std::int64_t up = 0, both = 0;
                    const bool can = inside != 0 && t.coefficient % c == 0 && mul(k, t.coefficient / c, up) &&
                                     add(inside, up, both) && both != every_integer.low;
                    const ExpressionCost apart = term_cost(*t.atom, t.coefficient);
                    const bool takes = can && term_cost(*t.atom, both) < apart + term_cost(*t.atom, inside);
                    if (takes)
                        wider.add(t.atom, up);
                    else
                        outside += apart;
                    takes_any = takes_any || takes;
                }
                std::int64_t up = 0, both = 0;
                if (constant != 0 && wider.constant != 0 && constant % c == 0 && mul(k, constant / c, up) &&
                    add(wider.constant, up, both) && both != every_integer.low) {
                    wider.constant = both;
                    constant = 0;
                    takes_any = true;
                }
                // A division that takes nothing in costs what it does as a term.
                ExpressionCost own{};
                if (as_it_is && !takes_any) {
                    best = f.atom->left;
                    best_c = c;
                    best_cost = outside + scaled_cost(atom_cost(*f.atom), c) + constant_cost(constant);
                    continue;
                }
                if (!cost_of(wider, own)) continue;
                const ExpressionCost cost = outside + scaled_cost(own + ExpressionCost{1, 2}, c) + constant_cost(constant);
                if (best != nullptr && !(cost < best_cost)) continue;
                best = space_->make(wider);
                if (best == nullptr) break;
                best_c = c;
                best_cost = cost;
            }
            if (best == nullptr || best == f.atom->left) continue;
            take_in(work, f, *best, best_c);
            p.pieces[p.count++] = {FormPiece::Kind::division, best_c, nullptr, best, k, plan(*best).cost + ExpressionCost{1, 2}};
            i = -1;
        }
    }
    /// Takes out of the work what c·⌊base/k⌋ has more than its term f.
    void take_in(FormBuilder& work, const FormTerm& f, const QuasiAffine& base, std::int64_t c)
    {
        FormBuilder more(space_->arena);
        more.add(base, 1);
        const bool as_it_is = c == f.coefficient;
        more.add(*f.atom->left, as_it_is ? -1 : 1);
        if (!as_it_is) more.add(-(f.atom->value - 1));
        for (const FormTerm& t : more) work.add(t.atom, -work.coefficient(t.atom));
        if (more.constant != 0) work.constant = 0;
        work.add(f.atom, -f.coefficient);
    }

    static std::int32_t lowest_of(const FormPiece& x)
    {
        if (x.atom != nullptr) return x.atom->lowest;
        std::int32_t out = 0x7fffffff;
        for (const FormTerm& t : *x.base) out = least(out, t.atom->lowest);
        return out;
    }
    /// By the first variable; then variables, remainders, divisions; then larger weights first.
    static bool comes_first(const FormPiece& x, const FormPiece& y)
    {
        const std::int32_t x_low = lowest_of(x), y_low = lowest_of(y);
        if (x_low != y_low) return x_low < y_low;
        const auto rank = [](const FormPiece& p) {
            return p.kind == FormPiece::Kind::atom && p.atom->kind == AtomKind::variable ? 0 : 1;
        };
        if (rank(x) != rank(y)) return rank(x) < rank(y);
        if (magnitude(x.coefficient) != magnitude(y.coefficient)) return magnitude(x.coefficient) > magnitude(y.coefficient);
        if (x.kind != y.kind) return x.kind > y.kind;
        return (x.atom != nullptr ? x.atom->hash : mix(hash_of(*x.base), static_cast<std::uint64_t>(x.value))) <
               (y.atom != nullptr ? y.atom->hash : mix(hash_of(*y.base), static_cast<std::uint64_t>(y.value)));
    }

    /// Order, cost, and whether all that is printed stays in the integer.
    void finish(FormPlan& p)
    {
        for (int i = 1; i < p.count; ++i) {
            const FormPiece piece = p.pieces[i];
            int at = i;
            for (; at > 0 && comes_first(piece, p.pieces[at - 1]); --at) p.pieces[at] = p.pieces[at - 1];
            p.pieces[at] = piece;
        }
        IndexInterval sum_range{0, 0};
        for (int i = 0; i < p.count; ++i) {
            const FormPiece& piece = p.pieces[i];
            p.cost_of_rest += scaled_cost(piece.cost, piece.coefficient);
            if (i > 0) p.cost_of_rest.nodes += 1;
            const FormAtom* const atom = piece.atom;
            const IndexInterval r = piece.kind == FormPiece::Kind::atom       ? range(*space_, *atom)
                                    : piece.kind == FormPiece::Kind::division ? quotient(range(*space_, *piece.base), piece.value)
                                                                              : IndexInterval{0, piece.value - 1};
            for (const QuasiAffine* part :
                 {piece.base, atom == nullptr ? nullptr : atom->left, atom == nullptr ? nullptr : atom->right})
                p.fits = p.fits && (part == nullptr || plan(*part).fits);
            p.fits = p.fits && (atom == nullptr || atom->right == nullptr || is_bounded(r));
            const bool alone = p.count == 1 && piece.coefficient == 1 && p.constant == 0;
            sum_range = sum(sum_range, scaled(r, piece.coefficient));
            if (!alone) p.fits = p.fits && is_bounded(sum_range);
        }
        p.cost = p.cost_of_rest;
        if (p.count == 0)
            p.cost.nodes = 1;
        else if (p.constant != 0)
            p.cost.nodes += 2;
        if (p.constant != 0 && p.count > 0) p.fits = p.fits && is_bounded(shifted(sum_range, p.constant));
    }

    FormSpace* space_;
    ExpressionCosts* costs_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
