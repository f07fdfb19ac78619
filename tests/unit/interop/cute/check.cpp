// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/check.hpp>
#include <catch.hpp>

#include <cstdint>
#include <limits>

using namespace axe::cute;
using Int = std::int64_t;

namespace {

constexpr Int most = std::numeric_limits<Int>::max(), fewest = std::numeric_limits<Int>::min();

constexpr Layout leaf(Int extent, Int stride) { return from_leaves({Leaf(extent, stride)}); }
constexpr Layout pair(Leaf a, Leaf b) { return from_leaves({a, b}); }

} // namespace

static_assert(check(leaf(8, 1)).ok());
static_assert(check(leaf(2, most)).code() == axe::errc::overflow);

TEST_CASE("cute check: what says yes quickly never contradicts what looks closely")
{
    const Int numbers[] = {fewest,       fewest + 1,   -most / 2,    -3,           -1,           0,        1,   2, 3, Int{1} << 28,
                           Int{1} << 31, Int{1} << 55, Int{1} << 56, Int{1} << 61, Int{1} << 62, most - 1, most};
    int quick = 0, sound = 0;
    for (const Int n : numbers)
        for (const Int s : numbers)
            for (const Layout& layout : {leaf(n, s), pair({n, s}, {2, 1}), pair({2, s}, {n, n}), pair({n, 0}, {n, s})}) {
                detail::Widths widths;
                const bool yes = detail::plainly_sound(layout, widths), fault = !detail::find_fault(layout).ok();
                CHECK_FALSE((yes && fault));
                quick += yes;
                sound += !fault;
                if (!yes) continue;
                // What the widths promise.
                CHECK(size(layout) <= Int{1} << widths.size());
                CHECK(cosize(layout) <= Int{1} << widths.reach());
            }
    CHECK(quick > 50);
    CHECK(sound > quick);
}

TEST_CASE("cute check: numbers of which there is no negative or predecessor")
{
    CHECK(check(leaf(fewest, 0)).code() == axe::errc::bad_extent);
    CHECK(check(pair({2, 1}, {fewest, fewest})).error().position == 1);
    CHECK(check(leaf(1, fewest)).ok());
    CHECK(check(leaf(2, fewest)).code() == axe::errc::overflow);
    CHECK(check(leaf(2, -most + 1)).ok());
}

TEST_CASE("cute check: results that need no second look")
{
    const auto widths = [](const Layout& layout) {
        detail::Widths w;
        REQUIRE(detail::plainly_sound(layout, w));
        return w;
    };
    const auto small = widths(pair({128, 1}, {64, 128}));
    CHECK(detail::stays_plain(small, small));
    CHECK_FALSE(detail::stays_plain(small, detail::Widths{}));
    CHECK_FALSE(detail::stays_plain(detail::Widths{}, small));
    CHECK_FALSE(detail::stays_plain(widths(leaf(2, Int{1} << 50)), small));
}
