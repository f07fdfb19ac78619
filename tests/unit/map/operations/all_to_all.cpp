// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/all_to_all.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of all_to_all: cut along one dimension, put together along another")
{
    const auto o = AllToAll{1, 2, {}}.maps({{4, 12, 5}});
    CHECK(shape(o) == IndexShape{4, 3, 20});
    CHECK(from_output(o) ==
          "(d0, d1, d2) -> (d2 floordiv 5, d0 * 3 + d1, d2 mod 5), domain: d0 in [0, 3], d1 in [0, 2], d2 in [0, 19]");
    CHECK(to_output(o) ==
          "(d0, d1, d2) -> (d1 floordiv 3, d1 mod 3, d0 * 5 + d2), domain: d0 in [0, 3], d1 in [0, 11], d2 in [0, 4]");
}

TEST_CASE("maps of all_to_all: along one dimension, which is its own inverse")
{
    const auto o = AllToAll{1, 1, {{0, 1}, {2, 3}}}.maps({{4, 12}});
    CHECK(shape(o) == IndexShape{4, 12});
    CHECK(from_output(o) == "(d0, d1) -> ((d0 floordiv 2) * 2 + d1 floordiv 6, (d0 mod 2) * 6 + d1 mod 6), "
                            "domain: d0 in [0, 3], d1 in [0, 11]");
    CHECK(to_output(o) == from_output(o));
}

TEST_CASE("maps of all_to_all: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why(AllToAll{1, 3, {}}.maps({{4, 12}})) == "bad_argument -1: dimension 3 must be in [1, 1]; dimension 0 is the device");
    CHECK(why(AllToAll{1, 1, {}}.maps({{4, 13}})) == "size_mismatch 1: dimension 1 is 13, which 4 devices do not divide");
    CHECK(why(AllToAll{1, 2, {}}.maps({{4, 4, huge}})) == "overflow -1: the size of the concatenated dimension overflows");
}
