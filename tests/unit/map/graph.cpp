// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/graph.hpp>
#include <axe/map/operations.hpp>

#include <catch.hpp>

TEST_CASE("graph: operations on values, with their shapes")
{
    axe::IndexGraph g;
    const auto x = g.parameter({4, 6});
    const auto y = g.add(axe::op::Transpose{{1, 0}}, {x});
    REQUIRE(y.has_value());
    CHECK(*y == axe::GraphValue{1, 0});
    CHECK(g.size() == 2);
    CHECK(g[0].is_parameter);
    CHECK(g[1].operation.name == "transpose");
    CHECK(g.shape(*y) == axe::IndexShape{6, 4});
    CHECK(g.operand(*y, 0) == x);
    // the same by a choice of operations
    const auto z = g.add(axe::IndexOperation(axe::op::Reshape{{24}}), {*y});
    REQUIRE(z.has_value());
    CHECK(g.shape(*z) == axe::IndexShape{24});
    // a copy goes its own way
    const axe::IndexGraph before = g;
    REQUIRE(g.add(axe::op::Reverse{{0}}, {*z}).has_value());
    CHECK(before.size() == 3);
    CHECK(g.size() == 4);
}

TEST_CASE("graph: several results of one operation")
{
    axe::IndexGraph g;
    const auto x = g.parameter({4, 6}), y = g.parameter({4, 6}), a = g.parameter({}), b = g.parameter({});
    const auto sums = g.add(axe::op::Reduce{{1}}, {x, y, a, b});
    REQUIRE(sums.has_value());
    const axe::GraphValue second{sums->node, 1};
    CHECK(g.has(second));
    CHECK_FALSE(g.has({sums->node, 2}));
    CHECK(g.shape(second) == axe::IndexShape{4});
    CHECK(g.add(axe::op::Reverse{{0}}, {second}).has_value());
}

TEST_CASE("graph: operands that do not exist, and what the operation refuses")
{
    axe::IndexGraph g;
    const auto x = g.parameter({4, 6});
    const auto gone = g.add(axe::op::Elementwise{"add"}, {x, {3, 1}});
    REQUIRE_FALSE(gone.has_value());
    CHECK(gone.code() == axe::errc::out_of_domain);
    CHECK(gone.error().position == 1);
    CHECK(std::string(gone.error().message().c_str()) == "operand 1 is result 1 of node 3, which does not exist");
    CHECK(g.add(axe::op::Reverse{{0}}, {{-1, 0}}).code() == axe::errc::out_of_domain);
    CHECK(g.add(axe::op::Reshape{{5, 5}}, {x}).code() == axe::errc::size_mismatch);
    CHECK(g.size() == 1);
}
