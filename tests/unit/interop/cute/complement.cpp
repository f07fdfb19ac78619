// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::complement;

static_assert(complement("4:1"_cute, 24).value() == "6:4"_cute);

TEST_CASE("cute complement: what fills the gaps, rounded up")
{
    CHECK(*complement("6:4"_cute, 24) == "4:1"_cute);
    CHECK(*complement("(2,4):(1,6)"_cute, 24) == "3:2"_cute);
    CHECK(*complement("(2,2):(1,6)"_cute, 24) == "(3,2):(2,12)"_cute);
    CHECK(*complement("4:2"_cute, 15) == "(2,2):(1,8)"_cute); // 16
    CHECK(*complement("(4,2):(1,0)"_cute, 8) == "2:4"_cute);
    CHECK(*complement("4:0"_cute, 5) == "5:1"_cute);
    CHECK(*complement("(2,4):(1,4)"_cute) == "2:2"_cute);
    CHECK(*complement("4:1"_cute, 2) == "1:0"_cute);
    CHECK(*complement("(4,10):(1,10)"_cute, 94) == "2:4"_cute); // 8 and 9 are reached by nothing
}

TEST_CASE("cute complement: none and errors")
{
    const auto within = complement("(4,(8,2)):(1,(8,2))"_cute, 24); // CuTe: an extent of 0
    CHECK(within.code() == axe::errc::no_layout);
    CHECK(std::string(within.error().sentence().c_str()) ==
          "stride 2 begins within the 4 values of the smaller strides: the modes interleave");
    CHECK(complement("4:-1"_cute, 8).code() == axe::errc::no_layout);
    CHECK(complement("(2,2):(4611686018427387904,1)"_cute, 8).has_value());
    CHECK(complement("4:1@0"_cute, 8).code() == axe::errc::bad_argument);
    CHECK(complement("4:1"_cute, 0).code() == axe::errc::bad_extent);
    CHECK(complement(axe::cute::Layout{}).code() == axe::errc::capacity);
    // Rounded up, the last value would be 2^63.
    const auto beyond = complement("2:3"_cute, 9223372036854775807);
    CHECK(beyond.code() == axe::errc::overflow);
    CHECK(std::string(beyond.error().sentence().c_str()) == "a number of the result leaves the integer");
    CHECK(*complement("2:3"_cute, 9223372036854775806) == "(3,1537228672809129301):(1,6)"_cute);
    CHECK(*complement("2:1"_cute, 9223372036854775807) == "4611686018427387904:2"_cute);
    CHECK(*complement("1:0"_cute, 9223372036854775807) == "9223372036854775807:1"_cute);
}
