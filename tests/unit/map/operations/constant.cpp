// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/constant.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of constant: reads nothing, and may have a value")
{
    const auto o = Constant{{2, 3}, true, 7}.maps({});
    CHECK(shape(o) == IndexShape{2, 3});
    CHECK(o->results[0].from_output.empty());
    CHECK(value(o) == "(d0, d1) -> (7), domain: d0 in [0, 1], d1 in [0, 2]");
    CHECK(value(Constant{{2, 3}}.maps({})) == "UNDEFINED");
}

TEST_CASE("maps of constant: refusals")
{
    CHECK(why(Constant{{2, -3}}.maps({})) == "bad_extent 1: dimension 1 of the result is -3; it must be 0 or more");
    CHECK(why(Constant{{2}}.maps({{2}})) == "rank_mismatch -1: there is 1 operand; the operation takes 0");
}
