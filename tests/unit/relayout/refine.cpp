// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/refine.hpp>
#include <catch.hpp>
#include <tests/relayout_refinements.hpp>

using axe::detail::DigitList;
using axe::detail::Refinement;
using Int = std::int64_t;
using refinements::digits;

TEST_CASE("refinement: an address is the sum of its digits' steps, and the last digit runs on")
{
    const DigitList list = digits({{3, 10}, {4, 100}, {2, 7}});
    CHECK(axe::detail::address_of(list, 0) == 0);
    CHECK(axe::detail::address_of(list, 5) == 2 * 10 + 100);
    CHECK(axe::detail::address_of(list, 23) == 20 + 300 + 7);
    CHECK(axe::detail::address_of(list, 24) == 14);
    CHECK(axe::detail::address_of(digits({}), 5) == 0);
}

TEST_CASE("refinement: equal radices are one box")
{
    CHECK(refinements::boxes({{4, 1}, {6, 4}}, {{4, 6}, {6, 1}}, 0, 24) == 1);
    // One side's digits within one of the other's.
    CHECK(refinements::boxes({{24, 1}}, {{4, 6}, {6, 1}}, 0, 24) == 1);
    CHECK(refinements::boxes({{2, 1}, {12, 5}}, {{4, 6}, {6, 1}}, 0, 24) == 1);
    CHECK(refinements::boxes({}, {}, 0, 1) == 1);
    CHECK(refinements::boxes({}, {{7, 3}}, 0, 7) == 1);
}

TEST_CASE("refinement: digits that clash are pieces, in each of which both sides move evenly")
{
    // 6 = 2·3 against 3·2: cut at 2, 3 and 4.
    CHECK(refinements::boxes({{2, 30}, {3, 1}}, {{3, 20}, {2, 5}}, 0, 6) == 4);
    // The same above and below digits that agree.
    CHECK(refinements::boxes({{5, 7}, {2, 100}, {3, 1000}}, {{5, 1}, {3, 2000}, {2, 500}}, 0, 30) == 4);
    CHECK(refinements::boxes({{2, 100}, {3, 1000}, {5, 7}}, {{3, 2000}, {2, 500}, {5, 1}}, 0, 30) == 4);
    // 1000 and 1003 have no common part: a piece begins at each multiple of either.
    CHECK(refinements::boxes({{1000, 2}, {1003, 5000}}, {{1003, 3}, {1000, 7000}}, 0, 1000 * 1003) == 1000 + 1003 - 1);
    // 12·9 against 18·6: 36 and 6 are common, so that only 36 = 12·3 against 18·2 clashes, in units of 6.
    CHECK(refinements::boxes({{12, 1}, {9, 100}}, {{18, 3}, {6, 200}}, 0, 108) == 4);
}

TEST_CASE("refinement: ranges that are not whole")
{
    CHECK(refinements::boxes({{10, 1}, {10, 16}}, {{10, 10}, {10, 1}}, 0, 70) == 1);
    CHECK(refinements::boxes({{10, 1}, {10, 16}}, {{10, 10}, {10, 1}}, 30, 100) == 1);
    CHECK(refinements::boxes({{10, 1}, {10, 16}}, {{10, 10}, {10, 1}}, 7, 75) == 3); // 7…9, 10…69, 70…74
    CHECK(refinements::boxes({{10, 1}, {10, 16}}, {{10, 10}, {10, 1}}, 99, 100) == 1);
}

TEST_CASE("refinement: what takes more boxes than allowed says so, and makes no more")
{
    const DigitList to = digits({{1000, 2}, {1003, 5000}}), from = digits({{1003, 3}, {1000, 7000}});
    const Refinement enough(to, from, 0, 1003000, 2002);
    CHECK_FALSE(enough.exhausted());
    const Refinement few(to, from, 0, 1003000, 2001);
    CHECK(few.exhausted());
    CHECK(few.boxes().size() == 2001);
}

TEST_CASE("refinement: extents and steps of 2^60")
{
    constexpr Int large = Int{1} << 60;
    const DigitList to = digits({{large, 1}, {4, large}}), from = digits({{4, large}, {large, 1}});
    const Refinement r(to, from, 0, 4 * large, 16);
    REQUIRE(r.boxes().size() == 1);
    REQUIRE(r.boxes()[0].loops.size() == 3); // 4 · 2^58 · 4
    CHECK(r.boxes()[0].elements() == 4 * large);
    // A prime against its neighbor clashes in as many pieces as there are numbers.
    const DigitList prime = digits({{(Int{1} << 61) - 1, 1}}), other = digits({{large, 1}, {2, -large}});
    const Refinement p(prime, other, 0, (Int{1} << 61) - 1, 16);
    CHECK(p.boxes().size() == 2);
}
