// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_CONDITIONS_HPP
#define AXE_MAP_TILE_CONDITIONS_HPP

#include <axe/map/tile/relation.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The conditions on a way through the cases of a tile; what is always so is not kept, what never is ends the way.
class TileConditions {
  public:
    /// @param relations  outlive this; a condition on a variable narrows its interval while it holds
    explicit TileConditions(TileRelations& relations) : map_(&relations.parameters()), relations_(&relations) {}
    [[nodiscard]] IndexInterval range(IndexExpr e) { return relations_->range(e); }
    [[nodiscard]] std::size_t count() const noexcept { return list_.size(); }
    /// Takes steps for what is made without asking for anything; are there none left?
    bool is_over(std::size_t steps = 8)
    {
        relations_->budget().spend(steps);
        return relations_->budget().is_spent();
    }

    /// Asks for one more; false when it cannot be, and when the budget is spent.
    bool require(IndexExpr e, IndexInterval interval)
    {
        if (relations_->budget().is_spent()) return false;
        if (interval.contains(relations_->quick_range(e))) return true;
        TileRelation& relation = (*relations_)(e);
        interval = TileRelations::of_terms(relation, interval);
        if (relation.terms.terms.empty()) return interval.contains(0);
        const IndexInterval r = relations_->range(relation);
        if (interval.contains(r)) return true;
        interval = intersection(interval, r);
        if (interval.is_empty()) return false;
        if (interval.is_point() && (interval.low == r.low || interval.low == r.high))
            if (const int at = require_ends(relation.terms, interval.low == r.high, interval.low); at >= 0) return at == 1;
        if (IndexExpr of; is_quotient(relation, interval, of)) return require(of, interval);
        return hold(relations_->written(relation, interval == IndexInterval{0, 0}), interval);
    }
    bool require_equal(IndexExpr x, IndexExpr y) { return x == y || require(map_->pool.sub(x, y), {0, 0}); }
    bool require_at_most(IndexExpr x, IndexExpr y) { return x == y || require(map_->pool.sub(y, x), {0, every_integer.high}); }

    void forget(std::size_t count)
    {
        for (; list_.size() > count; list_.pop_back()) {
            const IndexNode& n = map_->pool[list_.back().condition.expression];
            if (n.op == IndexOp::variable) map_->variables[static_cast<std::size_t>(n.value)].bounds = list_.back().before;
        }
    }
    /// Each expression once, with what is left of its interval.
    [[nodiscard]] std::vector<IndexConstraint> held() const
    {
        std::vector<IndexConstraint> out;
        for (const Held& h : list_) {
            relations_->budget().spend(2 + out.size());
            narrow(out, h.condition);
        }
        return out;
    }
    /// The same, taken together; variables that have one value left are replaced by it.
    /// @returns false when they cannot all be
    bool take(std::vector<IndexConstraint>& out)
    {
        std::vector<IndexConstraint> others;
        out.clear();
        for (const IndexConstraint& c : held()) (is_variable(c.expression) ? out : others).push_back(c);
        TileConditions rest(*relations_);
        bool can_be = true;
        for (const IndexConstraint& c : others)
            can_be = can_be && rest.require(relations_->algebra().with_values(c.expression), c.interval);
        for (const IndexConstraint& c : rest.held()) narrow(out, c);
        rest.forget(0);
        return can_be;
    }

  private:
    struct Held {
        IndexConstraint condition{};
        IndexInterval before{};
    };
    bool is_variable(IndexExpr e) const { return map_->pool[e].op == IndexOp::variable; }
    /// One more condition; a later one on an expression is within the earlier.
    static void narrow(std::vector<IndexConstraint>& list, const IndexConstraint& c)
    {
        const auto same = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.expression == c.expression; });
        if (same == list.end())
            list.push_back(c);
        else
            same->interval = c.interval;
    }
    /// ⌊x/n⌋ in [a, b] is x in [a·n, b·n + n − 1]: is it such a quotient?
    bool is_quotient(const TileRelation& r, IndexInterval& interval, IndexExpr& of) const
    {
        const TileProduct& t = r.terms.terms[0];
        if (r.terms.terms.size() > 1 || t.atoms.size() > 1 || t.coefficient != 1) return false;
        const IndexNode& n = map_->pool[{*t.atoms.begin()}];
        IndexInterval wide;
        if (n.op != IndexOp::floor_div || !mul(interval.low, n.value, wide.low) || !mul(interval.high, n.value, wide.high) ||
            !add(wide.high, n.value - 1, wide.high))
            return false;
        of = n.left;
        interval = wide;
        return true;
    }
    /// Is the value reached where each variable is at one of its ends, and only there? Then asks for these ends.
    /// @returns whether that can be, −1 when it is not so
    int require_ends(const TilePolynomial& p, bool is_greatest, std::int64_t value)
    {
        std::vector<IndexConstraint> ends;
        IndexInterval sum{0, 0};
        for (const TileProduct& t : p.terms) {
            IndexInterval term{t.coefficient, t.coefficient};
            for (const std::int32_t a : t.atoms) {
                const IndexNode& n = map_->pool[{a}];
                if (n.op != IndexOp::variable) return -1;
                const IndexInterval bounds = map_->variables[static_cast<std::size_t>(n.value)].bounds;
                if (t.atoms.size() > 1 && bounds.low < 1) return -1;
                const std::int64_t end = (t.coefficient > 0) == is_greatest ? bounds.high : bounds.low;
                for (const IndexConstraint& e : ends)
                    if (e.expression.id == a && e.interval.low != end) return -1;
                ends.push_back({{a}, {end, end}});
                term = product(term, {end, end});
            }
            sum = detail::sum(sum, term);
        }
        if (!(sum == IndexInterval{value, value})) return -1;
        for (const IndexConstraint& e : ends)
            if (!hold(e.expression, e.interval)) return 0;
        return 1;
    }
    bool hold(IndexExpr e, IndexInterval interval)
    {
        relations_->budget().spend(list_.size());
        for (const Held& h : list_)
            if (h.condition.expression == e) interval = intersection(interval, h.condition.interval);
        const IndexNode& n = map_->pool[e];
        interval = intersection(interval, relations_->quick_range(e));
        Held h{{e, interval}, {}};
        if (n.op == IndexOp::variable) {
            IndexInterval& bounds = map_->variables[static_cast<std::size_t>(n.value)].bounds;
            h.condition.interval = interval = intersection(interval, bounds);
            if (interval.contains(bounds)) return true;
            h.before = bounds;
            if (!interval.is_empty()) bounds = interval;
        }
        if (interval.is_empty()) return false;
        list_.push_back(h);
        return true;
    }

    IndexingMap* map_;
    TileRelations* relations_;
    std::vector<Held> list_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
