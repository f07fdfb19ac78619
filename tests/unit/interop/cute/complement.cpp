// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <map>
#include <utility>

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
    CHECK(std::string(within.error().message().c_str()) ==
          "stride 2 is less than the 4 values that the smaller strides span: the modes interleave");
    CHECK(complement("4:-1"_cute, 8).code() == axe::errc::no_layout);
    CHECK(complement("(2,2):(4611686018427387904,1)"_cute, 8).has_value());
    CHECK(complement("4:1@0"_cute, 8).code() == axe::errc::bad_argument); // a number bounds no coordinates
    CHECK(complement("4:1"_cute, 0).code() == axe::errc::bad_extent);
    CHECK(complement(axe::cute::Layout{}).code() == axe::errc::capacity);
    // Rounded up, the last value would be 2^63.
    const auto beyond = complement("2:3"_cute, 9223372036854775807);
    CHECK(beyond.code() == axe::errc::overflow);
    CHECK(std::string(beyond.error().message().c_str()) == "a number of the result overflows");
    CHECK(*complement("2:3"_cute, 9223372036854775806) == "(3,1537228672809129301):(1,6)"_cute);
    CHECK(*complement("2:1"_cute, 9223372036854775807) == "4611686018427387904:2"_cute);
    CHECK(*complement("1:0"_cute, 9223372036854775807) == "9223372036854775807:1"_cute);
}

TEST_CASE("cute complement in a shape")
{
    CHECK(*complement("(2,4):(1,6)"_cute, "(4,6):(0,0)"_cute) == *complement("(2,4):(1,6)"_cute, 24));
    CHECK(*complement("4:1"_cute, "24:1"_cute) == "6:4"_cute);
    // What counts along bases leaves coordinates free.
    CHECK(*complement("4:1@1"_cute, "(8,8):(9,1)"_cute) == "(8,2):(1@0,4@1)"_cute);
    CHECK(*complement("4:2@0"_cute, "(8,8):(9,1)"_cute) == "(2,8):(1@0,1@1)"_cute);
    CHECK(*complement("(2,2):(1@0@1,1@2)"_cute, "(3,(4,5),6):(0,(0,0),0)"_cute) == "(3,2,5,3):(1@0,2@0@1,1@1@1,2@2)"_cute);
    CHECK(complement("4:1@2"_cute, "(8,8):(9,1)"_cute).code() == axe::errc::rank_mismatch);
    CHECK(complement("4:1@0@0"_cute, "(8,8):(9,1)"_cute).code() == axe::errc::rank_mismatch);
    CHECK(complement("4:-1@0"_cute, "(8,8):(9,1)"_cute).code() == axe::errc::no_layout);
    CHECK(complement("(2,2):(1@0,1@0)"_cute, "(8,8):(9,1)"_cute).code() == axe::errc::no_layout);

    // Each coordinate of the shape once, where the strides of each place are a chain that divides its extent.
    for (const auto& layout :
         {"4:1@1"_cute, "4:2@0"_cute, "(2,4):(4@0,2@1)"_cute, "(2,2,2):(1@0,4@0,1@1)"_cute, "(3,2):(0,1@1)"_cute}) {
        const auto rest = complement(layout, "(8,8):(0,0)"_cute);
        REQUIRE(rest);
        std::map<std::pair<std::int64_t, std::int64_t>, int> seen;
        for (std::int64_t x = 0; x < size(layout); ++x)
            for (std::int64_t y = 0; y < size(*rest); ++y) {
                const auto at = [&](int i) {
                    return evaluate(layout, x, axe::cute::Basis{i}) + evaluate(*rest, y, axe::cute::Basis{i});
                };
                ++seen[{at(0), at(1)}];
            }
        CHECK(seen.size() == 64);
        for (const auto& [c, times] : seen) {
            CHECK((c.first >= 0 && c.first < 8 && c.second >= 0 && c.second < 8));
            CHECK(times == seen.begin()->second);
        }
    }
}

TEST_CASE("cute complement: a number is the extent of the one mode that is named")
{
    CHECK(complement("4:1@0"_cute, "24:1"_cute).value() == "6:4@0"_cute);
    CHECK(complement("4:1@0"_cute, "24:1"_cute).value() == complement("4:1@0"_cute, "(24):(1)"_cute).value());
    CHECK(std::string(complement("4:1@1"_cute, "24:1"_cute).error().message().c_str()) ==
          "a basis names mode 1 where there is no tuple of modes, but a single extent, 24");
    CHECK(complement("4:1@0@0"_cute, "24:1"_cute).code() == axe::errc::rank_mismatch);
}
