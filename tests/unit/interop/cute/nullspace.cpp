// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/nullspace.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::nullspace;

static_assert(nullspace("(7,5,16):(3,1,0)"_cute).value() == "16:35"_cute);

TEST_CASE("cute nullspace: the indices of what moves nothing")
{
    CHECK(*nullspace("(7,5,16):(0,0,0)"_cute) == "(7,5,16):(1,7,35)"_cute);
    CHECK(*nullspace("((4,1),(2,8)):((1,0),(0,4))"_cute) == "2:4"_cute);
    CHECK(*nullspace("(4,8):(1,4)"_cute) == "1:0"_cute);
    CHECK(*nullspace("(2,2):(1,-1)"_cute) == "1:0"_cute);
    CHECK(nullspace(axe::cute::Layout{}).code() == axe::errc::capacity);
}
