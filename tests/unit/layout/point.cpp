// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/point.hpp>

#include <catch.hpp>

#include <string>

// clang 14 crashes on an Axis{"..."} inside CHECK, so the tests compare names.
static std::string name(const axe::Axis& axis) { return axis.name().c_str(); }

TEST_CASE("a point is the same however it is written", "[point]")
{
    const axe::Point p{{"warp", 6}, {"lane", 8}, {"reg", 1}};
    CHECK(p == axe::Point{{"lane", 8}, {"reg", 1}, {"warp", 6}});
    CHECK(p == axe::Point{{"lane", 8}, {"reg", 1}, {"warp", 6}, {"cta", 0}});
    CHECK_FALSE(p == axe::Point{{"lane", 8}, {"reg", 1}});
    CHECK_FALSE(p == axe::Point{{"lane", 8}, {"reg", 1}, {"warp", 6}, {"cta", 1}});
    CHECK(p["warp"] == 6);
    CHECK(p["cta"] == 0);
    CHECK(name(p.entries[0].axis) == "lane");
    CHECK(name(p.entries[2].axis) == "warp");
}

TEST_CASE("an entry is made where it is asked for, as long as there is room", "[point]")
{
    axe::BasicPoint<std::int64_t, 2> p;
    REQUIRE(p.entry("reg") != nullptr);
    *p.entry("reg") = 3;
    REQUIRE(p.entry("lane") != nullptr);
    CHECK(p.entry("warp") == nullptr);
    CHECK(*p.entry("reg") == 3);
    CHECK(name(p.entries[0].axis) == "lane");
    p.drop_zeros();
    CHECK(p.size() == 1);
    CHECK(p["reg"] == 3);
}
