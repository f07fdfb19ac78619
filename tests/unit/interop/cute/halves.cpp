// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/halves.hpp>
#include <axe/interop/cute/product.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;

std::string text(const axe::Result<Layout>& l) { return l ? print(*l).c_str() : l.error().message().c_str(); }

} // namespace

TEST_CASE("cute halves: a nested tiler gathers tiles as it is nested itself")
{
    constexpr auto l = "((4,8),6,5):((1,4),32,192)"_cute;
    constexpr Tiler nested{"((2,4),3):((1,1),1)"_cute, 0, 2};
    CHECK(text(logical_divide(l, nested)) == "(((2,2),(4,2)),(3,2),5):(((1,2),(4,16)),(32,96),192)");
    CHECK(text(zipped_divide(l, nested)) == "(((2,4),3),((2,2),2,5)):(((1,4),32),((2,16),96,192))");
    CHECK(text(tiled_divide(l, nested)) == "(((2,4),3),(2,2),2,5):(((1,4),32),(2,16),96,192)");
    CHECK(text(flat_divide(l, nested)) == "((2,4),3,(2,2),2,5):((1,4),32,(2,16),96,192)");
    // of the first mode, the first only: the second goes to the rests of that mode
    constexpr Tiler first{"((2)):((1))"_cute, 0, 2};
    CHECK(text(logical_divide(l, first)) == "(((2,2),8),6,5):(((1,2),4),32,192)");
    CHECK(text(zipped_divide(l, first)) == "(((2)),((2,8),6,5)):(((1)),((2,4),32,192))");
    CHECK(text(logical_product("((2,3),4):((1,2),6)"_cute, Tiler{"((2,2),3):((1,1),1)"_cute, 0, 2})) ==
          "(((2,2),(3,2)),(4,3)):(((1,2),(2,1)),(6,1))");
}

TEST_CASE("cute halves: a mode that is kept has two halves itself, or is refused")
{
    constexpr auto l = "((4,8),6):((1,4),32)"_cute;
    CHECK(text(logical_divide(l, Tiler{"(2,3):(1,1)"_cute, 1, 0})) == "((4,8),(3,2)):((1,4),(32,96))");
    CHECK(text(zipped_divide(l, Tiler{"(2,3):(1,1)"_cute, 1, 0})) == "((4,3),(8,2)):((1,32),(4,96))");
    CHECK(text(flat_divide(l, Tiler{"(2,3):(1,1)"_cute, 1, 0})) == "(4,3,8,2):(1,32,4,96)");
    CHECK(text(zipped_divide(l, Tiler{"(8,3):(1,1)"_cute, 2, 0})) == "item 1 of the tiler is _, but the mode is not a pair");
    CHECK(text(logical_divide(l, Tiler{"(8,3):(1,1)"_cute, 2, 0})) == "((8,4),6):((1,8),32)");
}

TEST_CASE("cute halves: the four forms are one map")
{
    constexpr auto l = "((4,8),6):((1,4),32)"_cute;
    constexpr Tiler tiler{"(8,3):(1,1)"_cute, 0, 0};
    const Layout halves = *logical_divide(l, tiler), zipped = *zipped_divide(l, tiler);
    CHECK(size(halves) == size(l));
    for (const auto& other : {*tiled_divide(l, tiler), *flat_divide(l, tiler)})
        for (std::int64_t x = 0; x < size(l); ++x) CHECK(evaluate(other, x) == evaluate(zipped, x));
    CHECK(mode(zipped, 0) == "(8,3):(1,32)"_cute);
    CHECK(text(tiled_divide("(4,6):(6,1)"_cute, "(2,3):(1,4)"_cute)) == "((2,3),2,2):((6,1),12,3)");
}
