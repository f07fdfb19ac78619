// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

/// Values that are no layouts and shapes are refused by every operation in the same way: a list that had no room for an item with
/// `errc::capacity`, never read as a shorter list; an extent of 0 with `errc::bad_extent`, as a layout has at least one element.
namespace {

using axe::errc;
using axe::Layout;

/// A list of one item more than it holds, by push_back.
template <class List, class Item>
List overfull(const Item& item)
{
    List list;
    for (int i = 0; i < List::capacity; ++i) REQUIRE(list.push_back(item));
    REQUIRE_FALSE(list.overfull());
    REQUIRE_FALSE(list.push_back(item));
    REQUIRE(list.overfull());
    return list;
}

/// Every operation that takes a shape answers one that no layout can have with `code`. The other lists fit the shape.
void every_shape_operation(const axe::Shape& s, const axe::Region& region, const axe::Coord& coord, const axe::Order& order,
                           errc code)
{
    const axe::Shape one{1};
    const Layout l{{{1, 1}}};
    CHECK(axe::volume(s).code() == code);
    CHECK(axe::linear_index(s, coord).code() == code);
    CHECK(axe::admits(l, s).code() == code);
    CHECK(axe::group(l, s).code() == code);
    CHECK(axe::group_many(l, one, s).code() == code);
    CHECK(axe::reshape(l, s).code() == code);
    CHECK(axe::permute(l, s, order).code() == code);
    CHECK(axe::slice(l, s, region).code() == code);
    CHECK(axe::broadcast(l, s, 0, 2).code() == code);
    CHECK(axe::max_vector(l, s, 0, axe::Axis{}).code() == code);
    CHECK(axe::evaluate(l, s, coord).code() == code);
    CHECK(axe::points(l, s, coord).error().code == code);
    CHECK(axe::preimage(l, s, axe::Point{}).error().code == code);
    CHECK(axe::tile(l, s, l, one).code() == code);
    CHECK(axe::tile(l, one, l, s).code() == code);
    CHECK(axe::sum(l, s, l, one).code() == code);
    CHECK(axe::sum(l, one, l, s).code() == code);
    CHECK(axe::untile(l, s, l, one).code() == code);
    CHECK(axe::untile(l, one, l, s).code() == code);
    CHECK(axe::untile_outer(l, s, l, one).code() == code);
    CHECK(axe::unsum_left(l, s, l, one).code() == code);
    CHECK(axe::unsum_right(l, one, l, s).code() == code);
}

/// Every operation answers a value that is not a layout with `code`.
void every_layout_operation(const Layout& l, errc code)
{
    const Layout fine{{{1, 1}}};
    const axe::Shape one{1};
    CHECK(axe::check(l).code() == code);
    CHECK(axe::size(l).code() == code);
    CHECK(axe::admits(l, one).code() == code);
    CHECK(axe::canonicalize(l).code() == code);
    CHECK(axe::equal(l, fine).code() == code);
    CHECK(axe::equal(fine, l).code() == code);
    CHECK(axe::group(l, one).code() == code);
    CHECK(axe::group_many(l, one, one).code() == code);
    CHECK(axe::reshape(l, one).code() == code);
    CHECK(axe::permute(l, one, {0}).code() == code);
    CHECK(axe::slice(l, one, {{0, 1}}).code() == code);
    CHECK(axe::broadcast(l, one, 0, 2).code() == code);
    CHECK(axe::max_vector(l, one, 0, axe::Axis{}).code() == code);
    CHECK(axe::span(l, axe::Axis{}).code() == code);
    CHECK(axe::rename(l, axe::Axis{}, "a").code() == code);
    CHECK(axe::project(l, {"m"}).code() == code);
    CHECK(axe::local(l, {"m"}).code() == code);
    CHECK(axe::shift(l, {{"m", 1}}).code() == code);
    CHECK(axe::pack(l, 2, axe::Axis{}).code() == code);
    CHECK(axe::unpack(l, 2, axe::Axis{}).code() == code);
    CHECK(axe::evaluate(l, 0).code() == code);
    CHECK(axe::make_evaluator(l).code() == code);
    CHECK(axe::points(l, 0).error().code == code);
    CHECK(axe::preimage(l, one, axe::Point{}).error().code == code);
    CHECK(axe::is_injective(l).code() == code);
    CHECK(axe::is_contiguous(l).code() == code);
    CHECK(axe::is_surjective(l, {{"m", 2}}).code() == code);
    CHECK(axe::is_bijective(l, {{"m", 2}}).code() == code);
    CHECK(axe::inverse(l, {"m"}).code() == code);
    CHECK(axe::left_inverse(l).code() == code);
    CHECK(axe::right_inverse(l).code() == code);
    CHECK(axe::complement(l, 4).code() == code);
    CHECK(axe::compose(l, fine).code() == code);
    CHECK(axe::compose(fine, l).code() == code);
    CHECK(axe::tile(l, one, fine, one).code() == code);
    CHECK(axe::tile(fine, one, l, one).code() == code);
    CHECK(axe::sum(l, one, fine, one).code() == code);
    CHECK(axe::sum(fine, one, l, one).code() == code);
    CHECK(axe::untile(l, one, fine, one).code() == code);
    CHECK(axe::untile(fine, one, l, one).code() == code);
    CHECK(axe::untile_outer(l, one, fine, one).code() == code);
    CHECK(axe::untile_outer(fine, one, l, one).code() == code);
    CHECK(axe::unsum_left(l, one, fine, one).code() == code);
    CHECK(axe::unsum_left(fine, one, l, one).code() == code);
    CHECK(axe::unsum_right(l, one, fine, one).code() == code);
    CHECK(axe::unsum_right(fine, one, l, one).code() == code);
}

} // namespace

TEST_CASE("overfull: push_back and insert without room count what they were given, and popping it leaves the items")
{
    auto list = overfull<axe::Shape>(std::int64_t{1});
    CHECK_FALSE(list.insert(0, 1));
    CHECK_FALSE(list.push_back(1));
    CHECK(list.size() == axe::Shape::capacity + 3);
    for (int i = 0; i < 3; ++i) list.pop_back();
    CHECK(list.size() == axe::Shape::capacity);
    CHECK_FALSE(list.overfull());
    auto inserted = list;
    CHECK_FALSE(inserted.insert(3, 7));
    CHECK(inserted.overfull());
}

namespace {

/// The list operations of a constant expression, where the compiler checks every access: of a list made of 17 items with room for 16.
constexpr bool an_overfull_list_is_used_within_its_items()
{
    axe::Shape list{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
    bool good = list.size() == 17 && list.held() == 16 && list.back() == 16 && list.end() - list.begin() == 16;
    list.erase(3); // nothing is taken out
    good = good && list.overfull() && list[3] == 4 && list.back() == 16;
    axe::Shape same = list;
    good = good && same == list && !(same < list);
    const axe::Coord at = axe::coordinate(list, std::int64_t{0});
    good = good && at.overfull();
    list.resize(16);
    good = good && !list.overfull() && list.back() == 16;
    list.erase(3);
    axe::Point point{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"f", 6}, {"g", 7}, {"h", 0}, {"i", 9}};
    point.drop_zeros();
    good = good && point.entries.overfull() && point.entry("z") == nullptr && *point.entry("c") == 3;
    return good && list.size() == 15 && list[3] == 5 && list.back() == 16;
}
static_assert(an_overfull_list_is_used_within_its_items());

} // namespace

TEST_CASE("overfull: erase, back and coordinate keep within the items, and nothing is taken out of a list that has lost items")
{
    CHECK(an_overfull_list_is_used_within_its_items());
}

TEST_CASE("overfull: every operation refuses a shape of too many dimensions")
{
    const axe::Shape s = overfull<axe::Shape>(std::int64_t{1});
    axe::Region region;
    for (int d = 0; d < axe::Region::capacity; ++d) region.push_back({0, 1});
    axe::Coord coord;
    for (int d = 0; d < axe::Coord::capacity; ++d) coord.push_back(0);
    axe::Order order;
    for (int d = 0; d < axe::Order::capacity; ++d) order.push_back(d);

    every_shape_operation(s, region, coord, order, errc::capacity);
}

TEST_CASE("overfull: every operation refuses regions, orders and coordinates of too many dimensions")
{
    const axe::Shape one{1};
    const Layout l{{{1, 1}}};
    CHECK(axe::slice(l, one, overfull<axe::Region>(axe::Range{0, 1})).code() == errc::rank_mismatch);
    CHECK(axe::permute(l, one, overfull<axe::Order>(0)).code() == errc::rank_mismatch);
    CHECK(axe::evaluate(l, one, overfull<axe::Coord>(std::int64_t{0})).code() == errc::rank_mismatch);
    CHECK(axe::linear_index(one, overfull<axe::Coord>(std::int64_t{0})).code() == errc::rank_mismatch);
}

TEST_CASE("overfull: every operation refuses a layout with too many iters or axes")
{
    Layout shard, replica, offset;
    shard.shard = overfull<Layout::Shard>(axe::Iter{1, 1});
    replica.replica = overfull<Layout::Replica>(axe::Iter{1, 1});
    offset.offset.entries = overfull<decltype(offset.offset.entries)>(axe::Point{{"m", 1}}.entries[0]);
    CHECK(offset.offset == offset.offset); // nothing past the end is read
    CHECK(offset.offset[axe::Axis("lane")] == 0);
    CHECK_FALSE(axe::before(offset.offset, offset.offset));
    for (const Layout& l : {shard, replica, offset}) {
        every_layout_operation(l, errc::capacity);
    }
}

TEST_CASE("extent 0: every operation refuses a shape or a layout without elements")
{
    for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
        every_shape_operation({extent}, {{0, 1}}, {0}, {0}, errc::bad_extent);
        every_shape_operation({1, extent}, {{0, 1}, {0, 1}}, {0, 0}, {0, 1}, errc::bad_extent);
        every_layout_operation(Layout{{{extent, 1}}}, errc::bad_extent);
        every_layout_operation(Layout{{{1, 1}}, {{extent, 1}}}, errc::bad_extent);
        every_layout_operation(Layout{{{4, 1}, {extent, 0}}}, errc::bad_extent);
    }
    CHECK(axe::parse_shape("(4,0)").code() == errc::bad_extent);
    CHECK(axe::parse_layout("(4,0):(1,4)").code() == errc::bad_extent);
    CHECK(axe::parse_layout("4:1 + [0:1]").code() == errc::bad_extent);
    CHECK(axe::parse_iter("0:1").code() == errc::bad_extent);
    CHECK(axe::make_layout({{0, 1}}).code() == errc::bad_extent);
}
