// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/layout.hpp>

#include <catch.hpp>

#include <cstdint>
#include <limits>

using axe::errc;
using axe::make_layout;

TEST_CASE("a layout is checked when it is made", "[layout]")
{
    const auto fragment =
        make_layout({{8, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}}, {{"warp", 5}});
    REQUIRE(fragment);
    CHECK(*axe::size(*fragment) == 128);
    CHECK(fragment->shard[1] == axe::Iter{2, 1, "warp"});
    CHECK(fragment->offset["warp"] == 5);
    CHECK(axe::admits(*fragment, {8, 16}).yes());
    CHECK(axe::admits(*fragment, {8, 8}).no());
    CHECK(axe::admits(*fragment, {8, 0}).code() == errc::bad_extent);

    CHECK(*axe::size(axe::Layout{}) == 1);
    CHECK(make_layout({{2, 1}, {0, 1}}).code() == errc::bad_extent);
    CHECK(make_layout({{2, 1}, {0, 1}}).error().position == 1);
    CHECK(make_layout({{2, 1}}, {{3, 1}, {-1, 1}}).error().position == 1);
    CHECK(make_layout({{2, 1}}, {}, {{"a", 1}, {"b", 2}, {"a", 3}}).code() == errc::bad_axis);
}

TEST_CASE("sizes and coordinates stay in the integer, to its last value", "[layout]")
{
    constexpr std::int64_t half = std::int64_t{1} << 62, highest = std::numeric_limits<std::int64_t>::max(),
                           lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(make_layout({{half, 0}}));
    CHECK(make_layout({{half, 0}, {2, 0}}).code() == errc::overflow);
    CHECK(make_layout({{2, half}}));
    CHECK(make_layout({{3, half}}).code() == errc::overflow);
    // The span is one more than the footprint.
    CHECK(make_layout({{2, highest - 1}}));
    CHECK(make_layout({{2, highest}}).code() == errc::overflow);
    CHECK(make_layout({{2, lowest}}).code() == errc::overflow);
    CHECK(make_layout({{2, half - 1}}, {{2, half - 2}}, {{"m", 1}}));
    CHECK(make_layout({{2, half - 1}}, {{2, half}}, {{"m", 1}}).code() == errc::overflow);
    // Each axis has the whole integer to itself.
    CHECK(make_layout({{2, highest - 1, "a"}, {2, highest - 1, "b"}}));
    CHECK(make_layout({{2, highest - 1, "a"}, {2, highest - 1, "b"}, {2, 1, "b"}}).code() == errc::overflow);
    // An iter of one element goes nowhere.
    CHECK(make_layout({{1, lowest}}));
}

TEST_CASE("a layout of more parts than it holds is refused", "[layout]")
{
    axe::Layout layout;
    layout.replica = {{2, 1}, {2, 2}, {2, 4}, {2, 8}, {2, 16}, {2, 32}, {2, 64}, {2, 128}, {2, 256}};
    CHECK(axe::check(layout).code() == errc::capacity);
    layout = {};
    layout.shard = {{2, 1, "a"}, {2, 1, "b"}, {2, 1, "c"}, {2, 1, "d"}, {2, 1, "e"}, {2, 1, "f"}, {2, 1, "g"}, {2, 1, "h"}};
    CHECK(axe::check(layout).ok());
    layout.shard.push_back({2, 0, "i"}); // moves nothing, so on no axis
    CHECK(axe::check(layout).ok());
    layout.shard.push_back({2, 1, "i"});
    CHECK(axe::check(layout).code() == errc::capacity);
}
