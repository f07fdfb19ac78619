// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/print.hpp>
#include <axe/text/literals.hpp>

#include <catch.hpp>

#include <string>

using namespace axe::literals;

namespace {

std::string written(const axe::Layout& l, const axe::Shape& shape, const std::vector<axe::Axis>& axes = {})
{
    const auto map = axe::to_map(l, shape, axes);
    if (!map) return axe::name(map.code()) + std::string(": ") + map.error().message().c_str();
    const std::string text = axe::print(*map);
    return text.substr(0, text.find(", domain"));
}

} // namespace

TEST_CASE("to_map: digits of each dimension where the shape groups the layout")
{
    CHECK(written("120:1"_axe, {4, 6, 5}) == "(d0, d1, d2) -> (d0 * 30 + d1 * 5 + d2)");
    CHECK(written("(6,8):(1,6)"_axe, {6, 8}) == "(d0, d1) -> (d0 + d1 * 6)");
    CHECK(written("(10,2):(1,30)"_axe, {20}) == "(d0) -> (d0 floordiv 2 + (d0 mod 2) * 30)");
    CHECK(written("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe, {8, 16}) ==
          "(d0, d1)[s0] -> (d0 * 4 + (d1 floordiv 2) mod 4, d1 mod 2, d1 floordiv 8 + s0 * 4 + 5)");
}

TEST_CASE("to_map: strides that change by whole multiples cost one division each")
{
    CHECK(written("(4,3):(9,7)"_axe, {12}) == "(d0) -> (d0 * 3 + (d0 mod 3) * 4)");
    CHECK(written("(3,4):(17,3)"_axe, {12}) == "(d0) -> ((d0 floordiv 4) * 5 + d0 * 3)");
    CHECK(written("(3,4):(0,-3)"_axe, {12}) == "(d0) -> ((d0 mod 4) * -3)");
    CHECK(written("(3,4,2):(0,1,0)"_axe, {24}) == "(d0) -> ((d0 floordiv 2) mod 4)");
}

TEST_CASE("to_map: through a row-major index of as few dimensions as possible")
{
    CHECK(written("(4,5):(1,4)"_axe, {5, 4}) == "(d0, d1) -> ((d0 * 4 + d1) floordiv 5 + ((d0 * 4 + d1) mod 5) * 4)");
    CHECK(written("(7,4,5,2):(40,1,4,20)"_axe, {7, 5, 4, 2}) ==
          "(d0, d1, d2, d3) -> (d0 * 40 + (d1 * 4 + d2) floordiv 5 + ((d1 * 4 + d2) mod 5) * 4 + d3 * 20)");
}

TEST_CASE("to_map: a result for each axis, in order of their names or as asked")
{
    CHECK(written("(2,3):(1@z,1@a)"_axe, {2, 3}) == "(d0, d1) -> (d1, d0)");
    CHECK(written("(2,3):(1@z,1@a)"_axe, {2, 3}, {"z", "b", "a"}) == "(d0, d1) -> (d0, 0, d1)");
    CHECK(written("(2,3):(1@z,1@a)"_axe, {2, 3}, {"z"}) ==
          "unknown_axis: the layout is nonzero on an axis that is not among the 1 named");
    CHECK(written("(2,3):(1@z,1@a)"_axe, {2, 3}, {"z", "a", "z"}) == "bad_axis: axis 2 of the list repeats axis 0");
    CHECK(written(axe::Layout{}, {}) == "() -> (0)");
    CHECK(written("6:1"_axe, {2, 2}) == "size_mismatch: the shape has 4 elements, the layout 6");
    CHECK(written("6:1"_axe, {0, 2}) == "bad_extent: dimension 0 of the shape is 0; it must be at least 1");
}

TEST_CASE("to_map: an XOR of bits is their sum modulo 2")
{
    const axe::Shape shape{8, 64};
    axe::Swizzled<axe::Layout> s{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    const auto map = axe::to_map(s, shape);
    REQUIRE(map);
    CHECK(axe::print(*map) ==
          "(d0, d1) -> (d0 * 64 - (d1 floordiv 8) * 8 + d1 + ((d0 + d1 floordiv 8) mod 2) * 8 + ((d0 floordiv 2 + d1 "
          "floordiv 16) mod 2) * 16 + ((d0 floordiv 4 + d1 floordiv 32) mod 2) * 32), domain: d0 in [0, 7], d1 in "
          "[0, 63]");

    for (const axe::Swizzle z : {axe::Swizzle{3, 4, 3}, axe::Swizzle{2, 1, -3}, axe::Swizzle{1, 2, 5}, axe::Swizzle{0, 0, 0}})
        for (const auto& layout : {"(8,64):(64,1)"_axe, "(8,64):(1,8) + 24@m"_axe, "(8,64):(-64,3@x)"_axe}) {
            s = {z, {}, 2, layout};
            const auto m = axe::to_map(s, shape, {{}, "x"});
            REQUIRE(m);
            int wrong = 0;
            for (std::int64_t i = 0; i < 512; ++i) {
                const auto there = axe::evaluate(s, i);
                const auto here = axe::evaluate(*m, {i / 64, i % 64});
                REQUIRE(there);
                wrong += (*here)[0] != (*there)[{}] || (*here)[1] != (*there)["x"];
            }
            CHECK(wrong == 0);
        }

    // The bits that are read are 0 everywhere: nothing is left of the XOR.
    s = {{3, 3, 6}, {}, 1, "(8,64):(64,1)"_axe};
    CHECK(axe::print(*axe::to_map(s, {512})) == "(d0) -> (d0), domain: d0 in [0, 511]");
    s.width = 3;
    CHECK(axe::to_map(s, {512}).code() == axe::errc::bad_argument);
}
