// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_SORT_HPP
#define AXE_SUPPORT_SORT_HPP

#include <cstddef>
#include <type_traits>

namespace axe {
inline namespace v0 {
namespace detail {

/// Sorts; elements of which neither is less keep their order. O(n log n) comparisons and moves; n of a list that is sorted.
///
/// std::stable_sort of libstdc++ 12 calls a function that C++17 deprecates, of which clang 19 warns in the code that
/// includes it.
template <class List, class Less>
constexpr void sort_stably(List& list, Less less)
{
    using Item = std::remove_reference_t<decltype(*list.begin())>;
    // Runs of 16 by insertion; then two runs at a time into a list of their own.
    const auto size = static_cast<std::ptrdiff_t>(list.size());
    const auto at = [&](std::ptrdiff_t i) { return list.begin() + (i < size ? i : size); };
    std::ptrdiff_t sorted = 1;
    while (sorted < size && !less(*at(sorted), *at(sorted - 1))) ++sorted;
    if (sorted >= size) return;
    std::ptrdiff_t run = 16;
    for (std::ptrdiff_t first = 0; first < size; first += run)
        for (auto it = at(first); it != at(first + run); ++it)
            for (auto place = it; place != at(first) && less(*place, *(place - 1)); --place) {
                Item item = static_cast<Item&&>(*place);
                *place = static_cast<Item&&>(*(place - 1));
                *(place - 1) = static_cast<Item&&>(item);
            }
    for (; run < size; run *= 2) {
        List merged;
        for (std::ptrdiff_t first = 0; first < size; first += 2 * run) {
            auto left = at(first), right = at(first + run);
            const auto left_end = right, right_end = at(first + 2 * run);
            while (left != left_end || right != right_end) {
                const bool takes_right = left == left_end || (right != right_end && less(*right, *left));
                auto& from = takes_right ? right : left;
                merged.push_back(static_cast<Item&&>(*from));
                ++from;
            }
        }
        list = static_cast<List&&>(merged);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
