// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/dot.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of dot: batch, left, right: the contracted dimensions are range variables as listed")
{
    const auto o = Dot{{0}, {0}, {2}, {1}}.maps({{8, 4, 3}, {8, 3, 5}});
    CHECK(shape(o) == IndexShape{8, 4, 5});
    CHECK(from_output(o, 0) == "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 7], d1 in [0, 3], d2 in [0, 4], s0 in [0, 2]");
    CHECK(from_output(o, 1) == "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 7], d1 in [0, 3], d2 in [0, 4], s0 in [0, 2]");
    CHECK(to_output(o, 0) == "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 7], d1 in [0, 3], d2 in [0, 2], s0 in [0, 4]");
    CHECK(to_output(o, 1) == "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 7], d1 in [0, 2], d2 in [0, 4], s0 in [0, 3]");
}

TEST_CASE("maps of dot: all contracted, and nothing")
{
    CHECK(from_output(Dot{{}, {}, {0}, {0}}.maps({{3}, {3}})) == "()[s0] -> (s0), domain: s0 in [0, 2]");
    CHECK(from_output(Dot{}.maps({{2}, {3}}), 1) == "(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 2]");
}

TEST_CASE("maps of dot: refusals")
{
    CHECK(why(Dot{{}, {}, {1}, {0}}.maps({{2, 3}, {4, 3}})) == "size_mismatch 1: dimension 0 of operand 1 must be 3");
    CHECK(why(Dot{{}, {}, {1}, {}}.maps({{2, 3}, {4, 3}})) ==
          "rank_mismatch -1: the left operand has 1 batch or contracted dimensions, the right one 0");
    CHECK(why(Dot{{1}, {0}, {1}, {1}}.maps({{2, 3}, {4, 3}})) == "bad_argument 0: dimension 1 is named twice");
    CHECK(why(Dot{{}, {}, {3}, {0}}.maps({{2, 3}, {4, 3}})) ==
          "bad_argument 0: dimension 3 does not exist; the array has 2 dimensions");
    CHECK(why(Dot{}.maps({{2, 3}})) == "rank_mismatch -1: there is 1 operand; the operation takes 2");
}
