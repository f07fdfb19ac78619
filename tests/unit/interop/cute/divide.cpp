// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <set>

using namespace axe::literals;
using namespace axe::cute;

static_assert(logical_divide("(4,2,3):(2,1,8)"_cute, "4:2"_cute).value() == "((2,2),(2,3)):((4,1),(2,8))"_cute);

namespace {
const Layout matrix = "(9,(4,8)):(59,(13,1))"_cute;
const Tiler by_mode{"(3,(2,4)):(3,(1,8))"_cute, 0};
} // namespace

TEST_CASE("cute divide: a tile and the rest, mode by mode")
{
    CHECK(*logical_divide(matrix, by_mode) == "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"_cute);
    CHECK(*zipped_divide(matrix, by_mode) == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"_cute);
    CHECK(*tiled_divide(matrix, by_mode) == "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"_cute);
    CHECK(*flat_divide(matrix, by_mode) == "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"_cute);
    const Tiler first{"(3):(3)"_cute, 0};
    CHECK(*logical_divide(matrix, first) == "((3,3),(4,8)):((177,59),(13,1))"_cute);
    CHECK(*zipped_divide(matrix, first) == "((3),(3,(4,8))):((177),(59,(13,1)))"_cute);
}

TEST_CASE("cute divide: by one layout")
{
    CHECK(*zipped_divide("(4,2,3):(2,1,8)"_cute, "4:2"_cute) == "((2,2),(2,3)):((4,1),(2,8))"_cute);
    CHECK(*tiled_divide("(4,2,3):(2,1,8)"_cute, "4:2"_cute) == "((2,2),2,3):((4,1),2,8)"_cute);
    CHECK(*flat_divide("(4,2,3):(2,1,8)"_cute, "4:2"_cute) == "(2,2,2,3):(4,1,2,8)"_cute);
    CHECK(*logical_divide("2:1"_cute, "32:1"_cute) == "(32,1):(1,0)"_cute); // beyond the end: rounded up
    CHECK(*logical_divide("48:1"_cute, "32:1"_cute) == "(32,2):(1,32)"_cute);
}

TEST_CASE("cute divide: none, and errors")
{
    const auto holes = logical_divide("94:1"_cute, "(4,10):(1,10)"_cute); // CuTe: 14 elements are in no tile
    CHECK(holes.code() == axe::errc::no_layout);
    CHECK(std::string(holes.error().message().c_str()) ==
          "a stride of the tiler is not a multiple of the values that the smaller strides span: its copies would omit elements");
    CHECK(logical_divide("(6,5):(5,1)"_cute, "5:3"_cute).code() == axe::errc::no_layout);
    const auto kept = zipped_divide("(4,4):(1,4)"_cute, Tiler{"(2,1):(1,0)"_cute, 2});
    CHECK(kept.code() == axe::errc::bad_argument);
    CHECK(std::string(kept.error().message().c_str()) == "item 1 of the tiler is _, but the mode is not a pair");
    CHECK(*logical_divide("(4,4):(1,4)"_cute, Tiler{"(2,1):(1,0)"_cute, 2}) == "((2,2),4):((1,2),4)"_cute);
    CHECK(logical_divide("4:1"_cute, Tiler{"(2,1):(1,0)"_cute, 0}).code() == axe::errc::rank_mismatch);
    CHECK(logical_divide(Layout{}, "4:1"_cute).code() == axe::errc::capacity);
    CHECK(tiled_divide("4:1"_cute, Layout{}).code() == axe::errc::capacity);
}

TEST_CASE("cute divide: no result that is not a layout")
{
    CHECK(logical_divide("9223372036854775807:0"_cute, "4611686018427387905:1"_cute).code() == axe::errc::overflow);
    CHECK(logical_divide("9223372036854775807:0"_cute, "4611686018427387904:1"_cute).code() == axe::errc::overflow);
    CHECK(logical_divide("6:1"_cute, "2305843009213693953:0"_cute).code() == axe::errc::overflow);
    CHECK(flat_divide("6:9"_cute, "2:7081121740939726093"_cute).code() == axe::errc::overflow);
    CHECK(tiled_divide("(2147483649,2147483649):(1,0)"_cute, Tiler{"(2147483648,2147483648):(1,1)"_cute}).code() ==
          axe::errc::overflow);
    CHECK(zipped_divide("9223372036854775805:-1@1"_cute, Tiler{"(4):(1)"_cute}).code() == axe::errc::overflow);
    CHECK(*logical_divide("9223372036854775804:-1@1"_cute, "4:1"_cute) == "(4,2305843009213693951):(-1@1,-4@1)"_cute);
}

TEST_CASE("cute divide: a tile along bases is cut out of the modes that they name")
{
    // [NVIDIA/cutlass 7107b05535, cutlass_compiler/cutegen/test/cg_logical_divide_test.cpp]
    CHECK(*logical_divide("(8,8):(9,1)"_cute, "4:1@1"_cute) == "(4,(8,2)):(1,(9,4))"_cute);
    CHECK(*logical_divide("(8,8):(9,1)"_cute, "4:2@0"_cute) == "(4,(2,8)):(18,(9,1))"_cute);
    CHECK(*logical_divide("(8,8):(9,1)"_cute, "4:2@1"_cute) == "(4,(8,2)):(2,(9,1))"_cute);
    CHECK(*zipped_divide("(128,64):(1@1,1@0)"_cute, "2:64@0"_cute) == "(2,(64,64)):(64@1,(1@1,1@0))"_cute);
    CHECK(*logical_divide("(8,8):(9,1)"_cute, "(4,2):(1@0,1@1)"_cute) == "((4,2),(2,4)):((9,1),(36,2))"_cute);
    CHECK(logical_divide("(8,8):(9,1)"_cute, "(2,2):(1@0,3@0)"_cute).code() == axe::errc::no_layout); // row 2
    CHECK(logical_divide("(8,8):(9,1)"_cute, "4:1@2"_cute).code() == axe::errc::rank_mismatch);
    CHECK(logical_divide("8:1"_cute, "4:1@0"_cute).code() == axe::errc::rank_mismatch);

    // Every element of the layout once.
    for (const auto& tiler : {"4:1@1"_cute, "4:2@0"_cute, "(2,4):(4@0,2@1)"_cute, "(2,2,2):(1@0,4@0,1@1)"_cute}) {
        const auto divided = logical_divide("(8,8):(9,1)"_cute, tiler);
        REQUIRE(divided);
        std::set<std::int64_t> values;
        for (std::int64_t x = 0; x < size(*divided); ++x) values.insert(evaluate(*divided, x));
        CHECK(values.size() == 64);
        CHECK(size(mode(*divided, 0)) == size(tiler));
        for (std::int64_t x = 0; x < size(tiler); ++x)
            CHECK(evaluate(mode(*divided, 0), x) ==
                  evaluate(tiler, x, axe::cute::Basis{0}) * 9 + evaluate(tiler, x, axe::cute::Basis{1}));
    }
}
