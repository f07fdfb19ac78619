// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/equal.hpp>
#include <tests/laws/map_decide.hpp>

/// Equality of maps, against all points of both boxes.
namespace {

using namespace laws;
using Difference = axe::MapDifference::Kind;

constexpr Int far = Int{1} << 62;

std::vector<axe::IndexInterval> both_boxes(const axe::IndexingMap& f, const axe::IndexingMap& g)
{
    std::vector<axe::IndexInterval> out;
    for (std::size_t j = 0; j < f.variables.size(); ++j) {
        const axe::IndexInterval x = f.variables[j].bounds, y = g.variables[j].bounds;
        out.push_back({std::min(x.low, y.low), std::max(x.high, y.high)});
    }
    return out;
}
bool differ(const axe::IndexingMap& f, const axe::IndexingMap& g, const Numbers& p)
{
    const bool x = axe::contains(f, p).yes(), y = axe::contains(g, p).yes();
    return x != y || (x && *axe::evaluate_anywhere(f, p) != *axe::evaluate_anywhere(g, p));
}
/// Does the verdict's point show what the verdict says?
bool is_shown(const axe::IndexingMap& f, const axe::IndexingMap& g, const axe::MapDifference& v)
{
    const bool x = axe::contains(f, v.point).yes(), y = axe::contains(g, v.point).yes();
    if (v.kind == Difference::first_only) return x && !y;
    if (v.kind == Difference::second_only) return y && !x;
    const auto i = static_cast<std::size_t>(v.result);
    return x && y && (*axe::evaluate_anywhere(f, v.point))[i] != (*axe::evaluate_anywhere(g, v.point))[i];
}

TEST_CASE("equal agrees with enumeration, and a no shows the first point that differs")
{
    Random r(8831);
    Int yes = 0, domains = 0, results = 0;
    for (Int k = 0; k < cases(20000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(5);
        kind.depth = 4;
        const axe::IndexingMap f = random_decided(r, kind), g = reworded(r, f);
        std::optional<Numbers> first;
        in_order(both_boxes(f, g), [&](const Numbers& p) {
            if (differ(f, g, p)) first = p;
            return !first;
        });
        INFO(k << " " << axe::print(f) << " vs " << axe::print(g));
        const auto verdict = axe::equal(f, g);
        REQUIRE(!verdict.undecided());
        REQUIRE(static_cast<bool>(verdict.yes()) == !first);
        if (!first) {
            ++yes;
            continue;
        }
        REQUIRE(verdict.witness().is_first);
        REQUIRE(verdict.witness().point == *first);
        REQUIRE(is_shown(f, g, verdict.witness()));
        ++(verdict.witness().kind == Difference::result ? results : domains);
    }
    CHECK(yes > 10);
    CHECK(domains > 10);
    CHECK(results > 10);
}

TEST_CASE("equality moves with the domain, to the ends of the integer")
{
    Random r(8832);
    for (Int k = 0; k < cases(2000); ++k) {
        const axe::IndexingMap f = random_decided(r, {}), g = reworded(r, f);
        Numbers by;
        for (std::size_t j = 0; j < f.variables.size(); ++j) by.push_back(r.one_in(2) ? far : -far);
        const auto here = axe::equal(f, g), there = axe::equal(moved(f, by), moved(g, by));
        INFO(k << " " << axe::print(f) << " vs " << axe::print(g));
        REQUIRE(!here.undecided());
        REQUIRE(!there.undecided());
        REQUIRE(here.witness().kind == there.witness().kind);
        for (std::size_t j = 0; here.no() && j < by.size(); ++j)
            REQUIRE(there.witness().point[j] == here.witness().point[j] + by[j]);
    }
}

TEST_CASE("on 2^60 points two expressions are equal when they are on two periods")
{
    // With a common period P, e(x + P) = e(x) + a and g(x + P) = g(x) + b: equal on the first two periods, they have a = b.
    Random r(8833);
    Int yes = 0, no = 0;
    for (Int k = 0; k < cases(3000); ++k) {
        DecideKind kind;
        kind.divisor = 4;
        axe::IndexingMap f = axe::IndexingMap::over({Int{1} << 60});
        axe::IndexingMap g = f;
        f.results = {random_form(r, f.pool, 1, 3, kind)};
        g.results = {reworded(r, g.pool, f.pool, f.results[0], 6)};
        const Int period = common_period(f.pool, f.results[0]) * common_period(g.pool, g.results[0]);
        if (period > 20000) continue;
        std::optional<Int> first;
        for (Int x = 0; x < 2 * period && !first; ++x)
            if (differ(f, g, {x})) first = x;
        const auto verdict = axe::equal(f, g);
        INFO(k << " " << axe::print(f) << " vs " << axe::print(g));
        REQUIRE(!verdict.undecided());
        REQUIRE(static_cast<bool>(verdict.yes()) == !first);
        if (first) REQUIRE(verdict.witness().point == Numbers{*first});
        ++(first ? no : yes);
    }
    CHECK(yes > 10);
    CHECK(no > 10);
}

/// The index in `from`, of the digits of `to`, both shapes of one size: what a reshape's map is, at any extents.
axe::IndexingMap reshape(const Numbers& to, const Numbers& from)
{
    axe::IndexingMap m = axe::IndexingMap::over(to);
    axe::IndexExpr index = m.pool.constant(0);
    for (std::size_t j = 0; j < to.size(); ++j) index = m.pool.add(m.pool.mul(index, to[j]), m.dimension(static_cast<int>(j)));
    Int inner = 1;
    for (const Int n : from) inner *= n;
    for (std::size_t j = 0; j < from.size(); ++j) {
        inner /= from[j];
        const axe::IndexExpr digit = m.pool.floor_div(index, inner);
        m.results.push_back(j == 0 ? digit : m.pool.mod(digit, from[j]));
    }
    return m;
}
/// The map after a reshape back and forth, written out without simplification.
axe::IndexingMap there_and_back(const Numbers& shape, const Numbers& between)
{
    const axe::IndexingMap in = reshape(shape, between), out = reshape(between, shape);
    axe::IndexingMap m = in;
    std::vector<axe::IndexExpr> copies;
    m.results.clear();
    for (const axe::IndexExpr e : out.results) m.results.push_back(m.pool.substitute(out.pool, e, in.results, copies));
    return m;
}

TEST_CASE("a reshape there and back is the identity, at any extents")
{
    Random r(8834);
    Int tried = 0;
    for (Int k = 0; k < cases(300); ++k) {
        // Two factorings of one size out of shuffled primes.
        Numbers primes;
        for (Int i = r.in(2, 12); i > 0; --i)
            primes.push_back(Numbers{2, 2, 2, 3, 5, 7, 11, 13}[static_cast<std::size_t>(r.in(0, 7))]);
        const auto shape = [&] {
            Numbers left = primes, out(1, 1);
            while (!left.empty()) {
                const auto at = r.in(0, static_cast<Int>(left.size()) - 1);
                out.back() *= left[static_cast<std::size_t>(at)];
                left.erase(left.begin() + at);
                if (r.one_in(2) && out.size() < 4) out.push_back(1);
            }
            return out;
        };
        const Numbers from = shape(), between = shape();
        axe::IndexingMap identity = axe::IndexingMap::over(from);
        for (std::size_t j = 0; j < from.size(); ++j) identity.results.push_back(identity.dimension(static_cast<int>(j)));
        const axe::IndexingMap m = there_and_back(from, between);
        INFO(k << " " << axe::print(m));
        const auto verdict = axe::equal(m, identity);
        REQUIRE(!verdict.undecided());
        REQUIRE(verdict.yes());
        ++tried;
    }
    CHECK(tried > 10);
}

TEST_CASE("equality does not change with the size of the variables")
{
    Random r(8835);
    Int yes = 0, no = 0;
    for (Int k = 0; k < cases(1000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(10);
        const axe::IndexingMap f = random_decided(r, kind), g = reworded(r, f);
        const bool is_same = static_cast<bool>(axe::equal(f, g).yes());
        for (const Enlarging way : all_enlargings) {
            // Remainders are of the extents: another box would be another map.
            if (way == Enlarging::remainders && f.variables != g.variables) continue;
            const std::uint64_t seed = r.next();
            const axe::IndexingMap x = enlarged(f, way, Int{1} << 40, seed), y = enlarged(g, way, Int{1} << 40, seed);
            INFO(k << " " << axe::print(x) << " vs " << axe::print(y));
            const auto verdict = axe::equal(x, y);
            REQUIRE(!verdict.undecided());
            REQUIRE(static_cast<bool>(verdict.yes()) == is_same);
            if (!is_same) REQUIRE(is_shown(x, y, verdict.witness()));
            ++(is_same ? yes : no);
        }
    }
    CHECK(yes > 10);
    CHECK(no > 10);
}

} // namespace
