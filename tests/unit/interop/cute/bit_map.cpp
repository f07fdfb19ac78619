// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/bit_map.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

namespace {

using namespace axe::literals;
using namespace axe::cute;
using detail::BitMap;
using Int = std::int64_t;

} // namespace

TEST_CASE("cute bit_map: layouts whose values add without a carry")
{
    for (const auto& l : {"(4,8):(8,1)"_cute, "((2,4),(2,2)):((64,1),(4,16))"_cute, "(2,1,2):(3,7,64)"_cute}) {
        BitMap map;
        REQUIRE(detail::bit_map_of(l, 0, 0, map));
        for (Int x = 0; x < size(l); ++x) CHECK(map(x) == evaluate(l, x));
        Layout back;
        REQUIRE(detail::put_bit_map(map, l, back).ok());
        for (Int x = 0; x < size(l); ++x) CHECK(evaluate(back, x) == evaluate(l, x));
        CHECK(compatible(l, back));
    }
    const auto none = [](const Layout& l, Int offset = 0) {
        BitMap map;
        return !detail::bit_map_of(l, offset, 0, map);
    };
    CHECK(none("(4,6):(1,4)"_cute)); // no power of two
    CHECK(none("(4,2):(1,3)"_cute)); // 3 + 3 carries
    CHECK(none("4:-1"_cute));
    CHECK(none("4:1@0"_cute));
    CHECK(none("4:1"_cute, 2));
    CHECK(none("4:1"_cute, -4));
    CHECK_FALSE(none("4:1"_cute, 12));
}

TEST_CASE("cute bit_map: the last leaf runs on")
{
    BitMap map;
    REQUIRE(detail::bit_map_of("(4,2):(8,1)"_cute, 0, 5, map));
    CHECK(map.count == 5);
    CHECK(map(16) == 4);
    BitMap ended; // into the values of the first leaf
    CHECK_FALSE(detail::bit_map_of("(4,2):(8,1)"_cute, 0, 6, ended));
    BitMap far;
    CHECK_FALSE(detail::bit_map_of("4:1"_cute, 0, 63, far));
}

TEST_CASE("cute bit_map: the swizzle that a map needs")
{
    for (const axe::Swizzle s : {axe::Swizzle{1, 0, 2}, axe::Swizzle{2, 1, 3}, axe::Swizzle{2, 0, -3}, axe::Swizzle{3, 0, 3}}) {
        BitMap map, sum;
        REQUIRE(detail::bit_map_of("(8,8):(8,1)"_cute, 64, 0, map));
        for (int i = 0; i < map.count; ++i) map.image[i] = s(map.image[i]);
        map.start = s(map.start);
        axe::Swizzle found{};
        REQUIRE(detail::find_swizzle(map, found, sum));
        CHECK(found.bits <= s.bits);
        for (Int x = 0; x < 64; ++x) CHECK(found(sum(x)) == map(x));
        CHECK(sum.is_sum());
    }
    BitMap both; // 1 and 2 to one bit: no swizzle takes that apart
    both.count = 2;
    both.image[0] = both.image[1] = 1;
    BitMap sum;
    axe::Swizzle found{};
    CHECK_FALSE(detail::find_swizzle(both, found, sum));
    CHECK(both.bits() == 1);
    both.start = 9223372036854775807;
    CHECK(both.bits() == BitMap::most_bits);
    BitMap last; // the bit after 2^62 is none
    CHECK(detail::bit_map_of("2:4611686018427387904"_cute, 0, 0, last));
    last.count = 0;
    CHECK_FALSE(detail::bit_map_of("2:4611686018427387904"_cute, 0, 2, last));
}
