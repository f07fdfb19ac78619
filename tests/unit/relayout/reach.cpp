// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/boxes.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>

#include <chrono>

namespace {

using namespace axe::literals;
using axe::CopyNest;
using axe::errc;
using axe::Layout;
using axe::RelayoutOptions;
using axe::RelayoutSide;
using axe::Shape;
using Int = std::int64_t;

RelayoutOptions of_bits(int bits)
{
    RelayoutOptions o;
    o.bits = bits;
    return o;
}

/// The quickest of a few: another program may have the processor for a while.
template <class F>
double milliseconds(F f)
{
    double best = 1e9;
    for (int i = 0; i < 20; ++i) {
        const auto start = std::chrono::steady_clock::now();
        f();
        best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

/// A side of 2^40 elements and more, each row of which is padded by three quarters, swizzled.
RelayoutSide huge(int shift)
{
    axe::Swizzled<Layout> s{{3, 4, shift}, {}, 4, {}};
    s.layout.shard.push_back({Int{1} << 30, 4099});
    s.layout.shard.push_back({4096, 1});
    return RelayoutSide(s, {Int{1} << 30, 4096});
}

CopyNest box_of(Int start, const std::vector<std::pair<Int, Int>>& loops)
{
    CopyNest box;
    box.to = start;
    box.from = 0;
    for (const auto& [extent, step] : loops) box.loops.push_back({extent, step, 0});
    return box;
}

} // namespace

TEST_CASE("reach: 2^40 elements of a padded swizzled side take no walk")
{
    const Shape shape{Int{1} << 30, 1025};
    Layout rows;
    rows.shard.push_back({(Int{1} << 30) * 1025, 1});
    for (const int shift : {3, -3}) {
        const RelayoutSide side = huge(shift);
        const auto plan = axe::plan_relayout(side, rows, shape);
        REQUIRE(plan);
        CHECK(milliseconds([&] { CHECK(axe::plan_relayout(side, rows, shape)); }) < 1);
        CHECK(milliseconds([&] { CHECK(axe::plan_relayout(rows, side, shape)); }) < 1);
        // The end by definition: among the addresses of the last rows.
        Int most = 0;
        for (Int row = shape[0] - 8; row < shape[0]; ++row)
            for (Int column = 0; column < shape[1]; ++column)
                most = std::max(most, side.layout.swizzle(4 * (4099 * row + column)) + 3);
        CHECK(plan->parts().to.least == 0);
        CHECK(plan->parts().to.most == most);
    }
}

TEST_CASE("reach: what would take 2^40 steps is too hard, and said at once")
{
    // Iters of 3 and 2^40 over dimensions of 2^40 and 3: they straddle.
    Layout l;
    l.shard.push_back({3, (Int{1} << 40) + 1});
    l.shard.push_back({Int{1} << 40, 1});
    const RelayoutSide side(l, {Int{1} << 40, 3});
    const Shape shape{Int{1} << 40, 2};
    Layout rows;
    rows.shard.push_back({Int{1} << 41, 1});
    const auto plan = axe::plan_relayout(side, rows, shape, of_bits(8));
    CHECK_FALSE(plan);
    CHECK(plan.error().code == errc::too_hard);
    CHECK(plan.error().text == "not decided: destination: iters that straddle the dimensions of its shape are examined one by one: "
                               "2199023255552 elements, at most 67108864");
    CHECK(axe::plan_relayout(rows, side, shape, of_bits(8)).error().text.starts_with("not decided: source: iters that straddle"));
    CHECK(milliseconds([&] { CHECK_FALSE(axe::plan_relayout(side, rows, shape, of_bits(8))); }) < 1);
    CHECK(milliseconds([&] { CHECK_FALSE(axe::plan_relayout(rows, side, shape, of_bits(8))); }) < 1);
}

TEST_CASE("reach: a padded side of which only the whole overlaps, and one whose rows do, of 2^40 elements")
{
    Layout l;
    l.shard.push_back({Int{1} << 20, Int{1} << 20});
    l.shard.push_back({(Int{1} << 20) + 7, 1});
    const RelayoutSide side(l, {Int{1} << 20, (Int{1} << 20) + 7});
    Layout rows;
    rows.shard.push_back({Int{1} << 40, 1});
    CHECK(axe::plan_relayout(side, rows, {Int{1} << 20, Int{1} << 20}, of_bits(8)));
    CHECK(milliseconds([&] { CHECK(axe::plan_relayout(side, rows, {Int{1} << 20, Int{1} << 20}, of_bits(8))); }) < 1);
    rows.shard[0].extent += Int{1} << 20;
    const auto plan = axe::plan_relayout(side, rows, {Int{1} << 20, (Int{1} << 20) + 1}, of_bits(8));
    CHECK_FALSE(plan);
    CHECK(plan.error().text == "the destination's element 1048576 is written twice, by the tensor's elements 1048576 and 1048577");
}

TEST_CASE("reach: a swizzle whose period is larger than what it moves")
{
    // Bits 50 on are XORed onto bits 4 on, and the other way round.
    for (const int shift : {46, -46}) {
        const axe::Swizzled<Layout> s{{2, 4, shift}, {}, 4, "64:1"_axe};
        const auto plan = axe::plan_relayout(s, "64:1"_axe, {64}).value();
        Int most = 0;
        for (Int a = 0; a < 256; a += 4) most = std::max(most, s.swizzle(a) + 3);
        CHECK(plan.parts().to.least == 0);
        CHECK(plan.parts().to.most == most);
    }
}

TEST_CASE("reach: an address that two boxes have")
{
    using axe::detail::find_common;
    const auto common = find_common(box_of(0, {{4, 10}, {3, 1}}), box_of(12, {{2, 10}, {2, 3}})); // 12, 15, 22, 25
    CHECK(common.found);
    CHECK((common.address == 12 || common.address == 22));
    CHECK_FALSE(find_common(box_of(0, {{4, 10}, {3, 1}}), box_of(13, {{2, 10}, {2, 3}})).found); // 13, 16, 23, 26
    CHECK_FALSE(find_common(box_of(0, {{4, 10}}), box_of(31, {{4, 10}})).found);
    CHECK(find_common(box_of(5, {}), box_of(0, {{6, 1}})).address == 5);
    // Loops that are the same in both.
    const auto same = find_common(box_of(0, {{4, 10}, {2, 7}}), box_of(7, {{4, 10}, {2, 7}}));
    CHECK(same.found);
    CHECK(same.address % 10 == 7);
    CHECK(find_common(std::vector<CopyNest>{box_of(0, {{2, 1}}), box_of(4, {{2, 1}}), box_of(1, {{2, 2}})}).address == 1);
    CHECK_FALSE(find_common(std::vector<CopyNest>{box_of(0, {{2, 1}}), box_of(4, {{2, 1}}), box_of(2, {{2, 1}})}).found);
    CHECK(find_common(box_of(7, {{3, 0}})).address == 7);
}

TEST_CASE("reach: the elements of a padded side, as boxes")
{
    const auto boxes_of = [](const RelayoutSide& side, const axe::Region& region) {
        std::vector<CopyNest> boxes;
        const auto map = axe::detail::address_map(side, 1, true);
        CHECK(axe::detail::find_boxes(*map, region, side.shape, boxes));
        return boxes;
    };
    // 20 of 32 channels in blocks of 16: one block whole, and 4 of the next.
    const RelayoutSide blocked("(2,16,15):(240,1,16)"_axe, {32, 15});
    const auto two = boxes_of(blocked, {{0, 20}, {0, 15}});
    REQUIRE(two.size() == 2);
    CHECK(two[0].elements() + two[1].elements() == 300);
    CHECK(boxes_of(blocked, {{0, 16}, {0, 15}}).size() == 1);
    CHECK(boxes_of(blocked, {{0, 32}, {0, 15}}).size() == 1);
    std::vector<CopyNest> none; // 3 and 5 over 5 and 3
    CHECK_FALSE(axe::detail::find_boxes(*axe::detail::address_map("(3,5):(9,1)"_axe, 1, true), {{0, 5}, {0, 2}}, {5, 3}, none));
}

TEST_CASE("reach: strides and ranges at the ends of the integer are refused, or are right")
{
    const auto one = [](Int extent, Int stride, Int offset = 0) {
        Layout l;
        l.shard.push_back({extent, stride});
        if (offset != 0) *l.offset.entry({}) = offset;
        return l;
    };
    const auto told = [&](const Layout& to, Int extent, int bits) {
        const auto plan = axe::plan_relayout(to, one(extent, 1), {extent}, of_bits(bits));
        return plan ? std::to_string(plan->parts().to.least) + " " + std::to_string(plan->parts().to.most) : plan.error().text;
    };
    // A step of -2^63 has no opposite; a range of 2^63 and more has no length.
    CHECK(told(one(2, -(Int{1} << 62)), 2, 16) == "destination: addresses in bytes overflow on axis m");
    CHECK(told(one(2, -(Int{1} << 62)), 2, 8) == "-4611686018427387904 0");
    CHECK(told(one(3, -(Int{1} << 61), Int{1} << 61), 3, 16) == "destination: addresses in bytes overflow");
    CHECK(told(one(2, Int{1} << 60), 2, 32) == "0 4611686018427387907");
    CHECK(told(one(2, (Int{1} << 60) - 1), 2, 64) == "0 9223372036854775807");
    axe::Swizzled<Layout> s{{1, 4, 1}, {}, 4, one(2, Int{1} << 60)};
    const auto plan = axe::plan_relayout(s, one(2, 1), {2});
    CHECK(plan.error().text == "destination: addresses in bytes overflow");
}
