// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/reshape.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of reshape: through a flat index, part by part where the shapes allow it")
{
    const auto o = Reshape{{24, 5, 1}}.maps({{4, 6, 1, 5}});
    CHECK(shape(o) == IndexShape{24, 5, 1});
    CHECK(from_output(o) == "(d0, d1, d2) -> (d0 floordiv 6, d0 mod 6, 0, d1), domain: d0 in [0, 23], d1 in [0, 4], d2 in [0, 0]");
    CHECK(to_output(o) ==
          "(d0, d1, d2, d3) -> (d0 * 6 + d1, d3, 0), domain: d0 in [0, 3], d1 in [0, 5], d2 in [0, 0], d3 in [0, 4]");
    CHECK(from_output(Reshape{{4, 8}}.maps({{2, 4, 4}})) ==
          "(d0, d1) -> ((d0 * 8 + d1) floordiv 16, ((d0 * 8 + d1) floordiv 4) mod 4, (d0 * 8 + d1) mod 4), "
          "domain: d0 in [0, 3], d1 in [0, 7]");
}

TEST_CASE("maps of reshape: one element, and none")
{
    CHECK(from_output(Reshape{{}}.maps({{1, 1}})) == "() -> (0, 0)");
    CHECK(to_output(Reshape{{}}.maps({{1, 1}})) == "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 0]");
    const auto o = Reshape{{0}}.maps({{1, 0, 0}});
    CHECK(o->results[0].from_output[0][0].map.has_empty_interval());
    CHECK(o->results[0].to_output[0][0].map.has_empty_interval());
    CHECK(Reshape{{0}}.maps({{std::numeric_limits<std::int64_t>::max(), 2, 0}}));
}

TEST_CASE("maps of reshape: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why(Reshape{{5}}.maps({{4}})) ==
          "size_mismatch -1: the operand has 4 elements and the result 5; the numbers must be equal");
    CHECK(why(Reshape{{4}}.maps({{huge, 2}})) == "overflow -1: the number of elements overflows");
    CHECK(why(Reshape{{huge, 2}}.maps({{4}})) == "overflow -1: the number of elements overflows");
    CHECK(why(Reshape{{-4}}.maps({{4}})) == "bad_extent 0: dimension 0 of the result is -4; it must be 0 or more");
}
