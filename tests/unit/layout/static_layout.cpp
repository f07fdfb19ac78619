// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using namespace axe::literals;
using Int = std::int64_t;

/// At every coordinate of a shape of rank 2, and at every flat index, what evaluation says.
template <auto L, Int Rows, Int Columns, axe::Axis... Axes>
void agrees()
{
    using T = axe::static_layout<L, Rows, Columns>;
    static_assert(T::rank == 2 && T::size() == Rows * Columns);
    static_assert(std::is_empty_v<T>);
    for (Int i = 0; i < Rows; ++i)
        for (Int j = 0; j < Columns; ++j) {
            const auto p = *axe::evaluate(L, i * Columns + j);
            REQUIRE(((T::template on<Axes>(i, j) == p[Axes]) && ...));
            REQUIRE(((T::template on<Axes>(i * Columns + j) == p[Axes]) && ...));
        }
    static_assert(axe::AnyStaticLayout<T> && !axe::AnyStaticLayout<decltype(axe::as_layout(T{}))>);
    const auto value = axe::as_layout(T{});
    for (Int x = 0; x < Rows * Columns; ++x) {
        const auto p = *axe::evaluate(value, x), q = *axe::evaluate(L, x);
        REQUIRE(((p[Axes] == q[Axes]) && ...));
    }
}

} // namespace

TEST_CASE("static_layout: agrees with evaluation on every axis, by coordinate and by flat index")
{
    agrees<"(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + 5@warp"_axe, 8, 16, "lane", "warp", "reg", "cta">();
    agrees<"(8,16):(16,1)"_axe, 8, 16, "m">();
    agrees<"(8,16):(16,1)"_axe, 32, 4, "m">();
    agrees<"(3,5,7):(-11,40,3) + 100@m"_axe, 3, 35, "m">();
    agrees<"(5,9,3,7):(1,300,1000,-17)"_axe, 45, 21, "m">();
    agrees<"(4,6):(0,2@lane) + -3@lane"_axe, 4, 6, "m", "lane">();
    agrees<"(2,2,2,2,2,2,2,2,2,2,2,2):(1,5,2@lane,3,7,1@lane,11,13,17,19,23,29)"_axe, 64, 64, "m", "lane">();
}

TEST_CASE("static_layout: the layout's own iters are the default shape")
{
    using T = axe::static_layout<"(8,4,2,3):(3,24,100,1) + 7@m"_axe>;
    static_assert(T::rank == 4 && T::size() == 192);
    static_assert(T{}(1, 2, 1, 2) == 3 + 48 + 100 + 2 + 7);
    static_assert(T{}(((1 * 4 + 2) * 2 + 1) * 3 + 2) == 3 + 48 + 100 + 2 + 7);
    CHECK(T{}(7, 3, 1, 2) == 21 + 72 + 100 + 2 + 7);
    // nothing but a number: no iters, no dimensions
    using Point = axe::static_layout<"():() + 9@m"_axe>;
    CHECK(Point{}() == 9);
}

TEST_CASE("static_layout: equal arguments are one type, whatever the layout's history")
{
    constexpr axe::Layout direct = "(2,32,64):(1@gpuid,64,1)"_axe;
    constexpr axe::Layout made = *axe::canonicalize("(2,1,4,8,64):(1@gpuid,7,512,64,1)"_axe);
    static_assert(std::is_same_v<axe::static_layout<made, 64, 64>, axe::static_layout<direct, axe::Shape{64, 64}>>);
    static_assert(std::is_same_v<decltype(axe::static_layout<direct>::self()), axe::static_layout<direct>>);
    CHECK(axe::static_layout<direct, 64, 64>::on<"gpuid">(33, 1) == 1);
}

TEST_CASE("static_layout: large extents")
{
    constexpr axe::Layout huge = *axe::make_layout({{Int{1} << 30, 3}, {Int{1} << 30, Int{1} << 32}});
    using T = axe::static_layout<huge>;
    CHECK(T{}((Int{1} << 30) - 1, (Int{1} << 30) - 1) == 3 * ((Int{1} << 30) - 1) + ((Int{1} << 30) - 1) * (Int{1} << 32));
    CHECK(T{}((Int{1} << 60) - 1) == T{}((Int{1} << 30) - 1, (Int{1} << 30) - 1));
}
