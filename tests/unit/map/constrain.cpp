// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/constrain.hpp>
#include <axe/map/evaluate.hpp>

#include <catch.hpp>

TEST_CASE("constrain: a variable's interval is narrowed")
{
    auto m = axe::IndexingMap::over({10});
    axe::constrain(m, m.dimension(0), {3, 20});
    CHECK(m.variables[0].bounds == axe::IndexInterval{3, 9});
    CHECK(m.constraints.empty());
}

TEST_CASE("constrain: a constant inside says nothing, one outside empties the map")
{
    auto m = axe::IndexingMap::over({50});
    axe::constrain(m, m.pool.constant(12), {10, 15});
    CHECK(m.constraints.empty());
    CHECK_FALSE(m.has_empty_interval());
    axe::constrain(m, m.pool.constant(0), {10, 15});
    CHECK(m.has_empty_interval());
    CHECK(axe::contains(m, {0}).no());
}

TEST_CASE("constrain: an expression is constrained once")
{
    auto m = axe::IndexingMap::over({10, 10});
    const auto sum = m.pool.add(m.dimension(0), m.dimension(1));
    axe::constrain(m, sum, {2, 12});
    axe::constrain(m, m.pool.add(m.dimension(0), m.dimension(1)), {5, 20});
    REQUIRE(m.constraints.size() == 1);
    CHECK(m.constraints[0].interval == axe::IndexInterval{5, 12});
    axe::constrain(m, sum, {13, 14});
    CHECK(m.has_empty_interval());
}
