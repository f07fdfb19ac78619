// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/broadcast.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of broadcast: dimensions that repeat are range variables of an element")
{
    const auto o = Broadcast{{10, 20, 30}, {1}}.maps({{20}});
    CHECK(shape(o) == IndexShape{10, 20, 30});
    CHECK(from_output(o) == "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]");
    CHECK(to_output(o) == "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]");
}

TEST_CASE("maps of broadcast: in another order, and from size 1")
{
    const auto o = Broadcast{{10, 20}, {1, 0}}.maps({{20, 1}});
    CHECK(from_output(o) == "(d0, d1) -> (d1, 0), domain: d0 in [0, 9], d1 in [0, 19]");
    CHECK(to_output(o) == "(d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 19], d1 in [0, 0], s0 in [0, 9]");
    CHECK(from_output(Broadcast{{4}, {}}.maps({{}})) == "(d0) -> (), domain: d0 in [0, 3]");
}

TEST_CASE("maps of broadcast: refusals")
{
    CHECK(why(Broadcast{{10, 20}, {1}}.maps({{19}})) == "size_mismatch 0: dimension 0 of operand 0 must be 20");
    CHECK(why(Broadcast{{10, 20}, {2}}.maps({{20}})) == "bad_argument 0: dimension 2 does not exist; the array has 2 dimensions");
    CHECK(why(Broadcast{{10, 20}, {1, 1}}.maps({{20, 20}})) == "bad_argument 1: dimension 1 is named twice");
    CHECK(why(Broadcast{{10, 20}, {1}}.maps({{20, 20}})) == "rank_mismatch 0: operand 0 has 2 dimensions; it must have 1");
    CHECK(why(Broadcast{{10, -20}, {0}}.maps({{10}})) == "bad_extent 1: dimension 1 of the result is -20; it must be 0 or more");
}
