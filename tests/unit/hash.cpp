// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/hash.hpp>

#include <catch.hpp>

#include <set>
#include <unordered_set>
#include <vector>

using namespace axe::literals;
using axe::Layout;

namespace {

/// Every layout of up to two iters of extents 1 to 4, strides −2 to 4 on two axes, and up to one replica and offset.
std::vector<Layout> small_layouts()
{
    std::vector<axe::Iter> iters;
    for (std::int64_t n = 1; n <= 4; ++n)
        for (std::int64_t s = -2; s <= 4; ++s)
            for (const axe::Axis a : {axe::Axis("m"), axe::Axis("lane")}) iters.push_back({n, s, a});
    std::vector<Layout> out;
    const auto add = [&](const Layout& l) {
        out.push_back(l);
        Layout copies = l, moved = l;
        copies.replica = {{2, 8}};
        moved.offset = {{"lane", 3}};
        out.push_back(copies);
        out.push_back(moved);
    };
    add({});
    for (const auto& a : iters) {
        Layout one;
        one.shard = {a};
        add(one);
        for (const auto& b : iters) {
            Layout two;
            two.shard = {a, b};
            add(two);
            Layout split;
            split.shard = {a};
            split.replica = {b};
            out.push_back(split);
        }
    }
    return out;
}

} // namespace

TEST_CASE("hash: different layouts, of small numbers too, have different hashes")
{
    const std::vector<Layout> all = small_layouts();
    std::set<Layout> layouts(all.begin(), all.end());
    std::set<std::size_t> hashes;
    for (const Layout& l : layouts) hashes.insert(axe::hash_value(l));
    CHECK(layouts.size() > 10000);
    CHECK(hashes.size() == layouts.size());
    // The low bits, by which hash tables choose, are spread: of 2^8 bins the fullest holds little more than its share.
    std::vector<std::size_t> bins(256);
    for (const std::size_t h : hashes) ++bins[h % 256];
    for (const std::size_t n : bins) CHECK(n < 2 * layouts.size() / 256);
}

TEST_CASE("hash and order agree with ==, points as points")
{
    axe::Point a{{"lane", 8}}, b{{"lane", 8}, {"warp", 0}};
    REQUIRE(a == b);
    CHECK(((a <=> b) == 0));
    CHECK(axe::hash_value(a) == axe::hash_value(b));
    Layout l = "(8,2):(1@lane,1)"_axe, m = l;
    m.offset = {{"warp", 0}};
    REQUIRE(l == m);
    CHECK(axe::hash_value(l) == axe::hash_value(m));
    CHECK(((l <=> m) == 0));
    // What past the end of a list is left over does not take part.
    axe::Shape used{1, 2, 3, 4};
    used.pop_back();
    used.items[3] = 77;
    CHECK(axe::hash_value(used) == axe::hash_value(axe::Shape{1, 2, 3}));
    CHECK(((used <=> axe::Shape{1, 2, 3}) == 0));
}

TEST_CASE("order is total: of two small layouts one comes first, or they are equal, and it is transitive")
{
    std::vector<Layout> all = small_layouts();
    all.resize(220);
    for (const Layout& a : all)
        for (const Layout& b : all) {
            REQUIRE(((a < b) + (b < a) + (a == b)) == 1);
            for (const Layout& c : {all[3], all[100], all[219]})
                if (a < b && b < c) REQUIRE(a < c);
        }
    CHECK(axe::Shape{2, 3} < axe::Shape{2, 3, 1});
    CHECK(axe::Shape{2, 9} < axe::Shape{3});
    CHECK(axe::Axis("lane") < axe::Axis("m"));
    CHECK(("swizzle<2,0,3>(8:1)"_swizzled < "swizzle<3,0,3>(8:1)"_swizzled));
}

TEST_CASE("hash: one number in every run, with every compiler")
{
    static_assert(axe::hash_value("(8,2):(1@lane,1)"_axe) != axe::hash_value("(2,8):(1@lane,1)"_axe));
    if constexpr (sizeof(std::size_t) == 8) {
        CHECK(axe::hash_value(axe::Axis("lane")) == 0xfd0721f70f45d586);
        CHECK(axe::hash_value(axe::Shape{64, 128}) == 0x645615e738f0e244);
        CHECK(axe::hash_value("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe) == 0x5d9f30415b345fff);
    }
    std::unordered_set<Layout> seen;
    CHECK(seen.insert("8:1"_axe).second);
    CHECK_FALSE(seen.insert("8:1"_axe).second);
    std::unordered_set<axe::Swizzled<Layout>> swizzled = {"swizzle<2,0,3>(8:1)"_swizzled};
    CHECK(swizzled.count("swizzle<2,0,3>(8:1)"_swizzled) == 1);
    std::unordered_set<axe::Region> regions = {{{0, 2}, {1, 3}}};
    CHECK(regions.count({{0, 2}, {1, 3}}) == 1);
}
