// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/tuple.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of tuple: each result is one operand, and reads no other")
{
    const auto o = Tuple{}.maps({{2}, {3, 4}});
    REQUIRE(o->results.size() == 2);
    CHECK(o->results[1].shape == IndexShape{3, 4});
    CHECK(from_output(o, 0, 0) == "(d0) -> (d0), domain: d0 in [0, 1]");
    CHECK(o->results[0].from_output[1].empty());
    CHECK(to_output(o, 1, 1) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]");
    CHECK(Tuple{}.maps({})->results.empty());
    CHECK(why(Tuple{}.maps({{-1}})) == "bad_extent 0: dimension 0 of operand 0 is -1; it must be 0 or more");
}

TEST_CASE("maps of get_tuple_element: one of the operands")
{
    const auto o = GetTupleElement{1}.maps({{2}, {3, 4}});
    CHECK(shape(o) == IndexShape{3, 4});
    CHECK(o->results[0].from_output[0].empty());
    CHECK(from_output(o, 1) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]");
    CHECK(why(GetTupleElement{2}.maps({{2}, {3, 4}})) == "out_of_domain -1: element 2 does not exist; the tuple has 2");
}
