// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations.hpp>
#include <tests/unit/map/operations/maps.hpp>

using namespace maps_text;

TEST_CASE("operations: any of them, by one function")
{
    const std::vector<axe::IndexOperation> list{axe::op::Transpose{{1, 0}}, axe::op::Reverse{{0}}, axe::op::Reshape{{6}}};
    std::string text;
    for (const axe::IndexOperation& o : list) text += axe::maps(o, {{2, 3}})->name + " ";
    CHECK(text == "transpose reverse reshape ");
    CHECK(from_output(axe::maps(list[0], {{2, 3}})) == "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]");
    CHECK(why(axe::maps(list[2], {{2, 4}})) ==
          "size_mismatch -1: the operand has 8 elements and the result 6; the numbers must be equal");
}
