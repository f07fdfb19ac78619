// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/constrain.hpp>
#include <axe/map/evaluate.hpp>

#include <catch.hpp>

namespace {

/// (d0)[s0] -> (d0, s0), d0 in [0, dimension), s0 in [0, range)
axe::IndexingMap pair(std::int64_t dimension, std::int64_t range)
{
    auto m = axe::IndexingMap::over({dimension}, {range});
    m.results = {m.dimension(0), m.range(0)};
    return m;
}

axe::IndexVariable variable(axe::IndexInterval bounds, const char* name) { return {bounds, name, axe::IndexKind::none}; }

} // namespace

TEST_CASE("map compose: results become dimensions, variables their intervals")
{
    auto second = axe::IndexingMap::over({5, 6}, {7, 2});
    second.results = {second.dimension(1), second.dimension(0), second.range(1), second.range(0)};
    const auto c = axe::compose(pair(10, 8), second);
    REQUIRE(c.has_value());
    CHECK(c->dimensions == 1);
    CHECK(c->ranges == 3);
    CHECK(c->runtimes() == 0);
    // (d0)[s0, s1, s2] -> (s2, d0, s1, s0): the ranges of the second come first
    CHECK(c->variables[0].bounds == axe::IndexInterval{0, 4});
    CHECK(c->variables[1].bounds == axe::IndexInterval{0, 6});
    CHECK(c->variables[2].bounds == axe::IndexInterval{0, 1});
    CHECK(c->variables[3].bounds == axe::IndexInterval{0, 5});
    CHECK(c->constraints.empty());
    CHECK(*axe::evaluate(*c, {4, 6, 1, 5}) == std::vector<std::int64_t>{5, 4, 1, 6});
}

TEST_CASE("map compose: run-time variables, the second's before the first's")
{
    auto first = axe::IndexingMap::over({25, 16});
    first.variables.push_back(variable({0, 25}, "cs_0"));
    first.variables.push_back(variable({0, 16}, "cs_1"));
    first.results = {first.pool.add(first.dimension(0), first.pool.mul(first.runtime(0), 2)),
                     first.pool.add(first.dimension(1), first.pool.mul(first.runtime(1), 3))};
    auto second = axe::IndexingMap::over({25, 16});
    second.variables.push_back(variable({0, 2}, "ps_0"));
    second.variables.push_back(variable({0, 1}, "ps_1"));
    second.results = {second.pool.add(second.dimension(0), second.runtime(0)),
                      second.pool.add(second.dimension(1), second.pool.mul(second.runtime(1), 4))};
    const auto c = axe::compose(first, second);
    REQUIRE(c.has_value());
    CHECK(c->runtimes() == 4);
    CHECK(c->variables[2].name == "ps_0");
    CHECK(c->variables[3].name == "ps_1");
    CHECK(c->variables[4].name == "cs_0");
    CHECK(c->variables[5].name == "cs_1");
    // d0 + cs_0·2 in [0, 24], d1 + cs_1·3 in [0, 15]
    CHECK(c->constraints.size() == 2);
    CHECK(*axe::evaluate(*c, {4, 3, 1, 1, 10, 4}) == std::vector<std::int64_t>{25, 19});
    CHECK(axe::contains(*c, {5, 3, 1, 1, 10, 4}).no());
}

TEST_CASE("map compose: an interval that the result's range implies is not written down")
{
    auto first = axe::IndexingMap::over({32});
    first.results = {first.pool.floor_div(first.dimension(0), 8), first.pool.mod(first.dimension(0), 8)};
    auto wide = axe::IndexingMap::over({4, 8});
    wide.results = {wide.pool.add(wide.pool.mul(wide.dimension(0), 8), wide.dimension(1))};
    CHECK(axe::compose(first, wide)->constraints.empty());
    auto narrow = axe::IndexingMap::over({4, 7});
    narrow.results = {narrow.dimension(1)};
    const auto c = axe::compose(first, narrow);
    REQUIRE(c.has_value());
    REQUIRE(c->constraints.size() == 1);
    CHECK(axe::contains(*c, {7}).no());
    CHECK(axe::contains(*c, {6}).yes());
}

TEST_CASE("map compose: a constant outside the second's interval empties the map")
{
    auto first = axe::IndexingMap::over({4});
    first.results = {first.pool.constant(9)};
    auto second = axe::IndexingMap::over({9});
    second.results = {second.dimension(0)};
    const auto c = axe::compose(first, second);
    REQUIRE(c.has_value());
    CHECK(c->has_empty_interval());

    // What the second would be there is nothing: no quotient by 0, no overflow.
    const auto inverse_of = [](axe::IndexInterval bounds) {
        auto map = axe::IndexingMap::over({8});
        map.variables[0].bounds = bounds;
        map.results = {map.pool.floor_div(map.pool.constant(8), map.dimension(0))};
        return map;
    };
    first.results = {first.pool.constant(0)};
    const auto at_zero = axe::compose(first, inverse_of({2, 7}));
    REQUIRE(at_zero.has_value());
    CHECK(at_zero->has_empty_interval());
    CHECK(at_zero->results.size() == 1);
    const auto divided = axe::compose(first, inverse_of({0, 7}));
    REQUIRE_FALSE(divided.has_value());
    CHECK(divided.code() == axe::errc::bad_argument);

    auto square = axe::IndexingMap::over({9});
    square.results = {square.pool.mul(square.dimension(0), square.dimension(0))};
    first.results = {first.pool.constant(std::int64_t{1} << 40)};
    CHECK(axe::compose(first, square).value().has_empty_interval());

    // Nor what comes after a constraint that a number does not meet.
    auto constrained = inverse_of({0, 7});
    const auto number = constrained.pool.add(constrained.dimension(0), 1);
    axe::constrain(constrained, number, {5, 5});
    axe::constrain(constrained, constrained.pool.mod(constrained.pool.constant(3), constrained.dimension(0)), {0, 1});
    first.results = {first.pool.constant(0)};
    CHECK(axe::compose(first, constrained).value().has_empty_interval());
}

TEST_CASE("map compose: empty and undefined maps stay what they are")
{
    const auto undefined = axe::IndexingMap::undefined();
    CHECK(axe::compose(undefined, pair(4, 4))->is_undefined);
    CHECK(axe::compose(pair(4, 4), undefined)->is_undefined);

    auto second = axe::IndexingMap::over({4, 4});
    second.results = {second.dimension(0)};
    CHECK(axe::compose(pair(4, 0), second)->has_empty_interval());
    auto nowhere = second;
    nowhere.variables[1].bounds = {3, 2};
    CHECK(axe::compose(pair(4, 4), nowhere)->has_empty_interval());

    // An empty map says nothing of its rank: what follows is empty too.
    const auto c = axe::compose(pair(0, 4), axe::IndexingMap::over({4}));
    REQUIRE(c.has_value());
    CHECK(c->has_empty_interval());
    CHECK(c->dimensions == 1);
}

TEST_CASE("map compose: ranks that differ are an error")
{
    const auto c = axe::compose(pair(4, 4), axe::IndexingMap::over({4, 4, 4}));
    REQUIRE_FALSE(c.has_value());
    CHECK(c.code() == axe::errc::rank_mismatch);
    CHECK(std::string(c.error().message().c_str()) == "the first map has 2 results and the second 3 dimensions");
}

TEST_CASE("map compose: a number that overflows is an error")
{
    auto first = axe::IndexingMap::over({4});
    first.results = {first.pool.constant(std::int64_t{1} << 40)};
    axe::IndexingMap second;
    second.variables.push_back({axe::every_integer, {}, axe::IndexKind::none});
    second.dimensions = 1;
    second.results = {second.pool.mul(second.dimension(0), std::int64_t{1} << 40)};
    CHECK(axe::compose(first, second).code() == axe::errc::overflow);
}

TEST_CASE("map compose: a name stays with one variable")
{
    auto first = pair(4, 4);
    first.variables[1].name = "loop";
    auto second = axe::IndexingMap::over({4, 4}, {3, 3});
    second.variables[2].name = "loop";
    second.variables[3].name = "s0"; // which is the other's name by its place
    second.results = {second.range(0)};
    const auto c = axe::compose(first, second);
    REQUIRE(c.has_value());
    CHECK(c->variables[1].name == "loop");
    CHECK(c->variables[2].name.empty());
    CHECK(c->variables[3].name.empty());
}

TEST_CASE("map compose: what is shared stays shared")
{
    // x -> x + x, forty times: a tree of 2^40 leaves, a list of some hundred nodes.
    auto twice = axe::IndexingMap::over({1});
    twice.results = {twice.pool.add(twice.dimension(0), twice.dimension(0))};
    auto chain = twice;
    for (int i = 1; i < 40; ++i) {
        const auto longer = axe::compose(chain, twice);
        REQUIRE(longer.has_value());
        chain = *longer;
    }
    CHECK(chain.pool.size() < 50);
}
