// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/axes.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using axe::machines::sm90;

namespace {

constexpr axe::AxisSplit thread{"thread", "warp", "lane", 32};

template <class T>
void refused(const axe::Result<T>& made, axe::errc code, int position, const char* sentence)
{
    CHECK(made.code() == code);
    CHECK(made.error().position == position);
    CHECK(std::string(made.error().message().c_str()) == sentence);
}

} // namespace

static_assert(*axe::split_axis("128:1@thread"_axe, thread) == "(4,32):(1@warp,1@lane)"_axe);
static_assert(*axe::fuse_axes("(4,32):(1@warp,1@lane)"_axe, thread) == "128:1@thread"_axe);

TEST_CASE("split_axis: threads as warps and lanes")
{
    CHECK(*axe::split_axis("(8,16):(16@thread,1@thread)"_axe, thread) == "(4,32):(1@warp,1@lane)"_axe);
    CHECK(*axe::split_axis("(4,64):(1@m,-1@thread) + 63@thread"_axe, thread) ==
          "(4,2,32):(1@m,-1@warp,-1@lane) + 31@lane + 1@warp"_axe);
    CHECK(*axe::split_axis("8:1@m + 32@thread"_axe, thread) == "8:1@m + 1@warp"_axe);
    CHECK(*axe::split_axis("8:1@m + -1@thread"_axe, thread) == "8:1@m + 31@lane + -1@warp"_axe); // rounds down
    CHECK(*axe::split_axis("8:1@m + [4:16@thread]"_axe, thread) == "8:1@m + [2:16@lane,2:1@warp]"_axe);
    CHECK(*axe::split_axis("(2,8):(1@warp,1@lane)"_axe, thread) == "(2,8):(1@warp,1@lane)"_axe); // nothing to split
    CHECK(*axe::split_axis("8:7@thread"_axe, {"thread", "unit", "rest", 1}) == "8:7@unit"_axe);
}

TEST_CASE("split_axis: what is not a layout, and which iter is to blame")
{
    using axe::errc;
    refused(axe::split_axis("3:48@thread"_axe, thread), errc::no_layout, 0,
            "iter 0 has stride 48, not a multiple of 32: one step moves both parts of the axis");
    refused(axe::split_axis("(4,3):(1@m,16@thread)"_axe, thread), errc::no_layout, 1,
            "iter 1 crosses a multiple of 32 in steps of 16, not at the end of a digit");
    refused(axe::split_axis("2:16@thread + 16@thread"_axe, thread), errc::no_layout, 0,
            "iter 0 of stride 16, with the offset and the other iters of its axis, crosses a multiple of 32");
    // the first by itself would do; the second would not
    refused(axe::split_axis("(2,5):(1@thread,8@thread)"_axe, thread), errc::no_layout, 1,
            "iter 1 crosses a multiple of 32 in steps of 8, not at the end of a digit");
    refused(axe::split_axis("4:1@m + [3:16@thread]"_axe, thread), errc::no_layout, -1,
            "the replicas on the axis, split at multiples of 32, are not a product of two sets");
    refused(axe::split_axis("4:1@m + [2:16@thread] + 16@thread"_axe, thread), errc::no_layout, -1,
            "the replicas of one element cross a multiple of 32");
    refused(axe::split_axis("(4,2):(1@thread,1@lane)"_axe, thread), errc::bad_axis, -1,
            "the layout has both the axis to split and a part of it");
    refused(axe::split_axis("4:1@thread"_axe, {"thread", "warp", "lane", 0}), errc::bad_extent, -1,
            "an axis is split by 0; it must be at least 1");
    refused(axe::split_axis("4:1@thread"_axe, {"thread", "warp", "thread", 4}), errc::bad_axis, -1,
            "the three axes of a split must be different");
    CHECK(axe::split_axis(axe::Layout{{{0, 1, "thread"}}}, thread).code() == errc::bad_extent);
}

TEST_CASE("split_axis: sets of replicas that overlap, too many to list")
{
    const axe::Layout wild{{}, {{4000, 6, "thread"}, {4001, 10, "thread"}, {4003, 15, "thread"}}};
    CHECK(axe::split_axis(wild, {"thread", "warp", "lane", 7}).code() == axe::errc::too_hard);
}

TEST_CASE("split_axis: 32-bit layouts and the ends of the integer")
{
    using Small = axe::BasicLayout<std::int32_t>;
    CHECK((*axe::split_axis(Small{{{64, 1, "thread"}}}, thread) == Small{{{2, 1, "warp"}, {32, 1, "lane"}}}));
    CHECK(axe::split_axis(Small{{{64, 1, "thread"}}}, {"thread", "warp", "lane", std::int64_t{1} << 40}).code() ==
          axe::errc::overflow);
    const std::int64_t far = std::int64_t{1} << 61;
    CHECK(*axe::split_axis(axe::Layout{{{2, far, "thread"}}}, thread) == axe::Layout{{{2, far / 32, "warp"}}});
    CHECK(axe::fuse_axes(axe::Layout{{{2, far, "warp"}}}, thread).code() == axe::errc::overflow);
}

TEST_CASE("fuse_axes: the inner part must stay inside")
{
    using axe::errc;
    CHECK(*axe::fuse_axes("(2,4):(1@m,3@lane) + 2@warp"_axe, thread) == "(2,4):(1@m,3@thread) + 64@thread"_axe);
    CHECK(*axe::fuse_axes("8:1@m"_axe, thread) == "8:1@m"_axe);
    CHECK(*axe::fuse_axes("8:1@m + [2:1@lane,2:1@warp]"_axe, thread) == "8:1@m + [2:1@thread,2:32@thread]"_axe);
    refused(axe::fuse_axes("33:1@lane"_axe, thread), errc::out_of_domain, -1,
            "the inner axis has the coordinate 32, outside [0, 32)");
    refused(axe::fuse_axes("4:1@lane + [8:4@lane] + 1@lane"_axe, thread), errc::out_of_domain, -1,
            "the inner axis has the coordinate 32, outside [0, 32)");
    refused(axe::fuse_axes("4:-1@lane"_axe, thread), errc::out_of_domain, -1,
            "the inner axis has the coordinate -3, outside [0, 32)");
    refused(axe::fuse_axes("(4,2):(1@thread,1@lane)"_axe, thread), errc::bad_axis, -1,
            "the layout has both a part and the axis that the parts join into");
}

TEST_CASE("convert_axes: up and down the splits of a machine")
{
    using axe::errc;
    const axe::Layout by_thread = "(256,4):(1@thread,1@reg)"_axe;
    const axe::Layout by_group = "(2,4,32,4):(1@warpgroup,1@quarter,1@lane,1@reg)"_axe;
    CHECK(*axe::convert_axes(sm90, by_thread, {"warpgroup", "quarter", "lane"}) == by_group);
    CHECK(*axe::convert_axes(sm90, by_thread, {"warpgroup"}) == by_group); // what is on the way
    CHECK(*axe::convert_axes(sm90, by_thread, {"warp"}) == "(8,32,4):(1@warp,1@lane,1@reg)"_axe);
    CHECK(*axe::convert_axes(sm90, by_group, {"warp"}) == "(8,32,4):(1@warp,1@lane,1@reg)"_axe);
    CHECK(*axe::convert_axes(sm90, by_group, {"thread"}) == by_thread);
    CHECK(*axe::convert_axes(sm90, by_group, {"quarter"}) == by_group);
    CHECK(*axe::convert_axes(sm90, by_group, {"gpuid", "reg"}) == by_group);
    CHECK(*axe::convert_axes(sm90, by_group, {}) == by_group);

    refused(axe::convert_axes(sm90, by_group, {"lane", "zone"}), errc::unknown_axis, 1,
            "requested axis 1 is not an axis of a scope or memory of the machine");
    refused(axe::convert_axes(sm90, by_group, {"thread", "lane"}), errc::bad_argument, 1,
            "requested axis 1 is a part of another requested axis");
    refused(axe::convert_axes(sm90, "3:48@thread"_axe, {"lane"}), errc::no_layout, 0,
            "iter 0 has stride 48, not a multiple of 32: one step moves both parts of the axis");
    refused(axe::convert_axes(sm90, "64:1@lane"_axe, {"thread"}), errc::out_of_domain, -1,
            "the inner axis has the coordinate 63, outside [0, 32)");
    // what the machine does not split stays, and an axis that it does not know is not asked about
    CHECK(*axe::convert_axes(axe::machines::cpu, "8:1@zone"_axe, {"core"}) == "8:1@zone"_axe);
    CHECK(axe::convert_axes(sm90, axe::Layout{{{0, 1}}}, {"lane"}).code() == errc::bad_extent);
}
