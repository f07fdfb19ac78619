// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute/convert_composed.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <cstdint>
#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;
using Int = std::int64_t;

template <class R>
std::string words(const R& result)
{
    return result ? "found" : result.error().message().c_str();
}
std::string text(const axe::Result<cute::Layout>& l) { return l ? cute::print(*l).c_str() : words(l); }
std::string text(const axe::Result<cute::Composed>& l) { return l ? cute::print(*l).c_str() : words(l); }
std::string text(const axe::Result<axe::Layout>& l) { return l ? axe::print(*l).c_str() : words(l); }
std::string text(const axe::Result<axe::Swizzled<axe::Layout>>& l) { return l ? axe::print(*l).c_str() : words(l); }
std::string text(const axe::Result<cute::OnShape>& l)
{
    return l ? std::string(axe::print(l->layout).c_str()) + " on " + axe::print(l->shape).c_str() : words(l);
}

} // namespace

TEST_CASE("cute convert: one layout, the function of its index and that of its coordinate")
{
    constexpr auto l = "(4,8):(8,1)"_cute; // row-major: L(i, j) = 8i + j, and L(x) with i = x mod 4
    STATIC_REQUIRE(*cute::to_axe_linear(l) == "(8,4):(1,8)"_axe);
    STATIC_REQUIRE(cute::to_axe_by_coordinate(l)->layout == "(4,8):(8,1)"_axe);
    STATIC_REQUIRE(cute::to_axe_by_coordinate(l)->shape == axe::Shape{4, 8});
    STATIC_REQUIRE(*cute::from_axe_linear("(8,4):(1,8)"_axe) == l);
    STATIC_REQUIRE(*cute::from_axe_by_coordinate("(4,8):(8,1)"_axe, {4, 8}) == l);
    CHECK(text(cute::to_axe_by_coordinate("((2,4),8):((1,16),2)"_cute)) == "(4,2,8):(16,1,2) on (8,8)");
    CHECK(text(cute::to_axe_linear("((2,4),8):((1,16),2)"_cute)) == "(8,4,2):(2,16,1)");
}

TEST_CASE("cute convert: leaves, tuples of one, empty tuples")
{
    CHECK(text(cute::to_axe_linear("8:3"_cute)) == "8:3");
    CHECK(text(cute::to_axe_by_coordinate("8:3"_cute)) == "8:3 on (8)");
    CHECK(text(cute::to_axe_by_coordinate("((2,4)):((1,16))"_cute)) == "(4,2):(16,1) on (8)");
    CHECK(text(cute::to_axe_linear("():()"_cute)) == "():()");
    CHECK(text(cute::to_axe_by_coordinate("():()"_cute)) == "():() on ()");
    CHECK(text(cute::to_axe_by_coordinate("((),4):((),1)"_cute)) == "4:1 on (1,4)");
    CHECK(text(cute::from_axe_linear("():()"_axe)) == "1:0");
    CHECK(text(cute::from_axe_linear("8:3"_axe)) == "8:3");
    CHECK(text(cute::from_axe_by_coordinate("8:3"_axe, {8})) == "(8):(3)");
    CHECK(text(cute::from_axe_by_coordinate("():()"_axe, {})) == "():()");
    CHECK(text(cute::from_axe_by_coordinate("(4,2,8):(16,1,2)"_axe, {8, 1, 8})) == "((2,4),1,8):((1,16),0,2)");
    CHECK(text(cute::from_axe_by_coordinate("64:1"_axe, {4, 16})) == "(4,16):(16,1)");
}

TEST_CASE("cute convert: axes for plain strides")
{
    CHECK(text(cute::to_axe_linear("(4,8):(8,1)"_cute, cute::plain_on("smem"))) == "(8,4):(1@smem,8@smem)");
    CHECK(text(cute::from_axe_linear("(8,4):(1@smem,8@smem)"_axe)) == "(4,8):(8,1)"); // the one axis there is
    CHECK(text(cute::from_axe_linear("(8,4,2):(1@smem,8@smem,0)"_axe)) == "(2,4,8):(0,8,1)");
    CHECK(text(cute::from_axe_linear("(8,4):(1@smem,0@c1)"_axe)) == "(4,8):(0,1)");
    CHECK(text(cute::from_axe_linear("(8,4):(1@lane,1@reg)"_axe)) ==
          "iter 1 moves on a different axis than the iters before it; give a CuTe basis for each axis, as in 1@0 and 1@1");
    CHECK(cute::from_axe_linear("(8,4):(1@lane,1@reg)"_axe).error().position == 1);
    CHECK(text(cute::from_axe_linear("(8,4):(1@lane,1@reg)"_axe, cute::plain_on("lane"))) ==
          "iter 1 moves on an axis for which no CuTe basis was given");
    CHECK(text(cute::from_axe_linear("(8,4):(1@lane,0@reg)"_axe, cute::plain_on("lane"))) == "(4,8):(0,1)");
}

TEST_CASE("cute convert: axes for bases")
{
    constexpr auto tma = "((128,64),2,3):((1@0,1@1),64@1,1@0@2)"_cute;
    CHECK(text(cute::to_axe_by_coordinate(tma)) == "(64,128,2,3):(1@c1,1@c0,64@c1,1@c2.0) on (8192,2,3)");
    CHECK(text(cute::from_axe_by_coordinate("(64,128,2,3):(1@c1,1@c0,64@c1,1@c2.0)"_axe, {8192, 2, 3})) ==
          "((128,64),2,3):((1@0,1@1),64@1,1@0@2)");
    constexpr auto named = cute::bases_on({"F", "P"});
    CHECK(text(cute::to_axe_linear("(4,8):(1@0,2@1)"_cute, named)) == "(8,4):(2@P,1@F)");
    CHECK(text(cute::from_axe_linear("(8,4):(2@P,1@F)"_axe, named)) == "(4,8):(1@0,2@1)");
    CHECK(text(cute::from_axe_linear("8:1@c1"_axe)) == "8:1@1");
    CHECK(text(cute::from_axe_linear("8:1@c1"_axe, cute::plain_on("c1"))) == "8:1");
    for (const char* other : {"c", "c01", "c1.", "c.1", "d1", "c1.2.3.4", "c2147483648", "c1x"}) // axes of no basis
        CHECK(text(cute::from_axe_linear(
                  axe::Layout{{{8, 1, *axe::Axis::make(other, static_cast<int>(std::string(other).size()))}}, {}, {}})) == "8:1");
    CHECK(text(cute::from_axe_linear("8:1@c2097150"_axe)) == "8:1@2097150");
    CHECK(text(cute::from_axe_linear("8:1@c10.0.7"_axe)) == "8:1@7@0@10");
    CHECK(text(cute::from_axe_linear("(8,4):(1@c1,1)"_axe)) ==
          "iter 1 moves on a different axis than the iters before it; give a CuTe basis for each axis, as in 1@0 and 1@1");

    CHECK(text(cute::to_axe_linear("(4,8):(1@0,1@1)"_cute, {{{0}, "c1"}})) ==
          "leaf 1 would move on the axis of leaf 0, whose basis is different");
    CHECK(text(cute::to_axe_linear("8:1"_cute, {{{0}, "x"}, {{0}, "y"}})) ==
          "basis-axis pair 1 repeats the basis or the axis of pair 0; each may occur once");
    CHECK(text(cute::from_axe_linear("8:1"_axe, {{{0}, "x"}, {{1}, "x"}})) ==
          "basis-axis pair 1 repeats the basis or the axis of pair 0; each may occur once");
    cute::AxisNames many = named;
    many.count = 9;
    CHECK(text(cute::to_axe_linear("8:1"_cute, many)) == "at most 8 bases can be given axes, not 9");
    CHECK(text(cute::to_axe_linear("8:1"_cute, cute::bases_on({"a", "b", "c", "d", "e", "f", "g", "h", "i"}))) ==
          "at most 8 bases can be given axes, not 9");
    CHECK(cute::to_axe_linear("8:1@2097150@2097150"_cute).code() == axe::errc::bad_axis); // c2097150.2097150
    CHECK(text(cute::from_axe_linear("(2,3):(1@a,1@b)"_axe, {{{0}, "a"}, {{0, 1}, "b"}})) ==
          "the basis of leaf 1 contains that of leaf 0 or is contained in it: their values cannot be added");
}

TEST_CASE("cute convert: what CuTe cannot carry")
{
    CHECK(text(cute::from_axe_linear("8:1 + [2:8]"_axe)) ==
          "replica iter 0 places an element at 2 points; a CuTe layout places it at one");
    CHECK(cute::from_axe_linear("8:1 + [2:8]"_axe).code() == axe::errc::not_single_valued);
    CHECK(text(cute::from_axe_linear("8:1 + [2:0, 1:5]"_axe)) == "8:1");
    CHECK(text(cute::from_axe_linear("8:1 + 5@m"_axe)) ==
          "the layout starts at 5, a CuTe layout at 0\nhint: convert it as a Swizzled with a swizzle of 0 bits");
    CHECK(cute::from_axe_by_coordinate("8:1 + 5@m"_axe, {8}).code() == axe::errc::no_layout);
    CHECK(text(cute::from_axe_linear("8:1 + 0@m"_axe)) == "8:1");
    CHECK(text(cute::from_axe_linear(axe::Swizzled<axe::Layout>{{}, {}, 1, "8:1 + 5@m"_axe})) == "Sw<0,0,0> o 5 o 8:1");
    CHECK(cute::from_axe_by_coordinate("(3,4):(4,1)"_axe, {4, 3}).code() == axe::errc::ok);
    CHECK(cute::from_axe_by_coordinate("(3,4):(5,1)"_axe, {4, 3}).code() == axe::errc::not_grouped);
    CHECK(cute::from_axe_by_coordinate("(3,4):(5,1)"_axe, {3, 5}).code() == axe::errc::size_mismatch);
    axe::Layout broken = "(3,4):(5,1)"_axe;
    broken.shard[1].extent = 0;
    CHECK(cute::from_axe_linear(broken).code() == axe::errc::bad_extent);
    CHECK(cute::from_axe_by_coordinate(broken, {3, 4}).code() == axe::errc::bad_extent);
}

TEST_CASE("cute convert: extremes, and more leaves than Axe has iters")
{
    constexpr Int big = Int{1} << 60;
    CHECK(text(cute::to_axe_linear("(1152921504606846976,3):(1,1152921504606846976)"_cute)) ==
          "(3,1152921504606846976):(1152921504606846976,1)");
    CHECK(text(cute::from_axe_linear(axe::Layout{{{1000003, big / 1000003}, {7, -3}}, {}, {}})) ==
          "(7,1000003):(-3,1152918045852)");

    std::string shape = "(", stride = "(";
    for (int i = 0; i < 20; ++i) { // 2:1, 2:2, 2:4, … in 20 leaves are one iter
        shape += i == 0 ? "2" : ",2";
        stride += (i == 0 ? "" : ",") + std::to_string(Int{1} << i);
    }
    const std::string chain = shape + "):" + stride + ")";
    const auto merged = cute::parse_layout(chain);
    CHECK(text(cute::to_axe_linear(*merged)) == "1048576:1");
    CHECK(text(cute::to_axe_by_coordinate(*merged)) == "a shape has at most 16 dimensions, this one has 20");
    auto apart = *merged;
    for (auto& node : apart.nodes) node.leaf.stride = 0;
    for (int i = 1; i <= 17; ++i) apart.nodes[i].leaf.stride = i;
    CHECK(cute::to_axe_linear(apart).code() == axe::errc::capacity);
    for (int i = 17; i < 21; ++i) apart.nodes[i].leaf = {1, 100, {}};
    CHECK(cute::to_axe_linear(apart)->shard.size() == 15); // (2,2):(1,2) runs on
    cute::Layout none;
    CHECK(cute::to_axe_linear(none).code() == axe::errc::capacity);
    CHECK(cute::to_axe_by_coordinate(none).code() == axe::errc::capacity);
    none = "8:1"_cute;
    none.nodes[0].leaf.extent = 0;
    CHECK(cute::to_axe_linear(none).code() == axe::errc::bad_extent);
}

TEST_CASE("cute convert: the 128-byte swizzle of shared memory, of bytes and of elements")
{
    // GMMA::Layout_K_SW128_Atom<half_t>, as it is printed: the swizzle is of byte addresses
    constexpr auto atom = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"_composed;
    constexpr auto shaped = cute::to_axe_by_coordinate(atom, "smem");
    STATIC_REQUIRE(shaped->layout == "swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem))"_swizzled);
    STATIC_REQUIRE(shaped->shape == axe::Shape{8, 64});
    CHECK(text(cute::to_axe_linear(atom)) == "swizzle<3,4,3>/2((64,8):(1,64))");
    CHECK(text(cute::from_axe_by_coordinate(shaped->layout, {8, 64}, cute::SwizzleOf::bytes)) ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(text(cute::from_axe_by_coordinate(shaped->layout, {8, 64})) == "Sw<3,3,3> o 0 o (8,64):(64,1)"); // recast to elements

    // The same text with an offset is of elements. Taken for bytes it would be another map; who knows the width says so.
    constexpr auto elements = "Sw<3,4,3> o 0 o (8,64):(64,1)"_composed;
    CHECK(text(cute::to_axe_linear(elements)) == "swizzle<3,4,3>((64,8):(1,64))");
    CHECK(text(cute::to_axe_linear(elements, {}, 2)) == "swizzle<3,5,3>/2((64,8):(1,64))");
    CHECK(axe::equal(*cute::to_axe_linear(elements), *cute::to_axe_linear(elements, {}, 2)));
    CHECK_FALSE(axe::equal(*cute::to_axe_linear(elements), *cute::to_axe_linear(atom)));
    auto known = elements;
    known.element_bits = 16;
    CHECK(axe::equal(*cute::to_axe_linear(known), *cute::to_axe_linear(atom)));

    CHECK(text(cute::to_axe_linear("Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)"_composed)) ==
          "swizzle<3,5,3>((256,8):(1,256))");
    CHECK(text(cute::to_axe_linear("Sw<0,4,3> o smem_ptr[32b](unset) o (8,4):(4,1)"_composed)) == "swizzle<0,4,3>/4((4,8):(1,4))");
    CHECK(text(cute::to_axe_linear("Sw<3,4,3> o 24 o (8,64):(64,1)"_composed, "x", 4)) ==
          "swizzle<3,6,3>@x/4((64,8):(1@x,64@x) + 24@x)");
    CHECK(text(cute::from_axe_linear("swizzle<3,6,3>@x/4((64,8):(1@x,64@x) + 24@x)"_swizzled)) == "Sw<3,4,3> o 24 o (8,64):(64,1)");
}

TEST_CASE("cute convert: what no swizzled layout is, there or here")
{
    constexpr auto flagged = "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"_composed;
    CHECK(text(cute::to_axe_linear(flagged, {}, 2)) == text(cute::to_axe_linear(flagged)));
    CHECK(text(cute::to_axe_linear(flagged, {}, 4)) == "elements of 4 bytes were requested, but the pointer flag gives 16 bits");
    constexpr auto elements = "Sw<3,4,3> o 0 o (8,64):(64,1)"_composed;
    CHECK(text(cute::to_axe_linear(elements, {}, 3)) == "a swizzle whose lowest bit is 5 splits elements of 3 bytes");
    CHECK(text(cute::to_axe_linear(elements, {}, -1)) == "a swizzle whose lowest bit is 4 splits elements of -1 bytes");
    auto broken = elements;
    broken.swizzle.shift = 2;
    CHECK(cute::to_axe_linear(broken).code() == axe::errc::bad_argument);
    CHECK_FALSE(cute::to_axe_by_coordinate(broken).has_value());
    CHECK(cute::to_axe_by_coordinate(flagged, {}, 4).code() == axe::errc::bad_argument);

    CHECK(text(cute::from_axe_linear("swizzle<3,4,3>@smem((8,4):(4@smem,1@lane))"_swizzled)) ==
          "iter 1 moves on an axis for which no CuTe basis was given");
    CHECK(text(cute::from_axe_linear("swizzle<3,4,3>@smem((8,4):(4@smem,1@smem) + 3@lane)"_swizzled)) ==
          "the layout has offset 3 on an axis other than the one that it moves on");
    CHECK(text(cute::from_axe_linear("swizzle<3,4,3>((8,4):(4,1) + [2:32])"_swizzled)) ==
          "replica iter 0 places an element at 2 points; a CuTe layout places it at one");
    CHECK(text(cute::from_axe_linear("swizzle<3,4,3>/2((8,4):(4,1) + 3@m)"_swizzled, cute::SwizzleOf::bytes)) ==
          "the composed layout has a pointer flag of 16 bits and offset 3; it can have one of the two");
    CHECK(text(cute::from_axe_linear("swizzle<3,30,3>((8,4):(4,1))"_swizzled)) ==
          "Sw<3,30,3> exceeds the 31 bits of CuTe's swizzle masks");
    CHECK(text(cute::from_axe_linear("swizzle<0,0,0>/1048576(8:1)"_swizzled, cute::SwizzleOf::bytes)) ==
          "CuTe has no elements of 1048576 bytes");
    CHECK(text(cute::from_axe_linear(axe::Swizzled<axe::Layout>{{3, 4, 2}, {}, 1, "8:1"_axe})) ==
          "swizzle<3,4,2> must have bits and base >= 0, |shift| >= bits, and end below bit 62");
    CHECK(cute::from_axe_by_coordinate("swizzle<3,4,3>((3,4):(5,1))"_swizzled, {4, 3}).code() == axe::errc::not_grouped);
    CHECK(text(cute::from_axe_by_coordinate("swizzle<3,4,3>((3,4):(5,1))"_swizzled, {3, 4})) == "Sw<3,4,3> o 0 o (3,4):(5,1)");
    // nothing is swizzled: the axis is the one that the layout has
    CHECK(text(cute::from_axe_linear("swizzle<0,4,3>(8:1@smem + 3@smem)"_swizzled)) == "Sw<0,4,3> o 3 o 8:1");
    CHECK(text(cute::from_axe_linear("swizzle<0,4,3>(():() + 3@smem)"_swizzled)) == "Sw<0,4,3> o 3 o 1:0");
}
