// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_INTERVAL_HPP
#define AXE_MAP_INTERVAL_HPP

#include <axe/support/integer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace axe {
inline namespace v0 {

/// The integers from `low` to `high`, both included; none when low > high.
struct IndexInterval {
    std::int64_t low = 0, high = -1;

    [[nodiscard]] constexpr bool is_empty() const noexcept { return low > high; }
    [[nodiscard]] constexpr bool is_point() const noexcept { return low == high; }
    [[nodiscard]] constexpr bool contains(std::int64_t n) const noexcept { return low <= n && n <= high; }
    [[nodiscard]] constexpr bool contains(const IndexInterval& other) const noexcept
    {
        return other.is_empty() || (low <= other.low && other.high <= high);
    }
    friend constexpr bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

/// Every integer that the type has.
inline constexpr IndexInterval every_integer{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

constexpr IndexInterval intersection(const IndexInterval& x, const IndexInterval& y) noexcept
{
    return {std::max(x.low, y.low), std::min(x.high, y.high)};
}

/// n − k·⌊n/k⌋ for k ≠ 0: in [0, k) for k > 0, in (k, 0] for k < 0.
constexpr std::int64_t floor_remainder(std::int64_t n, std::int64_t k) noexcept
{
    if (k == -1) return 0;
    const std::int64_t r = n % k;
    return r != 0 && (r < 0) != (k < 0) ? r + k : r;
}

/// ⌊n/k⌋ for k ≠ 0, in q; false when it overflows (the least by −1).
constexpr bool floor_quotient(std::int64_t n, std::int64_t k, std::int64_t& q) noexcept
{
    if (k == -1) return detail::sub(std::int64_t{0}, n, q);
    q = detail::floor_div(n, k);
    return true;
}

} // namespace v0
} // namespace axe

#endif
