// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/all_gather.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of all_gather: the devices' arrays one after another")
{
    const auto o = AllGather{1, {}}.maps({{4, 3}});
    CHECK(shape(o) == IndexShape{4, 12});
    CHECK(from_output(o) == "(d0, d1) -> (d1 floordiv 3, d1 mod 3), domain: d0 in [0, 3], d1 in [0, 11]");
    CHECK(to_output(o) == "(d0, d1)[s0] -> (s0, d0 * 3 + d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 3]");
}

TEST_CASE("maps of all_gather: groups of neighbors and of every other device")
{
    CHECK(from_output(AllGather{1, {{0, 1}, {2, 3}}}.maps({{4, 3}})) ==
          "(d0, d1) -> ((d0 floordiv 2) * 2 + d1 floordiv 3, d1 mod 3), domain: d0 in [0, 3], d1 in [0, 5]");
    const auto o = AllGather{1, {{0, 2}, {1, 3}}}.maps({{4, 3}});
    CHECK(from_output(o) == "(d0, d1) -> (d0 mod 2 + (d1 floordiv 3) * 2, d1 mod 3), domain: d0 in [0, 3], d1 in [0, 5]");
    CHECK(to_output(o) == "(d0, d1)[s0] -> (d0 mod 2 + s0 * 2, (d0 floordiv 2) * 3 + d1), "
                          "domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]");
}

TEST_CASE("maps of all_gather: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why(AllGather{1, {}}.maps({{4, huge}})) == "overflow -1: the size of the gathered dimension overflows");
    CHECK(why(AllGather{0, {}}.maps({{4, 3}})) == "bad_argument -1: dimension 0 must be in [1, 1]; dimension 0 is the device");
    CHECK(why(AllGather{1, {{0, 1}}}.maps({{4, 3}})) ==
          "size_mismatch -1: the groups have 2 devices; dimension 0 of the operand has 4");
}
