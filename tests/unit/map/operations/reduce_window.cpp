// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/reduce_window.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of reduce_window: strides and padding")
{
    const auto o = ReduceWindow{{{3, 2, 1, 1}, {2, 1, 0, 1}}}.maps({{13, 17}, {}});
    CHECK(shape(o) == IndexShape{7, 17});
    CHECK(from_output(o) == "(d0, d1)[s0, s1] -> (d0 * 2 + s0 - 1, d1 + s1), domain: d0 in [0, 6], d1 in [0, 16], s0 in [0, 2], "
                            "s1 in [0, 1], d0 * 2 + s0 - 1 in [0, 12], d1 + s1 in [0, 16]");
    CHECK(from_output(o, 1) == "(d0, d1) -> (), domain: d0 in [0, 6], d1 in [0, 16]");
}

TEST_CASE("maps of reduce_window: dilation of the window and of what it moves over: no constraint that the intervals imply")
{
    CHECK(from_output(ReduceWindow{{{2, 2, 0, 0, 3}}}.maps({{9}, {}})) ==
          "(d0)[s0] -> (d0 * 2 + s0 * 3), domain: d0 in [0, 2], s0 in [0, 1]");
    CHECK(to_output(ReduceWindow{{{2, 2, 0, 0, 3}}}.maps({{9}, {}})) ==
          "(d0)[s0] -> ((d0 - s0 * 3) floordiv 2), domain: d0 in [0, 8], s0 in [0, 1], d0 - s0 * 3 in [0, 4], (d0 - s0 * 3) mod 2 "
          "in [0, 0]");
    CHECK(from_output(ReduceWindow{{{2, 1, 0, 0, 1, 2}}}.maps({{5}, {}})) ==
          "(d0)[s0] -> ((d0 + s0) floordiv 2), domain: d0 in [0, 7], s0 in [0, 1], (d0 + s0) mod 2 in [0, 0]");
    CHECK(shape(ReduceWindow{{{9}}}.maps({{5}, {}})) == IndexShape{0});
}

TEST_CASE("maps of reduce_window: of several arrays")
{
    const auto o = ReduceWindow{{{2}, {2}}}.maps({{2, 3}, {2, 3}, {}, {}});
    REQUIRE(o->results.size() == 2);
    CHECK(from_output(o, 1, 1) == from_output(o, 0, 0));
    CHECK(from_output(o, 3, 1) == "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 1]");
}

TEST_CASE("maps of reduce_window: refusals")
{
    CHECK(why(ReduceWindow{{{2}}}.maps({{5, 6}, {}})) ==
          "rank_mismatch -1: an attribute has 1 entry; it must have one for each of 2 dimensions");
    CHECK(why(ReduceWindow{{{1}, {0}}}.maps({{5, 6}, {}})) ==
          "bad_argument 1: the window of dimension 1 has size 0; it must be 1 or more");
    CHECK(why(ReduceWindow{{{1}}}.maps({{5}, {5}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 0");
}
