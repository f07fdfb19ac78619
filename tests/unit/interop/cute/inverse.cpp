// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/inverse.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::left_inverse;
using axe::cute::right_inverse;

static_assert(left_inverse("(4,8):(8,1)"_cute).value() == "(8,4):(4,1)"_cute);
static_assert(right_inverse("(4,8):(8,1)"_cute).value() == "(8,4):(4,1)"_cute);

TEST_CASE("cute left_inverse: the index of each value")
{
    CHECK(*left_inverse("(4,2):(1,5)"_cute) == "(5,2):(1,4)"_cute);
    CHECK(*left_inverse("4:2"_cute) == "(2,4):(0,1)"_cute);
    CHECK(*left_inverse("(2,4,4,6):(4,1,0,8)"_cute) == "(4,2,6):(2,1,32)"_cute); // the mode of 4:0 stays at 0
    CHECK(*left_inverse("4:0"_cute) == "1:0"_cute);
    CHECK(*left_inverse("(128,64):(131072,2)"_cute) == "(2,65536,128):(0,128,1)"_cute);
}

TEST_CASE("cute left_inverse: strides that are no chain")
{
    const auto inverse = left_inverse("(2,2):(2,3)"_cute); // 0 2 3 5
    REQUIRE(inverse);
    for (int x = 0; x < 4; ++x) CHECK(evaluate(*inverse, evaluate("(2,2):(2,3)"_cute, x)) == x);
    CHECK(left_inverse("(2,2):(1,1)"_cute).code() == axe::errc::no_layout); // 1 twice
    CHECK(left_inverse("4:-1"_cute).code() == axe::errc::no_layout);
    CHECK(left_inverse("(2,2):(-4,1)"_cute).code() == axe::errc::no_layout);
    CHECK(left_inverse("(1000,7):(7,1000)"_cute).code() == axe::errc::too_hard);
    CHECK(left_inverse("4:1@0"_cute).code() == axe::errc::bad_argument);
    CHECK(left_inverse("(1000,1000,1000):(7,1001,0)"_cute).error());
}

TEST_CASE("cute right_inverse: the longest run of values found again")
{
    CHECK(*right_inverse("(8,4):(1,64)"_cute) == "8:1"_cute);
    CHECK(*right_inverse("4:2"_cute) == "1:0"_cute);
    CHECK(*right_inverse("(4,12):(0,1)"_cute) == "12:4"_cute);                 // Python gives 1:0
    CHECK(*right_inverse("(4,6,2,4):(1,7,2,16)"_cute) == "(3,2):(1,25)"_cute); // CuTe follows 1, 4 and stops at 4
    CHECK(*right_inverse("(4,2):(-1,4)"_cute) == "2:7"_cute);                  // 0 −1 −2 −3 4 3 2 1
    CHECK(right_inverse("4:1@0"_cute).code() == axe::errc::bad_argument);
    CHECK(right_inverse(axe::cute::Layout{}).code() == axe::errc::capacity);
}

TEST_CASE("cute left_inverse: as far as the integer goes")
{
    // Of extent 2 the last leaf would make the size 2^63; it runs on.
    const auto far = left_inverse("2:4611686018427387904"_cute);
    REQUIRE(far.has_value());
    CHECK(*far == "(4611686018427387904,1):(0,1)"_cute);
    CHECK(evaluate(*far, 0) == 0);
    CHECK(evaluate(*far, 4611686018427387904) == 1);
    const auto wide = left_inverse("(3,2):(2,4611686018427387904)"_cute);
    REQUIRE(wide.has_value());
    CHECK_FALSE(check(*wide));
    CHECK(evaluate(*wide, 4611686018427387904 + 4) == 5);
    CHECK(*left_inverse("9223372036854775807:1"_cute) == "9223372036854775807:1"_cute);
    CHECK(left_inverse("(1099511627776,2,2):(0,1,1125899906842624)"_cute).code() == axe::errc::overflow); // between the values
}
