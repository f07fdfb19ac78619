// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/inline_vector.hpp>

#include <catch.hpp>

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
