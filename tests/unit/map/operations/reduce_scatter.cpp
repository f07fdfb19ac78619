// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/reduce_scatter.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of reduce_scatter: a part of what all devices have")
{
    const auto o = ReduceScatter{1, {}}.maps({{4, 12}});
    CHECK(shape(o) == IndexShape{4, 3});
    CHECK(from_output(o) == "(d0, d1)[s0] -> (s0, d0 * 3 + d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 3]");
    CHECK(to_output(o) == "(d0, d1) -> (d1 floordiv 3, d1 mod 3), domain: d0 in [0, 3], d1 in [0, 11]");
    CHECK(why(ReduceScatter{1, {}}.maps({{4, 13}})) == "size_mismatch 1: dimension 1 is 13, which 4 devices do not divide");
}
