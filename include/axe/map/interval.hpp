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

namespace detail {

/// The interval of v for which factor·v + constant is in the interval given.
inline IndexInterval solved_for(std::int64_t factor, std::int64_t constant, const IndexInterval& values) noexcept
{
    using Wide = wider_t<std::int64_t>;
    const Wide a = Wide(factor < 0 ? values.high : values.low) - constant,
               b = Wide(factor < 0 ? values.low : values.high) - constant;
    const Wide k = factor < 0 ? -Wide(factor) : Wide(factor), s = factor < 0 ? -1 : 1;
    const auto clamp = [](Wide n) { return static_cast<std::int64_t>(std::clamp<Wide>(n, every_integer.low, every_integer.high)); };
    return {clamp(-floor_div<Wide>(-s * a, k)), clamp(floor_div<Wide>(s * b, k))};
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
