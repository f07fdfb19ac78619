// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if __has_include(<fmt/format.h>)
#  if !defined(FMT_HEADER_ONLY)
#    define FMT_HEADER_ONLY
#  endif
#  include <axe/text/fmt.hpp>
#  include <axe/text/literals.hpp>
#  include <catch.hpp>
#  include <fmt/ranges.h> // its formatters for lists of anything must not compete

#  include <cstdint>
#  include <iterator>
#  include <string>

namespace {

using namespace axe::literals;

/// Is the specification refused?
template <class T>
bool refused(const char* specification, const T& value)
{
    try {
        (void)fmt::format(fmt::runtime(specification), value);
        return false;
    } catch (const fmt::format_error&) {
        return true;
    }
}

constexpr auto tile = "(8,2):(4@lane,1) + [2:4@warp] + 5@warp"_axe;

} // namespace

TEST_CASE("fmt writes values as they are printed")
{
    CHECK(fmt::format("{}", tile) == "(8,2):(4@lane,1) + [2:4@warp] + 5@warp");
    CHECK(fmt::format("{}", axe::BasicLayout<std::int32_t, 4, 2, 2>{{{8, 1}}}) == "8:1");
    CHECK(fmt::format("{}", "(8|2):(2|1)"_grouped) == "(8|2):(2|1)");
    CHECK(fmt::format("{}", "swizzle<3,4,3>(8:1)"_swizzled) == "swizzle<3,4,3>(8:1)");
    CHECK(fmt::format("{} {}", axe::Shape{64, 128}, axe::Coord{2}) == "(64,128) (2)");
    CHECK(fmt::format("{}", axe::Region{{0, 32}}) == "[0:32]");
    CHECK(fmt::format("{}", axe::Point{{"warp", 6}, {"lane", 8}}) == "{lane:8, warp:6}");
    CHECK(fmt::format("{}", axe::Iter{8, 1, "lane"}) == "8:1@lane");
    CHECK(fmt::format("{}", axe::BasicIter<std::int32_t>{8, 1}) == "8:1");
    CHECK(fmt::format("{}", axe::Axis{"lane"}) == "lane");
    CHECK(fmt::format("{}", axe::Layout::Axes{"lane", "reg"}) == "lane,reg");
    CHECK(fmt::format("{}", axe::errc::too_hard) == "too_hard");
    CHECK(fmt::format("{}", axe::parse_layout("8").error()) == "bad_syntax: expected ':' after the extent at character 1");
}

TEST_CASE("p is the pretty form of layouts, grouped and swizzled ones")
{
    CHECK(fmt::format("{:p}", tile) == "( 8       2 ) [ 2      ]\n( 4@lane  1 ) [ 4@warp ] + 5@warp");
    CHECK(fmt::format("<{:p}>{}", "(8|2):(2|1)"_grouped, 1) == "<( 8 | 2 )\n( 2 | 1 )>1");
    CHECK(fmt::format("{:p}", "swizzle<3,4,3>(8:1)"_swizzled) == "swizzle<3,4,3> ( 8 )\n               ( 1 )");
}

TEST_CASE("fill, alignment, width and precision are those of strings")
{
    CHECK(fmt::format("{:>8}|{:<8}|{:^8}|{:8}|", "8:1"_axe, "8:1"_axe, "8:1"_axe, "8:1"_axe) ==
          "     8:1|8:1     |  8:1   |8:1     |");
    CHECK(fmt::format("{:*^9}", axe::Shape{1, 2}) == "**(1,2)**");
    CHECK(fmt::format("{:>{}}", axe::errc::ok, 4) == "  ok");
    CHECK(fmt::format("{:.3}", tile) == "(8,");
    std::string out;
    fmt::format_to(std::back_inserter(out), "{:_>5}{:p}", axe::Axis{"P"}, "8:1"_axe);
    CHECK(out == "____P( 8 )\n( 1 )");
}

TEST_CASE("any other specification is refused")
{
    for (const char* bad : {"{:q}", "{:d}", "{:pp}", "{:p>}", "{:>9p}", "{:9p}", "{:p9}", "{:p", "{:>"}) {
        INFO(bad);
        CHECK(refused(bad, tile));
        CHECK(refused(bad, "(8|2):(2|1)"_grouped));
        CHECK(refused(bad, "swizzle<3,4,3>(8:1)"_swizzled));
    }
    CHECK_FALSE(refused("{:p>9}", axe::Shape{1})); // p as the fill
    for (const char* bad : {"{:p}", "{:d}", "{:x}"}) {
        INFO(bad);
        CHECK(refused(bad, axe::Shape{1}));
        CHECK(refused(bad, axe::Point{}));
        CHECK(refused(bad, axe::Axis{}));
        CHECK(refused(bad, axe::errc::ok));
        CHECK(refused(bad, axe::Error{}));
    }
}
#endif
