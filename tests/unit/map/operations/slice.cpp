// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/slice.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of slice: starts and strides, and back with the elements between left out")
{
    const auto o = Slice{{5, 3, 0}, {10, 20, 50}, {1, 7, 2}}.maps({{10, 20, 50}});
    CHECK(shape(o) == IndexShape{5, 3, 25});
    CHECK(from_output(o) == "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]");
    CHECK(to_output(o) == "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), "
                          "domain: d0 in [5, 9], d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]");
}

TEST_CASE("maps of slice: of one element and of none, whatever the stride")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const auto o = Slice{{5, 2}, {6, 2}, {huge, 3}}.maps({{10, 20}});
    CHECK(shape(o) == IndexShape{1, 0});
    CHECK(from_output(o) == "(d0, d1) -> (d0 + 5, d1 + 2), domain: d0 in [0, 0], d1 in [0, -1]");
    CHECK(to_output(o) == "(d0, d1) -> (d0 - 5, d1 - 2), domain: d0 in [5, 5], d1 in [2, 1]");
}

TEST_CASE("maps of slice: refusals")
{
    CHECK(why(Slice{{5}, {11}, {}}.maps({{10}})) == "out_of_domain 0: dimension 0 ends at 11; the operand ends at 10");
    CHECK(why(Slice{{-1}, {10}, {}}.maps({{10}})) ==
          "out_of_domain 0: dimension 0 starts at -1; it must be in [0, 10], up to the limit");
    CHECK(why(Slice{{6}, {5}, {}}.maps({{10}})) ==
          "out_of_domain 0: dimension 0 starts at 6; it must be in [0, 5], up to the limit");
    CHECK(why(Slice{{0, 0}, {5, 5}, {1, 0}}.maps({{10, 10}})) ==
          "bad_argument 1: the stride of dimension 1 is 0; it must be 1 or more");
    for (const Slice& o : {Slice{{0, 0}, {5}, {}}, Slice{{0}, {5, 5}, {}}, Slice{{0}, {5}, {1, 1}}})
        CHECK(why(o.maps({{10}})) == "rank_mismatch -1: an attribute has 2 entries; it must have one for each of 1 dimension");
}
