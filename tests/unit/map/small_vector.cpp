// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/small_vector.hpp>
#include <tests/catch.hpp>

#include <utility>

namespace {

using List = axe::detail::SmallVector<int, 4>;

List up_to(int n)
{
    List out;
    for (int i = 0; i < n; ++i) out.push_back(i);
    return out;
}

bool holds_up_to(const List& list, int n)
{
    bool same = list.size() == static_cast<std::size_t>(n) && list.empty() == (n == 0);
    for (int i = 0; same && i < n; ++i) same = list[static_cast<std::size_t>(i)] == i;
    return same && (n == 0 || list.back() == n - 1);
}

} // namespace

TEST_CASE("small_vector: copies and moves, within its room and beyond")
{
    for (const int n : {0, 1, 4, 5, 33}) {
        List list = up_to(n);
        CHECK(holds_up_to(list, n));
        List copy = list;
        CHECK(holds_up_to(copy, n));
        List moved = std::move(copy);
        CHECK(holds_up_to(moved, n));
        copy = up_to(3);
        moved = copy;
        CHECK(holds_up_to(moved, 3));
        moved = std::move(list);
        CHECK(holds_up_to(moved, n));
    }
}

TEST_CASE("small_vector: what is new after resize is 0, what was there stays")
{
    List list = up_to(3);
    list.resize(9);
    CHECK(list.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) CHECK(list[i] == (i < 3 ? static_cast<int>(i) : 0));
    list.resize(2);
    CHECK(holds_up_to(list, 2));
    list.resize(4);
    CHECK(list[2] == 0);
    CHECK(list[3] == 0);
}

TEST_CASE("small_vector: assign replaces all that was there")
{
    List list = up_to(2);
    for (const std::size_t n : {6u, 3u, 0u, 1u}) {
        list.assign(n, 7);
        CHECK(list.size() == n);
        for (const int x : list) CHECK(x == 7);
    }
}
