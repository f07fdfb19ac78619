// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/side.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using axe::errc;
using axe::Layout;
using axe::RelayoutSide;
using axe::Swizzled;
using Int = std::int64_t;

constexpr Int large = Int{1} << 60;

axe::Result<axe::detail::AddressMap, axe::Problem> map_of(const RelayoutSide& side, Int unit = 4, bool is_destination = true)
{
    return axe::detail::address_map(side, unit, is_destination);
}

RelayoutSide with_pitches(const RelayoutSide& side, std::initializer_list<axe::AxisPitch> pitches)
{
    RelayoutSide out = side;
    for (const axe::AxisPitch& p : pitches) out.pitches.push_back(p);
    return out;
}

/// (extent, step), the fastest first.
std::string digits_of(const axe::detail::AddressMap& map)
{
    std::string text;
    for (const auto& d : map.digits) text += "(" + std::to_string(d.extent) + "," + std::to_string(d.step) + ")";
    return text;
}

void refused(const RelayoutSide& side, errc code, const char* sentence, Int unit = 4, bool is_destination = true)
{
    const auto map = map_of(side, unit, is_destination);
    CHECK_FALSE(map);
    CHECK(map.error().code == code);
    CHECK(map.error().text == sentence);
}

} // namespace

TEST_CASE("relayout side: steps are bytes, the fastest digit first")
{
    const auto map = map_of("(2,3,5):(15,5,1)"_axe);
    REQUIRE(map);
    CHECK(digits_of(*map) == "(30,4)"); // one run
    CHECK(map->least == 0);
    CHECK(map->most == 119);

    const auto turned = map_of("(2,3,5):(1,2,6)"_axe, 2);
    REQUIRE(turned);
    CHECK(digits_of(*turned) == "(5,12)(3,4)(2,2)");
    CHECK(turned->most == 59);
}

TEST_CASE("relayout side: negative strides and offsets move the range")
{
    const auto map = map_of("(4,3):(-3@m,1@m) + 9@m"_axe);
    REQUIRE(map);
    CHECK(map->offset == 36);
    CHECK(map->least == 0);
    CHECK(map->most == 47);
}

TEST_CASE("relayout side: the empty layout, and extents of one")
{
    const auto map = map_of(Layout{}, 8);
    REQUIRE(map);
    CHECK(map->digits.empty());
    CHECK(map->least == 0);
    CHECK(map->most == 7);
    CHECK(digits_of(*map_of("(1,3,1):(7,1,5)"_axe)) == "(3,4)");
}

TEST_CASE("relayout side: copies are the destination's only")
{
    const Layout twice = "6:1@m + [2:6@m]"_axe;
    REQUIRE(map_of(twice));
    CHECK(map_of(twice)->copies.size() == 1);
    CHECK(map_of(twice)->most == 47);
    CHECK(map_of(twice, 4, false)->copies.empty());
    CHECK(map_of(twice, 4, false)->most == 23);
}

TEST_CASE("relayout side: two axes with their pitches")
{
    const RelayoutSide side = with_pitches("(128,512):(1@P,1@F)"_axe, {{"P", 1024}, {"F", 1}});
    const auto map = map_of(side);
    REQUIRE(map);
    CHECK(digits_of(*map) == "(512,4)(128,4096)");
    CHECK(map->most == 127 * 4096 + 511 * 4 + 3);
    // Pitches may be negative, too.
    CHECK(map_of(with_pitches("(4,8):(1@P,1@F)"_axe, {{"P", -16}, {"F", 1}}))->least == -3 * 64);
    // An axis on which nothing moves needs none.
    CHECK(map_of(with_pitches("(4,8):(0@P,1@F)"_axe, {{"F", 1}})));
    CHECK(map_of("(4,8):(0@P,1@F)"_axe));
}

TEST_CASE("relayout side: axes without a pitch")
{
    refused("(2,3):(3@P,1@F)"_axe, errc::bad_axis, "destination: the layout has the axes F and P; give the pitch of each");
    refused("(2,3):(3@P,1@F)"_axe, errc::bad_axis, "source: the layout has the axes F and P; give the pitch of each", 4, false);
    refused("3:1@F + 2@P"_axe, errc::bad_axis, "source: the layout has the axes F and P; give the pitch of each", 4, false);
    refused(with_pitches("(2,3):(3@P,1@F)"_axe, {{"F", 1}}), errc::bad_axis,
            "destination: axis P has no pitch; give the distance of its neighbors in elements");
    refused("6:1@m + [2:1@gpuid]"_axe, errc::bad_axis, "destination: the layout has the axes m and gpuid; give the pitch of each");
    CHECK(map_of("6:1@m + [2:1@gpuid]"_axe, 4, false)); // the source's first copy
}

TEST_CASE("relayout side: addresses that overflow")
{
    Layout wide;
    wide.shard.push_back({large, 8});
    CHECK(map_of(wide, 1));
    refused(wide, errc::overflow, "destination: addresses in bytes overflow", 2);
    Layout steep;
    steep.shard.push_back({2, large});
    CHECK(map_of(steep, 4)); // 2^62 + 3 is one
    refused(steep, errc::overflow, "destination: addresses in bytes overflow on axis m", 16);
    refused(with_pitches(steep, {{{}, 8}}), errc::overflow, "source: addresses in bytes overflow on axis m", 1, false);
    Layout far = steep;
    *far.offset.entry({}) = large;
    refused(far, errc::overflow, "destination: addresses in bytes overflow", 4);
    Layout below = steep;
    below.shard[0].stride = -large;
    CHECK(map_of(below, 4)->least == -4 * large);
}

TEST_CASE("relayout side: what the layout itself gets wrong")
{
    Layout none;
    none.shard.push_back({0, 1});
    refused(none, errc::bad_extent, "destination: the extent of iter 0 is 0; it must be at least 1");
    refused(Swizzled<Layout>{{1, 0, 1}, {}, 2, "8:1"_axe}, errc::bad_argument,
            "source: a swizzle whose lowest bit is 0 splits elements of 2 bytes", 2, false);
}

TEST_CASE("relayout side: swizzles")
{
    const Swizzled<Layout> tile{{3, 4, 3}, {}, 4, "(8,32):(32,1)"_axe};
    REQUIRE(map_of(tile));
    CHECK(map_of(tile)->swizzle == tile.swizzle);
    // Rows a period apart may be on another axis.
    const Swizzled<Layout> rows{{3, 4, 3}, "F", 4, "(8,256):(1@P,1@F)"_axe};
    CHECK(map_of(with_pitches(rows, {{"P", 256}, {"F", 1}})));

    refused(tile, errc::bad_argument, "destination: the swizzle counts elements of 4 bytes, the copy elements of 2", 2);
    refused(
        with_pitches(rows, {{"P", 255}, {"F", 1}}), errc::bad_argument,
        "destination: next to an axis swizzled with period 1024 bytes, the pitch of P must be a multiple of that, got 1020 bytes");
    refused(with_pitches(rows, {{"P", 256}, {"F", 2}}), errc::bad_argument,
            "destination: the swizzled axis F needs pitch 1, not 2");
    refused(Swizzled<Layout>{{3, 4, 3}, "F", 4, "8:1@P"_axe}, errc::bad_axis,
            "destination: the swizzle moves axis F, the layout has P");
    CHECK(map_of(Swizzled<Layout>{{3, 4, 3}, "F", 4, "8:0@P"_axe})); // nothing moves on P
}
