// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/elementwise.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of elementwise: every operand is read where the result is written")
{
    const auto sum = Elementwise{"add"}.maps({{2, 3}, {2, 3}});
    CHECK(sum->name == "add");
    CHECK(shape(sum) == IndexShape{2, 3});
    for (const std::size_t k : {0u, 1u}) {
        CHECK(from_output(sum, k) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]");
        CHECK(to_output(sum, k) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]");
    }
    CHECK(shape(Elementwise{"map"}.maps({{}, {}})).empty());
}

TEST_CASE("maps of elementwise: a scalar among arrays is read by every element")
{
    const auto clamp = Elementwise{"clamp"}.maps({{}, {2, 3}, {}});
    CHECK(shape(clamp) == IndexShape{2, 3});
    CHECK(from_output(clamp, 0) == "(d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 2]");
    CHECK(to_output(clamp, 2) == "()[s0, s1] -> (s0, s1), domain: s0 in [0, 1], s1 in [0, 2]");
    CHECK(from_output(clamp, 1) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]");
}

TEST_CASE("maps of elementwise: the values of integer arithmetic")
{
    const auto result = [](const char* f, std::size_t operands) {
        const auto value = Elementwise{f}.maps(Shapes(operands))->results[0].value;
        return value.is_undefined ? "undefined" : axe::print(value, value.results[0]);
    };
    CHECK(result("add", 2) == "rt0 + rt1");
    CHECK(result("subtract", 2) == "rt0 - rt1");
    CHECK(result("multiply", 2) == "rt0 * rt1");
    CHECK(result("negate", 1) == "-rt0");
    CHECK(result("copy", 1) == "rt0");
    CHECK(result("convert", 1) == "rt0");
    CHECK(result("select", 3) == "undefined");
    CHECK(result("exponential", 1) == "undefined");
}

TEST_CASE("maps of elementwise: refusals")
{
    CHECK(why(Elementwise{"add"}.maps({{2, 3}})) == "rank_mismatch -1: there is 1 operand; the operation takes 2");
    CHECK(why(Elementwise{}.maps({})) == "rank_mismatch -1: there are 0 operands; the operation takes 1");
    CHECK(why(Elementwise{}.maps({{2, 3}, {2}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 2");
    CHECK(why(Elementwise{}.maps({{2, 3}, {2, 4}})) == "size_mismatch 1: dimension 1 of operand 1 must be 3");
    CHECK(why(Elementwise{}.maps({{2, 3}, {2, -4}})) == "bad_extent 1: dimension 1 of operand 1 is -4; it must be 0 or more");
}
