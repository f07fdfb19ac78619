// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/box.hpp>
#include <axe/map/count.hpp>
#include <axe/map/count_image.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/inverse.hpp>
#include <tests/laws/map_random.hpp>

/// Decisions about maps of many variables, of none, at the ends of the integer, by large primes, by negative numbers, of nothing.
namespace {

using namespace laws;

constexpr Int large = Int{1} << 60;
/// Primes, the greatest below 2^31 and the greatest below 2^61 among them.
constexpr Int primes[] = {2, 3, 31, 65537, 2147483647, 2305843009213693951};

axe::IndexingMap identity(const Numbers& shape)
{
    axe::IndexingMap m = axe::IndexingMap::over(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) m.results.push_back(m.dimension(static_cast<int>(d)));
    return m;
}
/// d0 as (d0 div k)·k + d0 mod k, for each dimension.
axe::IndexingMap pieced(const axe::IndexingMap& shape, const Numbers& divisors)
{
    axe::IndexingMap m = shape;
    m.results.clear();
    for (int d = 0; d < m.dimensions; ++d) {
        const Int k = divisors[static_cast<std::size_t>(d) % divisors.size()];
        const axe::IndexExpr x = m.dimension(d);
        const axe::IndexExpr whole = m.pool.mul(m.pool.floor_div(x, k), k);
        m.results.push_back(m.pool.add(whole, m.pool.mod(x, k)));
    }
    return m;
}

TEST_CASE("forty variables")
{
    Numbers shape(40, 2);
    shape[7] = 1;
    const axe::IndexingMap one = identity(shape), other = pieced(one, {2, -2, 3, -5});
    CHECK(axe::equal(one, other).yes());
    CHECK(axe::count_points(other).value() == Int{1} << 39);
    CHECK(axe::count_image(other).value() == Int{1} << 39);
    axe::IndexingMap wrong = other;
    wrong.results[39] = wrong.pool.mod(wrong.results[39], 1);
    const auto verdict = axe::equal(one, wrong);
    REQUIRE(!verdict.undecided());
    Numbers first(40);
    first[39] = 1;
    CHECK(verdict.witness().point == first);
    CHECK(verdict.witness().result == 39);
    // All digits of one index, and back.
    axe::IndexingMap index = axe::IndexingMap::over(shape);
    axe::IndexExpr sum = index.pool.constant(0);
    for (int d = 0; d < 40; ++d) sum = index.pool.add(index.pool.mul(sum, shape[static_cast<std::size_t>(d)]), index.dimension(d));
    index.results = {sum};
    CHECK(axe::count_image(index).value() == Int{1} << 39);
    CHECK(axe::image_box(index).value()[0] == axe::IndexInterval{0, (Int{1} << 39) - 1});
    const auto back = axe::inverse(index);
    REQUIRE(back.has_value());
    for (const Int at : {Int{0}, Int{1}, (Int{1} << 39) - 1, Int{123456789012}}) {
        const Numbers digits = *axe::evaluate(*back, {at});
        CHECK(*axe::evaluate(index, digits) == Numbers{at});
    }
    // A constraint that joins all forty: the sum of all is 2.
    axe::IndexExpr total = index.pool.constant(0);
    for (int d = 0; d < 40; ++d) total = index.pool.add(total, index.dimension(d));
    index.constraints.push_back({total, {2, 2}});
    CHECK(axe::count_points(index).value() == 39 * 38 / 2);
    CHECK(axe::find_point(index).value() == [&] {
        Numbers p(40);
        p[38] = p[39] = 1;
        return p;
    }());
}

TEST_CASE("no variables, no results, no points")
{
    const axe::IndexingMap nothing = identity({});
    CHECK(axe::equal(nothing, nothing).yes());
    CHECK(axe::count_points(nothing).value() == 1);
    CHECK(axe::count_image(nothing).value() == 1);
    CHECK(axe::is_empty(nothing).no());
    CHECK(axe::image_box(nothing).value().empty());
    CHECK(axe::inverse(nothing).value().results.empty());
    // Empty by an interval, and by what no number is.
    axe::IndexingMap empty = identity({large}), never = identity({large});
    empty.variables[0].bounds = {3, 2};
    never.constraints.push_back({never.pool.mod(never.pool.mul(never.dimension(0), 2), -6), {-5, -5}});
    for (const axe::IndexingMap* m : {&empty, &never}) {
        CHECK(axe::is_empty(*m).yes());
        CHECK(axe::count_points(*m).value() == 0);
        CHECK(axe::count_image(*m).value() == 0);
        CHECK(axe::image_box(*m).value()[0].is_empty());
        // An error where that is seen, and otherwise a map of no points.
        const auto back = axe::inverse(*m);
        CHECK((back ? axe::is_empty(*back).yes() : back.code() == axe::errc::bad_argument));
    }
    CHECK(axe::equal(empty, never).yes());
    CHECK(axe::equal(empty, identity({large})).witness().kind == axe::MapDifference::Kind::second_only);
    axe::IndexingMap broken = nothing;
    broken.constraints.push_back({broken.pool.constant(3), {4, 5}});
    CHECK(axe::count_points(broken).value() == 0);
    CHECK(axe::count_image(broken).value() == 0);
    CHECK(axe::inverse(broken).code() == axe::errc::bad_argument);
}

TEST_CASE("primes and their negatives as divisors, on 2^60 points")
{
    for (const Int p : primes)
        for (const Int k : {p, -p}) {
            const axe::IndexingMap one = identity({large}), other = pieced(one, {k});
            INFO(k);
            CHECK(axe::equal(one, other).yes());
            axe::IndexingMap m = one;
            m.results = {m.pool.floor_div(m.dimension(0), k), m.pool.mod(m.dimension(0), k)};
            CHECK(axe::count_image(m).value() == large);
            const auto back = axe::inverse(m);
            REQUIRE(back.has_value());
            for (const Int at : {Int{0}, Int{1}, large - 1, large / 3}) {
                const Numbers there = *axe::evaluate(m, {at});
                CHECK(*axe::evaluate(*back, there) == Numbers{at});
            }
            // Residue 1 (or 1 − p) is met by every p-th number from 1.
            m.constraints.push_back({m.results[1], {k < 0 ? 1 + k : 1, k < 0 ? 1 + k : 1}});
            CHECK(axe::count_points(m).value() == (large - 2) / p + 1);
            CHECK(axe::find_point(m).value() == Numbers{1});
            CHECK(axe::image_box(m).value()[1].is_point());
        }
}

TEST_CASE("the whole integer as an interval")
{
    axe::IndexingMap m = identity({1});
    m.variables[0].bounds = axe::every_integer;
    CHECK(axe::equal(m, pieced(m, {7})).yes());
    CHECK(axe::equal(m, pieced(m, {axe::every_integer.low})).yes());
    CHECK(axe::count_points(m).code() == axe::errc::overflow);
    CHECK(axe::count_image(m).code() == axe::errc::overflow);
    CHECK(axe::image_box(m).value()[0] == axe::every_integer);
    m.results = {m.pool.mod(m.dimension(0), 5)};
    CHECK(axe::count_image(m).value() == 5);
    CHECK(axe::inverse(m).code() == axe::errc::not_single_valued);
    m.results = {m.pool.floor_div(m.dimension(0), axe::every_integer.high)};
    CHECK(axe::count_image(m).value() == 4);
    // −2^63 has no negative: no box holds the image.
    m.results = {m.pool.mul(m.dimension(0), -1)};
    CHECK(axe::image_box(m).code() == axe::errc::overflow);
    axe::IndexingMap twice = m;
    twice.results = {twice.pool.mul(twice.pool.mul(twice.dimension(0), 3), axe::every_integer.high)};
    CHECK(axe::equal(m, twice).code() == axe::errc::overflow); // 2^63 times 3·(2^63 − 1)
}

} // namespace
