// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <catch.hpp>

using axe::errc;
using axe::IndexExpr;
using axe::IndexingMap;
using Numbers = std::vector<std::int64_t>;

namespace {

/// (d0)[s0] -> (d0 * 2 + s0, d0 floordiv -3, s0 mod 2), domain: d0 in [0, 3], s0 in [0, 2], d0 * 2 + s0 in [0, 7]
IndexingMap window()
{
    IndexingMap map = IndexingMap::over({4}, {3});
    const IndexExpr place = map.pool.add(map.pool.mul(map.dimension(0), 2), map.range(0));
    map.results = {place, map.pool.floor_div(map.dimension(0), -3), map.pool.mod(map.range(0), 2)};
    map.constraints.push_back({place, {0, 7}});
    return map;
}

} // namespace

TEST_CASE("a map has its value on its domain")
{
    const IndexingMap map = window();
    CHECK(map.dimensions == 1);
    CHECK(map.first_range() == 1);
    CHECK(map.first_runtime() == 2);
    CHECK(map.runtimes() == 0);
    CHECK(axe::evaluate(map, {2, 1}).value() == Numbers{5, -1, 1});
    CHECK(axe::contains(map, {3, 1}).yes());
    CHECK(axe::contains(map, {3, 2}).no()); // the constraint
    CHECK(axe::contains(map, {4, 0}).no()); // the interval
    CHECK(axe::evaluate(map, {3, 2}).code() == errc::out_of_domain);
    CHECK(axe::evaluate_anywhere(map, {3, 2}).value() == Numbers{8, -1, 0});
}

TEST_CASE("a value for each variable, and values that fit")
{
    const IndexingMap map = window();
    for (const Numbers& values : {Numbers{}, Numbers{1}, Numbers{1, 2, 3}}) {
        CHECK(axe::contains(map, values).code() == errc::rank_mismatch);
        CHECK(axe::evaluate(map, values).code() == errc::rank_mismatch);
        CHECK(axe::evaluate_anywhere(map, values).code() == errc::rank_mismatch);
    }
    const auto result = axe::evaluate_anywhere(map, {INT64_MAX, 0});
    CHECK(result.code() == errc::overflow);
    CHECK(result.error().position == 0);

    IndexingMap large;
    large.variables.push_back({axe::every_integer, {}, axe::IndexKind::none});
    large.dimensions = 1;
    const IndexExpr x = large.dimension(0);
    large.results = {x, large.pool.floor_div(x, -1)};
    CHECK(axe::evaluate(large, {INT64_MAX}).value() == Numbers{INT64_MAX, -INT64_MAX});
    CHECK(axe::evaluate(large, {INT64_MIN}).error().position == 1);
    large.constraints = {{large.pool.mul(x, x), {0, 9}}};
    CHECK(axe::contains(large, {INT64_MAX}).code() == errc::overflow);
}

TEST_CASE("what overflows unseen does no harm")
{
    IndexingMap map = IndexingMap::over({4});
    const IndexExpr x = map.dimension(0);
    (void)map.pool.mul(map.pool.add(x, INT64_MAX), 3); // no result and no constraint has it
    map.results = {map.pool.add(x, 1)};
    CHECK(axe::evaluate(map, {3}).value() == Numbers{4});
}

TEST_CASE("maps without variables, results or points")
{
    IndexingMap map;
    CHECK(axe::evaluate(map, {}).value().empty());
    CHECK_FALSE(map.has_empty_interval());
    map.constraints.push_back({map.pool.constant(0), {1, 2}});
    CHECK(axe::evaluate(map, {}).code() == errc::out_of_domain);
    CHECK_FALSE(map.has_empty_interval()); // to see that is a decision
    map.constraints.push_back({map.pool.constant(0), {2, 1}});
    CHECK(map.has_empty_interval());
    CHECK(IndexingMap::over({0}).has_empty_interval());
    CHECK(IndexingMap::undefined().is_undefined);
}

TEST_CASE("evaluate: minimum, maximum and divisors that are expressions: where these are 0 there is no value")
{
    IndexingMap map = IndexingMap::over({10, 4});
    axe::IndexPool& pool = map.pool;
    const IndexExpr d0 = map.dimension(0), d1 = map.dimension(1), by = pool.add(d1, -2);
    map.results = {pool.min(d0, d1), pool.max(d0, d1), pool.floor_div(d0, by), pool.mod(d0, by)};
    CHECK(axe::evaluate(map, {7, 3}).value() == Numbers{3, 7, 7, 0});
    CHECK(axe::evaluate(map, {7, 0}).value() == Numbers{0, 7, -4, -1});
    const auto none = axe::evaluate(map, {7, 2});
    CHECK(none.code() == errc::bad_argument);
    CHECK(std::string(none.error().message().c_str()) == "result 2 is divided by 0");
    map.constraints.push_back({map.results[3], {0, 0}});
    CHECK(std::string(axe::contains(map, {7, 2}).error().message().c_str()) == "constraint 0 is divided by 0");
    // What is constant is folded, and one operand twice is itself.
    CHECK(pool.min(d0, d0) == d0);
    CHECK(pool.max(pool.constant(3), pool.constant(5)) == pool.constant(5));
    CHECK(pool.floor_div(d0, pool.constant(4)) == pool.floor_div(d0, 4));
}
