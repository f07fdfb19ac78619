// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/sort.hpp>
#include <catch.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

TEST_CASE("sort_stably: as by keys, then by place, around every power of two up to 1024")
{
    unsigned state = 7;
    for (int keys : {1, 2, 5, 1000})
        for (int n = 0; n < 1100; n = n < 70 || (n & (n - 1)) == 0 || ((n + 1) & n) == 0 ? n + 1 : n + 61) {
            std::vector<std::pair<int, int>> list;
            for (int i = 0; i < n; ++i) {
                state = state * 1664525U + 1013904223U;
                list.emplace_back(static_cast<int>((state >> 8) % static_cast<unsigned>(keys)), i);
            }
            std::vector<std::pair<int, int>> expected = list;
            std::sort(expected.begin(), expected.end()); // the places make it a total order
            axe::detail::sort_stably(list, [](const auto& a, const auto& b) { return a.first < b.first; });
            CHECK(list == expected);
        }
}

TEST_CASE("sort_stably: elements that cannot be copied are moved")
{
    std::vector<std::unique_ptr<int>> list;
    for (int i = 0; i < 100; ++i) list.push_back(std::make_unique<int>((i * 37) % 100));
    axe::detail::sort_stably(list, [](const auto& a, const auto& b) { return *a < *b; });
    for (int i = 0; i < 100; ++i) CHECK(*list[static_cast<std::size_t>(i)] == i);
}
