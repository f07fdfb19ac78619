// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_WIDE_INT_HPP
#define AXE_MAP_PRESBURGER_WIDE_INT_HPP

#include <axe/map/interval.hpp>

/// Integers of 128 bits, with which maps over 64 bits are decided: values of forms over whole boxes pass 64 bits where no point does.
namespace axe {
inline namespace v0 {
namespace detail {

using WideInt = wider_t<std::int64_t>;

/// Beyond this a number of a form is rejected, and a bound is not a bound. Sums of fewer than 64 of them cannot leave 128 bits.
inline constexpr WideInt wide_limit = WideInt{1} << 120;

constexpr bool is_short(WideInt x) noexcept { return static_cast<std::int64_t>(x) == x; }
constexpr bool is_sound(WideInt x) noexcept { return -wide_limit < x && x < wide_limit; }
constexpr WideInt within_limits(WideInt x) noexcept { return x < -wide_limit ? -wide_limit : x > wide_limit ? wide_limit : x; }

/// out += a·b for sound numbers; false when the product or the sum overflows.
constexpr bool add_multiple(WideInt a, WideInt b, WideInt& out) noexcept
{
    if (!is_short(a) || !is_short(b)) {
        const WideInt x = magnitude(a), y = magnitude(b);
        if (x != 0 && y > wide_limit / x) return false;
    }
    out += a * b;
    return is_sound(out);
}
/// a·b, cut off at the limits.
constexpr WideInt saturated_product(WideInt a, WideInt b) noexcept
{
    if (a == 0 || b == 0) return 0;
    if (is_short(a) && is_short(b)) return within_limits(a * b);
    if (magnitude(b) > wide_limit / magnitude(a)) return (a < 0) == (b < 0) ? wide_limit : -wide_limit;
    return a * b;
}

/// ⌊a/b⌋ and ⌈a/b⌉ for b > 0. The processor divides halves many times faster.
constexpr WideInt floor_of(WideInt a, WideInt b) noexcept
{
    if (b == 1) return a;
    if (is_short(a) && is_short(b)) return floor_div(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    return floor_div(a, b);
}
/// ⌊a/b⌋ for b ≠ 0; 0 for b = 0, which no point of the domain has.
constexpr WideInt signed_quotient(WideInt a, WideInt b) noexcept { return b < 0 ? floor_of(-a, -b) : b == 0 ? 0 : floor_of(a, b); }
constexpr WideInt ceil_of(WideInt a, WideInt b) noexcept { return -floor_of(-a, b); }

constexpr WideInt common_divisor(WideInt a, WideInt b) noexcept
{
    a = magnitude(a);
    b = magnitude(b);
    if (a == 1 || b == 1) return 1;
    // Not the least of 64 bits, whose magnitude overflows.
    if (a >> 63 == 0 && b >> 63 == 0) return gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    return gcd(a, b);
}
/// The least common multiple of a, b > 0; the limit when it is beyond.
constexpr WideInt common_multiple(WideInt a, WideInt b) noexcept { return saturated_product(a / common_divisor(a, b), b); }

/// Bounds of a form: clipped at the limits, where they are not bounds.
struct WideInterval {
    WideInt low = 0, high = -1;
    [[nodiscard]] constexpr bool is_empty() const noexcept { return low > high; }
    [[nodiscard]] constexpr bool contains(const WideInterval& other) const noexcept
    {
        return low <= other.low && other.high <= high;
    }
    friend constexpr bool operator==(const WideInterval&, const WideInterval&) = default;
};
constexpr WideInterval intersection(const WideInterval& x, const WideInterval& y) noexcept
{
    return {greatest(x.low, y.low), least(x.high, y.high)};
}
/// out += a·values
constexpr void add_multiple(WideInt a, const WideInterval& values, WideInterval& out) noexcept
{
    out.low += saturated_product(a, a < 0 ? values.high : values.low);
    out.high += saturated_product(a, a < 0 ? values.low : values.high);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
