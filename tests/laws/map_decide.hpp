// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_DECIDE_HPP
#define AXE_TESTS_LAWS_MAP_DECIDE_HPP

#include <tests/laws/map_random.hpp>

#include <cmath>
#include <functional>
#include <optional>

/// Maps for the laws about decisions: with products, on intervals of any place, and written a second time in other words.
namespace laws {

struct DecideKind {
    int variables = 3;
    Int volume = 600; ///< points of the box, about
    int constraints = 2, results = 2, depth = 3;
    bool products = false;
    Int divisor = 7;
};

inline axe::IndexExpr random_form(Random& r, axe::IndexPool& p, int variables, int depth, const DecideKind& kind)
{
    if (depth == 0 || r.one_in(6)) {
        if (variables == 0 || r.one_in(5)) return p.constant(r.in(-9, 9));
        return p.variable(static_cast<int>(r.in(0, variables - 1)));
    }
    const axe::IndexExpr x = random_form(r, p, variables, depth - 1, kind);
    const auto divisor = [&] { return r.in(1, kind.divisor) * (r.one_in(3) ? -1 : 1); };
    switch (r.in(0, kind.products ? 5 : 4)) {
    case 0:
    case 1: return p.add(x, random_form(r, p, variables, depth - 1, kind));
    case 2: return p.mul(x, r.in(-5, 5));
    case 3: return p.floor_div(x, divisor());
    case 4: return p.mod(x, divisor());
    default: return p.mul(x, random_form(r, p, variables, depth - 1, kind));
    }
}

inline axe::IndexingMap random_decided(Random& r, const DecideKind& kind)
{
    axe::IndexingMap m;
    const int n = static_cast<int>(r.in(0, kind.variables));
    Int extent = 1;
    while (n > 0 && std::pow(static_cast<double>(extent + 1), n) <= static_cast<double>(kind.volume)) ++extent;
    m.dimensions = static_cast<int>(r.in(0, n));
    m.ranges = static_cast<int>(r.in(0, n - m.dimensions));
    for (int j = 0; j < n; ++j) {
        const Int low = r.in(-12, 12);
        m.variables.push_back({{low, low + r.in(r.one_in(40) ? -1 : 0, extent - 1)}, {}, axe::IndexKind::none});
    }
    for (Int c = r.in(0, kind.constraints); c > 0; --c) {
        const axe::IndexExpr e = random_form(r, m.pool, n, static_cast<int>(r.in(1, 3)), kind);
        const Int low = r.in(-12, 8);
        m.constraints.push_back({e, {low, low + r.in(-1, 18)}});
    }
    for (Int i = r.in(0, kind.results); i > 0; --i) m.results.push_back(random_form(r, m.pool, n, kind.depth, kind));
    return m;
}

/// The expression in other words: x as (x div k)·k + x mod k, quotients of multiples, mods as differences. Once in `slip` constants
/// it says something else.
inline axe::IndexExpr reworded(Random& r, axe::IndexPool& q, const axe::IndexPool& p, axe::IndexExpr e, Int slip)
{
    const axe::IndexNode n = p[e];
    if (n.op == axe::IndexOp::constant) return q.constant(n.value + (r.one_in(slip) ? 1 : 0));
    if (n.op == axe::IndexOp::variable) {
        const axe::IndexExpr v = q.variable(static_cast<int>(n.value));
        if (!r.one_in(6)) return v;
        const Int k = r.in(2, 5);
        return q.add(q.mul(q.floor_div(v, k), k), q.mod(v, k));
    }
    const axe::IndexExpr x = reworded(r, q, p, n.left, slip);
    const Int way = r.in(0, 2), k = r.in(2, 4);
    switch (n.op) {
    case axe::IndexOp::add: {
        const axe::IndexExpr y = reworded(r, q, p, n.right, slip);
        return way == 0 ? q.add(y, x) : q.add(x, y);
    }
    case axe::IndexOp::mul: {
        const axe::IndexExpr y = reworded(r, q, p, n.right, slip);
        return way == 0 ? q.mul(y, x) : q.mul(x, y);
    }
    case axe::IndexOp::floor_div:
        if (way == 0) return q.floor_div(q.floor_div(q.mul(x, k), n.value), k);
        if (way == 1) return q.floor_div(q.sub(x, q.mod(x, n.value)), n.value);
        return q.floor_div(x, n.value);
    default:
        if (way == 0) return q.sub(x, q.mul(q.floor_div(x, n.value), n.value));
        if (way == 1) return q.mod(q.add(x, n.value * (k - 3)), n.value);
        return q.mod(x, n.value);
    }
}

/// A second map that is, mostly, the same one; or misses by a bound, a constraint or a result.
inline axe::IndexingMap reworded(Random& r, const axe::IndexingMap& m)
{
    axe::IndexingMap out;
    out.dimensions = m.dimensions;
    out.ranges = m.ranges;
    out.variables = m.variables;
    if (!m.variables.empty() && r.one_in(15)) out.variables[0].bounds.high += r.in(-1, 1);
    for (const axe::IndexConstraint& c : m.constraints) {
        if (r.one_in(20)) continue;
        const axe::IndexExpr e = reworded(r, out.pool, m.pool, c.expression, 100);
        out.constraints.push_back({e, {c.interval.low - (r.one_in(20) ? 1 : 0), c.interval.high}});
    }
    const int n = static_cast<int>(m.variables.size());
    if (r.one_in(20)) {
        const axe::IndexExpr e = random_form(r, out.pool, n, 2, {});
        out.constraints.push_back({e, {-20, 20}});
    }
    for (const axe::IndexExpr e : m.results)
        out.results.push_back(r.one_in(30) ? random_form(r, out.pool, n, 3, {}) : reworded(r, out.pool, m.pool, e, 60));
    return out;
}

/// Calls `see` with every point of a box in lexicographic order, until it says no.
template <class See>
void in_order(const std::vector<axe::IndexInterval>& intervals, See see)
{
    Numbers point;
    for (const axe::IndexInterval& i : intervals) {
        if (i.is_empty()) return;
        point.push_back(i.low);
    }
    while (see(static_cast<const Numbers&>(point))) {
        std::size_t j = point.size();
        while (j > 0 && point[j - 1] == intervals[j - 1].high) {
            point[j - 1] = intervals[j - 1].low;
            --j;
        }
        if (j == 0) return;
        ++point[j - 1];
    }
}

/// The map with its variables moved by the numbers: m(x − by) on the domain moved by them.
inline axe::IndexingMap moved(const axe::IndexingMap& m, const Numbers& by)
{
    axe::IndexingMap out;
    out.dimensions = m.dimensions;
    out.ranges = m.ranges;
    std::vector<axe::IndexExpr> old, copies;
    for (std::size_t j = 0; j < by.size(); ++j) {
        const auto [low, high] = m.variables[j].bounds;
        out.variables.push_back({{low + by[j], high + by[j]}, {}, axe::IndexKind::none});
        old.push_back(out.pool.add(out.pool.variable(static_cast<int>(j)), -by[j]));
    }
    for (const axe::IndexConstraint& c : m.constraints) {
        const axe::IndexExpr e = out.pool.substitute(m.pool, c.expression, old, copies);
        out.constraints.push_back({e, c.interval});
    }
    for (const axe::IndexExpr e : m.results) out.results.push_back(out.pool.substitute(m.pool, e, old, copies));
    return out;
}

/// Ways to put a map on larger variables V, so that decisions on it stay what they are.
enum class Enlarging : std::uint8_t {
    quotients,  ///< x_j = ⌊V_j / scale⌋
    remainders, ///< x_j = low_j + V_j mod extent_j
    aslant,     ///< x_j = V_j + a_j·W with one W in [0, scale) more, a run-time variable: the domain lies aslant in a wide box
};
inline axe::IndexingMap enlarged(const axe::IndexingMap& m, Enlarging way, Int scale, std::uint64_t seed)
{
    Random r(seed);
    axe::IndexingMap out;
    out.dimensions = m.dimensions;
    out.ranges = m.ranges;
    std::vector<axe::IndexExpr> old, copies;
    const int n = static_cast<int>(m.variables.size());
    for (int j = 0; j < n; ++j) {
        const auto [low, high] = m.variables[static_cast<std::size_t>(j)].bounds;
        const axe::IndexExpr v = out.pool.variable(j);
        axe::IndexInterval bounds{low - 5 * scale, high + 5 * scale};
        if (way == Enlarging::quotients) bounds = {low * scale, high * scale + scale - 1};
        if (way == Enlarging::remainders) bounds = {0, (high - low + 1) * scale - 1};
        out.variables.push_back({bounds, {}, axe::IndexKind::none});
        if (way == Enlarging::quotients) old.push_back(out.pool.floor_div(v, scale));
        if (way == Enlarging::remainders) old.push_back(out.pool.add(out.pool.mod(v, std::max<Int>(1, high - low + 1)), low));
        if (way != Enlarging::aslant) continue;
        old.push_back(out.pool.add(v, out.pool.mul(out.pool.variable(n), r.in(-5, 5))));
        out.constraints.push_back({old.back(), {low, high}});
    }
    if (way == Enlarging::aslant) out.variables.push_back({{0, scale - 1}, {}, axe::IndexKind::none});
    for (const axe::IndexConstraint& c : m.constraints) {
        const axe::IndexExpr e = out.pool.substitute(m.pool, c.expression, old, copies);
        out.constraints.push_back({e, c.interval});
    }
    for (const axe::IndexExpr e : m.results) out.results.push_back(out.pool.substitute(m.pool, e, old, copies));
    return out;
}
inline constexpr Enlarging all_enlargings[] = {Enlarging::quotients, Enlarging::remainders, Enlarging::aslant};

/// The product of all divisors in an expression: with u + that, it changes by a constant.
inline Int common_period(const axe::IndexPool& p, axe::IndexExpr e)
{
    const axe::IndexNode n = p[e];
    if (n.op == axe::IndexOp::constant || n.op == axe::IndexOp::variable) return 1;
    const Int own = n.op == axe::IndexOp::floor_div || n.op == axe::IndexOp::mod ? std::abs(n.value) : 1;
    return own * common_period(p, n.left) * (n.right.id < 0 ? 1 : common_period(p, n.right));
}

} // namespace laws

#endif
