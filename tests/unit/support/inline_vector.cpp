// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/support/inline_vector.hpp>

#include <catch.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <vector>

using List = axe::InlineVector<int, 4>;

static std::vector<int> items(const List& list) { return {list.begin(), list.end()}; }

TEST_CASE("a list grows and shrinks in place", "[inline_vector]")
{
    List list;
    CHECK(list.empty());
    CHECK(list.push_back(1));
    CHECK(list.push_back(3));
    CHECK(list.insert(1, 2));
    CHECK(list.insert(0, 0));
    CHECK(items(list) == std::vector<int>{0, 1, 2, 3});
    CHECK(list.full());
    CHECK_FALSE(list.push_back(4));
    CHECK_FALSE(list.insert(0, 4));
    CHECK((list.overfull() && list.size() == 6)); // what had no room is counted
    list.pop_back();
    list.pop_back();
    CHECK_FALSE(list.overfull());
    CHECK(items(list) == std::vector<int>{0, 1, 2, 3});
    list.erase(1);
    CHECK(items(list) == std::vector<int>{0, 2, 3});
    list.pop_back();
    CHECK(list.back() == 2);
    list.clear();
    CHECK(list.empty());
}

TEST_CASE("places that are not in use are as new", "[inline_vector]")
{
    List list{5, 6, 7, 8};
    list.erase(0);
    list.pop_back();
    for (int i = list.size(); i < List::capacity; ++i) CHECK(list.items[i] == 0);
    CHECK(list == List{6, 7});
    CHECK_FALSE(list == List{6, 7, 0});
    CHECK_FALSE(list == List{7, 6});
}

TEST_CASE("a list of too many keeps their number", "[inline_vector]")
{
    CHECK_FALSE(List{1, 2, 3, 4}.overfull());
    const List list{1, 2, 3, 4, 5, 6};
    CHECK(list.overfull());
    CHECK(list.size() == 6);
    CHECK(list.items[3] == 4);
}

TEST_CASE("inline_vector: from spans, vectors, iterators and lists, counting what has no room")
{
    const std::vector<int> numbers = {2, 3, 5};
    const std::array<std::int64_t, 3> wide = {2, 3, 5};
    const axe::Shape expected{2, 3, 5};
    CHECK(axe::Shape(numbers) == expected);
    CHECK(axe::Shape(std::span(wide)) == expected);
    CHECK(axe::Shape(numbers.begin(), numbers.end()) == expected);
    CHECK(axe::Shape(wide.data(), wide.data() + 3) == expected);
    CHECK(axe::Shape(std::vector<std::int64_t>{}).empty());
    CHECK(axe::Shape{8}.size() == 1); // an extent, not a size
    CHECK(std::equal(expected.data(), expected.data() + expected.size(), wide.begin()));
    static_assert(axe::Shape(std::array<short, 2>{4, 7}) == axe::Shape{4, 7});

    CHECK(axe::Shape(std::vector<int>(17, 2)).overfull());
    CHECK(axe::volume(axe::Shape(std::vector<int>(17, 2))).code() == axe::errc::capacity);
    CHECK(axe::volume(axe::Shape(std::vector<std::uint64_t>{std::uint64_t{1} << 63})).code() == axe::errc::bad_extent);
    // Without loss only: no fractions, no wider integers.
    static_assert(!std::is_constructible_v<axe::Shape, std::vector<double>>);
    static_assert(!std::is_constructible_v<axe::Order, std::vector<std::int64_t>>);
    static_assert(!std::is_constructible_v<axe::Shape, int, int>);
    static_assert(!std::is_convertible_v<std::vector<int>, axe::Shape>);

    const std::vector<axe::Axis> names = {"lane", "warp"};
    CHECK(axe::Layout::Axes(names) == axe::Layout::Axes{"lane", "warp"});
    const std::vector<axe::Iter> iters = {{8, 1, "lane"}, {2, 1}};
    CHECK(axe::Layout::Shard(iters).size() == 2);
    CHECK(axe::Region(std::vector<axe::Range>{{0, 2}, {1, 3}}) == axe::Region{{0, 2}, {1, 3}});
}

TEST_CASE("inline_vector: resize")
{
    axe::Shape s{2, 3, 5};
    s.resize(2);
    CHECK(s == axe::Shape{2, 3});
    s.resize(4, 7);
    CHECK(s == axe::Shape{2, 3, 7, 7});
    s.resize(5);
    CHECK(s.back() == 0);
    s.resize(0);
    CHECK(s.empty());
    s.resize(17, 2);
    CHECK(s.overfull());
    CHECK(std::count(s.begin(), s.end(), 2) == 16); // of an overfull list the items that it holds
    CHECK(s.size() == 17);
    s.resize(3);
    CHECK(s == axe::Shape{2, 2, 2});
}
