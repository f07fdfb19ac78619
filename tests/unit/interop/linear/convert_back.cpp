// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/convert.hpp>
#include <axe/interop/linear/convert_back.hpp>
#include <axe/text/literals.hpp>
#include <tests/unit/interop/linear/read.hpp>

using namespace linear_tests;
using namespace axe::linear;
using namespace axe::literals;
using axe::errc;

namespace {

template <class L>
std::string layout(const axe::Result<L>& l)
{
    return l ? axe::print(*l).c_str() : axe::print(l.error()).c_str();
}

} // namespace

static_assert(*to_layout(line("register=[(0,1),(8,0)] lane=[(0,2),(0,4),(1,0),(2,0),(4,0)] -> dim0:16 dim1:8")) ==
              "(2,32,2):(2@reg,1@lane,1@reg)"_axe);

TEST_CASE("to_layout: bits that move one bit, or nothing")
{
    CHECK(layout(to_layout(line("register=[1,0] lane=[0,0,2] warp=[] block=[0] -> dim0:4"))) ==
          "(2,2):(4@lane,1@reg) + [2:1@cta, 4:1@lane, 2:2@reg]");
    CHECK(layout(to_layout(line("->"))) == "():()");
    CHECK(layout(to_layout(line("a=[] -> x:1 y:1"))) == "():()");
    // The first output dimension is the slowest of the shape, wherever its bits are.
    const LinearLayout l = line("offset=[(1,0),(0,1),(2,0)] -> x:4 y:2");
    CHECK(layout(to_layout(l)) == "(2,2,2):(4,1,2)");
    CHECK(std::string(axe::print(shape_of(l)).c_str()) == "(4,2)");
    // Names that are not in the table stay.
    CHECK(layout(to_layout(line("register=[1] bank=[2] -> x:4"))) == "(2,2):(1@bank,1@reg)");
    CHECK(layout(to_layout(line("register=[1] bank=[2] -> x:4"), {{"r", "register"}})) == "(2,2):(1@bank,1@r)");
    refused(to_layout(line("register=[1] reg=[2] -> x:4")), errc::bad_axis, 1, "input dimensions 0 and 1 become one axis");
    CHECK(to_layout(line("a=[1] -> x:2"), {{"m", "a"}, {"m", "b"}}).code() == errc::bad_axis);
}

TEST_CASE("to_layout: what no layout does")
{
    refused(to_layout(line("a=[1,3] -> x:4")), errc::no_layout, 1,
            "input bit 1 moves 2 output bits; a digit of a layout moves one");
    refused(to_layout(line("a=[1,2,0,1] -> x:4")), errc::no_layout, 3,
            "input bits 0 and 3 move one output bit, so places of an element are not a product");
    refused(to_layout(line("a=[1,4] -> x:8")), errc::no_layout, 1, "no input bit moves output bit 1: some elements have no place");
    LinearLayout broken;
    broken.bases.push_back(0);
    CHECK(to_layout(broken).code() == errc::size_mismatch);
    CHECK(to_swizzled(broken).code() == errc::size_mismatch);
    // More iters than a layout has room for: 18 bits, alternating between two axes; copies with gaps.
    LinearLayout wide = line("a=[] b=[] -> x:262144");
    wide.in[0].bits = wide.in[1].bits = 9;
    for (int j = 0; j < 9; ++j) wide.bases.push_back(std::uint64_t{1} << (2 * j));
    for (int j = 0; j < 9; ++j) wide.bases.push_back(std::uint64_t{2} << (2 * j));
    refused(to_layout(wide), errc::capacity, 16, "the elements need more than 16 shard iters");
    LinearLayout gaps = line("a=[] -> x:256");
    gaps.in[0].bits = 17;
    for (int j = 0; j < 17; ++j) gaps.bases.push_back(j % 2 == 0 ? 0 : std::uint64_t{1} << (j / 2));
    refused(to_layout(gaps), errc::capacity, 8, "the copies need more than 8 replica iters");
}

TEST_CASE("to_swizzled: one swizzle of one dimension is undone")
{
    CHECK(layout(to_swizzled(line("offset=[(0,1),(0,2),(0,4),(1,1),(2,2)] -> x:4 y:8"))) == "swizzle<2,0,3>(32:1)");
    CHECK(layout(to_swizzled(line("offset=[(0,1),(0,2),(0,4),(1,1),(2,2)] -> x:4 y:8"), 2)) == "swizzle<2,1,3>/2(32:1)");
    // The mirrored direction: low bits onto high ones.
    CHECK(layout(to_swizzled(line("offset=[(1,1),(2,2),(0,4),(0,1),(0,2)] -> x:4 y:8"))) == "swizzle<2,0,-3>((4,2,4):(1,4,8))");
    CHECK(layout(to_swizzled(line("offset=[9,2,4,8] -> x:16"))) == "swizzle<1,0,-3>(16:1)");
    // A bit of copies that is swizzled: two bits move one. Both directions do; the high bits are read.
    CHECK(layout(to_swizzled(line("offset=[1,1] -> x:2"))) == "swizzle<1,0,1>(2:1 + [2:2])");
    // Another dimension than the first.
    CHECK(layout(to_swizzled(line("lane=[1] offset=[2,6] -> x:8"))) == "swizzle<1,0,1>((4,2):(1,1@lane))");
    CHECK(layout(to_swizzled(line("a=[1] b=[2,6] -> x:8"))) == "swizzle<1,0,1>@b((4,2):(1@b,1@a))");
    CHECK(layout(to_swizzled(line("offset=[1,2] -> x:4"), 4)) == "swizzle<0,0,0>/4(4:1)");
}

TEST_CASE("to_swizzled: what no swizzle of one dimension undoes")
{
    refused(to_swizzled(line("a=[1,3,7] -> x:8")), errc::no_layout, 1,
            "input bit 1 moves 2 output bits; a digit of a layout moves one");
    CHECK(to_swizzled(line("a=[3] b=[2] -> x:4")).code() == errc::no_layout);       // across dimensions
    CHECK(to_swizzled(line("a=[1,3] b=[4,12] -> x:16")).code() == errc::no_layout); // one in each
    CHECK(to_swizzled(line("a=[1,2] -> x:8")).code() == errc::no_layout);
    refused(to_swizzled(line("a=[1] -> x:2"), 3), errc::bad_argument, -1, "the width is 3 bytes, not a power of two");
    CHECK(to_swizzled(line("a=[1] -> x:2"), 0).code() == errc::bad_argument);
    CHECK(to_swizzled(line("a=[1] -> x:2"), 1, {{"m", "a"}, {"m", "b"}}).code() == errc::bad_axis);
    CHECK(to_swizzled(line("a=[1,3] -> x:4"), std::int64_t{1} << 61).code() ==
          errc::bad_argument); // the swizzle would end beyond bit 61
}
