// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/testing/catch.hpp>

#include <axe/layout/slice.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

namespace {

using namespace axe::literals;
using Swizzled = axe::Swizzled<axe::Layout>;

constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
constexpr axe::Layout rows = "(4,8):(8,1)"_axe;
const axe::Point six{{"lane", 8}, {"reg", 1}, {"warp", 6}}, ten{{"lane", 8}, {"reg", 1}, {"warp", 10}};

template <class T>
std::string shown(const T& value)
{
    return Catch::Detail::stringify(value);
}

/// What a matcher throws of a layout.
template <class M, class T>
std::string thrown(const M& matcher, const T& layout)
{
    try {
        (void)matcher.match(layout);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("matchers: yes in every form of a layout")
{
    CHECK_THAT(rows, axe::EqualsMap("32:1"_axe));
    CHECK_THAT(axe::group(rows, {2, 16}), axe::EqualsMap(rows));
    CHECK_THAT(*axe::group(rows, {2, 16}), axe::EqualsMap(axe::group(rows, {4, 8})));
    CHECK_THAT((Swizzled{{1, 0, 1}, {}, 1, "(2,4):(4,1)"_axe}), axe::EqualsMap(Swizzled{{1, 0, 1}, {}, 1, "8:1"_axe}));
    CHECK_THAT((axe::static_layout<rows, 8, 4>{}), axe::EqualsMap(rows));
    CHECK_THAT(*axe::make_layout<std::int32_t>({{32, 1}}), axe::EqualsMap(rows));
    CHECK_THAT(fragment, axe::Maps({8, 16}, {2, 9}, {ten, six}));
    CHECK_THAT(fragment, axe::Maps({41}, {{{"lane", 8}, {"reg", 1}, {"warp", 6}}, {{"lane", 8}, {"reg", 1}, {"warp", 10}}}));
    CHECK_THAT(fragment, axe::Maps({2, 1, 0, 1}, std::vector<axe::Point>{six, ten, six}));
    CHECK_THAT(fragment, axe::GroupsBy({8, 16}));
    CHECK_THAT(rows, axe::TilesBy("8:1"_axe));
    CHECK_THAT("(8,8,8,16):(1024,16,128,1)"_axe, axe::TilesBy("(8,16):(16,1)"_axe, {64, 128}, {8, 16}));

    // more iters than a Layout has
    using Wide = axe::BasicLayout<std::int64_t, 32>;
    Wide wide;
    for (int i = 0; i < 20; ++i) wide.shard.push_back({2, 1 << i, i % 2 == 0 ? axe::Axis{"a"} : axe::Axis{"b"}});
    CHECK_THAT(wide, axe::EqualsMap(wide));
    CHECK_THAT(wide, axe::GroupsBy<Wide>({1024, 1024}));
    CHECK_THAT(wide, axe::Maps<Wide>({1 << 20}, {1}, {Wide::Point{{"b", 1 << 19}}}));
    const std::string too_many = "no answer: capacity: a layout has at most 16 shard iters, this one has 20\n";
    CHECK(thrown(axe::EqualsMap(rows), wide).find(too_many) == 0);
    CHECK(thrown(axe::Maps({0}, {six}), wide).find(too_many) == 0);
    CHECK(thrown(axe::Maps({1, 1}, {0, 0}, {six}), wide).find(too_many) == 0);
    CHECK(thrown(axe::GroupsBy({1024, 1024}), wide).find(too_many) == 0);
    CHECK(thrown(axe::TilesBy("2:1"_axe), wide).find(too_many) == 0);
}

TEST_CASE("matchers: no, negated and combined")
{
    CHECK_THAT(rows, !axe::EqualsMap("32:2"_axe));
    CHECK_THAT(rows, !axe::EqualsMap("31:1"_axe));
    CHECK_THAT(fragment, !axe::Maps({41}, {six}));
    CHECK_THAT(fragment, !axe::Maps({8, 16}, {2, 9}, {six, ten, axe::Point{}}));
    CHECK_THAT("(4,6):(7,1)"_axe, !axe::GroupsBy({3, 8}));
    CHECK_THAT("(4,8):(9,1)"_axe, !axe::TilesBy("8:1"_axe));
    CHECK_THAT("(4,8):(9,1)"_axe, !axe::TilesBy("8:1"_axe, {32}, {8}));
    CHECK_THAT(rows, axe::EqualsMap("32:1"_axe) && !axe::EqualsMap("32:2"_axe) && axe::GroupsBy({4, 8}));
    CHECK_THAT(rows, axe::EqualsMap("32:2"_axe) || axe::TilesBy("8:1"_axe));
}

TEST_CASE("matchers: the text of a no is that of describe, the text of a yes what was asked")
{
    const auto equals = axe::EqualsMap("(4,8):(9,1)"_axe);
    CHECK(equals.toString() == "equals the map (4,8):(9,1)");
    CHECK_FALSE(equals.match(rows));
    CHECK(equals.toString() == "\ndifferent maps\n"
                               "  actual    (4,8):(8,1)\n"
                               "  expected  (4,8):(9,1)\n"
                               "first at index 8, coordinate (1,0) of (4,8)\n"
                               "  actual    {m:8}\n"
                               "  expected  {m:9}");
    // a matcher that is used again tells of its last use
    CHECK_FALSE(equals.match("33:1"_axe));
    CHECK(equals.toString() == "\n" + axe::describe_equals_map("33:1"_axe, "(4,8):(9,1)"_axe));
    CHECK(equals.match("(4,8):(9,1)"_axe));
    CHECK(equals.toString() == "equals the map (4,8):(9,1)");

    const auto maps = axe::Maps({8, 16}, {2, 9}, {six});
    CHECK(maps.toString() == "maps (2,9) of (8,16) to these points");
    CHECK_FALSE(maps.match(fragment));
    CHECK(maps.toString() == "\n" + axe::describe_maps(fragment, {8, 16}, {2, 9}, {six}));
    const auto maps_index = axe::Maps({41}, {six});
    CHECK(maps_index.toString() == "maps (41) to these points");
    CHECK_FALSE(maps_index.match(fragment));
    CHECK(maps_index.toString() == "\n" + axe::describe_maps(fragment, {41}, {six}));
    const auto groups = axe::GroupsBy({3, 8});
    CHECK(groups.toString() == "groups by (3,8)");
    CHECK_FALSE(groups.match("(4,6):(7,1)"_axe));
    CHECK(groups.toString() == "\n" + axe::describe_groups_by("(4,6):(7,1)"_axe, {3, 8}));
    const auto tiles = axe::TilesBy("8:1"_axe);
    CHECK(tiles.toString() == "tiles by 8:1");
    CHECK_FALSE(tiles.match("(4,8):(9,1)"_axe));
    CHECK(tiles.toString() == "\n" + axe::describe_tiles_by("(4,8):(9,1)"_axe, "8:1"_axe));
    const auto tiles_shapes = axe::TilesBy("8:1"_axe, {32}, {8});
    CHECK(tiles_shapes.toString() == "tiles by 8:1, (32) by (8)");
    CHECK_FALSE(tiles_shapes.match("(4,8):(9,1)"_axe));
    CHECK(tiles_shapes.toString() == "\n" + axe::describe_tiles_by("(4,8):(9,1)"_axe, {32}, "8:1"_axe, {8}));
    CHECK((!axe::EqualsMap("32:1"_axe)).toString() == "not equals the map 32:1");
}

TEST_CASE("matchers: what cannot be decided throws its sentence")
{
    CHECK(thrown(axe::EqualsMap(rows), rows) == "nothing");
    CHECK(thrown(axe::EqualsMap("32:2"_axe), rows) == "nothing");
    CHECK(thrown(axe::EqualsMap(rows), axe::slice(fragment, {8, 16}, {{0, 8}, {5, 12}})) ==
          "no answer: no_layout: dimension 1: the slice [5, 12) is not a layout\n"
          "  actual    refused\n"
          "  expected  (4,8):(8,1)");
    CHECK(thrown(axe::EqualsMap(axe::group(rows, {5, 5})), rows).find("expected  refused") != std::string::npos);
    CHECK(thrown(axe::EqualsMap("():() + [2:3, 6:2, 1048575:6]"_axe), "():() + [2097152:3, 3:2]"_axe).find("too_hard") == 11);
    CHECK(thrown(axe::Maps({0, 0}, {six}), fragment) == axe::describe_maps(fragment, {0, 0}, {six}));
    CHECK(thrown(axe::Maps({8, 15}, {0, 0}, {six}), fragment) == axe::describe_maps(fragment, {8, 15}, {0, 0}, {six}));
    CHECK(thrown(axe::GroupsBy({5, 5}), rows) == axe::describe_groups_by(rows, {5, 5}));
    CHECK(thrown(axe::GroupsBy({4, 8}), Swizzled{{1, 0, 1}, {}, 1, rows}).find("use the inner layout") != std::string::npos);
    CHECK(thrown(axe::TilesBy("8:1"_axe, {4, 8}, {8}), rows) == axe::describe_tiles_by(rows, {4, 8}, "8:1"_axe, {8}));
}

// These fail; Catch says that they ought to.
TEST_CASE("CHECK_THAT: a no fails", "[!shouldfail]") { CHECK_THAT(rows, axe::EqualsMap("32:2"_axe)); }
TEST_CASE("CHECK_THAT: a yes negated fails", "[!shouldfail]") { CHECK_THAT(rows, !axe::EqualsMap("32:1"_axe)); }
TEST_CASE("CHECK_THAT: an undecided question fails", "[!shouldfail]") { CHECK_THAT(rows, axe::GroupsBy({5, 5})); }
TEST_CASE("CHECK_THAT: an undecided question fails negated as well", "[!shouldfail]") { CHECK_THAT(rows, !axe::GroupsBy({5, 5})); }
TEST_CASE("CHECK_THAT: a refused result fails negated as well", "[!shouldfail]")
{
    CHECK_THAT(axe::group(rows, {5, 5}), !(axe::EqualsMap("32:2"_axe) && axe::EqualsMap("32:3"_axe)));
}

TEST_CASE("Catch shows values of the library in the notation")
{
    CHECK(shown(fragment) == "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");
    CHECK(shown(*axe::group(fragment, {8, 16})) == "(8|2,4,2):(4@lane|1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");
    CHECK(shown(Swizzled{{3, 4, 3}, "smem", 2, "64:1@smem"_axe}) == "swizzle<3,4,3>@smem/2(64:1@smem)");
    CHECK(shown(axe::static_layout<"(8,2,4):(-4@lane,1@warp,1@lane) + 3@reg"_axe>{}) == "(8,2,4):(-4@lane,1@warp,1@lane) + 3@reg");
    CHECK(shown(axe::static_layout<rows, 32>{}) == "32:1"); // as it is cut for its shape
    CHECK(shown(six) == "{lane:8, reg:1, warp:6}");
    CHECK(shown(axe::Shape{8, 16}) == "(8,16)");
    CHECK(shown(axe::Shape{}) == "()");
    CHECK(shown(axe::Region{{0, 32}, {64, 128}}) == "[0:32, 64:128]");
    CHECK(shown(axe::Layout::Axes{"lane", "reg"}) == "lane,reg");
    CHECK(shown(axe::Iter{8, 1, "lane"}) == "8:1@lane");
    CHECK(shown(axe::Axis{"lane"}) == "lane");
    CHECK(shown(axe::print(rows)) == "(4,8):(8,1)");
    CHECK(shown(rows.shard) == "{ 4:8, 8:1 }"); // what has no text of its own is the range that it is
    CHECK(shown(std::vector<axe::Point>{six, {}}) == "{ {lane:8, reg:1, warp:6}, {} }");

    CHECK(shown(axe::Result<axe::Layout>(rows)) == "(4,8):(8,1)");
    CHECK(shown(axe::Result<std::int64_t>(8)) == "8");
    CHECK(shown(axe::group("(4,6):(7,1)"_axe, {3, 8})) ==
          "none: dimension 0 of extent 3 ends inside an iter and does not divide it");
    CHECK(shown(axe::group(rows, {5, 5})) == "error: size_mismatch: the shape has 25 elements, the layout 32");
    CHECK(shown(axe::group(rows, {5, 5}).error()) == "size_mismatch: the shape has 25 elements, the layout 32");
    CHECK(shown(axe::errc::size_mismatch) == "size_mismatch");
    CHECK(shown(axe::check(rows)) == "ok");
    CHECK(shown(axe::check(axe::Layout{{{0, 1}}, {}, {}})) ==
          "error: bad_extent: the extent of iter 0 is 0; it must be at least 1");
    CHECK(shown(axe::equal(rows, rows)) == "yes");
    CHECK(shown(axe::equal(rows, "(4,8):(9,1)"_axe)) == "no at 8");
    CHECK(shown(axe::equal(rows, "4:1"_axe)) == "no");
    CHECK(shown(axe::Decision(axe::group(rows, {5, 5}).error())) ==
          "error: size_mismatch: the shape has 25 elements, the layout 32");
    CHECK(shown(axe::equals_map(rows, rows)) == "yes");
    CHECK(shown(axe::equals_map(rows, "(4,8):(9,1)"_axe)) == "no: the points of index 8 differ");
    CHECK(shown(axe::groups_by(rows, {5, 5})) == "error: size_mismatch: the shape has 25 elements, the layout 32");
}
