// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/support/inline_vector.hpp>

#include <catch.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
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
    // No fractions, no characters; an integer that does not fit is one that every operation rejects.
    static_assert(!std::is_constructible_v<axe::Shape, std::vector<double>>);
    static_assert(!std::is_constructible_v<axe::Shape, std::string_view> && !std::is_constructible_v<axe::Shape, std::string&>);
    static_assert(!std::is_constructible_v<axe::Shape, std::vector<bool>> && !std::is_constructible_v<axe::Shape, std::u16string>);
    static_assert(!std::is_constructible_v<axe::Shape, const char*, const char*> &&
                  !std::is_constructible_v<axe::Order, std::string>);
    static_assert(axe::Shape(std::array<std::uint8_t, 2>{4, 7}) == axe::Shape{4, 7}); // a byte is a number
    const std::vector<std::int64_t> order = {1, 0, -1, std::int64_t{1} << 40, -(std::int64_t{1} << 40) + 3};
    constexpr int least = std::numeric_limits<int>::min();
    CHECK(axe::Order(order) == axe::Order{1, 0, -1, least, least});
    CHECK(axe::permute(axe::Layout{{{4, 1}}}, {2, 2}, axe::Order(std::vector<std::int64_t>{0, 1LL << 32})).code() ==
          axe::errc::bad_argument);
    CHECK(axe::Shape(std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()})[0] ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(axe::BasicShape<std::int32_t>(std::vector<std::uint64_t>{7, std::uint64_t{1} << 32}) ==
          axe::BasicShape<std::int32_t>{7, least});
    struct View { // as those of std::views::filter, its begin() changes it, and as of those of transform, it is of values
        const std::vector<int>* of;
        std::vector<int> doubled{};
        auto begin()
        {
            for (const int n : *of) doubled.push_back(2 * n);
            return doubled.begin();
        }
        auto end() { return doubled.end(); }
    };
    View view{&numbers};
    CHECK(axe::Shape(view) == axe::Shape{4, 6, 10});
    CHECK(axe::Shape(View{&numbers}) == axe::Shape{4, 6, 10});
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
