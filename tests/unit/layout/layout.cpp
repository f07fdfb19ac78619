// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/layout.hpp>

#include <catch.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

TEST_CASE("layouts from ranges: vectors, spans, views and lists in braces")
{
    const std::vector<axe::Iter> shard = {{8, 4, "lane"}, {2, 1, "warp"}}, replica = {{2, 4, "warp"}};
    const axe::Layout expected = {{{8, 4, "lane"}, {2, 1, "warp"}}, {{2, 4, "warp"}}, {{"warp", 5}}};
    CHECK(*make_layout(shard, replica, {{"warp", 5}}) == expected);
    CHECK(*make_layout(std::span(shard), {{2, 4, "warp"}}, {{"warp", 5}}) == expected);
    CHECK(*make_layout({{8, 4, "lane"}, {2, 1, "warp"}}, replica, {{"warp", 5}}) == expected);
    CHECK(*make_layout(shard) == axe::Layout{{{8, 4, "lane"}, {2, 1, "warp"}}});
    struct Doubled { // a view whose begin() is not const
        std::vector<axe::Iter> iters;
        auto begin()
        {
            for (axe::Iter& it : iters) it.stride *= 2;
            return iters.begin();
        }
        auto end() { return iters.end(); }
    };
    CHECK(*make_layout(Doubled{shard}) == axe::Layout{{{8, 8, "lane"}, {2, 2, "warp"}}});
    CHECK(*make_layout(expected.shard, expected.replica, expected.offset) == expected);
    CHECK(make_layout(std::vector<axe::Iter>(17, axe::Iter{1, 1})).code() == errc::capacity);
    CHECK(make_layout({{1, 1}}, std::vector<axe::Iter>(9, axe::Iter{1, 1})).code() == errc::capacity);
    CHECK(make_layout(std::vector<axe::Iter>{{0, 1}}).code() == errc::bad_extent);
    static_assert(make_layout(std::array<axe::Iter, 1>{{{4, 2}}}).value() == axe::Layout{{{4, 2}}});
}

TEST_CASE("axes from texts: string views, strings, and characters that end with a zero")
{
    const axe::Axis lane = "lane";
    CHECK(*axe::Axis::make(std::string_view("lane.x", 4)) == lane);
    CHECK(*axe::Axis::make(std::string("lane")) == lane);
    const char* characters = "lane";
    CHECK(*axe::Axis::make(characters) == lane);
    static_assert(axe::Axis::make("lane").value() == axe::Axis("lane"));
    static_assert(axe::Axis::make(std::string_view("gpuid")).value() == axe::Axis("gpuid"));
    CHECK(axe::Axis::make(std::string_view()).code() == errc::bad_axis);
    CHECK(axe::Axis::make("").code() == errc::bad_axis);
    CHECK(axe::Axis::make(std::string("la-ne")).error().position == 2);
    CHECK(axe::Axis::make(std::string(16, 'x')).error().message().c_str() ==
          std::string("the name of an axis has at most 15 characters, this one has 16"));
    struct Long { // longer than an int counts
        const char* data() const { return "x"; }
        std::uint64_t size() const { return std::uint64_t{1} << 40; }
    };
    CHECK(axe::Axis::make(Long{}).code() == errc::bad_axis);
}
