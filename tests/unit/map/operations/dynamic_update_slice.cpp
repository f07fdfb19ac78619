// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/dynamic_update_slice.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of dynamic_update_slice: the operand everywhere, the update where it lies")
{
    const auto o = DynamicUpdateSlice{}.maps({{20}, {5}, {}});
    CHECK(shape(o) == IndexShape{20});
    CHECK(from_output(o, 0) == "(d0) -> (d0), domain: d0 in [0, 19]");
    CHECK(from_output(o, 1) == "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - rt0 in [0, 4]"
                               " {operand 2 at (d0) -> (), domain: d0 in [0, 19]}");
    CHECK(to_output(o, 1) == "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 15]"
                             " {operand 2 at (d0) -> (), domain: d0 in [0, 4]}");
    CHECK(from_output(o, 2) == "(d0) -> (), domain: d0 in [0, 19]");
    CHECK(value(o) == "UNDEFINED");
}

TEST_CASE("maps of dynamic_update_slice: refusals")
{
    CHECK(why(DynamicUpdateSlice{}.maps({{20, 30}, {5, 31}, {}, {}})) ==
          "out_of_domain 1: dimension 1 of the slice is 31; it must be in [0, 30]");
    CHECK(why(DynamicUpdateSlice{}.maps({})) == "rank_mismatch -1: there are 0 operands; the operation takes 2");
    CHECK(why(DynamicUpdateSlice{}.maps({{20}, {5, 5}, {}})) == "rank_mismatch 1: operand 1 has 2 dimensions; it must have 1");
    CHECK(why(DynamicUpdateSlice{}.maps({{20}, {5}, {1}})) == "rank_mismatch 2: operand 2 has 1 dimension; it must have 0");
}
