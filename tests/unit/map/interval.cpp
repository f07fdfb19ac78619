// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/interval.hpp>
#include <catch.hpp>

#include <cmath>

using axe::IndexInterval;

TEST_CASE("intervals hold both of their ends")
{
    constexpr IndexInterval i{-2, 3};
    STATIC_REQUIRE(i.contains(-2));
    STATIC_REQUIRE(i.contains(3));
    STATIC_REQUIRE_FALSE(i.contains(4));
    STATIC_REQUIRE_FALSE(i.is_empty());
    STATIC_REQUIRE(IndexInterval{}.is_empty());
    STATIC_REQUIRE(IndexInterval{5, 5}.is_point());
    STATIC_REQUIRE(i.contains(IndexInterval{-1, 3}));
    STATIC_REQUIRE(i.contains(IndexInterval{9, 8})); // nothing is in everything
    STATIC_REQUIRE_FALSE(i.contains(IndexInterval{-3, 0}));
    STATIC_REQUIRE(axe::intersection(i, {0, 9}) == IndexInterval{0, 3});
    STATIC_REQUIRE(axe::intersection(i, {4, 9}).is_empty());
    STATIC_REQUIRE(axe::every_integer.contains(INT64_MIN));
    STATIC_REQUIRE(axe::every_integer.contains(INT64_MAX));
}

TEST_CASE("quotients round down, and remainders have the sign of the divisor")
{
    for (std::int64_t n = -40; n <= 40; ++n)
        for (std::int64_t k = -9; k <= 9; ++k) {
            if (k == 0) continue;
            const auto floor = static_cast<std::int64_t>(std::floor(static_cast<double>(n) / static_cast<double>(k)));
            std::int64_t q = 99;
            CHECK(axe::floor_quotient(n, k, q));
            CHECK(q == floor);
            CHECK(axe::floor_remainder(n, k) == n - k * floor);
        }
}

TEST_CASE("at the ends of the integer")
{
    std::int64_t q = 0;
    CHECK_FALSE(axe::floor_quotient(INT64_MIN, -1, q));
    CHECK(axe::floor_remainder(INT64_MIN, -1) == 0);
    CHECK(axe::floor_quotient(INT64_MAX, -1, q));
    CHECK(q == -INT64_MAX);
    CHECK(axe::floor_quotient(INT64_MIN, INT64_MAX, q));
    CHECK(q == -2);
    CHECK(axe::floor_remainder(INT64_MIN, INT64_MAX) == INT64_MAX - 1);
    CHECK(axe::floor_quotient(INT64_MAX, INT64_MIN, q));
    CHECK(q == -1);
    CHECK(axe::floor_remainder(INT64_MAX, INT64_MIN) == -1);
}
