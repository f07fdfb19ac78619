// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_OBSCURED_HPP
#define AXE_TESTS_LAWS_MAP_OBSCURED_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/support/factor.hpp>
#include <tests/laws/map_chains.hpp>

/// Maps written in other ways: the same relation of dimensions to results, for every value of the run-time variables.
namespace laws {
using axe::IndexExpr;
using axe::IndexingMap;
using axe::IndexPool;

/// The map over other variables; replacement_of(pool, v) is what variable v is in them.
template <class F>
IndexingMap rewritten(const IndexingMap& m, std::vector<axe::IndexVariable> variables, int dims, int ranges, F&& replacement_of)
{
    IndexingMap n;
    n.variables = std::move(variables);
    n.dimensions = dims;
    n.ranges = ranges;
    std::vector<IndexExpr> replacement, copies;
    for (int v = 0; v < static_cast<int>(m.variables.size()); ++v) replacement.push_back(replacement_of(n.pool, v));
    for (const IndexExpr e : m.results) n.results.push_back(n.pool.substitute(m.pool, e, replacement, copies));
    for (const axe::IndexConstraint& c : m.constraints)
        n.constraints.push_back({n.pool.substitute(m.pool, c.expression, replacement, copies), c.interval});
    return n;
}
inline axe::IndexVariable over(Int low, Int high) { return {{low, high}, {}, axe::IndexKind::none}; }
inline IndexingMap with_range(const IndexingMap& m, Int low, Int high)
{
    auto vars = m.variables;
    vars.insert(vars.begin() + m.first_runtime(), over(low, high));
    return rewritten(m, vars, m.dimensions, m.ranges + 1,
                     [&](IndexPool& p, int v) { return p.variable(v < m.first_runtime() ? v : v + 1); });
}
inline Int pick_divisor(Random& r, Int n)
{
    Int d = 1;
    const auto f = [&](Int p) {
        if (r.one_in(2)) d *= p;
    };
    auto g = f;
    axe::detail::for_each_prime_factor(n, g);
    return d;
}
inline constexpr int obscurings = 15;

/// One step of a kind below `obscurings`.
inline IndexingMap obscured(Random& r, const IndexingMap& m, int kind)
{
    const int nv = static_cast<int>(m.variables.size());
    const auto bounds = [&](int v) { return m.variables[static_cast<std::size_t>(v)].bounds; };
    const auto extent = [&](int v) { return bounds(v).high - bounds(v).low + 1; };
    const auto empty = [&](int v) { return extent(v) < 1; }; // no digit counts its values, and no line goes through them
    const int range = m.ranges > 0 ? m.first_range() + static_cast<int>(r.in(0, m.ranges - 1)) : -1;
    const int dim = m.dimensions > 0 ? static_cast<int>(r.in(0, m.dimensions - 1)) : -1;
    const int any = nv > 0 ? static_cast<int>(r.in(0, nv - 1)) : -1;
    switch (kind) {
    case 0: { // results through a reshape and back
        IndexingMap n = m;
        for (IndexExpr& e : n.results) {
            const Int k = r.in(2, 9);
            e = n.pool.add(n.pool.mul(n.pool.floor_div(e, k), k), n.pool.mod(e, k));
        }
        return n;
    }
    case 1: { // dimensions through another shape and back
        if (m.dimensions == 0) return m;
        Int size = 1;
        for (int d = 0; d < m.dimensions; ++d) {
            if (empty(d)) return m;
            size *= extent(d);
        }
        const Int k = pick_divisor(r, size);
        return rewritten(m, m.variables, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            if (v >= m.dimensions) return p.variable(v);
            IndexExpr x = p.constant(0);
            for (int d = 0; d < m.dimensions; ++d) x = p.add(p.mul(x, extent(d)), p.add(p.variable(d), -bounds(d).low));
            x = p.add(p.mul(p.floor_div(x, k), k), p.mod(x, k));
            Int w = 1;
            for (int d = m.dimensions - 1; d > v; --d) w *= extent(d);
            x = p.floor_div(x, w);
            return p.add(v > 0 ? p.mod(x, extent(v)) : x, bounds(v).low);
        });
    }
    case 2: { // turned twice
        if (any < 0) return m;
        return rewritten(m, m.variables, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            return v != any ? p.variable(v) : p.add(p.mul(p.add(p.mul(p.variable(v), -1), 7), -1), 7);
        });
    }
    case 3: { // a range variable from the other end, and elsewhere
        if (range < 0) return m;
        const Int c = r.in(-5, 5);
        auto vars = m.variables;
        vars[static_cast<std::size_t>(range)].bounds = {c, c + extent(range) - 1};
        return rewritten(m, vars, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            return v != range ? p.variable(v) : p.add(p.mul(p.variable(v), -1), bounds(v).high + c);
        });
    }
    case 4: { // split, with or without a constraint
        if (range < 0 || extent(range) < 2) return m;
        const Int e = extent(range);
        const bool ragged = r.one_in(2);
        const Int k = ragged ? r.in(1, std::min<Int>(e, 7)) : pick_divisor(r, e);
        IndexingMap w = with_range(m, 0, k - 1);
        const int inner = m.first_runtime();
        auto vars = w.variables;
        vars[static_cast<std::size_t>(range)].bounds = {0, (e + k - 1) / k - 1};
        const IndexingMap n0 = rewritten(w, vars, w.dimensions, w.ranges, [&](IndexPool& p, int v) {
            return v != range ? p.variable(v) : p.add(p.add(p.mul(p.variable(v), k), p.variable(inner)), bounds(range).low);
        });
        IndexingMap n = n0;
        if (e % k != 0 || r.one_in(3))
            n.constraints.push_back({n.pool.add(n.pool.mul(n.variable(range), k), n.variable(inner)), {0, e - 1}});
        return n;
    }
    case 5: { // range variables that change nothing
        IndexingMap n = with_range(m, 0, r.in(1, 9));
        const int s = m.first_runtime();
        for (IndexExpr& e : n.results)
            if (r.one_in(2)) e = n.pool.add(e, n.pool.floor_div(n.variable(s), 10));
        if (r.one_in(2)) n.constraints.push_back({n.pool.mod(n.variable(s), 3), {0, 0}});
        return n;
    }
    case 6: { // more values than there are, modulo
        if (range < 0 || empty(range)) return m;
        const Int e = extent(range), low = r.in(-3, 3), more = r.one_in(2) ? e : r.in(0, std::min<Int>(e, 6));
        auto vars = m.variables;
        vars[static_cast<std::size_t>(range)].bounds = {low, low + e - 1 + more};
        return rewritten(m, vars, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            return v != range ? p.variable(v) : p.add(p.mod(p.variable(v), e), bounds(v).low);
        });
    }
    case 7: { // constraints that say nothing
        if (nv < 2) return m;
        IndexingMap n = m;
        const int other = (any + 1) % nv;
        const Int a = r.in(-3, 3), b = r.in(1, 3);
        const IndexExpr e = n.pool.add(n.pool.mul(n.variable(any), a), n.pool.mul(n.variable(other), b));
        const Int low = std::min(a * bounds(any).low, a * bounds(any).high) + b * bounds(other).low;
        const Int high = std::max(a * bounds(any).low, a * bounds(any).high) + b * bounds(other).high;
        if (r.one_in(2))
            n.constraints.push_back({e, {low - r.in(0, 2), high + r.in(0, 2)}});
        else
            n.constraints.push_back(
                {n.pool.floor_div(e, 4), {axe::detail::floor_div(low, Int{4}), axe::detail::floor_div(high, Int{4})}});
        return n;
    }
    case 8: { // a wider interval, cut by a constraint on the variable
        if (any < 0 || empty(any)) return m;
        IndexingMap n = m;
        const auto b = bounds(any);
        n.variables[static_cast<std::size_t>(any)].bounds = {b.low - r.in(0, 5), b.high + r.in(0, 5)};
        const Int k = r.one_in(2) ? 2 : -3;
        n.constraints.push_back({n.pool.add(n.pool.mul(n.variable(any), k), 1),
                                 {std::min(k * b.low, k * b.high) + 1, std::max(k * b.low, k * b.high) + 1}});
        return n;
    }
    case 9: { // … and on two
        if (any < 0) return m;
        const Int k = r.in(2, 5);
        IndexingMap n = with_range(m, 0, k - 1);
        const int at = any < m.first_runtime() ? any : any + 1;
        const auto b = bounds(any);
        n.variables[static_cast<std::size_t>(at)].bounds = {b.low - r.in(0, 5), b.high + r.in(0, 5)};
        n.constraints.push_back(
            {n.pool.add(n.pool.mul(n.variable(at), k), n.variable(m.first_runtime())), {k * b.low, k * b.high + k - 1}});
        return n;
    }
    case 10: { // each index goes through the set from elsewhere
        if (range < 0 || dim < 0 || empty(range)) return m;
        const Int e = extent(range);
        auto vars = m.variables;
        vars[static_cast<std::size_t>(range)].bounds = {0, e - 1};
        const Int k = r.in(-2, 3);
        return rewritten(m, vars, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            return v != range ? p.variable(v) : p.add(p.mod(p.add(p.variable(v), p.mul(p.variable(dim), k)), e), bounds(v).low);
        });
    }
    case 11: { // a name for a sum
        if (any < 0) return m;
        const int other = (any + 1) % nv;
        const Int a = r.in(1, 3), b = any == other ? 0 : r.in(-2, 2);
        const Int low = a * bounds(any).low + std::min(b * bounds(other).low, b * bounds(other).high);
        const Int high = a * bounds(any).high + std::max(b * bounds(other).low, b * bounds(other).high);
        IndexingMap w = with_range(m, low - 1, high);
        const int t = m.first_runtime();
        const auto now = [&](int v) { return v < t ? v : v + 1; };
        IndexingMap n = w;
        if (a == 1)
            n = rewritten(w, w.variables, w.dimensions, w.ranges, [&](IndexPool& p, int v) {
                return v != now(any) ? p.variable(v) : p.add(p.variable(t), p.mul(p.variable(now(other)), -b));
            });
        IndexExpr e = n.pool.add(n.pool.mul(n.variable(now(any)), a), n.pool.mul(n.variable(now(other)), b));
        n.constraints.push_back({n.pool.add(n.variable(t), n.pool.mul(e, -1)), {0, 0}});
        return n;
    }
    case 12: { // every k-th value
        if (range < 0) return m;
        const Int k = r.in(2, 4), c = r.in(0, k - 1);
        auto vars = m.variables;
        vars[static_cast<std::size_t>(range)].bounds = {bounds(range).low * k + c - r.in(0, k - 1),
                                                        bounds(range).high * k + c + r.in(0, k - 1)};
        IndexingMap n = rewritten(m, vars, m.dimensions, m.ranges,
                                  [&](IndexPool& p, int v) { return v != range ? p.variable(v) : p.floor_div(p.variable(v), k); });
        n.constraints.push_back({n.pool.mod(n.variable(range), k), {c, c}});
        return n;
    }
    case 13: { // a dimension from elsewhere
        if (dim < 0) return m;
        const Int c = r.in(-9, 9);
        auto vars = m.variables;
        vars[static_cast<std::size_t>(dim)].bounds = {bounds(dim).low + c, bounds(dim).high + c};
        return rewritten(m, vars, m.dimensions, m.ranges,
                         [&](IndexPool& p, int v) { return v != dim ? p.variable(v) : p.add(p.variable(v), -c); });
    }
    default: { // run-time variables that only turn a set, or do nothing
        auto vars = m.variables;
        vars.push_back(over(0, 3));
        const bool turns = range >= 0 && !empty(range) && r.one_in(2);
        return rewritten(m, vars, m.dimensions, m.ranges, [&](IndexPool& p, int v) {
            if (!turns || v != range) return p.variable(v);
            return p.add(p.mod(p.add(p.add(p.variable(v), -bounds(v).low), p.variable(nv)), extent(v)), bounds(v).low);
        });
    }
    }
}

} // namespace laws

#endif
