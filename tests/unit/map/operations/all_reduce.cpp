// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/all_reduce.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of all_reduce: the devices of a group, both ways")
{
    const auto o = AllReduce{{{0, 2}, {1, 3}}}.maps({{4, 3}});
    CHECK(shape(o) == IndexShape{4, 3});
    CHECK(from_output(o) == "(d0, d1)[s0] -> (d0 mod 2 + s0 * 2, d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]");
    CHECK(to_output(o) == from_output(o));
    CHECK(from_output(AllReduce{}.maps({{4}})) == "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]");
    CHECK(why(AllReduce{}.maps({{}})) == "rank_mismatch 0: the operand is a scalar; its dimension 0 must be the devices");
}
