// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_RELATION_HPP
#define AXE_MAP_TILE_RELATION_HPP

#include <axe/map/tile/algebra.hpp>

#include <deque>

namespace axe {
inline namespace v0 {
namespace detail {

/// What conditions on an expression are about:  the expression = factor · terms + constant.
struct TileRelation {
    TilePolynomial terms{};    ///< without constant, and with nothing in common; more of them positive than negative
    TilePolynomial less_one{}; ///< the same with sizes less one, where there are sizes
    bool has_less_one = false;
    std::int64_t factor = 1, constant = 0;
    IndexExpr written{}, written_if_zero{}; ///< see `TileRelations::written`; −1 where it was not asked for
};

/// The relations of expressions, each found once.
class TileRelations {
  public:
    /// @param parameters  o, z, t for each dimension; outlives this, as the budget does
    TileRelations(IndexingMap& parameters, TileBudget& budget) : map_(parameters), algebra_(parameters, budget) {}
    TileRelation& operator()(IndexExpr e)
    {
        if (static_cast<std::size_t>(e.id) >= known_.size()) known_.resize(static_cast<std::size_t>(e.id) + 1);
        TileRelation*& known = known_[static_cast<std::size_t>(e.id)];
        if (known == nullptr) {
            list_.push_back(made(algebra_(e)));
            known = &list_.back();
        }
        return *known;
    }

    [[nodiscard]] IndexingMap& parameters() const noexcept { return map_; }
    [[nodiscard]] TileAlgebra& algebra() noexcept { return algebra_; }
    [[nodiscard]] TileBudget& budget() const noexcept { return algebra_.budget(); }
    /// The terms; or what is 0 where they are, and shorter.
    IndexExpr written(TileRelation& r, bool is_zero)
    {
        IndexExpr& out = is_zero ? r.written_if_zero : r.written;
        if (out.id < 0) out = made(r, is_zero);
        return out;
    }

    /// The bounds of the terms over the current intervals of the variables.
    [[nodiscard]] IndexInterval range(const TileRelation& r) const
    {
        const IndexInterval out = algebra_.range(r.terms, false);
        return r.has_less_one ? intersection(out, algebra_.range(r.less_one, true)) : out;
    }
    [[nodiscard]] IndexInterval range(IndexExpr e)
    {
        const TileRelation& r = (*this)(e);
        const IndexInterval by_terms = shifted(scaled(range(r), r.factor), r.constant);
        return intersection(by_terms, quick_range(e));
    }
    /// The same, of the expression as it is: wider, perhaps.
    [[nodiscard]] IndexInterval quick_range(IndexExpr e) const { return range_within(map_.pool, map_.variables, e, budget()); }

    /// What the terms have to be in for the expression to be in the interval. An end that overflows is no bound.
    static IndexInterval of_terms(const TileRelation& r, const IndexInterval& interval)
    {
        IndexInterval out = every_integer;
        if (interval.low != every_integer.low && !sub(interval.low, r.constant, out.low))
            out.low = r.constant < 0 ? every_integer.high : every_integer.low;
        if (interval.high != every_integer.high && !sub(interval.high, r.constant, out.high))
            out.high = r.constant > 0 ? every_integer.low : every_integer.high;
        const std::int64_t g = r.factor < 0 ? -r.factor : r.factor;
        // −(every_integer.low + 1) is the greatest: ends are not divided, and the least but one may go for the least.
        if (out.low > -every_integer.high) out.low = -floor_div(-out.low, g);
        if (out.high != every_integer.high) out.high = floor_div(out.high, g);
        if (r.factor > 0) return out;
        return {out.high == every_integer.high ? every_integer.low : -std::max(out.high, -every_integer.high),
                out.low <= -every_integer.high ? every_integer.high : -out.low};
    }

  private:
    IndexExpr made(const TileRelation& r, bool is_zero)
    {
        const TilePolynomial& p = r.terms;
        // c·x mod n is 0 where x mod n is, as c and n have nothing in common in any of the algebra's remainders of one term.
        if (is_zero && p.terms.size() == 1 && p.terms[0].atoms.size() == 1) {
            const IndexNode n = map_.pool[{*p.terms[0].atoms.begin()}];
            TilePolynomial of = n.op == IndexOp::mod ? algebra_(n.left) : TilePolynomial{};
            if (of.terms.size() == 1 && of.constant == 0) {
                of.terms[0].coefficient = 1;
                return map_.pool.mod(algebra_.written(of), n.value);
            }
        }
        return algebra_.written(p);
    }

    TileRelation made(TilePolynomial p)
    {
        TileRelation out;
        out.constant = p.constant;
        p.constant = 0;
        const auto negative = std::count_if(p.terms.begin(), p.terms.end(), [](const TileProduct& t) { return t.coefficient < 0; });
        const auto count = static_cast<std::ptrdiff_t>(p.terms.size());
        if (count > 0) out.factor = p.divisor(0);
        p.divide(out.factor);
        if (2 * negative > count || (2 * negative == count && count > 0 && p.terms[0].coefficient < 0)) {
            out.factor = -out.factor;
            for (TileProduct& t : p.terms) t.coefficient = -t.coefficient;
        }
        out.has_less_one = algebra_.less_one(p, out.less_one);
        out.terms = std::move(p);
        return out;
    }

    IndexingMap& map_;
    TileAlgebra algebra_;
    std::deque<TileRelation> list_{}; ///< stays where it is
    std::vector<TileRelation*> known_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
