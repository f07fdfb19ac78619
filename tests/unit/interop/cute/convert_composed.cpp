// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute/convert_composed.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;
using Int = std::int64_t;

std::string words(const axe::Error& e) { return e.message().c_str(); }
std::string text(const cute::Composed& c) { return cute::print(c).c_str(); }

} // namespace

TEST_CASE("cute convert_composed: the same function of the index, and back")
{
    constexpr auto c = "Sw<2,1,3> o 4 o (4,16):(16,1)"_composed;
    for (const Int width : {1, 2}) {
        const auto swizzled = cute::to_axe_linear(c, "smem", width);
        REQUIRE(swizzled.has_value());
        CHECK(swizzled->width == width);
        CHECK(swizzled->swizzle.base == (width == 2 ? 2 : 1));
        for (Int x = 0; x < 64; ++x) CHECK((*evaluate(*swizzled, x))["smem"] == evaluate(c, x));
        CHECK(text(*cute::from_axe_linear(*swizzled)) == "Sw<2,1,3> o 4 o (4,16):(16,1)");
    }
    const auto shaped = cute::to_axe_by_coordinate(c, "smem");
    REQUIRE(shaped.has_value());
    CHECK(shaped->shape == axe::Shape{4, 16});
    for (Int x = 0; x < 64; ++x) CHECK((*evaluate(shaped->layout, shaped->shape, {x % 4, x / 4}))["smem"] == evaluate(c, x));
    CHECK(*cute::from_axe_by_coordinate(shaped->layout, shaped->shape) == c);
}

TEST_CASE("cute convert_composed: bytes and elements")
{
    constexpr auto c = "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"_composed;
    const auto swizzled = cute::to_axe_linear(c);
    REQUIRE(swizzled.has_value());
    CHECK(swizzled->width == 2);
    CHECK(swizzled->swizzle == axe::Swizzle{3, 4, 3});
    CHECK(text(*cute::from_axe_linear(*swizzled, cute::SwizzleOf::bytes)) == "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(text(*cute::from_axe_linear(*swizzled)) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
    CHECK(words(cute::to_axe_linear(c, {}, 4).error()) == "elements of 4 bytes were requested, but the pointer flag gives 16 bits");
    auto wide = *swizzled;
    wide.swizzle.base = 20;
    wide.width = 1 << 17;
    CHECK(words(cute::from_axe_linear(wide, cute::SwizzleOf::bytes).error()) == "CuTe has no elements of 131072 bytes");
}

TEST_CASE("cute convert_composed: an offset needs no swizzle: what CuTe has not is refused")
{
    axe::Swizzled<axe::Layout> s;
    s.layout = "(4,8):(8,1)+32@m"_axe;
    CHECK(text(*cute::from_axe_linear(s)) == "Sw<0,0,0> o 32 o (8,4):(1,8)");
    s.layout = "(4,8):(8@smem,1@smem)+32@smem"_axe;
    CHECK(cute::from_axe_linear(s)->offset == 32); // the axis is the one that the layout moves on
    s.layout = "(4,8):(8@smem,1@smem)+32@lane"_axe;
    CHECK(words(cute::from_axe_linear(s).error()) == "the layout has offset 32 on an axis other than the one that it moves on");
    s.layout = "(4,8):(8,1)"_axe;
    s.layout.replica.push_back({2, 64, axe::Axis{}});
    CHECK(cute::from_axe_linear(s).code() == axe::errc::not_single_valued);
    s.layout = "(4,8):(8@smem,1)"_axe;
    s.swizzle = {1, 0, 1};
    CHECK_FALSE(cute::from_axe_linear(s).has_value());
    CHECK(cute::from_axe_by_coordinate(axe::Swizzled<axe::Layout>{{}, {}, 1, "32:1"_axe}, {5, 7}).has_value() == false);
    CHECK(cute::to_axe_linear(cute::Composed{}).code() == axe::errc::capacity);
}
