// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_GRID_HPP
#define AXE_MAP_TILE_GRID_HPP

#include <axe/map/tile/conditions.hpp>
#include <axe/map/tile/grid_cases.hpp>

#include <functional>

namespace axe {
inline namespace v0 {
namespace detail {

/// Which sizes one case takes in a grid: conditions on sizes under which its conditions hold for every tile.
///
/// A tile's offset o is any multiple of its size z that is less than the extent n, and its stride is 1. A condition `P ≤ bound` holds
/// for all of them where it holds for the greatest P; that is found term by term, each way with what it supposes of the sizes.
class GridSearch {
  public:
    /// @param relations  of o, z, t for each dimension, the strides bound to 1; outlive the search
    GridSearch(TileRelations& relations, const TileCase& of, GridCases& out)
        : map_(relations.parameters()),
          pool_(map_.pool),
          dimensions_(map_.dimensions / 3),
          algebra_(relations.algebra()),
          relations_(relations),
          conditions_(relations),
          of_(of),
          divides_(static_cast<std::size_t>(dimensions_), 0),
          multiples_(static_cast<std::size_t>(dimensions_), 1),
          cases_(out)
    {
        condition(0);
    }

  private:
    static constexpr std::int64_t least = every_integer.low, most = every_integer.high;

    void condition(std::size_t i)
    {
        if (i == of_.conditions.size()) return keep();
        const IndexConstraint& c = of_.conditions[i];
        const TileRelation& r = relations_(algebra_.with_values(c.expression));
        const IndexInterval interval = TileRelations::of_terms(r, c.interval), range = relations_.range(r);
        if (r.terms.terms.empty() && !interval.contains(0)) return;
        TilePolynomial opposite = r.terms;
        for (TileProduct& t : opposite.terms) t.coefficient = -t.coefficient;
        const auto below = [&, i] { condition(i + 1); };
        const auto above = [&] {
            if (interval.low <= range.low) return below();
            at_most(opposite, -interval.low, below); // more than the least: it has an opposite
        };
        if (interval.high >= range.high) return above();
        at_most(r.terms, interval.high, above);
    }

    /// All ways in which p ≤ bound for every tile.
    template <class Next>
    void at_most(const TilePolynomial& p, std::int64_t bound, const Next& next)
    {
        if (conditions_.is_over(8 + 4 * p.terms.size())) return;
        const auto term = std::find_if(p.terms.begin(), p.terms.end(), [&](const TileProduct& t) { return has_offset(t); });
        const std::size_t before = conditions_.count();
        if (term == p.terms.end()) {
            if (conditions_.require(algebra_.written(p), {least, bound})) next();
            return conditions_.forget(before);
        }
        const TileProduct t = *term;
        TilePolynomial rest = p;
        rest.terms.erase(rest.terms.begin() + (term - p.terms.begin()));
        const Way way = [&](const TilePolynomial& instead) {
            TilePolynomial scaled, all;
            if (product(instead, {t.coefficient, {}}, 64, scaled) && sum(rest, scaled, all))
                at_most(all, bound, std::function<void()>(next));
        };
        const IndexExpr atom{*t.atoms.begin()};
        const IndexNode n = pool_[atom];
        if (t.atoms.size() == 1 && n.op == IndexOp::variable)
            offset(static_cast<int>(n.value), t.coefficient > 0, way);
        else if (t.atoms.size() == 1 && n.op == IndexOp::mod)
            remainder(n, t.coefficient > 0, way);
        else if (const IndexInterval r = algebra_.range({0, {{t.atoms, 1}}}, false); r.low > -most && r.high < most)
            way({t.coefficient > 0 ? r.high : r.low, {}});
        conditions_.forget(before);
    }
    using Way = std::function<void(const TilePolynomial&)>;

    /// The greatest offset of dimension d, or the least.
    void offset(int d, bool is_greatest, const Way& way)
    {
        if (!is_greatest) return way({});
        const std::int64_t n = extent(d);
        if (const IndexInterval z = bounds(d); z.is_point()) return way({floor_div(n - 1, z.low) * z.low, {}});
        if (with_divisor(d, n, [&] { way(polynomial(n, d, -1)); })) return;
        with_size(d, n, [&] { way({}); });
        way({n - 1, {}});
    }

    /// The greatest remainder of a sum of offsets, or the least.
    void remainder(const IndexNode& n, bool is_greatest, const Way& way)
    {
        const TilePolynomial of = algebra_(n.left);
        TilePolynomial others{of.constant, {}};
        std::vector<TileProduct> offsets;
        for (const TileProduct& t : of.terms) (has_offset(t) ? offsets : others.terms).push_back(t);
        bool are_variables = true;
        for (const TileProduct& t : offsets) are_variables = are_variables && t.atoms.size() == 1 && is_offset(*t.atoms.begin());
        if (are_variables) {
            // All offsets are multiples of the divisor.
            if (vanish(offsets, 0, n.value, -1, [&] { way(algebra_(pool_.mod(algebra_.written(others), n.value))); })) return;
            for (std::size_t i = 0; i < offsets.size() && others.terms.empty(); ++i)
                if (one_steps(offsets, i, n.value, floor_remainder(others.constant, n.value), is_greatest, way)) return;
        }
        way({is_greatest ? n.value - 1 : 0, {}});
    }
    /// The steps c·z of offset i divide n: the greatest remainder is n less one of them. True when that was known.
    bool one_steps(const std::vector<TileProduct>& offsets, std::size_t i, std::int64_t n, std::int64_t constant, bool is_greatest,
                   const Way& way)
    {
        const auto step = [&](std::size_t j) {
            return offsets[j].coefficient < 0 ? -offsets[j].coefficient : offsets[j].coefficient;
        };
        const std::int64_t c = step(i);
        const int d = dimension(*offsets[i].atoms.begin());
        // Where they divide the steps of the others, and the constant, too.
        std::int64_t all = std::gcd(n, constant);
        for (std::size_t j = 0; j < offsets.size(); ++j)
            if (j != i) all = std::gcd(all, step(j));
        const auto greatest = [&](std::int64_t over) { way(is_greatest ? polynomial(n + over, d, -c) : TilePolynomial{over, {}}); };
        if (all % c == 0 && with_divisor(d, all / c, [&] { greatest(0); })) return true;
        // Where the other offsets are multiples of n, and the constant is less than a step.
        bool was_known = false;
        const auto alone = [&] { was_known = with_divisor(d, n / c, [&] { greatest(constant); }); };
        return n % c == 0 && constant < c && vanish(offsets, 0, n, static_cast<int>(i), alone) && was_known;
    }
    /// All ways in which these offsets, but for one, are multiples of n, from the i-th on; true when they are without more conditions.
    bool vanish(const std::vector<TileProduct>& offsets, std::size_t i, std::int64_t n, int except,
                const std::function<void()>& next)
    {
        if (i == offsets.size()) {
            next();
            return true;
        }
        const auto rest = [&] { return vanish(offsets, i + 1, n, except, next); };
        if (static_cast<int>(i) == except) return rest();
        const int d = dimension(*offsets[i].atoms.begin());
        const std::int64_t of_size = n / std::gcd(n, offsets[i].coefficient);
        const IndexInterval z = bounds(d);
        std::int64_t& multiple = multiples_[static_cast<std::size_t>(d)];
        if (multiple % of_size == 0 || (z.is_point() && (z.low % of_size == 0 || z.low == extent(d)))) return rest();
        if (z.is_point()) return false;
        const std::int64_t kept = multiple;
        const std::size_t before = conditions_.count();
        if (of_size <= z.high && conditions_.require(pool_.mod(size(d), of_size), {0, 0})) {
            if (mul(of_size / std::gcd(of_size, kept), kept, multiple) && multiple <= z.high) rest();
        }
        multiple = kept;
        conditions_.forget(before);
        with_size(d, extent(d), rest);
        return false;
    }

    template <class Next>
    void with_size(int d, std::int64_t n, const Next& next)
    {
        const std::size_t before = conditions_.count();
        if (conditions_.require(size(d), {n, n})) next();
        conditions_.forget(before);
    }
    /// True when that the size divides n was known: no other way asks for less.
    template <class Next>
    bool with_divisor(int d, std::int64_t n, const Next& next)
    {
        std::int64_t& divides = divides_[static_cast<std::size_t>(d)];
        const std::int64_t kept = divides;
        divides = std::gcd(divides, n);
        const std::size_t before = conditions_.count();
        if (conditions_.require(size(d), {1, divides})) next();
        conditions_.forget(before);
        const bool was_known = divides == kept;
        divides = kept;
        return was_known;
    }

    /// constant + coefficient · the size of dimension d
    TilePolynomial polynomial(std::int64_t constant, int d, std::int64_t coefficient)
    {
        TilePolynomial out = algebra_(size(d));
        for (TileProduct& t : out.terms) t.coefficient = coefficient;
        out.constant = constant;
        return out;
    }
    IndexExpr size(int d) { return pool_.variable(dimensions_ + d); }
    [[nodiscard]] IndexInterval bounds(int d) const { return map_.variables[static_cast<std::size_t>(dimensions_ + d)].bounds; }
    [[nodiscard]] std::int64_t extent(int d) const { return map_.variables[static_cast<std::size_t>(d)].bounds.high + 1; }
    [[nodiscard]] bool is_offset(std::int32_t atom) const
    {
        return pool_[{atom}].op == IndexOp::variable && pool_[{atom}].value < dimensions_;
    }
    [[nodiscard]] int dimension(std::int32_t atom) const { return static_cast<int>(pool_[{atom}].value); }
    bool has_offset(const TileProduct& t)
    {
        return std::any_of(t.atoms.begin(), t.atoms.end(), [&](std::int32_t a) {
            if (pool_[{a}].op == IndexOp::variable) return is_offset(a);
            const TilePolynomial of = algebra_(pool_[{a}].left);
            return std::any_of(of.terms.begin(), of.terms.end(), [&](const TileProduct& x) { return has_offset(x); });
        });
    }

    void keep()
    {
        TileCase made{{}, {}, divides_};
        if (conditions_.take(made.conditions)) cases_.keep(made, of_.spans);
    }

    IndexingMap& map_;
    IndexPool& pool_;
    int dimensions_;
    TileAlgebra& algebra_;
    TileRelations& relations_;
    TileConditions conditions_;
    const TileCase& of_;
    std::vector<std::int64_t> divides_, multiples_; ///< what is supposed of each size: that it divides, and is a multiple of
    GridCases& cases_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
