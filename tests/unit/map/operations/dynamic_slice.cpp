// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/dynamic_slice.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of dynamic_slice: the starts are run-time variables that keep the slice inside")
{
    const auto o = DynamicSlice{{16}}.maps({{64}, {}});
    CHECK(shape(o) == IndexShape{16});
    CHECK(from_output(o) == "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 15], rt0 in [0, 48]"
                            " {operand 1 at (d0) -> (), domain: d0 in [0, 15]}");
    CHECK(to_output(o) == "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 63], rt0 in [0, 48], d0 - rt0 in [0, 15]"
                          " {operand 1 at (d0) -> (), domain: d0 in [0, 63]}");
    CHECK(from_output(o, 1) == "(d0) -> (), domain: d0 in [0, 15]");
}

TEST_CASE("maps of dynamic_slice: refusals")
{
    CHECK(why(DynamicSlice{{16}}.maps({{64}, {1}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 0");
    CHECK(why(DynamicSlice{{65}}.maps({{64}, {}})) == "out_of_domain 0: dimension 0 of the slice is 65; it must be in [0, 64]");
    CHECK(why(DynamicSlice{{16, 1}}.maps({{64}, {}})) == "rank_mismatch -1: there are 2 operands; the operation takes 3");
    CHECK(why(DynamicSlice{{16}}.maps({{64, 2}, {}})) == "rank_mismatch 0: operand 0 has 2 dimensions; it must have 1");
}
