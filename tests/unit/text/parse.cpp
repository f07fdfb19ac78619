// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace {

using namespace axe::literals;
using axe::errc;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

axe::Result<axe::Layout> layout(const char* text) { return axe::parse_layout(text); }

/// A text that is refused, the character at which, and words of the sentence.
struct Refused {
    const char* text;
    errc code;
    int position;
    const char* words;
};

template <class Parse>
void check_refused(const Refused& row, Parse parse)
{
    const auto got = parse(row.text);
    INFO("text: '" << row.text << "', sentence: " << got.error().message().c_str());
    CHECK(std::string(axe::name(got.code())) == axe::name(row.code));
    CHECK(got.error().position == row.position);
    const std::string sentence = got.error().message().c_str();
    CHECK(sentence.find(row.words) != std::string::npos);
    const std::string place = "at character " + std::to_string(row.position);
    if (row.code == errc::bad_syntax) CHECK(sentence.substr(sentence.size() - std::min(place.size(), sentence.size())) == place);
    if (row.code == errc::bad_axis) CHECK(sentence.find(place + " ") != std::string::npos);
}

} // namespace

TEST_CASE("a layout is read as it is written")
{
    const auto l = layout("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");
    REQUIRE(l);
    const axe::Layout want{{{8, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}}, {{"warp", 5}}};
    CHECK(*l == want);
    CHECK(layout("64:1").value() == axe::Layout{{{64, 1}}});
    CHECK(layout("(64):(1)").value() == axe::Layout{{{64, 1}}});
    CHECK(layout("():()").value() == axe::Layout{});
    CHECK(layout("64:-3@P + -3@warp").value() == axe::Layout{{{64, -3, "P"}}, {}, {{"warp", -3}}});
    CHECK(layout("():() + [2:1, 3:-4@gpuid]").value() == axe::Layout{{}, {{2, 1}, {3, -4, "gpuid"}}});
}

TEST_CASE("no axis means m, and m may be written")
{
    CHECK(layout("(8,16):(16@m,1@m)").value() == layout("(8,16):(16,1)").value());
    CHECK(layout("8:1@m").value().shard[0].axis == axe::Axis{"m"});
}

TEST_CASE("what is written is kept: extents of 1, strides and offsets of 0, the order of iters")
{
    const axe::Layout l = layout("(1,2,1):(7@lane,0@warp,3) + [1:3@warp, 1:1@gpuid] + 0@reg").value();
    CHECK(l.shard.size() == 3);
    CHECK(l.shard[0] == axe::Iter{1, 7, "lane"});
    CHECK(l.shard[1] == axe::Iter{2, 0, "warp"});
    CHECK(l.replica.size() == 2);
    CHECK(l.replica[0] == axe::Iter{1, 3, "warp"});
    CHECK(l.offset.size() == 1);
    CHECK(l.offset.entries[0].axis == axe::Axis{"reg"});
}

TEST_CASE("offsets come in any order, each axis once")
{
    const axe::Layout l = layout("8:1 + 2@warp + 3@P + -1@m").value();
    REQUIRE(l.offset.size() == 3);
    CHECK(l.offset.entries[0].axis == axe::Axis{"P"});
    CHECK(l.offset.entries[2].axis == axe::Axis{"warp"});
    CHECK(l.offset[axe::Axis{"m"}] == -1);
}

TEST_CASE("spaces may stand between tokens, not inside them")
{
    CHECK(layout("  ( 8 , 2 ) : ( 4 @ lane , -1 )  +[ 2 : 4 @warp ]+5@ warp ").value() ==
          "(8,2):(4@lane,-1) + [2:4@warp] + 5@warp"_axe);
    CHECK_FALSE(layout("(1 2):(1)"));
    CHECK_FALSE(layout("8:- 1"));
    CHECK_FALSE(layout("8:1@la ne"));
}

TEST_CASE("TVM's spelling is read")
{
    CHECK(layout("S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid").value() ==
          layout("(8,2):(2@laneid,1) + [2:4@warpid] + 5@warpid").value());
    CHECK(layout("S[8:1]").value() == layout("8:1").value());
    CHECK(layout("S[():()] + R[(2,4):(4@warpid,1)]").value() == layout("():() + [2:4@warpid, 4:1]").value());
}

TEST_CASE("TVM's axes in quotes, and its replicas before the shard")
{
    const auto plain = "8:4@laneid + [2:4@warpid] + 5@warpid"_axe;
    CHECK(layout("S[8:4@\"laneid\"] + R[2:4@\"warpid\"] + 5@\"warpid\"").value() == plain);
    CHECK(layout("R[2:4@warpid] + S[8:4@laneid] + 5@warpid").value() == plain);
    CHECK(layout("5@warpid + R[2:4@warpid] + S[8:4@laneid]").value() == plain);
    CHECK(layout("R[2:4@warpid] + 5@warpid + S[8:4@laneid]").value() == plain);
    CHECK_FALSE(layout("8:4@\"laneid\"")); // the quotes are TVM's
}

TEST_CASE("an axis as TVM prints it is the axis, in every text")
{
    const auto plain = "8:4@laneid + [2:1@warpid] + 5@warpid"_axe;
    CHECK(layout("8:4 @ Axis.laneid + [2:1@Axis.warpid] + 5@Axis.warpid").value() == plain);
    CHECK(layout("S[8 : 4 @ Axis.laneid] + R[2:1@Axis.warpid] + 5@Axis.warpid").value() == plain);
    CHECK(axe::parse_axis("Axis.laneid").value() == axe::Axis{"laneid"});
    CHECK(axe::parse_axes("Axis.laneid, reg").value() == axe::Layout::Axes{axe::Axis{"laneid"}, axe::Axis{"reg"}});
    CHECK(axe::parse_point("{Axis.laneid:3}").value()[axe::Axis{"laneid"}] == 3);
    for (const char* name : {"Axis.", "Axis.7", "Axis", "axis.lane", "Axis_lane"})
        CHECK(axe::print(axe::parse_axis(std::string_view(name)).value()) == name);
}

TEST_CASE("Python's list of one is read in shapes, coordinates and layouts")
{
    CHECK(axe::parse_shape("(8,)").value() == axe::Shape{8});
    CHECK(axe::parse_coord("( 3 , )").value() == axe::Coord{3});
    CHECK(layout("(8,):(4@lane,)").value() == "8:4@lane"_axe);
    CHECK_FALSE(axe::parse_shape("(8,2,)"));
    CHECK_FALSE(axe::parse_shape("(,)"));
    CHECK_FALSE(axe::parse_shape("(8,,)"));
    CHECK_FALSE(axe::parse_shape("8,"));
}

TEST_CASE("numbers of 64 bits are read to the last")
{
    const auto parse = [](const char* s) { return axe::parse_integer(s); };
    CHECK(parse("9223372036854775807").value() == most);
    CHECK(parse("-9223372036854775808").value() == least);
    CHECK(parse("-0").value() == 0);
    CHECK(parse("007").value() == 7);
    check_refused({"9223372036854775808", errc::overflow, 0, "character 0 overflows"}, axe::parse_integer);
    check_refused({"-9223372036854775809", errc::overflow, 0, "character 0 overflows"}, axe::parse_integer);
    check_refused({"  99999999999999999999999", errc::overflow, 2, "character 2 overflows"}, axe::parse_integer);
    check_refused({"", errc::bad_syntax, 0, "expected a number"}, axe::parse_integer);
    check_refused({"-", errc::bad_syntax, 1, "expected a number"}, axe::parse_integer);
    check_refused({"+1", errc::bad_syntax, 0, "expected a number"}, axe::parse_integer);
    check_refused({"1 2", errc::bad_syntax, 2, "expected the end"}, axe::parse_integer);
    check_refused({"1.5", errc::bad_syntax, 1, "expected the end"}, axe::parse_integer);
}

TEST_CASE("a mistake in a layout is placed at its character")
{
    const Refused rows[] = {
        {"", errc::bad_syntax, 0, "expected '(' or an extent"},
        {"x", errc::bad_syntax, 0, "expected '(' or an extent"},
        {"(8,16)(16,1)", errc::bad_syntax, 6, "expected ':' after the extents at character 6"},
        {"(8,16:(16,1)", errc::bad_syntax, 5, "expected ',' or ')' in the extents"},
        {"(8,2,):(1)", errc::bad_syntax, 5, "expected an extent"},
        {"R[2:4@lane] + 5", errc::bad_syntax, 15, "expected '+' and S[...] after replicas at character 15"},
        {"R[2:4@lane]", errc::bad_syntax, 11, "expected '+' and S[...] after replicas at character 11"},
        {"(8,16):16", errc::bad_syntax, 7, "expected '('"},
        {"(8,16):(16,1", errc::bad_syntax, 12, "expected ',' or ')' in the strides"},
        {"(8,16):(16,2,)", errc::bad_syntax, 13, "expected a stride"},
        {"8", errc::bad_syntax, 1, "expected ':'"},
        {"8:", errc::bad_syntax, 2, "expected a stride"},
        {"8:lane", errc::bad_syntax, 2, "expected a stride"},
        {"8:1@", errc::bad_syntax, 4, "expected the name of an axis"},
        {"8:1@4", errc::bad_syntax, 4, "expected the name of an axis"},
        {"8:1@_x", errc::bad_syntax, 4, "expected the name of an axis"},
        {"8:1@lane-id", errc::bad_syntax, 8, "expected '+' or the end"},
        {"8:1 8:1", errc::bad_syntax, 4, "expected '+' or the end"},
        {"8:1 +", errc::bad_syntax, 5, "expected replicas or an offset"},
        {"8:1 + 5@", errc::bad_syntax, 8, "expected the name of an axis"},
        {"8:1 + (5)", errc::bad_syntax, 6, "expected replicas or an offset"},
        {"5 + 8:1", errc::bad_syntax, 2, "expected ':'"},
        {"(8,9,):(1,2)", errc::bad_syntax, 5, "expected an extent"},
        {"8:\"lane\"", errc::bad_syntax, 2, "expected a stride"},
        {"S[2,", errc::bad_syntax, 4, "expected an extent"},
        {"S[8:\"lane]", errc::bad_syntax, 9, "expected '\"' after the axis"},
        {"S[8:(4,lane)]", errc::bad_syntax, 7, "expected an axis in quotes"},
        {"S[8:1] + (1@lane", errc::bad_syntax, 16, "expected '+' or ')' after the offset"},
        {"S[8:1] + 1@lane + 2@Axis.lane", errc::bad_axis, 20, "is already named"},
        {"8:1 + [2:4", errc::bad_syntax, 10, "expected ',' or ']'"},
        {"8:1 + [2]", errc::bad_syntax, 8, "expected ':'"},
        {"8:1 + [2:1] + [3:1]", errc::bad_syntax, 14, "expected an offset"},
        {"8:1 + 5@warp + [3:1]", errc::bad_syntax, 15, "expected an offset"},
        {"S(8):(1)", errc::bad_syntax, 1, "expected '[' after S"},
        {"S[8:1", errc::bad_syntax, 5, "expected ']'"},
        {"8:1 + R(2):(1)", errc::bad_syntax, 7, "expected '[' after R"},
        {"8:99999999999999999999", errc::overflow, 2, "the number at character 2"},
        {"8:1@a23456789abcdefg", errc::bad_axis, 4, "at most 15 fit"},
        {"8:1 + 1@warp + 2@warp", errc::bad_axis, 17, "already named"},
        {"(2,3):(1)", errc::rank_mismatch, 7, "2 extents, but 1 stride"},
        {"(2):(1,2,3)", errc::rank_mismatch, 5, "1 extent, but 3 strides"},
        {"():(1)", errc::rank_mismatch, 4, "0 extents, but 1 stride"},
    };
    for (const Refused& row : rows) check_refused(row, axe::parse_layout);
}

TEST_CASE("what reads well but is not a layout is refused as check refuses it")
{
    CHECK(layout("0:1").code() == errc::bad_extent);
    CHECK(layout("(2,-3):(1,1)").error().position == 1);
    CHECK(layout("8:1 + [0:1]").code() == errc::bad_extent);
    CHECK(layout("(9223372036854775807,3):(1,0)").code() == errc::overflow);
    CHECK(layout("2:-9223372036854775808").code() == errc::overflow);
    CHECK(layout("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)").has_value());
    CHECK(layout("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)").code() == errc::capacity);
    CHECK(layout("8:1 + [1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1]").code() == errc::capacity);
    CHECK(layout("8:1 + 1@a + 1@b + 1@c + 1@d + 1@e + 1@f + 1@g + 1@h + 1@i").code() == errc::capacity);
}

TEST_CASE("grouped layouts are read with their blocks")
{
    const auto grouped = [](const char* s) { return axe::parse_grouped(s); };
    const auto g = grouped("(8|2,4,2):(4@lane|1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp").value();
    CHECK(g.layout == "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe);
    CHECK(g.rank() == 2);
    CHECK(g.ends == decltype(g.ends){1, 4});
    CHECK(grouped("(|8|):(|1|)").value().ends == decltype(g.ends){0, 1, 1});
    CHECK(grouped("(8,2):(2,1)").value().ends == decltype(g.ends){2}); // an ordinary shard with its parentheses is one block
    CHECK(grouped("(|):(|)").value().ends == decltype(g.ends){0, 0});
    CHECK(grouped("():()").value().rank() == 0);
    CHECK(grouped("():() + [2:1] + 3@P").value().rank() == 0);
    CHECK(grouped("( 8 | | 2 ) : ( 1 || 8 )").value().ends == decltype(g.ends){1, 1, 2});
    CHECK(grouped("(|||||||||||||||):(|||||||||||||||)").value().rank() == 16);

    const Refused rows[] = {
        {"8:1", errc::bad_syntax, 0, "expected '(' before the extents"},
        {"S[(8|2):(2|1)]", errc::bad_syntax, 0, "expected '('"},
        {"(8|2:(2|1)", errc::bad_syntax, 4, "expected ',', '|' or ')' in the extents"},
        {"(8|2):(2|1", errc::bad_syntax, 10, "expected ',', '|' or ')' in the strides"},
        {"(8,|2):(2,|1)", errc::bad_syntax, 3, "expected an extent"},
        {"(8|2):(2|1,)", errc::bad_syntax, 11, "expected a stride"},
        {"(8|2):(2,1)", errc::rank_mismatch, 7, "2 groups of extents, but 1 group of strides from character 7 on"},
        {"(8,2):(2|1)", errc::rank_mismatch, 7, "1 group of extents, but 2 groups of strides"},
        {"(8||2):(2|1)", errc::rank_mismatch, 8, "3 groups of extents, but 2 groups"},
        {"(8|2,4):(4,2|1)", errc::rank_mismatch, 9, "1 extent, but 2 strides from character 9 on"},
        {"(8|2,4|):(4|1|1)", errc::rank_mismatch, 12, "2 extents, but 1 stride from character 12 on"},
        {"(|8):(1|)", errc::rank_mismatch, 6, "0 extents, but 1 stride"},
        {"(8,2):(4)", errc::rank_mismatch, 7, "2 extents, but 1 stride"},
        {"(|8|0):(|1|1)", errc::bad_extent, 1, "the extent of iter 1 is 0"},
        {"(8|2):(2|1) 5", errc::bad_syntax, 12, "expected '+' or the end"},
        {"(||||||||||||||||):(||||||||||||||||)", errc::capacity, 16, "at most 16 items, this one has 17"},
    };
    for (const Refused& row : rows) check_refused(row, axe::parse_grouped);
    CHECK_FALSE(
        grouped("(|||||||||||||||||8):(8|||||||||||||||||)").has_value()); // they differ past the last block there is room for
    check_refused({"(8|2):(2|1)", errc::bad_syntax, 2, "expected ',' or ')'"}, axe::parse_layout); // no bars in an ordinary one
}

TEST_CASE("swizzled layouts are read, and plain ones as swizzled by nothing")
{
    const auto swizzled = [](const char* s) { return axe::parse_swizzled(s); };
    const auto s = swizzled("swizzle<3,4,-5>@smem/2((8,64):(64@smem,1@smem) + 8@smem)").value();
    CHECK(s.swizzle == axe::Swizzle{3, 4, -5});
    CHECK(s.axis == axe::Axis{"smem"});
    CHECK(s.width == 2);
    CHECK(s.layout == "(8,64):(64@smem,1@smem) + 8@smem"_axe);
    CHECK(swizzled("swizzle<3,4,3>(8:1)").value() == axe::Swizzled<axe::Layout>{{3, 4, 3}, {}, 1, "8:1"_axe});
    CHECK(swizzled("swizzle<3,4,3>@m/1(8:1)").value() == swizzled(" swizzle < 3 , 4 , 3 > ( 8 : 1 ) ").value());
    CHECK(swizzled("swizzle<3,4,3>(S[(8):(1)] + R[2:4])").value().layout == "8:1 + [2:4]"_axe);
    CHECK(swizzled("(8,2):(2,1) + 3@P").value() == axe::Swizzled<axe::Layout>{{}, {}, 1, "(8,2):(2,1) + 3@P"_axe});
    CHECK(swizzled("S[8:1]").value() == axe::Swizzled<axe::Layout>{{}, {}, 1, "8:1"_axe});

    const Refused rows[] = {
        {"swizle<3,4,3>(8:1)", errc::bad_syntax, 0, "expected a layout or swizzle<bits,base,shift>"},
        {"swizzles<3,4,3>(8:1)", errc::bad_syntax, 0, "expected a layout or swizzle"},
        {"Swizzle<3,4,3>(8:1)", errc::bad_syntax, 1, "expected '[' after S"},
        {"swizzle", errc::bad_syntax, 7, "expected '<'"},
        {"swizzle(8:1)", errc::bad_syntax, 7, "expected '<'"},
        {"swizzle<>(8:1)", errc::bad_syntax, 8, "expected the number of bits"},
        {"swizzle<3>(8:1)", errc::bad_syntax, 9, "expected ',' after the bits"},
        {"swizzle<3,>(8:1)", errc::bad_syntax, 10, "expected the lowest bit"},
        {"swizzle<3,4>(8:1)", errc::bad_syntax, 11, "expected ',' after the lowest bit"},
        {"swizzle<3,4,>(8:1)", errc::bad_syntax, 12, "expected the shift"},
        {"swizzle<3,4,3,1>(8:1)", errc::bad_syntax, 13, "expected '>'"},
        {"swizzle<3,4,3>@(8:1)", errc::bad_syntax, 15, "expected the name of an axis"},
        {"swizzle<3,4,3>/(8:1)", errc::bad_syntax, 15, "expected the bytes of an element"},
        {"swizzle<3,4,3>8:1", errc::bad_syntax, 14, "expected '(' before the layout"},
        {"swizzle<3,4,3>/2@x(8:1)", errc::bad_syntax, 16, "expected '(' before the layout"},
        {"swizzle<3,4,3>()", errc::bad_syntax, 15, "expected '(' or an extent"},
        {"swizzle<3,4,3>(8:1", errc::bad_syntax, 18, "expected '+' or ')' after the layout"},
        {"swizzle<3,4,3>(8:1) + 5@m", errc::bad_syntax, 20, "expected the end of the text"},
        {"swizzle<3,4,2147483648>(8:1)", errc::overflow, 12, "the number at character 12 overflows"},
        {"swizzle<3,4, 2147483648>(8:1)", errc::overflow, 13, "the number at character 13 overflows"},
        {"8:1 x", errc::bad_syntax, 4, "expected '+' or the end"},
        {"swizzle<3,4,99999999999999999999>(8:1)", errc::overflow, 12, "the number at character 12"},
        {"swizzle<3,4,2>(8:1)", errc::bad_argument, -1, "swizzle<3,4,2> must have"},
        {"swizzle<3,1,3>/4(8:1)", errc::bad_argument, -1, "elements of 4 bytes"},
        {"swizzle<3,4,3>/0(8:1)", errc::bad_argument, -1, "elements of 0 bytes"},
        {"swizzle<3,4,3>(0:1)", errc::bad_extent, 0, "the extent of iter 0"},
    };
    for (const Refused& row : rows) check_refused(row, axe::parse_swizzled);
    CHECK_FALSE(layout("swizzle<3,4,3>(8:1)"));
}

TEST_CASE("shapes and coordinates")
{
    const auto shape = [](const char* s) { return axe::parse_shape(s); };
    CHECK(shape("(64,128)").value() == axe::Shape{64, 128});
    CHECK(shape("64").value() == axe::Shape{64});
    CHECK(shape("()").value() == axe::Shape{});
    CHECK(shape("(4,0)").code() == errc::bad_extent);
    CHECK(shape("(4,0)").error().position == 1);
    CHECK(shape("(4611686018427387904,4)").code() == errc::overflow);
    CHECK(shape("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)").code() == errc::capacity);
    check_refused({"(4,", errc::bad_syntax, 3, "expected an extent"}, axe::parse_shape);
    check_refused({"(4 5)", errc::bad_syntax, 3, "expected ',' or ')'"}, axe::parse_shape);
    for (const char* text : {"8,16", "8x16", " 8 x 16 ", "8 , 16"}) CHECK(shape(text).value() == axe::Shape{8, 16});
    CHECK(shape("2x3x4").value() == axe::Shape{2, 3, 4});
    check_refused({"8x", errc::bad_syntax, 2, "expected an extent"}, axe::parse_shape);
    check_refused({"8,", errc::bad_syntax, 2, "expected an extent"}, axe::parse_shape);
    check_refused({"8x16,4", errc::bad_syntax, 4, "expected the end"}, axe::parse_shape); // one or the other
    check_refused({"8,16x4", errc::bad_syntax, 4, "expected the end"}, axe::parse_shape);
    check_refused({"(8x16)", errc::bad_syntax, 2, "expected ',' or ')'"}, axe::parse_shape);
    check_refused({"8x0", errc::bad_extent, 1, "0"}, axe::parse_shape);

    const auto coord = [](const char* s) { return axe::parse_coord(s); };
    CHECK(coord("(2,9)").value() == axe::Coord{2, 9});
    CHECK(coord("2,9").value() == axe::Coord{2, 9});
    check_refused({"2x9", errc::bad_syntax, 1, "expected the end"}, axe::parse_coord);
    CHECK(coord("-1").value() == axe::Coord{-1}); // in no domain, but a coordinate
    CHECK(coord("(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)").code() == errc::capacity);
    check_refused({"(2,x)", errc::bad_syntax, 3, "expected an index"}, axe::parse_coord);
}

TEST_CASE("regions")
{
    const auto region = [](const char* s) { return axe::parse_region(s); };
    CHECK(region("[0:32, 64:128]").value() == axe::Region{{0, 32}, {64, 128}});
    CHECK(region("[]").value() == axe::Region{});
    CHECK(region("[3:1]").value() == axe::Region{{3, 1}}); // whether it is empty is the slice's question
    check_refused({"0:32", errc::bad_syntax, 0, "expected '['"}, axe::parse_region);
    check_refused({"[0-32]", errc::bad_syntax, 2, "expected ':'"}, axe::parse_region);
    check_refused({"[0:]", errc::bad_syntax, 3, "expected the end of an interval"}, axe::parse_region);
    check_refused({"[0:32", errc::bad_syntax, 5, "expected ',' or ']'"}, axe::parse_region);
    check_refused({"[0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1]", errc::capacity, 16, "17"},
                  axe::parse_region);
}

TEST_CASE("regions of a shape")
{
    const auto region = [](const char* s, const axe::Shape& shape) { return axe::parse_region_of(s, shape); };
    const axe::Shape shape{64, 128};
    CHECK(region("[:, 0:4]", shape).value() == axe::Region{{0, 64}, {0, 4}});
    CHECK(region("[8:, :4]", shape).value() == axe::Region{{8, 64}, {0, 4}});
    CHECK(region("[ : , : ]", shape).value() == axe::Region{{0, 64}, {0, 128}});
    CHECK(region("[0:32, 64:128]", shape).value() == axe::Region{{0, 32}, {64, 128}});
    CHECK(region("[0:1, 0:1, 0:1]", shape).value().size() == 3); // the rank is the slice's question
    CHECK(region("[]", axe::Shape{}).value() == axe::Region{});
    const auto refused = region("[0:1, :2, 3:]", shape);
    CHECK(refused.code() == errc::rank_mismatch);
    CHECK(refused.error().position == 10);
    CHECK(region("[-]", shape).code() == errc::bad_syntax);
    CHECK(region("[4]", shape).code() == errc::bad_syntax);
    check_refused({"[:]", errc::bad_syntax, 1, "expected the first index"}, axe::parse_region); // of no shape
}

TEST_CASE("the name of an axis outside ASCII is refused by its character")
{
    check_refused({"8:1@gr\xc3\xb6\xc3\x9f"
                   "e",
                   errc::bad_axis, 6, "outside ASCII at character 6"},
                  axe::parse_layout);
    check_refused({"8:1@\xce\xb1", errc::bad_axis, 4, "outside ASCII at character 4"}, axe::parse_layout);
    check_refused({"{l\xc3\xa4ne:1}", errc::bad_axis, 2, "outside ASCII"}, axe::parse_point);
    check_refused({"\xce\xb1", errc::bad_axis, 0, "outside ASCII"}, axe::parse_axis);
    check_refused({"lane,\xff", errc::bad_axis, 5, "outside ASCII"}, axe::parse_axes);
}

TEST_CASE("points")
{
    const auto point = [](const char* s) { return axe::parse_point(s); };
    const axe::Point p = point("{warp:6, lane:8}").value();
    CHECK(p.entries[0].axis == axe::Axis{"lane"});
    CHECK(p == axe::Point{{"lane", 8}, {"warp", 6}});
    CHECK(point("{}").value() == axe::Point{});
    check_refused({"{lane:8, lane:9}", errc::bad_axis, 9, "already named"}, axe::parse_point);
    check_refused({"{lane}", errc::bad_syntax, 5, "expected ':'"}, axe::parse_point);
    check_refused({"{lane:}", errc::bad_syntax, 6, "expected a coordinate"}, axe::parse_point);
    check_refused({"lane:8", errc::bad_syntax, 0, "expected '{'"}, axe::parse_point);
    check_refused({"{a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1}", errc::capacity, 33, "8"}, axe::parse_point);
}

TEST_CASE("axes and iters")
{
    const auto axes = [](const char* s) { return axe::parse_axes(s); };
    CHECK(axes("lane,reg").value() == axe::Layout::Axes{"lane", "reg"});
    CHECK(axes(" lane , reg ").value() == axe::Layout::Axes{"lane", "reg"});
    check_refused({"", errc::bad_syntax, 0, "expected the name of an axis"}, axe::parse_axes);
    check_refused({"lane,", errc::bad_syntax, 5, "expected the name of an axis"}, axe::parse_axes);
    check_refused({"lane reg", errc::bad_syntax, 5, "expected ',' or the end"}, axe::parse_axes);
    CHECK(axes("a,b,c,d,e,f,g,h,i").code() == errc::capacity);

    CHECK(axe::parse_axis("P").value() == axe::Axis{"P"});
    CHECK(axe::parse_axis("a.b_9").value() == axe::Axis{"a.b_9"});
    check_refused({"9", errc::bad_syntax, 0, "expected the name of an axis"}, axe::parse_axis);
    check_refused({"a23456789abcdefg", errc::bad_axis, 0, "16 characters"}, axe::parse_axis);

    CHECK(axe::parse_iter("8:1@lane").value() == axe::Iter{8, 1, "lane"});
    CHECK(axe::parse_iter("8:-1").value() == axe::Iter{8, -1});
    CHECK(axe::parse_iter("0:1").code() == errc::bad_extent);
    check_refused({"8:1@lane,", errc::bad_syntax, 8, "expected the end"}, axe::parse_iter);
}

TEST_CASE("the length counts, not a zero")
{
    CHECK(axe::parse_layout({"64:1garbage", 4}).value() == axe::Layout{{{64, 1}}});
    CHECK(axe::parse_integer({"12345", 2}).value() == 12);
    CHECK_FALSE(axe::parse_layout({"64:1\0", 5}).has_value());
}

namespace {

/// Reads the text cut short everywhere, and with each character dropped, changed, or put before. What is read is a value of its
/// kind, which prints as a text that reads as the same value; what is not has a place and words.
template <class Parse, class Check>
void attempt_all(const std::string& whole, Parse parse, Check check)
{
    const std::string characters = "()[]{}<>:,@+-/|09aSR \t\x7f";
    int read = 0, refused = 0;
    const auto attempt = [&](const std::string& text) {
        const auto value = parse(text);
        if (!value) {
            ++refused;
            const bool inside = value.error().position >= -1 && value.error().position <= static_cast<int>(text.size());
            if (!inside || value.error().message().size == 0) FAIL_CHECK("a refusal without place or words: " << text);
            return;
        }
        ++read;
        if (check(*value)) FAIL_CHECK("refused by check, but read: " << text);
        const auto printed = axe::print(*value);
        const auto again = parse({printed.c_str(), printed.size});
        if (!again || !(*again == *value)) FAIL_CHECK(text << " is printed as " << printed.c_str());
    };
    for (std::size_t n = 0; n <= whole.size(); ++n) {
        attempt(whole.substr(0, n));
        if (n == whole.size()) continue;
        attempt(whole.substr(0, n) + whole.substr(n + 1));
        for (char c : characters) {
            std::string changed = whole;
            changed[n] = c;
            attempt(changed);
            attempt(whole.substr(0, n) + c + whole.substr(n));
        }
    }
    CHECK(read > 100);
    CHECK(refused > 1000);
}

} // namespace

TEST_CASE("every text cut short or with a character changed is refused or is a layout, never more")
{
    const auto is_fault = [](const auto& value) { return !axe::check(value).ok(); };
    attempt_all("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp, 3:1] + 5@warp + -7@m", axe::parse_layout, is_fault);
    attempt_all("swizzle<3,4,-3>@smem/2((8,64):(64@smem,1@P) + [2:4@warp] + -7@m)", axe::parse_swizzled, is_fault);
    attempt_all("(8||2,4,2):(4@lane||1@warp,1@lane,1@reg) + [2:4@warp, 3:1] + 5@warp + -7@m", axe::parse_grouped,
                [](const auto& g) {
                    int begin = 0;
                    bool fault = !axe::check(g.layout).ok() || g.rank() > axe::max_rank;
                    for (const int end : g.ends) {
                        fault = fault || end < begin;
                        begin = end;
                    }
                    return fault || begin != g.layout.shard.size();
                });
}

namespace {

// The literal is the same parser, run by the compiler.
constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
static_assert(fragment.shard.size() == 4 && fragment.shard[2] == axe::Iter{4, 1, "lane"});
static_assert(fragment.replica.size() == 1 && fragment.offset[axe::Axis{"warp"}] == 5);
static_assert("(8||2):(4@lane||1)"_grouped.ends[1] == 1);
static_assert("swizzle<3,4,3>/2((8,64):(64,1))"_swizzled.width == 2);
static_assert(axe::parse_layout("8:").error().position == 2);
static_assert(!axe::parse_layout("(9223372036854775807,3):(1,0)").has_value());

} // namespace

TEST_CASE("parse_order: numbers of dimensions, as permute takes them")
{
    CHECK(*axe::parse_order("(1,0,2)") == axe::Order{1, 0, 2});
    CHECK(*axe::parse_order(" 1, 0 ") == axe::Order{1, 0});
    CHECK(*axe::parse_order("()") == axe::Order{});
    CHECK(*axe::parse_order(std::string("0")) == axe::Order{0});
    static_assert(axe::parse_order("(1,0)").value() == axe::Order{1, 0});
    CHECK(*axe::permute(*axe::parse_layout("(4,8):(8,1)"), {4, 8}, *axe::parse_order("1,0")) == *axe::parse_layout("(8,4):(1,8)"));
    check_refused({"(1,-1)", errc::out_of_domain, 1, "place 1 of the order is -1"}, axe::parse_order);
    check_refused({"16", errc::out_of_domain, 0, "dimensions count from 0 to 15"}, axe::parse_order);
    check_refused({"(1,4294967296)", errc::out_of_domain, 1, "4294967296"}, axe::parse_order);
    check_refused({"(1,", errc::bad_syntax, 3, "expected an index"}, axe::parse_order);
    check_refused({"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", errc::capacity, 16, ""}, axe::parse_order);
}
