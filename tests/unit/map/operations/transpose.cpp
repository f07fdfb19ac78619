// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/transpose.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of transpose: the order and its inverse")
{
    const auto o = Transpose{{1, 2, 0}}.maps({{3, 4, 5}});
    CHECK(shape(o) == IndexShape{4, 5, 3});
    CHECK(from_output(o) == "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 3], d1 in [0, 4], d2 in [0, 2]");
    CHECK(to_output(o) == "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 2], d1 in [0, 3], d2 in [0, 4]");
}

TEST_CASE("maps of transpose: refusals")
{
    CHECK(why(Transpose{{0, 1}}.maps({{3, 4, 5}})) ==
          "rank_mismatch -1: an attribute has 2 entries; it must have one for each of 3 dimensions");
    CHECK(why(Transpose{{0, 0}}.maps({{3, 4}})) == "bad_argument 1: dimension 0 is named twice");
}
