// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/gather.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of gather: each start is an element of the indices")
{
    const auto o = Gather{{7, 8}}.maps({{33, 76}, {1806, 1}});
    CHECK(shape(o) == IndexShape{1806, 7, 8});
    CHECK(from_output(o, 0) ==
          "(d0, d1, d2){rt0} -> (d1 + rt0, d2), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], rt0 in [0, 26]"
          " {operand 1 at (d0, d1, d2) -> (d0, 0), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7]}");
    CHECK(to_output(o, 0) == "UNDEFINED");
    CHECK(from_output(o, 1) == "(d0, d1, d2)[s0] -> (d0, s0), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], s0 in [0, 0]");
    CHECK(to_output(o, 1) == "(d0, d1)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1805], d1 in [0, 0], s0 in [0, 6], s1 in [0, 7]");
}

TEST_CASE("maps of gather: refusals")
{
    CHECK(why(Gather{{7}}.maps({{33}, {1806, 2}})) ==
          "size_mismatch 1: dimension 1 of the indices is 2; it must be at most 1, the operand's dimensions");
    CHECK(why(Gather{{34}}.maps({{33}, {1806, 1}})) == "out_of_domain 0: dimension 0 of the slice is 34; it must be in [0, 33]");
    CHECK(why(Gather{{7, 8}}.maps({{33}, {1806, 1}})) == "rank_mismatch 0: operand 0 has 1 dimension; it must have 2");
    CHECK(why(Gather{{7}}.maps({{33}, {1806}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 2");
}
