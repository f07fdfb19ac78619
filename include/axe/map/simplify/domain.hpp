// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_DOMAIN_HPP
#define AXE_MAP_SIMPLIFY_DOMAIN_HPP

#include <axe/map/simplify/constraint_hits.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The domain of a map made as simple as it is known to be: intervals tightened to the first and the last hit, constraints in normal
/// form, none of them implied by the intervals and the others, none twice.
class DomainSimplifier {
  public:
    DomainSimplifier(FormSpace& space, NormalForms& forms, FormPlanner& planner, ExpressionCosts& costs, const IndexingMap& map)
        : space_(&space), forms_(&forms), planner_(&planner), costs_(&costs), map_(&map)
    {
    }

    std::vector<DomainConstraint> constraints{};

    /// False when the domain is empty.
    bool run()
    {
        for (const IndexConstraint& c : map_->constraints)
            if (c.interval.is_empty()) return false;
        if (map_->constraints.empty()) return true;
        // What is tightened may make the forms simpler, and these tighten more.
        for (int round = 0; round < 8; ++round) {
            const std::vector<IndexInterval> before = space_->bounds;
            if (!collect() || !merge() || !tighten()) return false;
            if (space_->bounds == before) break;
            ++space_->epoch;
        }
        return remove_redundant();
    }

    /// Of a domain that this has left as it is: the constraints are facts as they are. False when it is empty.
    bool keep()
    {
        for (const IndexConstraint& c : map_->constraints) {
            if (c.interval.is_empty()) return false;
            constraints.push_back({(*forms_)(c.expression), c.interval, c.expression});
        }
        for (const DomainConstraint& c : constraints)
            if (c.form->count > 0) space_->facts.push_back({c.form, c.interval});
        if (!constraints.empty()) ++space_->epoch;
        return true;
    }

  private:
    bool collect()
    {
        constraints.clear();
        for (const IndexConstraint& c : map_->constraints) {
            DomainConstraint out{(*forms_)(c.expression), c.interval, c.expression};
            bool holds = false;
            if (!reduce(out, holds)) return false;
            if (!holds) constraints.push_back(out);
        }
        return true;
    }

    /// To normal form; bounds of a variable go to its interval. False when nothing fulfils it.
    bool reduce(DomainConstraint& c, bool& holds)
    {
        while (true) {
            if (c.form->count == 0) {
                holds = true;
                return c.interval.contains(c.form->constant);
            }
            normalize(*space_, c);
            const IndexInterval r = range(*space_, *c.form);
            c.interval = intersection(c.interval, r);
            if (c.interval.is_empty()) return false;
            if (c.interval == r) {
                holds = true;
                return true;
            }
            const FormAtom& first = *c.form->terms[0].atom;
            if (c.form->count != 1 || c.form->terms[0].coefficient != 1) return true;
            if (first.kind == AtomKind::variable) {
                IndexInterval& bounds = space_->bounds[static_cast<std::size_t>(first.value)];
                bounds = intersection(bounds, c.interval);
                holds = true;
                return !bounds.is_empty();
            }
            if (first.kind != AtomKind::floor) return true;
            // a ≤ ⌊L/k⌋ ≤ b as a·k ≤ L ≤ b·k + k − 1
            c.cut();
            c.interval = {scaled({c.interval.low, c.interval.low}, first.value).low,
                          shifted(scaled({c.interval.high, c.interval.high}, first.value), first.value - 1).high};
            c.form = first.left;
        }
    }

    /// Equal forms become one constraint, remainders of the same form by one residue each as well.
    bool merge()
    {
        for (DomainConstraint& c : constraints) center(c);
        for (std::size_t i = 0; i < constraints.size(); ++i)
            for (std::size_t j = i + 1; j < constraints.size();) {
                DomainConstraint& x = constraints[i];
                DomainConstraint& y = constraints[j];
                bool same = x.form == y.form;
                if (same) {
                    x.interval = intersection(x.interval, y.interval);
                    if (x.interval.is_empty()) return false;
                    if (x.original.id < 0 || x.is_cut) {
                        x.original = y.is_cut ? IndexExpr{} : y.original;
                        x.scale = y.scale;
                        x.shift = y.shift;
                        x.is_cut = false;
                    }
                } else if (!merge_residues(*space_, x, y, same)) {
                    return false;
                }
                if (same)
                    constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(j));
                else
                    ++j;
            }
        return true;
    }

    /// Of what would be printed.
    ExpressionCost cost_of(const DomainConstraint& c)
    {
        const ExpressionCost cost = planner_->plan(*c.form).cost_of_rest;
        if (c.original.id < 0) return cost;
        const ExpressionCost as_was = (*costs_)(c.original);
        return as_was < cost ? as_was : cost;
    }
    /// (P + s) mod n in [l, h] as P mod n in [l − s, h − s], where that does not wrap.
    void center(DomainConstraint& c)
    {
        RemainderTerm d;
        if (!as_remainder(*space_, c, d) || d.base->constant == 0 || !is_bounded(c.interval)) return;
        const std::int64_t low = floor_mod(c.interval.low, d.modulus), width = c.interval.high - c.interval.low;
        if (width >= d.modulus - low) return;
        DomainConstraint other = c;
        if (!set_remainder(*space_, other, *without_constant(*space_, *d.base), d.modulus, {low, low + width})) return;
        if (cost_of(other) < cost_of(c)) c = other;
    }
    bool tighten()
    {
        const std::vector<IndexInterval> before = space_->bounds;
        int rounds = 0;
        for (bool changed = true; changed; ++rounds) {
            changed = false;
            // Contradictions may shrink intervals by one a round: not to be followed for long.
            if (rounds == 24) {
                space_->bounds = before;
                break;
            }
            const std::vector<IndexInterval> last = space_->bounds;
            for (const DomainConstraint& c : constraints)
                if (!propagate(c)) return false;
            changed = space_->bounds != last;
            if (changed) ++space_->epoch;
        }
        return tighten_to_hits(*space_, constraints);
    }

    /// Each variable's interval from the rest of the constraint.
    bool propagate(const DomainConstraint& c)
    {
        FormBuilder b(space_->arena);
        b.add(*c.form, 1);
        if (!propagate(b, c.interval)) return false;
        if (!c.form->has_divisions()) return true;
        std::int64_t scale = 1;
        IndexInterval slack{0, 0};
        if (!without_divisions(b, scale, slack, [](const FormBuilder&, std::int64_t, const IndexInterval&) {})) return true;
        return propagate(b, sum(scaled(c.interval, scale), scaled(slack, -1)));
    }
    bool propagate(const FormBuilder& b, const IndexInterval& interval)
    {
        for (const FormTerm& t : b) {
            if (t.atom->kind != AtomKind::variable) continue;
            IndexInterval rest{b.constant, b.constant};
            for (const FormTerm& o : b)
                if (&o != &t) rest = sum(rest, scaled(range(*space_, *o.atom), o.coefficient));
            IndexInterval own = sum(interval, scaled(rest, -1));
            if (t.coefficient < 0) own = scaled(own, -1);
            IndexInterval& bounds = space_->bounds[static_cast<std::size_t>(t.atom->value)];
            bounds = intersection(bounds, divided(own, magnitude(t.coefficient)));
            if (bounds.is_empty()) return false;
        }
        return true;
    }

    /// Takes out what the intervals and the other constraints imply, the last first; the rest are facts.
    bool remove_redundant()
    {
        // The ranges of atoms are those of the intervals alone: a constraint does not prove itself.
        for (const DomainConstraint& c : constraints) range(*space_, *c.form);
        for (std::size_t i = constraints.size(); i-- > 0 && constraints.size() > 1;) {
            space_->facts.clear();
            for (std::size_t j = 0; j < constraints.size(); ++j)
                if (j != i) space_->facts.push_back({constraints[j].form, constraints[j].interval});
            const IndexInterval r = range_anew(*space_, *constraints[i].form);
            if (intersection(r, constraints[i].interval).is_empty()) return false;
            if (constraints[i].interval.contains(r)) constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(i));
        }
        space_->facts.clear();
        for (const DomainConstraint& c : constraints) space_->facts.push_back({c.form, c.interval});
        if (!constraints.empty()) ++space_->epoch;
        return true;
    }

    FormSpace* space_;
    NormalForms* forms_;
    FormPlanner* planner_;
    ExpressionCosts* costs_;
    const IndexingMap* map_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
