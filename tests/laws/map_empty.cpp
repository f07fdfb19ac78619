// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/empty.hpp>
#include <tests/laws/map_decide.hpp>

/// Emptiness, the first point and implied constraints, against all points.
namespace {

using namespace laws;

constexpr Int far = Int{1} << 62;

TEST_CASE("is_empty, find_point and is_always agree with enumeration")
{
    Random r(8801);
    Int empty = 0, points = 0, implied = 0, broken = 0;
    for (Int k = 0; k < cases(20000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(5);
        kind.constraints = 3;
        axe::IndexingMap m = random_decided(r, kind);
        const axe::IndexExpr asked = random_form(r, m.pool, static_cast<int>(m.variables.size()), 3, kind);
        const axe::IndexConstraint question{asked, {r.in(-30, 0), r.in(-1, 30)}};
        axe::IndexingMap with = m;
        with.results = {asked};
        std::optional<Numbers> first;
        bool always = true;
        in_order(box(m), [&](const Numbers& p) {
            if (axe::contains(m, p).no()) return true;
            if (!first) first = p;
            always = always && question.interval.contains((*axe::evaluate_anywhere(with, p))[0]);
            return true;
        });
        INFO(k << " " << axe::print(m));
        const auto found = axe::find_point(m);
        REQUIRE(found.has_value());
        REQUIRE(*found == first);
        REQUIRE(axe::is_empty(m).yes() == !first);
        REQUIRE(axe::is_always(m, question).yes() == always);
        ++(first ? points : empty);
        if (first) ++(always ? implied : broken);
    }
    CHECK(empty > 10);
    CHECK(points > 10);
    CHECK(implied > 10);
    CHECK(broken > 10);
}

TEST_CASE("the first point moves with the domain, to the ends of the integer")
{
    Random r(8802);
    for (Int k = 0; k < cases(1500); ++k) {
        const axe::IndexingMap m = random_decided(r, {});
        Numbers by;
        for (std::size_t j = 0; j < m.variables.size(); ++j) by.push_back(r.one_in(2) ? far : -far);
        const auto here = axe::find_point(m), there = axe::find_point(moved(m, by));
        INFO(k << " " << axe::print(m));
        REQUIRE(here.has_value());
        REQUIRE(there.has_value());
        REQUIRE(here->has_value() == there->has_value());
        for (std::size_t j = 0; *here && j < by.size(); ++j) REQUIRE((**there)[j] == (**here)[j] + by[j]);
    }
}

TEST_CASE("on 2^60 points the first one is that of the first two periods")
{
    // A condition on an expression that changes by a constant with each period, mod a number: it repeats.
    Random r(8803);
    Int points = 0;
    for (Int k = 0; k < cases(1500); ++k) {
        DecideKind kind;
        kind.divisor = 4;
        axe::IndexingMap m = axe::IndexingMap::over({Int{1} << 60});
        const axe::IndexExpr e = m.pool.mod(random_form(r, m.pool, 1, 3, kind), r.in(2, 5));
        const Int period = common_period(m.pool, e), low = r.in(0, 4);
        if (period > 2000) continue;
        m.constraints.push_back({e, {low, low + r.in(0, 1)}});
        axe::IndexingMap near = m;
        near.variables[0].bounds = {0, 2 * period - 1};
        std::optional<Numbers> first;
        in_order(box(near), [&](const Numbers& p) {
            if (axe::contains(near, p).yes()) first = p;
            return !first;
        });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::find_point(m).value() == first);
        REQUIRE(axe::is_empty(m).yes() == !first);
        points += first ? 1 : 0;
    }
    CHECK(points > 10);
}

TEST_CASE("emptiness does not change with the size of the variables")
{
    Random r(8804);
    for (Int k = 0; k < cases(1000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(10);
        kind.constraints = 3;
        const axe::IndexingMap m = random_decided(r, kind);
        const bool is_empty = axe::is_empty(m).yes();
        for (const Enlarging way : all_enlargings) {
            const axe::IndexingMap large = enlarged(m, way, Int{1} << 40, r.next());
            INFO(k << " " << axe::print(large));
            REQUIRE(axe::is_empty(large).yes() == is_empty);
            const auto point = axe::find_point(large).value();
            REQUIRE(point.has_value() == !is_empty);
            if (point) REQUIRE(axe::contains(large, *point).yes());
        }
    }
}

} // namespace
