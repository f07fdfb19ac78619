// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_ALGEBRA_HPP
#define AXE_MAP_TILE_ALGEBRA_HPP

#include <axe/map/tile/budget.hpp>
#include <axe/map/tile/polynomial.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Expressions in a tile's parameters as polynomials, and the shortest way to write these.
///
/// All divisors are positive. What overflows, or has too many terms, stays as it is: an atom.
class TileAlgebra {
  public:
    /// @param parameters  outlives this, as the budget does; what is in their bounds now is used for good. The second third of the
    ///                    dimensions are sizes, at least 1: they read better as z − 1 in products
    TileAlgebra(IndexingMap& parameters, TileBudget& budget) : map_(&parameters), bounds_(parameters.variables), budget_(&budget) {}
    [[nodiscard]] TileBudget& budget() const noexcept { return *budget_; }

    const TilePolynomial& operator()(IndexExpr e)
    {
        std::vector<std::int32_t> open{e.id};
        while (!open.empty()) {
            const std::int32_t id = open.back();
            if (is_known(id)) {
                open.pop_back();
                continue;
            }
            const IndexNode n = map_->pool[{id}];
            const std::size_t before = open.size();
            for (const IndexExpr x : {n.left, n.right})
                if (x.id >= 0 && !is_known(x.id)) open.push_back(x.id);
            if (open.size() > before) continue;
            set(id, made({id}, n));
            open.pop_back();
        }
        return known_[static_cast<std::size_t>(e.id)];
    }

    /// Its bounds over the current intervals of the variables.
    [[nodiscard]] IndexInterval range(const TilePolynomial& p, bool is_less_one) const
    {
        return range(p, map_->variables, is_less_one);
    }

    /// Each size z as y + 1, the variable's number now standing for y; false where no product has a size, or that is too long.
    bool less_one(const TilePolynomial& p, TilePolynomial& out) const
    {
        out = {p.constant, {}};
        const auto has_sizes = [&](const TileProduct& t) {
            return t.atoms.size() > 1 && std::any_of(t.atoms.begin(), t.atoms.end(), [&](std::int32_t a) { return is_size(a); });
        };
        if (std::none_of(p.terms.begin(), p.terms.end(), has_sizes)) return false;
        for (const TileProduct& t : p.terms) {
            std::vector<TileProduct> parts{{{}, t.coefficient}};
            for (const std::int32_t a : t.atoms) {
                const std::vector<TileProduct> ones = is_size(a) ? parts : std::vector<TileProduct>{};
                for (TileProduct& part : parts) insert(part.atoms, a);
                parts.insert(parts.end(), ones.begin(), ones.end());
            }
            for (const TileProduct& part : parts) {
                if (part.atoms.size() > 0)
                    out.terms.push_back(part);
                else if (!add(out.constant, part.coefficient, out.constant))
                    return false;
            }
            if (out.terms.size() > most_terms) return false;
        }
        return collect(out);
    }

    /// The shorter of two ways to write it: in the variables, or with sizes less one.
    IndexExpr written(const TilePolynomial& p)
    {
        const IndexExpr plain = written(p, false);
        TilePolynomial y;
        if (!less_one(p, y)) return plain;
        const IndexExpr other = written(y, true);
        return weight(other) < weight(plain) ? other : plain;
    }
    /// The same value, written no longer.
    IndexExpr shortest(IndexExpr e)
    {
        if (static_cast<std::size_t>(e.id) >= shortest_.size()) shortest_.resize(static_cast<std::size_t>(e.id) + 1);
        if (const IndexExpr known = shortest_[static_cast<std::size_t>(e.id)]; known.id >= 0) return known;
        const TilePolynomial p = (*this)(e);
        const IndexExpr other = written(p);
        return shortest_[static_cast<std::size_t>(e.id)] = weight(other) <= weight(e) ? other : e;
    }

    /// The variables that have one value at the moment replaced by it.
    IndexExpr with_values(IndexExpr e)
    {
        values_.resize(map_->variables.size());
        bool are_same = true;
        for (std::size_t v = 0; v < values_.size(); ++v) {
            const IndexInterval bounds = map_->variables[v].bounds;
            const IndexExpr value = bounds.is_point() ? map_->pool.constant(bounds.low) : map_->pool.variable(static_cast<int>(v));
            are_same = are_same && value == values_[v];
            values_[v] = value;
        }
        if (!are_same) copies_.clear();
        const std::size_t before = copies_.size();
        const IndexExpr out = map_->pool.substitute(map_->pool, e, values_, copies_);
        budget_->spend(values_.size() + (copies_.size() - before) / 8);
        return out;
    }

  private:
    static constexpr std::size_t most_terms = 64;

    [[nodiscard]] bool is_known(std::int32_t id) const
    {
        return static_cast<std::size_t>(id) < is_known_.size() && is_known_[static_cast<std::size_t>(id)];
    }
    void set(std::int32_t id, TilePolynomial p)
    {
        if (static_cast<std::size_t>(id) >= known_.size()) {
            known_.resize(static_cast<std::size_t>(id) + 1);
            is_known_.resize(static_cast<std::size_t>(id) + 1);
        }
        known_[static_cast<std::size_t>(id)] = std::move(p);
        is_known_[static_cast<std::size_t>(id)] = true;
    }
    static TilePolynomial atom(IndexExpr e)
    {
        TileProduct t;
        t.atoms.push_back(e.id);
        return {0, {t}};
    }

    TilePolynomial made(IndexExpr e, const IndexNode& n)
    {
        const auto of = [&](IndexExpr x) -> const TilePolynomial& { return known_[static_cast<std::size_t>(x.id)]; };
        TilePolynomial out;
        bool fits = true;
        budget_->spend(8);
        switch (n.op) {
        case IndexOp::constant: return {n.value, {}};
        case IndexOp::variable: return atom(e);
        case IndexOp::add: fits = sum(of(n.left), of(n.right), out); break;
        case IndexOp::mul: fits = product(of(n.left), of(n.right), most_terms, out); break;
        case IndexOp::floor_div: fits = n.value > 0 && quotient(of(n.left), n.value, out); break;
        case IndexOp::mod: fits = n.value > 0 && remainder(of(n.left), n.value, out); break;
        case IndexOp::min:
        case IndexOp::max:
        case IndexOp::floor_div_by:
        case IndexOp::mod_by: return atom(e);
        }
        budget_->spend(2 * out.terms.size());
        return fits && out.terms.size() <= most_terms ? out : atom(e);
    }

    /// ⌊p / n⌋: multiples of n in front, the rest divided by what it has in common with n.
    bool quotient(TilePolynomial p, std::int64_t n, TilePolynomial& out)
    {
        TilePolynomial front{floor_div(p.constant, n), {}}, rest{floor_remainder(p.constant, n), {}};
        for (const TileProduct& t : p.terms) {
            if (t.coefficient % n == 0)
                front.terms.push_back({t.atoms, t.coefficient / n});
            else
                rest.terms.push_back(t);
        }
        const std::int64_t g = rest.divisor(n);
        rest.divide(g);
        n /= g;
        const IndexInterval r = range(rest, bounds_, false);
        TilePolynomial last;
        if (floor_div(r.low, n) == floor_div(r.high, n))
            last.constant = floor_div(r.low, n);
        else
            last = divided(IndexOp::floor_div, rest, n);
        return sum(front, last, out);
    }
    /// p mod n: without multiples of n, and (g·h + c) mod g·m = g·(h mod m) + c for 0 ≤ c < g.
    bool remainder(TilePolynomial p, std::int64_t n, TilePolynomial& out)
    {
        TilePolynomial rest{floor_remainder(p.constant, n), {}};
        for (const TileProduct& t : p.terms)
            if (t.coefficient % n != 0) rest.terms.push_back({t.atoms, t.coefficient % n});
        const std::int64_t g = rest.divisor(n);
        const std::int64_t over = rest.constant % g;
        rest.divide(g);
        n /= g;
        const IndexInterval r = range(rest, bounds_, false);
        if (n == 1)
            rest = {};
        else if (const std::int64_t turns = floor_div(r.low, n); turns == floor_div(r.high, n))
            rest.constant -= turns * n;
        else
            rest = divided(IndexOp::mod, rest, n);
        for (TileProduct& t : rest.terms)
            if (!mul(t.coefficient, g, t.coefficient)) return false;
        out = rest;
        return mul(out.constant, g, out.constant) && add(out.constant, over, out.constant);
    }
    TilePolynomial divided(IndexOp op, const TilePolynomial& p, std::int64_t n)
    {
        if (n == 1) return p;
        const IndexExpr of = written(p);
        const IndexExpr e = map_->pool.make({op, of, {}, n});
        set(e.id, atom(e));
        return atom(e);
    }

    [[nodiscard]] bool is_size(std::int32_t atom) const
    {
        const IndexNode& n = map_->pool[{atom}];
        return n.op == IndexOp::variable && n.value < map_->dimensions && 3 * n.value / map_->dimensions == 1;
    }

    IndexInterval range(const TilePolynomial& p, const std::vector<IndexVariable>& bounds, bool is_shifted) const
    {
        IndexInterval out{p.constant, p.constant};
        for (const TileProduct& t : p.terms) {
            IndexInterval x{t.coefficient, t.coefficient};
            for (const std::int32_t a : t.atoms) {
                IndexInterval y = range_within(map_->pool, bounds, {a}, *budget_);
                if (is_shifted && is_size(a)) y = {y.low - 1, y.high - 1};
                x = product(x, y);
            }
            out = detail::sum(out, x);
        }
        return out;
    }

    IndexExpr written(const TilePolynomial& p, bool is_shifted)
    {
        IndexPool& pool = map_->pool;
        IndexExpr out = pool.constant(0);
        budget_->spend(8 * p.terms.size());
        // Nothing begins with a sign that need not.
        for (const bool is_positive : {true, false}) {
            for (const bool is_product : {false, true}) {
                for (const TileProduct& t : p.terms) {
                    if ((t.coefficient > 0) != is_positive || (t.atoms.size() > 1) != is_product) continue;
                    IndexExpr e = pool.constant(1);
                    for (const std::int32_t a : t.atoms)
                        e = pool.mul(e, is_shifted && is_size(a) ? pool.add(IndexExpr{a}, -1) : IndexExpr{a});
                    e = pool.mul(e, t.coefficient);
                    out = pool.is_constant(out, 0) ? e : pool.add(out, e);
                }
            }
            if ((p.constant > 0) == is_positive)
                out = pool.is_constant(out) ? pool.constant(p.constant) : pool.add(out, p.constant);
        }
        return out;
    }
    int weight(IndexExpr e)
    {
        for (std::int32_t id = static_cast<std::int32_t>(weights_.size()); id <= e.id; ++id) {
            int w = 1;
            for (const IndexExpr x : {map_->pool[{id}].left, map_->pool[{id}].right})
                if (x.id >= 0) w = std::min(w + weights_[static_cast<std::size_t>(x.id)], 1 << 20);
            weights_.push_back(w);
        }
        return weights_[static_cast<std::size_t>(e.id)];
    }

    IndexingMap* map_;
    std::vector<IndexVariable> bounds_;
    TileBudget* budget_;
    std::vector<TilePolynomial> known_{};
    std::vector<bool> is_known_{};
    std::vector<int> weights_{};
    std::vector<IndexExpr> shortest_{}; ///< for each expression, −1 where it is not known
    std::vector<IndexExpr> values_{},
        copies_{}; ///< what variables were replaced by the last time, and what was made of expressions
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
