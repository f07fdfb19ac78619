// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_BOX_HPP
#define AXE_MAP_MIXED_RADIX_BOX_HPP

#include <axe/layout/exact/bounded_sum.hpp>
#include <axe/map/mixed_radix/reader.hpp>

/// Boxes of variables, and constraints within them.
namespace axe {
inline namespace v0 {
namespace detail {

/// The number of points of a box; a number above 2^20 when there are more.
inline std::int64_t points_of_box(const std::vector<IndexVariable>& variables) noexcept
{
    std::int64_t n = 1, extent = 0;
    for (const IndexVariable& v : variables) {
        if (v.bounds.is_empty()) return 0;
        if (!sub(v.bounds.high, v.bounds.low, extent) || extent > search_limit) return search_limit + 1;
        n *= extent + 1;
        if (n > search_limit) return search_limit + 1;
    }
    return n;
}

/// Calls f with points of a box, as lists of values, until it says false: with all when there are no more than 2^20,
/// otherwise with both ends of each variable, the others at an end, and some thousands in no order. Returns whether it was all.
template <class F>
bool visit_box(const std::vector<IndexVariable>& variables, F&& f)
{
    std::vector<std::int64_t> at;
    for (const IndexVariable& v : variables) at.push_back(v.bounds.low);
    const std::int64_t n = points_of_box(variables);
    if (n == 0) return true;
    if (n <= search_limit) {
        for (std::int64_t i = 0; i < n; ++i) {
            if (!f(at)) return true;
            for (std::size_t v = at.size(); v-- > 0; at[v] = variables[v].bounds.low) {
                if (at[v] == variables[v].bounds.high) continue;
                ++at[v];
                break;
            }
        }
        return true;
    }
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    const auto next = [&] {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        return z ^ (z >> 31);
    };
    const auto in = [&](const IndexInterval& b) {
        const std::uint64_t size = static_cast<std::uint64_t>(b.high) - static_cast<std::uint64_t>(b.low) + 1;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(b.low) + (size == 0 ? next() : next() % size));
    };
    for (int i = 0; i < 4096; ++i) {
        for (std::size_t v = 0; v < at.size(); ++v) {
            const IndexInterval& b = variables[v].bounds;
            // ends, their neighborhood, and the inside
            const auto kind = i == 0 ? 0u : i == 1 ? 1u : static_cast<unsigned>(next() % 6);
            const IndexInterval near_low{b.low, b.high - b.low > 64 || b.high - 64 > b.low ? b.low + 64 : b.high};
            at[v] = kind == 0 ? b.low : kind == 1 ? b.high : kind == 2 ? in(near_low) : in(b);
        }
        if (!f(at)) return false;
    }
    return false;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
