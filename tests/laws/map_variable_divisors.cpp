// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/box.hpp>
#include <axe/map/compose.hpp>
#include <axe/map/count.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/presburger/normalize.hpp>
#include <axe/map/print.hpp>
#include <axe/map/range_of.hpp>
#include <axe/map/simplify.hpp>
#include <tests/laws/map_decide.hpp>

/// Minimum, maximum, and divisors that are expressions, against their definitions at all points.
namespace {

using namespace laws;

struct DivisorKind {
    int depth = 3;
    bool divides = true; ///< by expressions, too
};

/// An expression that is never 0 for variables in [−6, 6].
axe::IndexExpr nonzero(Random& r, axe::IndexPool& p, int variables)
{
    const axe::IndexExpr v = p.variable(static_cast<int>(r.in(0, variables - 1)));
    if (r.one_in(3)) // 0 where its floor is replaced by what it is in the domain, and the point is outside
        return p.add(p.mod(p.add(v, p.variable(static_cast<int>(r.in(0, variables - 1)))), r.in(2, 5)), r.one_in(2) ? 1 : -6);
    const axe::IndexExpr positive = r.one_in(2) ? p.add(v, r.in(7, 9)) : p.max(v, p.constant(r.in(1, 3)));
    return r.one_in(2) ? positive : p.mul(positive, -1);
}

axe::IndexExpr random_extremum(Random& r, axe::IndexPool& p, int variables, int depth, const DivisorKind& kind)
{
    if (depth == 0 || r.one_in(6)) {
        if (r.one_in(4)) return p.constant(r.in(-9, 9));
        return p.variable(static_cast<int>(r.in(0, variables - 1)));
    }
    const axe::IndexExpr x = random_extremum(r, p, variables, depth - 1, kind);
    switch (r.in(0, kind.divides ? 7 : 5)) {
    case 0: return p.add(x, random_extremum(r, p, variables, depth - 1, kind));
    case 1: return p.mul(x, r.in(-4, 4));
    case 2: return p.min(x, random_extremum(r, p, variables, depth - 1, kind));
    case 3: return p.max(x, random_extremum(r, p, variables, depth - 1, kind));
    case 4: return p.floor_div(x, r.one_in(3) ? r.in(-5, -1) : r.in(1, 5));
    case 5: return p.mod(x, r.one_in(3) ? r.in(-5, -1) : r.in(1, 5));
    case 6: return p.floor_div(x, nonzero(r, p, variables));
    default: return p.mod(x, nonzero(r, p, variables));
    }
}

axe::IndexingMap random_divided(Random& r, const DivisorKind& kind)
{
    axe::IndexingMap m;
    const int n = static_cast<int>(r.in(1, 3));
    m.dimensions = n;
    for (int j = 0; j < n; ++j) {
        const Int low = r.in(-6, 2);
        m.variables.push_back({{low, std::min<Int>(6, low + r.in(0, 7))}, {}, axe::IndexKind::none});
    }
    for (Int c = r.in(0, 2); c > 0; --c) {
        const Int low = r.in(-6, 4);
        m.constraints.push_back({random_extremum(r, m.pool, n, 2, kind), {low, low + r.in(0, 9)}});
    }
    for (Int i = r.in(1, 2); i > 0; --i) m.results.push_back(random_extremum(r, m.pool, n, kind.depth, kind));
    return m;
}

Int by_definition(const axe::IndexPool& pool, axe::IndexExpr e, const Numbers& at)
{
    const axe::IndexNode& n = pool[e];
    const auto x = [&] { return by_definition(pool, n.left, at); };
    const auto y = [&] { return by_definition(pool, n.right, at); };
    const auto floor = [](Int a, Int b) { return (a - ((a % b) + b) % b) / b; };
    switch (n.op) {
    case axe::IndexOp::constant: return n.value;
    case axe::IndexOp::variable: return at[static_cast<std::size_t>(n.value)];
    case axe::IndexOp::add: return x() + y();
    case axe::IndexOp::mul: return x() * y();
    case axe::IndexOp::floor_div: return floor(x(), n.value);
    case axe::IndexOp::mod: return x() - n.value * floor(x(), n.value);
    case axe::IndexOp::min: return std::min(x(), y());
    case axe::IndexOp::max: return std::max(x(), y());
    case axe::IndexOp::floor_div_by: return floor(x(), y());
    case axe::IndexOp::mod_by: return x() - y() * floor(x(), y());
    }
    return 0;
}

TEST_CASE("minimum, maximum and variable divisors: evaluated, printed and read")
{
    Random r(9901);
    for (Int k = 0; k < cases(3000); ++k) {
        const axe::IndexingMap m = random_divided(r, {});
        const std::string text = axe::print(m);
        INFO(k << " " << text);
        const auto again = axe::parse_map(text);
        REQUIRE(again.has_value());
        REQUIRE(axe::print(*again) == text);
        in_order(box(m), [&](const Numbers& p) {
            const auto values = axe::evaluate_anywhere(m, p), others = axe::evaluate_anywhere(*again, p);
            REQUIRE(values.has_value());
            for (std::size_t i = 0; i < m.results.size(); ++i) REQUIRE((*values)[i] == by_definition(m.pool, m.results[i], p));
            REQUIRE(*values == *others);
            return true;
        });
        for (const axe::IndexExpr e : m.results) {
            const axe::IndexInterval range = axe::range_of(m, e);
            in_order(box(m), [&](const Numbers& p) {
                REQUIRE(range.contains(by_definition(m.pool, e, p)));
                return true;
            });
        }
    }
}

TEST_CASE("minimum, maximum and variable divisors: simplified")
{
    Random r(9902);
    Int fewer = 0;
    for (Int k = 0; k < cases(3000); ++k) {
        const axe::IndexingMap m = random_divided(r, {});
        const axe::IndexingMap s = axe::simplify(m);
        INFO(k << " " << axe::print(m) << "\n" << axe::print(s));
        in_order(box(m), [&](const Numbers& p) {
            const bool inside = axe::contains(m, p).yes();
            REQUIRE(axe::contains(s, p).yes() == inside);
            if (inside) REQUIRE(axe::evaluate(m, p).value() == axe::evaluate(s, p).value());
            return true;
        });
        axe::IndexingMap afresh = s;
        afresh.simplified = {};
        REQUIRE(axe::print(axe::simplify(afresh)) == axe::print(s));
        fewer += axe::printed_nodes(s) < axe::printed_nodes(m);
    }
    CHECK(fewer > 10);
}

TEST_CASE("minimum, maximum and variable divisors: emptiness, bounds and counts are those of all points")
{
    Random r(9903);
    Int empty = 0, points = 0, open = 0;
    for (Int k = 0; k < cases(3000); ++k) {
        const axe::IndexingMap m = random_divided(r, {2, r.one_in(2)});
        std::optional<Numbers> first;
        Int count = 0;
        axe::IndexInterval range;
        in_order(box(m), [&](const Numbers& p) {
            if (!axe::contains(m, p).yes()) return true;
            if (!first) first = p;
            ++count;
            const Int x = by_definition(m.pool, m.results[0], p);
            range =
                range.is_empty() ? axe::IndexInterval{x, x} : axe::IndexInterval{std::min(range.low, x), std::max(range.high, x)};
            return true;
        });
        INFO(k << " " << axe::print(m));
        const auto found = axe::find_point(m);
        if (!found) { // a divisor may be 0 as far as intervals tell
            REQUIRE(found.error().code == axe::errc::too_hard);
            ++open;
            continue;
        }
        REQUIRE(*found == first);
        REQUIRE(axe::is_empty(m).yes() == !first);
        REQUIRE(axe::count_points(m).value() == count);
        REQUIRE(axe::bounds_of(m, m.results[0]).value() == range);
        ++(first ? points : empty);
    }
    CHECK(empty > 10);
    CHECK(points > 10);
    CHECK(open * 4 < cases(3000));
}

TEST_CASE("minimum and maximum are decided at extents of 2^40, by the order of their operands")
{
    const auto map = [](const char* f) {
        return axe::parse_map(std::string("(d0, d1) -> (") + f +
                              "), domain: d0 in [-1099511627776, 1099511627776], d1 in [0, 1099511627776]")
            .value();
    };
    CHECK(axe::equal(map("min(d0, d1)"), map("-max(-d0, -d1)")).yes());
    CHECK(axe::equal(map("min(d0, d1) + max(d0, d1)"), map("d0 + d1")).yes());
    CHECK(axe::equal(map("min(d0, d1, 7)"), map("min(7, min(d1, d0))")).yes());
    CHECK(axe::equal(map("max(d0 * 4 + 3, d1 * 4) floordiv 4"), map("max(d0, d1)")).yes());
    CHECK(axe::equal(map("min(d0, d1)"), map("min(d0, d1 + 1)")).no());
}

TEST_CASE("a part of a domain on which a divisor is 0 has no points")
{
    namespace d = axe::detail;
    d::BasicSet s(1, 1, true, 1);
    s.dim(0).last = 9;
    const int quotient = s.add_local(d::by_quotient); // ⌊u/0⌋
    s.row(quotient)[s.of_dim(0)] = 1;
    s.row(s.goal_row(0))[s.of_local(quotient)] = 1;
    d::normalize(s);
    CHECK(s.is_empty);
}

TEST_CASE("a variable divisor that is known becomes a number when maps are composed")
{
    const auto first = axe::parse_map("(d0) -> (d0, 4), domain: d0 in [0, 99]").value();
    const auto second = axe::parse_map("(d0, d1) -> (d0 floordiv d1, d0 mod d1), domain: d0 in [0, 99], d1 in [1, 9]").value();
    CHECK(axe::print(axe::compose(first, second).value()) == "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 99]");
}

} // namespace
