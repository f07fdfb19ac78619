// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/common.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::max_common_layout;
using axe::cute::max_common_vector;

static_assert(max_common_vector("(4,8):(1,4)"_cute, "(4,8):(1,8)"_cute).value() == 4);

TEST_CASE("cute max_common_layout: where two layouts have 0, 1, 2, … at the same indices")
{
    CHECK(*max_common_layout("(4,8):(8,1)"_cute, "(4,8):(8,1)"_cute) == "(8,4):(4,1)"_cute);
    CHECK(*max_common_layout("(4,8):(8,1)"_cute, "(4,8):(1,4)"_cute) == "1:0"_cute);
    CHECK(*max_common_layout("(4,(2,4)):(2,(1,8))"_cute, "(4,(2,4)):(2,(1,64))"_cute) == "(2,4):(4,1)"_cute);
    CHECK(*max_common_vector("12:1"_cute, "(6,2):(1,8)"_cute) == 6);
    CHECK(*max_common_vector("2:1"_cute, "4:1"_cute) == 2); // CuTe runs on to 4
    CHECK(*max_common_vector("(4,2):(1,0)"_cute, "8:1"_cute) == 4);
    CHECK(*max_common_vector("8:1"_cute, "(4,2):(1,0)"_cute) == 4);
    CHECK(*max_common_vector("6:1"_cute, "(4,2):(1,5)"_cute) == 4);
    CHECK(*max_common_vector("(2,5):(1,2)"_cute, "(3,2):(1,3)"_cute) == 6);
    CHECK(max_common_vector("4:1"_cute, "4:1@0"_cute).code() == axe::errc::bad_argument);
    CHECK(max_common_layout(axe::cute::Layout{}, "4:1"_cute).code() == axe::errc::capacity);
}

static_assert(max_common_vector("(4,2):(1,0)"_cute, "8:1"_cute).value() == 4);
