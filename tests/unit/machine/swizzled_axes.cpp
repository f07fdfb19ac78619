// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/swizzled_axes.hpp>
#include <axe/target/nvidia/targets.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <string>

namespace {

using axe::errc, axe::Layout;
using Swizzled = axe::Swizzled<Layout>;
constexpr axe::AxisSplit threads{"thread", "warp", "lane", 32};

Swizzled swizzled(const std::string& text) { return axe::parse_swizzled(text).value(); }
std::string text(const axe::Result<Swizzled>& s) { return s ? axe::print(*s).c_str() : axe::name(s.code()); }

} // namespace

TEST_CASE("axes beside a swizzled one are split, fused and converted")
{
    const auto whole = swizzled("swizzle<3,3,3>@smem((128,8,64):(1@thread,64@smem,1@smem))");
    const auto parts = swizzled("swizzle<3,3,3>@smem((4,32,8,64):(1@warp,1@lane,64@smem,1@smem))");
    const auto made = axe::split_axis(whole, threads);
    CHECK(axe::equal(made.value(), parts).yes());
    CHECK(axe::equal(axe::fuse_axes(parts, threads).value(), whole).yes());
    for (const std::int64_t x : {0, 1, 511, 512, 40000, 65535}) {
        const auto p = *axe::evaluate(whole, x), q = *axe::evaluate(*made, x);
        CHECK(q[axe::Axis{"warp"}] * 32 + q[axe::Axis{"lane"}] == p[axe::Axis{"thread"}]);
        CHECK(q[axe::Axis{"smem"}] == p[axe::Axis{"smem"}]);
    }
    CHECK(text(axe::split_axis(swizzled("swizzle<3,3,3>@thread(128:1@thread)"), threads)) == "bad_argument");
    CHECK(text(axe::fuse_axes(swizzled("swizzle<2,0,3>@lane((4,32):(1@warp,1@lane))"), threads)) == "bad_argument");
    CHECK(text(axe::fuse_axes(swizzled("swizzle<2,0,3>@warp((4,32):(1@warp,1@lane))"), threads)) == "bad_argument");
    CHECK(axe::split_axis(swizzled("128:1@thread"), threads).value().layout == axe::parse_layout("(4,32):(1@warp,1@lane)").value());
    CHECK(text(axe::split_axis(swizzled("swizzle<3,3,3>@smem(8:20@thread)"), threads)) == "no_layout");
}

TEST_CASE("a swizzled layout on other axes of a machine")
{
    const axe::Machine& machine = axe::targets::sm90.machine;
    const auto whole = swizzled("swizzle<3,3,3>((128,8,64):(1@thread,64,1))");
    const auto parts = axe::convert_axes(machine, whole, {axe::Axis{"warp"}, axe::Axis{"lane"}});
    REQUIRE(parts);
    CHECK(text(parts) == "swizzle<3,3,3>((4,32,512):(1@warp,1@lane,1))");
    CHECK(axe::equal(axe::convert_axes(machine, *parts, {axe::Axis{"thread"}}).value(), whole).yes());
    CHECK(text(axe::convert_axes(machine, swizzled("swizzle<3,3,3>@lane((4,32):(1@warp,1@lane))"), {axe::Axis{"thread"}})) ==
          "bad_argument");
    CHECK(text(axe::convert_axes(machine, whole, {axe::Axis{"nowhere"}})) == "unknown_axis");
}
