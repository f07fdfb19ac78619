// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/pad.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of pad: edges and interior")
{
    const auto o = Pad{{{1, 4, 1}, {4, 8, 0}}}.maps({{4, 4}, {}});
    CHECK(shape(o) == IndexShape{12, 16});
    CHECK(from_output(o) ==
          "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]");
    CHECK(to_output(o) == "(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]");
    CHECK(from_output(o, 1) == "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]");
    CHECK(to_output(o, 1) == "()[s0, s1] -> (s0, s1), domain: s0 in [0, 11], s1 in [0, 15]");
}

TEST_CASE("maps of pad: negative edges cut elements off")
{
    const auto o = Pad{{{-3, -5, 1}}}.maps({{7}, {}});
    CHECK(shape(o) == IndexShape{5});
    CHECK(from_output(o) == "(d0) -> ((d0 + 3) floordiv 2), domain: d0 in [0, 4], (d0 + 3) mod 2 in [0, 0]");
    CHECK(to_output(o) == "(d0) -> (d0 * 2 - 3), domain: d0 in [0, 6], d0 * 2 - 3 in [0, 4]");
    // All is cut off, or there was nothing.
    CHECK(shape(Pad{{{-3, -4, 0}}}.maps({{7}, {}})) == IndexShape{0});
    CHECK(shape(Pad{{{2, 3, 5}}}.maps({{0}, {}})) == IndexShape{5});
    CHECK(Pad{{{2, 3, 5}}}.maps({{0}, {}})->results[0].from_output[0][0].map.has_empty_interval());
}

TEST_CASE("maps of pad: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why(Pad{{{0, 0, -1}}}.maps({{7}, {}})) ==
          "bad_argument 0: the interior padding of dimension 0 is -1; it must be 0 or more");
    CHECK(why(Pad{{{-4, -4, 0}}}.maps({{7}, {}})) ==
          "bad_extent 0: the padding leaves -1 elements in dimension 0; it must leave 0 or more");
    CHECK(why(Pad{{{huge, 0, 0}}}.maps({{7}, {}})) == "overflow 0: the padded size of dimension 0 overflows");
    CHECK(why(Pad{{{0, 0, huge}}}.maps({{7}, {}})) == "overflow 0: the padded size of dimension 0 overflows");
    CHECK(why(Pad{{{-huge - 1, huge, 0}}}.maps({{1}, {}})) == "overflow -1: a constant of the expression overflows");
    CHECK(why(Pad{{{0, 0, 0}}}.maps({{7}, {1}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 0");
    CHECK(why(Pad{}.maps({{7}, {}})) == "rank_mismatch -1: an attribute has 0 entries; it must have one for each of 1 dimension");
    CHECK(why(Pad{{{0, 0, 0}}}.maps({{7}})) == "rank_mismatch -1: there is 1 operand; the operation takes 2");
}
