// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/iota.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of iota: reads nothing: its value is an index")
{
    const auto o = Iota{{2, 3}, 1}.maps({});
    CHECK(shape(o) == IndexShape{2, 3});
    CHECK(o->results[0].from_output.empty());
    CHECK(value(o) == "(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 2]");
    CHECK(why(Iota{{2, 3}, 2}.maps({})) == "bad_argument 0: dimension 2 does not exist; the array has 2 dimensions");
    CHECK(why(Iota{{2, 3}, 0}.maps({{2}})) == "rank_mismatch -1: there is 1 operand; the operation takes 0");
    CHECK(why(Iota{{-2, 3}, 0}.maps({})) == "bad_extent 0: dimension 0 of the result is -2; it must be 0 or more");
}
