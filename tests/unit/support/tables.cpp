// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>

#include <axe/support/tables.hpp>

#include <algorithm>
#include <vector>

using axe::Tables;

namespace {

constexpr int low[] = {1, 2, 3}, high[] = {10, 20}, one = 7;
struct Unknown;
struct Holder {
    Tables<Unknown> rows{}; // of a type that is not complete here
};

constexpr int total(const Tables<int>& rows)
{
    int sum = 0;
    for (const int& row : rows) sum += row;
    return sum;
}

} // namespace

TEST_CASE("tables: the rows of all arrays, one array after the other, in constant expressions too")
{
    static constexpr Tables<int> all(low, one, high);
    STATIC_REQUIRE(all.size() == 6);
    STATIC_REQUIRE(total(all) == 43);
    STATIC_REQUIRE(Tables<int>().empty());
    static constexpr Tables<int> none;
    STATIC_REQUIRE(none.begin() == none.end());
    CHECK(std::vector<int>(all.begin(), all.end()) == std::vector<int>{1, 2, 3, 7, 10, 20});
    CHECK(Holder().rows.empty());
    // It names the rows and copies none.
    CHECK(&*all.begin() == &low[0]);
    CHECK(std::find(all.begin(), all.end(), 10).operator->() == &high[0]);
}

TEST_CASE("tables: lists join lists, and a copy is a list of its own")
{
    Tables<int> all{low};
    const Tables<int> before = all;
    CHECK(all.add(Tables<int>{high, one}));
    CHECK(all.add(all)); // itself, once more
    CHECK(total(all) == 2 * (6 + 30 + 7));
    CHECK(total(before) == 6);
    CHECK(before.size() == 3);
}

TEST_CASE("tables: a list that is full says so and stays as it is")
{
    Tables<int> all;
    for (int i = 0; i < Tables<int>::capacity; ++i) CHECK(all.add(one));
    CHECK_FALSE(all.add(one));
    CHECK_FALSE(all.add(high));
    CHECK_FALSE(all.add(Tables<int>{high}));
    CHECK(all.size() == Tables<int>::capacity);
    CHECK(total(all) == 7 * Tables<int>::capacity);
}
