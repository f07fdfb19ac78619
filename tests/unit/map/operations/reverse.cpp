// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/reverse.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of reverse: the same both ways")
{
    const auto o = Reverse{{1}}.maps({{2, 3}});
    CHECK(shape(o) == IndexShape{2, 3});
    CHECK(from_output(o) == "(d0, d1) -> (d0, -d1 + 2), domain: d0 in [0, 1], d1 in [0, 2]");
    CHECK(to_output(o) == from_output(o));
    CHECK(why(Reverse{{1, 1}}.maps({{2, 3}})) == "bad_argument 1: dimension 1 is named twice");
    CHECK(why(Reverse{{-1}}.maps({{2, 3}})) == "bad_argument 0: dimension -1 does not exist; the array has 2 dimensions");
}
