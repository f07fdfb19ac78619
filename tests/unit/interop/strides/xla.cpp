// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/xla_find.hpp>
#include <axe/text/explain.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <string_view>

using namespace axe::literals;
using axe::errc;
using axe::xla::TiledLayout;

namespace {

axe::Result<TiledLayout> tiled(std::string_view text) { return axe::xla::parse_tiled(text); }
std::string again(std::string_view text)
{
    const auto t = tiled(text);
    return t ? axe::xla::print(*t).c_str() : t.error().message().c_str();
}
std::string read(std::string_view text, const axe::Shape& shape)
{
    const auto t = tiled(text);
    if (!t) return t.error().message().c_str();
    const auto p = axe::xla::to_axe(*t, shape);
    if (!p) return p.error().message().c_str();
    return std::string(axe::print(p->layout).c_str()) + " on " + axe::print(p->shape).c_str();
}
std::string found(const axe::Layout& l, const axe::Shape& padded, const axe::Shape& shape)
{
    const auto t = axe::xla::to_tiled(l, padded, shape);
    return t ? axe::xla::print(*t).c_str() : t.error().message().c_str();
}
/// The address of one element.
std::int64_t at(std::string_view text, const axe::Shape& shape, const axe::Coord& c)
{
    const auto p = axe::xla::to_axe(*tiled(text), shape).value();
    return axe::evaluate(p.layout, p.shape, c).value()[axe::Axis{}];
}

} // namespace

TEST_CASE("XLA's layouts are read and printed", "[interop][xla]")
{
    for (const char* text : {"{}", "{0}", "{1,0}", "{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{4,3,2,1,0:T(*,*,2,*,3)}",
                             "{1,0:T(8,128)(2,1)E(16)S(1)}", "{0:L(1024)}", "{0:T(256)L(512)E(4)S(5)}", "{1,0:E(1)}", "{:S(2)}"})
        CHECK(again(text) == text);
    CHECK(again(" { 1 , 0 : T ( 8 , 128 ) ( 2 , 1 ) } ") == "{1,0:T(8,128)(2,1)}");
    CHECK(again("{1,0:L(1)E(0)S(0)}") == "{1,0}"); // says nothing
    CHECK(again("{1,0:}") == "{1,0}");
    const auto t = tiled("{1,0:T(8,128)(2,1)E(16)S(1)}").value();
    CHECK(t.element_bits == 16);
    CHECK(t.memory_space == 1);
    CHECK(t.tiles.size() == 2);
    CHECK(tiled("{1,0:T(*,3)}")->tiles[0][0] == axe::xla::combine);
}

TEST_CASE("a text that is not a layout is refused at its character", "[interop][xla]")
{
    CHECK(again("") == "expected '{' at character 0");
    CHECK(again("1,0") == "expected '{' at character 0");
    CHECK(again("{1,}") == "expected the number of a dimension at character 3");
    CHECK(again("{1,0") == "expected ',', ':' or '}' at character 4");
    CHECK(again("{1,0}x") == "expected the end of the text at character 5");
    CHECK(again("{1,1}") == "the dimension at character 3 does not exist or is already named");
    CHECK(again("{-1}") == "the dimension at character 1 does not exist or is already named");
    CHECK(again("{16}") == "the dimension at character 1 does not exist or is already named");
    CHECK(again("{2,0}") == "dimension 1 is not named, but the greater one at character 1 is");
    CHECK(again("{1,0:T}") == "expected '(' before the tile at character 6");
    CHECK(again("{1,0:T()}") == "expected an extent of the tile or '*' at character 7");
    CHECK(again("{1,0:T(8,)}") == "expected an extent of the tile or '*' at character 9");
    CHECK(again("{1,0:T(8;8)}") == "expected ',' or ')' in the tile at character 8");
    CHECK(again("{1,0:T(8,0)}") == "the extent at character 9 is 0; it must be at least 1");
    CHECK(again("{1,0:T(8,*)}") == "expected another extent, for '*' to go into, at character 10");
    CHECK(again("{1,0:T(99999999999999999999)}") == "the number at character 7 overflows");
    CHECK(again("{1,0:S(1)T(8)}") == "the property at character 9 is repeated or out of order; the order is T, L, E, S");
    CHECK(again("{1,0:S(1)S(1)}") == "the property at character 9 is repeated or out of order; the order is T, L, E, S");
    CHECK(again("{1,0:E16}") == "expected '(' after the letter at character 6");
    CHECK(again("{1,0:E(x)}") == "expected a number at character 7");
    CHECK(again("{1,0:E(-1)}") == "the number at character 7 must be at least 0");
    CHECK(again("{1,0:L(0)}") == "the number at character 7 must be at least 1");
    CHECK(again("{1,0:E(1]}") == "expected ')' after the number at character 8");
    for (const char* other : {"{1,0:D(D,C)}", "{1,0:#(u32)}", "{1,0:*(u32)}", "{1,0:SC(0:1)}", "{1,0:P(f32[2]{0})}", "{1,0:M(4)}"})
        CHECK(again(other) == "expected T, L, E, S or '}' at character 5");
    CHECK(again("{1,0:T(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)}") == "the tile has more than 16 extents at character 46");
    CHECK(again("{0:T(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)}") ==
          "the tile at character 40 is one too many; a layout has at most 12");
    CHECK(std::string(axe::explain("{1,0:T(8,)}", 11, tiled("{1,0:T(8,)}").error()).c_str()) ==
          "{1,0:T(8,)}\n         ^\nexpected an extent of the tile or '*' at character 9");
    CHECK(tiled("{1,0:T(8,0)}").code() == errc::bad_extent);
}

TEST_CASE("a value that no text gives is refused", "[interop][xla]")
{
    TiledLayout t;
    t.minor_to_major = {1, 1};
    CHECK(axe::xla::check(t).code() == errc::bad_argument);
    t.minor_to_major = {1, 0};
    CHECK(axe::xla::check(t).ok());
    t.tiles.push_back({});
    CHECK(axe::xla::check(t).code() == errc::capacity);
    t.tiles[0] = {2, -1};
    CHECK(axe::xla::check(t).code() == errc::bad_extent);
    t.tiles[0] = {2, axe::xla::combine};
    CHECK(axe::xla::check(t).code() == errc::bad_argument);
    CHECK(axe::xla::to_axe(t, {2, 2}).code() == errc::bad_argument);
    t.tiles[0] = {2, 2};
    t.tail_padding = 0;
    CHECK(axe::xla::check(t).code() == errc::bad_argument);
}

TEST_CASE("the examples of XLA's document", "[interop][xla]")
{
    // Figure 1: f32[3,5] in tiles of 2×2; element (2,3) is at 17.
    CHECK(read("{1,0:T(2,2)}", {3, 5}) == "(2,2,3,2):(12,2,4,1) on (4,6)");
    CHECK(at("{1,0:T(2,2)}", {3, 5}, {2, 3}) == 17);
    // Figure 2: 4×8 in tiles of 2×4, then 2×1.
    CHECK(at("{1,0:T(2,4)(2,1)}", {4, 8}, {1, 0}) == 1);
    CHECK(at("{1,0:T(2,4)(2,1)}", {4, 8}, {0, 1}) == 2);
    CHECK(at("{1,0:T(2,4)(2,1)}", {4, 8}, {0, 4}) == 8);
    // Figure 4: 8×8, (2,4)(2,1,1,1): element (6,5) is at 51.
    CHECK(at("{1,0:T(2,4)(2,1,1,1)}", {8, 8}, {6, 5}) == 51);
    // bf16 and its alternative packing
    CHECK(read("{1,0:T(8,128)(2,1)}", {32, 256}) == "(4,4,2,2,128):(2048,256,1,1024,2) on (32,256)");
    CHECK(read("{1,0:T(8,128)(2,1,1,1)}", {32, 256}) == "(2,2,8,2,128):(4096,1,256,2048,2) on (32,256)");
    // F32[2,7,8,11,10] seen as F32[112,110], in tiles of 2×3: 3 does not divide 10, so that the five dimensions have no layout.
    const auto t = tiled("{4,3,2,1,0:T(*,*,2,*,3)}").value();
    CHECK(axe::xla::to_axe(t, {2, 7, 8, 11, 10}).code() == errc::no_layout);
    const auto merged = axe::xla::merge(t, {2, 7, 8, 11, 10}).value();
    CHECK(std::string(axe::xla::print(merged.layout).c_str()) == "{1,0:T(2,3)}");
    CHECK(merged.shape == axe::Shape{112, 110});
    CHECK(axe::xla::to_axe(merged.layout, merged.shape)->shape == axe::Shape{112, 111});
    CHECK(read("{4,3,2,1,0:T(*,*,2,*,5)}", {2, 7, 8, 11, 10}) == "(56,2,22,5):(220,5,10,1) on (2,7,8,11,10)");
}

TEST_CASE("padding, orders, fewer dimensions and more tiles", "[interop][xla]")
{
    CHECK(read("{1,0}", {3, 5}) == "15:1 on (3,5)");
    CHECK(read("{0,1}", {3, 5}) == "(3,5):(1,3) on (3,5)");
    CHECK(read("{}", {}) == "():() on ()");
    CHECK(read("{2,1,0:T(8,128)}", {3, 9, 5}) == "6144:1 on (3,16,128)");
    CHECK(read("{0:T(1024)(128)(2,1)}", {5000}) == "(20,2,128):(256,1,2) on (5120)");
    CHECK(read("{0:T(8)(3)}", {16}) == "(2,8):(9,1) on (16)"); // 8 is padded to 9 inside, in memory alone
    CHECK(read("{1,0:T(2,128)(4,1)}", {3, 5}) == "(2,2,128):(512,1,4) on (4,128)");
    CHECK(read("{1,0:T(*,3)}", {4, 10}) == "40:1 on (4,10)"); // cut across rows, and row-major again
    CHECK(read("{0,1:T(*,2)}", {4, 6}) == "(4,6):(1,4) on (4,6)");
    const auto p = axe::xla::to_axe(*tiled("{1,0:T(8,128)L(4096)}"), {9, 5}).value();
    CHECK(p.valid == axe::Region{{0, 9}, {0, 5}});
    CHECK(p.elements == 4096);
    CHECK(axe::xla::to_axe(*tiled("{1,0:T(8,128)}"), {9, 5})->elements == 2048);
    CHECK(axe::xla::to_axe(*tiled("{1,0:T(2,2)}"), {4, 4}, axe::Axis{"P"})->layout == "(2,2,2,2):(8@P,2@P,4@P,1@P)"_axe);
}

TEST_CASE("what has no layout, or is ill-formed, is refused", "[interop][xla]")
{
    CHECK(read("{0:T(8)(3)(2,1)}", {16}) ==
          "tile 2 cuts dimension 0 at 2, inside a digit that is not the outermost: the map is not a layout");
    CHECK(axe::xla::to_axe(*tiled("{0:T(8)(3)(2,1)}"), {16}).error().is_none());
    CHECK(read("{1,0}", {3, 5, 2}) == "minor_to_major has 2 dimensions, the shape 3");
    CHECK(read("{1,0:T(2,2,2)}", {3, 5}) == "tile 0 has 3 extents, but the array has only 2 dimensions at that point");
    CHECK(read("{1,0}", {3, 0}) == "dimension 1 of the shape is 0; it must be at least 1");
    CHECK(read("{0:T(4611686018427387904)}", {4611686018427387905}) == "dimension 0 overflows when it is padded");
    CHECK(read("{1,0:T(4611686018427387904,4)}", {2, 2}) == "the elements of the padded tensor overflow");
    CHECK(read("{0:L(4611686018427387905)}", {4611686018427387906}) == "the elements of the padded tensor overflow");
    CHECK(axe::xla::merge(*tiled("{1,0}"), {3}).code() == errc::rank_mismatch);
    CHECK(axe::xla::merge(*tiled("{0:T(*,2)}"), {3}).code() == errc::rank_mismatch);
    CHECK(axe::xla::merge(*tiled("{0}"), {0}).code() == errc::bad_extent);
    CHECK(axe::xla::merge(*tiled("{0,1}"), {3, 4})->shape == axe::Shape{4, 3});
    // Every tile doubles the dimensions.
    CHECK(read("{3,2,1,0:T(1,1,1,1)(1,1,1,1,1,1,1,1)(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)(1,1,1,1,1,1,"
               "1,1,1,1,1,1,1,1,1,1)"
               "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)(1,1)}",
               {2, 2, 2, 2}) == "the tiles split the array into more than 112 digits");
}

TEST_CASE("tiles are found for compact layouts", "[interop][xla]")
{
    CHECK(found("15:1"_axe, {3, 5}, {3, 5}) == "{1,0}");
    CHECK(found("(3,5):(1,3)"_axe, {3, 5}, {3, 5}) == "{0,1}");
    CHECK(found("():()"_axe, {}, {}) == "{}");
    CHECK(found("4:1"_axe, {1, 4, 1}, {1, 4, 1}) == "{2,1,0}");
    CHECK(found("(2,2,3,2):(12,2,4,1)"_axe, {4, 6}, {3, 5}) == "{1,0:T(2,2)}");
    CHECK(found("1024:1"_axe, {8, 128}, {3, 5}) == "{1,0:T(8,128)}");
    CHECK(found("2048:1"_axe, {16, 128}, {16, 5}) == "{1,0:T(128)}");
    CHECK(found("(3,5):(8,1)"_axe, {3, 5}, {3, 5}) == "{1,0:T(8)}"); // the pitch tells the padding
    CHECK(found("(4,4,2,2,128):(2048,256,1,1024,2)"_axe, {32, 256}, {32, 256}) == "{1,0:T(8,128)(2,1)}");
    CHECK(found("(2,8):(9,1)"_axe, {16}, {16}) ==
          "stride 9 of dimension 0 leaves a gap above 8 elements that no padded dimension fills");
    CHECK(found("16:1 + 1@m"_axe, {16}, {16}) == "the first element is at 1; this format starts at 0");
    CHECK(found("4:1"_axe, {4}, {5}) == "dimension 0 of extent 5 is padded to 4, which is less");
    CHECK(axe::xla::to_tiled("16:2"_axe, {16}).code() == errc::no_layout);
    // Dimensions are combined where only their product can be padded, and only there.
    CHECK(found("(6,2,2):(2,16,1)"_axe, {2, 3, 4}, {2, 3, 4}) == "{1,0,2:T(2,*,8)(2,1)}");
    CHECK(found("(6,2,2):(2,12,1)"_axe, {2, 3, 4}, {2, 3, 4}) == "{1,0,2:T(2,1,1)}");
    CHECK(found("(6,2,2):(2,14,1)"_axe, {2, 3, 4}, {2, 3, 4}) == "{1,0,2:T(2,*,7)(2,1)}");
    CHECK(found("(6,2,2):(2,17,1)"_axe, {2, 3, 4}, {2, 3, 4}) ==
          "stride 17 of dimension 2 leaves a gap above 12 elements that no padded dimension fills");
    CHECK(found("(6,2,2):(2,16,1)"_axe, {2, 3, 2, 2}, {2, 3, 2, 2}) == "{3,1,0,2:T(*,8,2)}");
    // Digits in an order that takes many tiles.
    CHECK(found("(2,2,2,2,2,2,3):(4,2,8,16,32,1,64)"_axe, {4, 8, 6}, {4, 8, 6}) ==
          "the tiles that this order of digits needs have more than 16 extents");
}
