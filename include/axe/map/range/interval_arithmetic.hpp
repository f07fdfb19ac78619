// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_RANGE_INTERVAL_ARITHMETIC_HPP
#define AXE_MAP_RANGE_INTERVAL_ARITHMETIC_HPP

#include <axe/map/interval.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Arithmetic of intervals whose ends may be unknown: the least and the greatest integer stand for all beyond them.
inline constexpr std::int64_t no_low = every_integer.low, no_high = every_integer.high;

constexpr bool is_bounded(const IndexInterval& x) noexcept { return x.low != no_low && x.high != no_high; }

using WideBound = wider_t<std::int64_t>;
constexpr std::int64_t clamped(WideBound x) noexcept
{
    return x < no_low ? no_low : x > no_high ? no_high : static_cast<std::int64_t>(x);
}
constexpr IndexInterval sum(const IndexInterval& x, const IndexInterval& y) noexcept
{
    return {x.low == no_low || y.low == no_low ? no_low : clamped(WideBound{x.low} + y.low),
            x.high == no_high || y.high == no_high ? no_high : clamped(WideBound{x.high} + y.high)};
}
constexpr IndexInterval shifted(const IndexInterval& x, std::int64_t c) noexcept { return sum(x, {c, c}); }

constexpr IndexInterval scaled(const IndexInterval& x, std::int64_t c) noexcept
{
    if (c == 0) return {0, 0};
    const std::int64_t first = c > 0 ? x.low : x.high, last = c > 0 ? x.high : x.low;
    const bool no_first = first == no_low || first == no_high, no_last = last == no_low || last == no_high;
    return {no_first ? no_low : clamped(WideBound{first} * c), no_last ? no_high : clamped(WideBound{last} * c)};
}
/// Of ⌊x/k⌋, k ≥ 1.
constexpr IndexInterval quotient(const IndexInterval& x, std::int64_t k) noexcept
{
    return {x.low == no_low ? no_low : floor_div(x.low, k), x.high == no_high ? no_high : floor_div(x.high, k)};
}
/// The integers n with k·n in x, k ≥ 1.
constexpr IndexInterval divided(const IndexInterval& x, std::int64_t k) noexcept
{
    return {x.low == no_low ? no_low : -floor_div(-x.low, k), x.high == no_high ? no_high : floor_div(x.high, k)};
}
/// The smallest interval that holds both.
constexpr IndexInterval hull(const IndexInterval& x, const IndexInterval& y) noexcept
{
    if (x.is_empty() || y.is_empty()) return x.is_empty() ? y : x;
    return {std::min(x.low, y.low), std::max(x.high, y.high)};
}
/// Unknown ends times 0 are 0.
constexpr IndexInterval product(const IndexInterval& x, const IndexInterval& y) noexcept
{
    const auto corner = [](std::int64_t a, std::int64_t b) {
        const bool is_end = a == no_low || a == no_high || b == no_low || b == no_high;
        if (a == 0 || b == 0) return std::int64_t{0};
        if (is_end) return (a < 0) == (b < 0) ? no_high : no_low;
        return clamped(WideBound{a} * b);
    };
    return hull(hull({corner(x.low, y.low), corner(x.low, y.low)}, {corner(x.low, y.high), corner(x.low, y.high)}),
                hull({corner(x.high, y.low), corner(x.high, y.low)}, {corner(x.high, y.high), corner(x.high, y.high)}));
}
constexpr IndexInterval minimum(const IndexInterval& x, const IndexInterval& y) noexcept
{
    return {std::min(x.low, y.low), std::min(x.high, y.high)};
}
constexpr IndexInterval maximum(const IndexInterval& x, const IndexInterval& y) noexcept
{
    return {std::max(x.low, y.low), std::max(x.high, y.high)};
}
/// Of x mod k, k ≠ 0.
constexpr IndexInterval remainder(const IndexInterval& x, std::int64_t k) noexcept
{
    if (k < 0) return {k + 1, 0};
    if (is_bounded(x) && floor_div(x.low, k) == floor_div(x.high, k)) return {floor_mod(x.low, k), floor_mod(x.high, k)};
    return {0, k - 1};
}
/// Of ⌊x/y⌋ over the y ≠ 0: each quotient is monotone in either number while the sign of y stays, so the corners bound it.
constexpr IndexInterval quotient(const IndexInterval& x, const IndexInterval& y) noexcept
{
    if (y.is_point() && y.low > 0) return quotient(x, y.low);
    if (!is_bounded(x)) return every_integer;
    IndexInterval out{};
    for (const IndexInterval& part : {intersection(y, {1, no_high}), intersection(y, {no_low + 1, -1})}) {
        if (part.is_empty()) continue;
        for (const std::int64_t a : {x.low, x.high})
            for (const std::int64_t b : {part.low, part.high}) {
                const std::int64_t q =
                    clamped(floor_div(WideBound{b < 0 ? -WideBound{a} : a}, WideBound{b < 0 ? -WideBound{b} : b}));
                out = hull(out, {q, q});
            }
    }
    return out.is_empty() ? every_integer : out;
}
/// Of x mod y over the y ≠ 0.
constexpr IndexInterval remainder(const IndexInterval& x, const IndexInterval& y) noexcept
{
    if (y.is_point() && y.low != 0 && y.low != no_low) return remainder(x, y.low);
    if (y.low > 0 && x.low >= 0 && x.high < y.low) return x;
    return {y.low < 0 ? (y.low == no_low ? no_low : y.low + 1) : 0, y.high > 0 ? (y.high == no_high ? no_high : y.high - 1) : 0};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
