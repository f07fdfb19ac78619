// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_SORT_HPP
#define AXE_SUPPORT_SORT_HPP

#include <axe/support/config.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// Sorts; elements of which neither is less keep their order. O(n log n) comparisons and moves.
///
/// std::stable_sort of libstdc++ 12 calls a function that C++17 deprecates, of which clang 19 warns in the code that
/// includes it.
template <class T, class Less>
void sort_stably(std::vector<T>& list, Less less)
{
    const auto at = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(std::min(i, list.size())); };
    constexpr std::size_t run = 16;
    for (std::size_t first = 0; first < list.size(); first += run)
        for (auto it = at(first); it != at(first + run); ++it) std::rotate(std::upper_bound(at(first), it, *it, less), it, it + 1);
    std::vector<T> merged;
    for (std::size_t size = run; size < list.size(); size *= 2, list.swap(merged)) {
        merged.clear();
        merged.reserve(list.size());
        for (std::size_t first = 0; first < list.size(); first += 2 * size)
            std::merge(std::move_iterator(at(first)), std::move_iterator(at(first + size)), std::move_iterator(at(first + size)),
                       std::move_iterator(at(first + 2 * size)), std::back_inserter(merged), less);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
