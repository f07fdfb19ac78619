// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/coalesce.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::coalesce;
using axe::cute::filter;
using axe::cute::filter_zeros;

static_assert(coalesce("(2,(1,6)):(1,(6,2))"_cute).value() == "12:1"_cute);

TEST_CASE("cute coalesce: the fewest modes of a map")
{
    CHECK(*coalesce("(2,4,6):(1,6,2)"_cute) == "(2,4,6):(1,6,2)"_cute);
    CHECK(*coalesce("((2,2),(2,2)):((1,4),(8,32))"_cute) == "(2,4,2):(1,4,32)"_cute);
    CHECK(*coalesce("(4,2,2):(0,0,0)"_cute) == "16:0"_cute);
    CHECK(*coalesce("(1,1):(7,9)"_cute) == "1:0"_cute);
    CHECK(*coalesce("(4,4):(-4,-16)"_cute) == "16:-4"_cute);
    CHECK(*coalesce("(4,4):(1@0,4@0)"_cute) == "16:1@0"_cute);
    CHECK(*coalesce("(4,4):(1@0,4@1)"_cute) == "(4,4):(1@0,4@1)"_cute);
}

TEST_CASE("cute coalesce: mode by mode, and deeper, along a profile")
{
    const auto l = "((2,4),(3,(2,2))):((1,2),(8,(24,48)))"_cute;
    CHECK(*coalesce(l) == "96:1"_cute);
    CHECK(*coalesce(l, "(1,1):(0,0)"_cute) == "(8,12):(1,8)"_cute);
    CHECK(*coalesce(l, "(1,(1,1)):(0,(0,0))"_cute) == "(8,(3,4)):(1,(8,24))"_cute);
    CHECK(*coalesce(l, "(1):(0)"_cute) == "(8,(3,(2,2))):(1,(8,(24,48)))"_cute); // what the profile lacks stays
    const auto deeper = coalesce("(2,4):(1,2)"_cute, "((1,1),1):((0,0),0)"_cute);
    CHECK(deeper.code() == axe::errc::rank_mismatch);
    CHECK(std::string(deeper.error().message().c_str()) == "the profile has a tuple of 2 where the layout has 1 mode");
}

TEST_CASE("cute filter: without what moves nothing")
{
    CHECK(*filter_zeros("(4,(2,8)):(1,(0,4))"_cute) == "(4,(1,8)):(1,(0,4))"_cute);
    CHECK(*filter("(4,(2,8)):(1,(0,4))"_cute) == "32:1"_cute);
    CHECK(*filter("(4,2):(0,0)"_cute) == "1:0"_cute);
    CHECK(*filter("((4,2),(2,2)):((1,0),(0,8))"_cute, "(1,1):(0,0)"_cute) == "(4,2):(1,8)"_cute);
}

TEST_CASE("cute coalesce: what is not a layout is refused")
{
    axe::cute::Layout broken = "(4,2):(1,4)"_cute;
    broken.nodes[1].leaf.extent = 0;
    CHECK(coalesce(broken).code() == axe::errc::bad_extent);
    CHECK(filter(broken).code() == axe::errc::bad_extent);
    CHECK(filter_zeros(broken).code() == axe::errc::bad_extent);
    CHECK(coalesce("4:1"_cute, broken).code() == axe::errc::bad_extent);
    CHECK(coalesce(axe::cute::Layout{}).code() == axe::errc::capacity);
}
