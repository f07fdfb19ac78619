// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/bitcast.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of bitcast: the shape that memory has")
{
    const auto o = Bitcast{{30, 10, 20}, {1, 0, 2}, {}}.maps({{10, 20, 30}});
    CHECK(shape(o) == IndexShape{30, 10, 20});
    CHECK(from_output(o) == "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
    CHECK(to_output(o) == "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]");
}

TEST_CASE("maps of bitcast: a reshape between layouts")
{
    const auto o = Bitcast{{12}, {0, 1}, {}}.maps({{3, 4}});
    CHECK(from_output(o) == "(d0) -> (d0 mod 3, d0 floordiv 3), domain: d0 in [0, 11]");
    CHECK(to_output(o) == "(d0, d1) -> (d1 * 3 + d0), domain: d0 in [0, 2], d1 in [0, 3]");
    CHECK(from_output(Bitcast{{12}, {}, {}}.maps({{3, 4}})) == "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]");
    CHECK(Bitcast{{0}, {0, 1}, {}}.maps({{3, 0}})->results[0].from_output[0][0].map.has_empty_interval());
}

TEST_CASE("maps of bitcast: refusals")
{
    CHECK(why(Bitcast{{12}, {0}, {}}.maps({{3, 4}})) ==
          "rank_mismatch -1: an attribute has 1 entry; it must have one for each of 2 dimensions");
    CHECK(why(Bitcast{{12}, {0, 2}, {}}.maps({{3, 4}})) ==
          "bad_argument 0: dimension 2 does not exist; the array has 2 dimensions");
    CHECK(why(Bitcast{{12}, {}, {1}}.maps({{3, 4}})) == "bad_argument 0: dimension 1 does not exist; the array has 1 dimension");
    CHECK(why(Bitcast{{13}, {}, {}}.maps({{3, 4}})) ==
          "size_mismatch -1: the operand has 12 elements and the result 13; the numbers must be equal");
}
