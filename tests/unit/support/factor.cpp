// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/factor.hpp>
#include <catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using Int = std::int64_t;

std::vector<Int> factors(Int n)
{
    std::vector<Int> out;
    auto take = [&](Int p) { out.push_back(p); };
    axe::detail::for_each_prime_factor(n, take);
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

TEST_CASE("factor: small numbers, against trial division")
{
    for (Int n = 1; n < 5000; ++n) {
        std::vector<Int> expected;
        Int rest = n;
        for (Int p = 2; p * p <= rest; ++p)
            for (; rest % p == 0; rest /= p) expected.push_back(p);
        if (rest > 1) expected.push_back(rest);
        REQUIRE(factors(n) == expected);
        REQUIRE(axe::detail::is_prime(n) == (expected.size() == 1));
    }
}

TEST_CASE("factor: large primes, squares and products of two primes")
{
    CHECK(factors(1000003 * Int{1000033}) == std::vector<Int>{1000003, 1000033});
    CHECK(factors(2147483647 * Int{2147483647}) == std::vector<Int>{2147483647, 2147483647});
    CHECK(axe::detail::is_prime(Int{9223372036854775783})); // the largest below 2^63
    CHECK_FALSE(axe::detail::is_prime(Int{3215031751}));    // a strong pseudoprime to 2, 3, 5 and 7
    CHECK(factors(Int{1} << 62) == std::vector<Int>(62, 2));
    CHECK(factors(Int{9223372036854775807}) == std::vector<Int>{7, 7, 73, 127, 337, 92737, 649657});
}
