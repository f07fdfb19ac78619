// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;
using Int = std::int64_t;

} // namespace

TEST_CASE("cute composed: the swizzle of a value, after the offset")
{
    constexpr auto c = "Sw<2,1,-3> o 5 o (4,8):(8,1)"_composed;
    STATIC_REQUIRE(cute::size(c) == 32);
    for (Int x = 0; x < 32; ++x) {
        const Int v = 5 + x % 4 * 8 + x / 4;
        CHECK(evaluate(c, x) == (v ^ (v >> 1 & 3) << 4)); // downwards: bits 1 and 2 to 4 and 5
    }
    STATIC_REQUIRE(cute::evaluate("(4,8):(8,1)"_composed, 5) == 9);
    STATIC_REQUIRE("(4,8):(8,1)"_composed == cute::Composed{{}, 0, false, 0, "(4,8):(8,1)"_cute});
    CHECK_FALSE("Sw<1,0,1> o 0 o (4,8):(8,1)"_composed == "Sw<1,0,2> o 0 o (4,8):(8,1)"_composed);
}

TEST_CASE("cute composed: of bytes and of elements, the same map")
{
    for (const int bits : {1, 4, 8, 16, 32, 64}) {
        cute::Composed flagged = "Sw<2,4,3> o 0 o (16,64):(64,1)"_composed, plain = flagged;
        flagged.element_bits = bits;
        plain.swizzle = in_elements(flagged);
        REQUIRE(check(flagged).ok());
        REQUIRE(check(plain).ok());
        CHECK(plain.swizzle.base == 4 + (bits == 1 ? 3 : bits == 4 ? 1 : bits == 8 ? 0 : bits == 16 ? -1 : bits == 32 ? -2 : -3));
        for (Int x = 0; x < 1024; x += 7) CHECK(evaluate(flagged, x) == evaluate(plain, x));
    }
}

TEST_CASE("cute composed: what is none")
{
    cute::Composed c = "Sw<2,1,3> o 0 o (4,8):(8,1)"_composed;
    c.layout = cute::Layout{};
    CHECK(check(c).code() == axe::errc::capacity);
    c.layout = "4:1"_cute;
    c.swizzle.shift = 1;
    CHECK(check(c).code() == axe::errc::bad_argument); // the bits that are read and those that are written overlap
    c.swizzle = {};
    c.offset = std::numeric_limits<Int>::max() - 2;
    CHECK(check(c).code() == axe::errc::overflow);
    c.offset -= 1;
    CHECK(check(c).ok());
    CHECK(evaluate(c, 3) == std::numeric_limits<Int>::max());
    c.layout = "4:1@0"_cute;
    CHECK(check(c).code() == axe::errc::bad_argument);
}
