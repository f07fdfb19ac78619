// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/count.hpp>
#include <axe/map/count_image.hpp>
#include <tests/laws/map_decide.hpp>

/// Numbers of points, against all points.
namespace {

using namespace laws;

constexpr Int far = Int{1} << 62;

TEST_CASE("count_points agrees with enumeration")
{
    Random r(8821);
    Int some = 0, none = 0;
    for (Int k = 0; k < cases(30000); ++k) {
        DecideKind kind;
        kind.variables = 4;
        kind.constraints = 3;
        kind.products = r.one_in(5);
        kind.results = 0;
        const axe::IndexingMap m = random_decided(r, kind);
        Int count = 0;
        every_value(m, [&](const Numbers&, const Numbers&) { ++count; });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::count_points(m).value() == count);
        ++(count > 0 ? some : none);
    }
    CHECK(some > 10);
    CHECK(none > 10);
}

TEST_CASE("count_image agrees with the set of all results")
{
    Random r(8824);
    Int fewer = 0, all = 0;
    for (Int k = 0; k < cases(20000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(8);
        kind.constraints = r.one_in(2) ? 0 : 2;
        kind.results = 3;
        kind.depth = static_cast<int>(r.in(1, 4));
        const axe::IndexingMap m = random_decided(r, kind);
        std::set<Numbers> image;
        Int points = 0;
        every_value(m, [&](const Numbers&, const Numbers& out) {
            ++points;
            image.insert(out);
        });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::count_image(m).value() == static_cast<Int>(image.size()));
        if (points > 1) ++(static_cast<Int>(image.size()) < points ? fewer : all);
    }
    CHECK(fewer > 10);
    CHECK(all > 10);
}

TEST_CASE("count_image of digits with strides, as layouts have them, is that of their table")
{
    Random r(8825);
    for (Int k = 0; k < cases(3000); ++k) {
        // x in digits, each with a stride, to one or two results
        axe::IndexingMap m = axe::IndexingMap::over({1});
        axe::IndexExpr sums[] = {m.pool.constant(r.in(-5, 5)), m.pool.constant(0)};
        Int inner = 1;
        for (Int i = r.in(1, 4); i > 0; --i) {
            const Int n = r.in(2, 5);
            const axe::IndexExpr digit = m.pool.mod(m.pool.floor_div(m.dimension(0), inner), n);
            axe::IndexExpr& sum = sums[r.one_in(3) ? 1 : 0];
            sum = m.pool.add(sum, m.pool.mul(digit, r.in(-12, 12)));
            inner *= n;
        }
        m.variables[0].bounds.high = inner - 1;
        m.results = {sums[0]};
        if (r.one_in(2)) m.results.push_back(sums[1]);
        std::set<Numbers> image;
        every_value(m, [&](const Numbers&, const Numbers& out) { image.insert(out); });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::count_image(m).value() == static_cast<Int>(image.size()));
    }
}

TEST_CASE("images of 2^40 and more points are counted by their digits")
{
    const Int big = Int{1} << 40;
    axe::IndexingMap m = axe::IndexingMap::over({32 * big, big});
    const axe::IndexExpr x = m.dimension(0);
    // three digits of x, one of which is left out; and y in steps of 3
    m.results = {m.pool.add(m.pool.mul(m.pool.mod(m.pool.floor_div(x, 4), 8), 16), m.pool.mod(x, 4)),
                 m.pool.mul(m.dimension(1), 3)};
    CHECK(axe::count_image(m).value() == 32 * big);
    // the quotient and the rest tell x
    m.results = {m.pool.floor_div(x, 8), m.pool.mod(x, 8)};
    CHECK(axe::count_image(m).value() == 32 * big);
    // strides that overlap: 0 … 32·2^40 − 1 + 3·(2^40 − 1), each
    m.results = {m.pool.add(x, m.pool.mul(m.dimension(1), 3))};
    CHECK(axe::count_image(m).value() == 35 * big - 3);
    m.results.clear();
    CHECK(axe::count_image(m).value() == 1);
    m.constraints.push_back({x, {0, 9}});
    m.results = {x, m.dimension(1)};
    CHECK(axe::count_image(m).value() == 10 * big);
    m.constraints.push_back({m.pool.mul(x, 2), {3, 3}});
    CHECK(axe::count_image(m).value() == 0);
}

TEST_CASE("images do not change with the size of the variables")
{
    Random r(8827);
    Int undecided = 0;
    for (Int k = 0; k < cases(800); ++k) {
        DecideKind kind;
        kind.results = 3;
        const axe::IndexingMap m = random_decided(r, kind);
        const Int count = axe::count_image(m).value();
        for (const Enlarging way : all_enlargings) {
            const axe::IndexingMap large = enlarged(m, way, Int{1} << 40, r.next());
            const auto got = axe::count_image(large);
            INFO(k << " " << axe::print(large));
            // What binds variables of several quotients is not counted in closed form, and rare.
            if (!got) REQUIRE(got.code() == axe::errc::too_hard);
            if (got) REQUIRE(*got == count);
            undecided += got ? 0 : 1;
        }
    }
    CHECK(100 * undecided < cases(800));
}

TEST_CASE("counts of polygons agree with enumeration, and move to the ends of the integer")
{
    Random r(8822);
    for (Int k = 0; k < cases(4000); ++k) {
        axe::IndexingMap m = axe::IndexingMap::over({r.in(1, 40), r.in(1, 40)});
        for (Int c = r.in(1, 4); c > 0; --c) {
            const axe::IndexExpr x = m.pool.mul(m.dimension(0), r.in(-7, 7));
            const axe::IndexExpr e = m.pool.add(x, m.pool.mul(m.dimension(1), r.in(-7, 7)));
            const Int low = r.in(-150, 100);
            m.constraints.push_back({e, {low, low + r.in(0, 150)}});
        }
        Int count = 0;
        every_value(m, [&](const Numbers&, const Numbers&) { ++count; });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::count_points(m).value() == count);
        REQUIRE(axe::count_points(moved(m, {far, -far})).value() == count);
    }
}

TEST_CASE("what repeats is counted once for all periods")
{
    Random r(8823);
    Int tried = 0;
    for (Int k = 0; k < cases(2000); ++k) {
        DecideKind kind;
        kind.divisor = 4;
        axe::IndexingMap m = axe::IndexingMap::over({1, 3});
        const Int modulus = r.in(2, 6), low = r.in(0, modulus - 1);
        const axe::IndexExpr e = m.pool.mod(random_form(r, m.pool, 2, 3, kind), modulus);
        m.constraints.push_back({e, {low, low + r.in(0, 2)}});
        const Int period = common_period(m.pool, e), times = (Int{1} << 40) + 1, rest = r.in(0, period - 1);
        if (period > 1000) continue;
        // The condition repeats with `period` in d0: the whole is `times` of one period and what is left.
        Int one = 0, more = 0;
        m.variables[0].bounds.high = period - 1;
        every_value(m, [&](const Numbers& p, const Numbers&) {
            ++one;
            more += p[0] < rest ? 1 : 0;
        });
        m.variables[0].bounds.high = period * times + rest - 1;
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::count_points(m).value() == one * times + more);
        ++tried;
    }
    CHECK(tried > 10);
}

TEST_CASE("counts at extents of 2^30 and 2^60 are those of their formulas")
{
    const Int big = Int{1} << 30;
    {
        // a triangle: 1 + 2 + … + n
        axe::IndexingMap m = axe::IndexingMap::over({Int{1} << 40, Int{1} << 40});
        m.constraints.push_back({m.pool.add(m.dimension(0), m.dimension(1)), {0, big - 1}});
        CHECK(axe::count_points(m).value() == big / 2 * (big + 1));
        // without its even diagonals: those with an odd sum 1, 3, … have 2, 4, … points
        m.constraints.push_back({m.pool.mod(m.pool.add(m.dimension(0), m.dimension(1)), 2), {1, 1}});
        CHECK(axe::count_points(m).value() == big / 2 * (big / 2 + 1));
    }
    {
        // a tetrahedron of 200: n(n+1)(n+2)/6
        axe::IndexingMap m = axe::IndexingMap::over({1000, 1000, 1000});
        m.constraints.push_back({m.pool.add(m.pool.add(m.dimension(0), m.dimension(1)), m.dimension(2)), {0, 199}});
        CHECK(axe::count_points(m).value() == 200 * 201 / 6 * 202);
    }
    {
        // every 2^30th of 2^60, and none beside them
        axe::IndexingMap m = axe::IndexingMap::over({big * big});
        m.constraints.push_back({m.pool.mod(m.dimension(0), big), {5, 5}});
        CHECK(axe::count_points(m).value() == big);
        m.constraints.push_back({m.pool.mod(m.dimension(0), big), {6, 7}});
        CHECK(axe::count_points(m).value() == 0);
    }
    {
        // rows of 128, as many as hold n and some more: the last one in part
        for (const Int n : {Int{60000}, (Int{1} << 50) + 17}) {
            axe::IndexingMap m = axe::IndexingMap::over({128, n});
            m.constraints.push_back({m.pool.add(m.dimension(0), m.pool.mul(m.dimension(1), 128)), {0, n - 1}});
            CHECK(axe::count_points(m).value() == n);
        }
    }
    {
        // three digits of an index below n
        const Int n = 123456789012345;
        axe::IndexingMap m = axe::IndexingMap::over({Int{1} << 40, 1000, 128});
        const axe::IndexExpr inner = m.pool.add(m.pool.mul(m.dimension(1), 128), m.dimension(2));
        m.constraints.push_back({m.pool.add(m.pool.mul(m.dimension(0), 128000), inner), {0, n - 1}});
        CHECK(axe::count_points(m).value() == n);
    }
}

TEST_CASE("counts grow with the variables")
{
    Random r(8826);
    const Int scale = Int{1} << 14;
    for (Int k = 0; k < cases(1000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(10);
        kind.results = 0;
        const axe::IndexingMap m = random_decided(r, kind);
        const Int count = axe::count_points(m).value();
        for (const Enlarging way : all_enlargings) {
            const axe::IndexingMap large = enlarged(m, way, scale, r.next());
            // `scale` for each variable; aslant, for the one that was added
            Int factor = way == Enlarging::aslant ? scale : 1;
            for (std::size_t j = 0; way != Enlarging::aslant && j < m.variables.size(); ++j) factor *= scale;
            INFO(k << " " << axe::print(large));
            REQUIRE(axe::count_points(large).value() == count * factor);
        }
    }
}

} // namespace
