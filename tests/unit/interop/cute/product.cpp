// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/product.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using namespace axe::cute;

static_assert(logical_product("(2,2):(4,1)"_cute, "6:1"_cute).value() == "((2,2),(2,3)):((4,1),(2,8))"_cute);

TEST_CASE("cute product: copies of a block")
{
    CHECK(*logical_product("3:32"_cute, "128:1"_cute) == "(3,(32,4)):(32,(1,96))"_cute);
    CHECK(*logical_product("(2,5):(5,1)"_cute, Tiler{"(3,4):(5,6)"_cute, 0}) == "((2,3),(5,4)):((5,10),(1,30))"_cute);
    CHECK(*blocked_product("(2,5):(5,1)"_cute, "(3,4):(1,3)"_cute) == "((2,3),(5,4)):((5,10),(1,30))"_cute);
    CHECK(*raked_product("(2,5):(5,1)"_cute, "(3,4):(1,3)"_cute) == "((3,2),(4,5)):((10,5),(30,1))"_cute);
    CHECK(*blocked_product("(2,2):(1,2)"_cute, "3:1"_cute) == "((2,3),(2,1)):((1,4),(2,0))"_cute); // a mode 1:0 is added
    CHECK(*blocked_product("8:1"_cute, "4:1"_cute) == "((8,4)):((1,8))"_cute);
}

TEST_CASE("cute product: gathered and opened")
{
    const auto block = "(2,5):(5,1)"_cute;
    const Tiler tiler{"(3,4):(1,1)"_cute, 0};
    CHECK(*zipped_product("(2,2):(1,2)"_cute, "(3,4):(1,3)"_cute) == "((2,2),(3,4)):((1,2),(4,12))"_cute);
    CHECK(*tiled_product("(2,2):(1,2)"_cute, "(3,4):(1,3)"_cute) == "((2,2),3,4):((1,2),4,12)"_cute);
    CHECK(*flat_product("(2,2):(1,2)"_cute, "(3,4):(1,3)"_cute) == "(2,2,3,4):(1,2,4,12)"_cute);
    const auto logical = logical_product(block, tiler);
    REQUIRE(logical);
    CHECK(mode(mode(*zipped_product(block, tiler), 1), 0) == mode(mode(*logical, 0), 1));
    CHECK(mode(mode(*zipped_product(block, tiler), 0), 1) == mode(mode(*logical, 1), 0));
    CHECK(mode(*tiled_product(block, tiler), 1) == mode(mode(*logical, 0), 1));
    CHECK(mode(*flat_product(block, tiler), 3) == mode(mode(*logical, 1), 1));
}

TEST_CASE("cute product: none, and errors")
{
    // CuTe's complement has 9 places, the tiler counts 8 of them across 3 by 3
    CHECK(logical_product("(8,4):(1,24)"_cute, "(8,1):(1,1)"_cute).code() == axe::errc::no_layout);
    // CuTe's complement 3:1 runs on to 3, which the block has already
    CHECK(logical_product("(2,2):(3,10)"_cute, "4:1"_cute).code() == axe::errc::no_layout);
    CHECK(logical_product("(2,2):(1,1)"_cute, "4:1"_cute).code() == axe::errc::no_layout);
    CHECK(logical_product("4:1@0"_cute, "4:1"_cute).code() == axe::errc::bad_argument);
    CHECK(logical_product("2:4611686018427387904"_cute, "2:4611686018427387904"_cute).code() == axe::errc::overflow);
    CHECK(logical_product("(2,2):(1,4611686018427387904)"_cute, "2:1"_cute).has_value() == false);
    CHECK(blocked_product(Layout{}, "4:1"_cute).code() == axe::errc::capacity);
}

TEST_CASE("cute tile_to_shape: a block up to a shape, in an order")
{
    const auto atom = "(8,64):(64,1)"_cute;
    CHECK(*tile_to_shape(atom, {128, 64}) == "((8,16),(64,1)):((64,512),(1,8192))"_cute);
    CHECK(*tile_to_shape(atom, {16, 128}) == "((8,2),(64,2)):((64,512),(1,1024))"_cute);
    CHECK(*tile_to_shape(atom, {16, 128}, {2, 1}) == "((8,2),(64,2)):((64,1024),(1,512))"_cute);
    CHECK(*tile_to_shape("8:1"_cute, {8, 3}) == "((8,1),(1,3)):((1,8),(0,8))"_cute);
    const auto uneven = tile_to_shape(atom, {12, 64});
    CHECK(uneven.code() == axe::errc::not_grouped);
    CHECK(std::string(uneven.error().message().c_str()) == "dimension 0: the 8 elements of the block do not divide 12");
    CHECK(tile_to_shape(atom, {8}).code() == axe::errc::rank_mismatch);
    CHECK(tile_to_shape(atom, {8, 64}, {1}).code() == axe::errc::rank_mismatch);
    CHECK(tile_to_shape(atom, {8, 0}).code() == axe::errc::bad_extent);
}
