// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/integer.hpp>

#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <vector>

using namespace axe::detail;

TEMPLATE_TEST_CASE("sums and products say whether they fit", "[integer]", std::int32_t, std::int64_t)
{
    using Int = TestType;
    using Wider = axe::wider_t<Int>;
    constexpr Int highest = std::numeric_limits<Int>::max(), lowest = std::numeric_limits<Int>::min();
    const std::vector<Int> numbers = {0,      1,       -1,          2,           -2,     3,          46341,
                                      -46341, highest, highest - 1, highest / 2, lowest, lowest + 1, lowest / 2};
    const auto fits = [&](Wider exact) { return exact >= Wider(lowest) && exact <= Wider(highest); };
    for (const Int a : numbers)
        for (const Int b : numbers) {
            CAPTURE(a, b);
            Int out = 0;
            const Wider sum = Wider(a) + Wider(b), difference = Wider(a) - Wider(b), product = Wider(a) * Wider(b);
            REQUIRE(add(a, b, out) == fits(sum));
            if (fits(sum)) REQUIRE(out == Int(sum));
            REQUIRE(sub(a, b, out) == fits(difference));
            if (fits(difference)) REQUIRE(out == Int(difference));
            REQUIRE(mul(a, b, out) == fits(product));
            if (fits(product)) REQUIRE(out == Int(product));
            REQUIRE(narrow<Int>(product, out) == fits(product));
            if (fits(product)) REQUIRE(out == Int(product));
        }
}

TEST_CASE("division rounds down and the remainder is that division's", "[integer]")
{
    for (int a = -20; a <= 20; ++a)
        for (int b = 1; b <= 7; ++b) {
            CAPTURE(a, b);
            const int q = floor_div(a, b), r = floor_mod(a, b);
            REQUIRE(q * b + r == a);
            REQUIRE((0 <= r && r < b));
            REQUIRE(divides(b, a) == (r == 0));
            REQUIRE(floor_div(a, -b) == floor_div(-a, b));
        }
}

TEST_CASE("quotient takes the short division and the long one to the same answer", "[integer]")
{
    const std::vector<std::int64_t> numbers = {0,
                                               1,
                                               2,
                                               3,
                                               1000003,
                                               (std::int64_t{1} << 32) - 1,
                                               std::int64_t{1} << 32,
                                               (std::int64_t{1} << 32) + 1,
                                               std::numeric_limits<std::int64_t>::max()};
    for (const std::int64_t a : numbers)
        for (const std::int64_t b : numbers)
            if (b > 0) {
                CAPTURE(a, b);
                REQUIRE(quotient(a, b) == a / b);
            }
}

TEST_CASE("greatest common divisor and modular inverse", "[integer]")
{
    CHECK(gcd(0, 0) == 0);
    for (int a = -24; a <= 24; ++a)
        for (int b = -24; b <= 24; ++b) {
            if (a == 0 && b == 0) continue;
            CAPTURE(a, b);
            const int g = gcd(a, b);
            REQUIRE(g > 0);
            REQUIRE((a % g == 0 && b % g == 0));
            int largest = 1;
            for (int d = 1; d <= 24; ++d)
                if (a % d == 0 && b % d == 0) largest = d;
            REQUIRE(g == largest);
        }
    for (int m = 1; m <= 30; ++m)
        for (int a = -30; a <= 30; ++a)
            if (gcd(a, m) == 1) {
                CAPTURE(a, m);
                const int x = inverse_mod(a, m);
                REQUIRE((0 <= x && x < m));
                REQUIRE(floor_mod(a * x, m) == 1 % m);
            }
}
