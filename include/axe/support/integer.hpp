// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_INTEGER_HPP
#define AXE_SUPPORT_INTEGER_HPP

#include <axe/support/config.hpp>

/// All that the algebra decides about integers goes through these functions. Sums and products are checked: they say whether the
/// exact result fits, and never wrap. Division rounds down, and the remainder is that division's.
namespace axe {
inline namespace v0 {
namespace detail {

#if defined(__CUDACC__)
// nvcc's front end takes no overflow builtins in constant expressions: the limits are compared instead.
template <class Int>
inline constexpr Int highest = static_cast<Int>(((Int{1} << (8 * sizeof(Int) - 2)) - 1) * 2 + 1);

template <class Int>
constexpr bool add(Int a, Int b, Int& out) noexcept
{
    if (b > 0 ? a > highest<Int> - b : a < -highest<Int> - 1 - b) return false;
    out = a + b;
    return true;
}
template <class Int>
constexpr bool sub(Int a, Int b, Int& out) noexcept
{
    if (b > 0 ? a < -highest<Int> - 1 + b : a > highest<Int> + b) return false;
    out = a - b;
    return true;
}
template <class Int>
constexpr bool mul(Int a, Int b, Int& out) noexcept
{
    if (a != 0 && b != 0) {
        // Quotients round to zero, so these are the exact bounds; -1 is handled separately, since lowest / -1 overflows.
        constexpr Int lowest = -highest<Int> - 1;
        if (b == -1 ? a == lowest : b > 0 ? (a > highest<Int> / b || a < lowest / b) : (a < highest<Int> / b || a > lowest / b))
            return false;
    }
    out = a * b;
    return true;
}
#else
template <class Int>
constexpr bool add(Int a, Int b, Int& out) noexcept
{
    return !__builtin_add_overflow(a, b, &out);
}
template <class Int>
constexpr bool sub(Int a, Int b, Int& out) noexcept
{
    return !__builtin_sub_overflow(a, b, &out);
}
template <class Int>
constexpr bool mul(Int a, Int b, Int& out) noexcept
{
    return !__builtin_mul_overflow(a, b, &out);
}
#endif
/// out += a·b
template <class Int>
constexpr bool add_product(Int a, Int b, Int& out) noexcept
{
    Int product;
    return mul(a, b, product) && add(out, product, out);
}

/// Does the wide number fit the narrow type? If so it is written.
template <class Int>
constexpr bool narrow(wider_t<Int> wide, Int& out) noexcept
{
    out = static_cast<Int>(wide);
    return static_cast<wider_t<Int>>(out) == wide;
}

/// Quotient of a ≥ 0 by b > 0. Half-width operands take the short division: two to four times faster on most processors.
constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) noexcept
{
    if ((static_cast<std::uint64_t>(a | b) >> 32) == 0)
        return static_cast<std::int64_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
    return a / b;
}
constexpr std::int32_t quotient(std::int32_t a, std::int32_t b) noexcept { return a / b; }

/// Does b > 0 divide a?
template <class Int>
constexpr bool divides(Int b, Int a) noexcept
{
    if (b == 1) return true;
    if (a < 0) return a % b == 0;
    return a - quotient(a, b) * b == 0;
}

template <class Int>
constexpr Int floor_div(Int a, Int b) noexcept
{
    const Int q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
/// Remainder of the rounded-down division by b > 0: in [0, b).
template <class Int>
constexpr Int floor_mod(Int a, Int b) noexcept
{
    const Int r = a % b;
    return r < 0 ? r + b : r;
}

template <class Int>
constexpr Int magnitude(Int a) noexcept
{
    return a < 0 ? -a : a;
}
template <class Int>
constexpr Int least(Int a, Int b) noexcept
{
    return b < a ? b : a;
}
template <class Int>
constexpr Int greatest(Int a, Int b) noexcept
{
    return a < b ? b : a;
}

/// Greatest common divisor of |a| and |b|; that of 0 and 0 is 0.
template <class Int>
constexpr Int gcd(Int a, Int b) noexcept
{
    a = magnitude(a);
    b = magnitude(b);
    while (b != 0) {
        const Int r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/// The inverse of a modulo m ≥ 1, for gcd(a, m) = 1: in [0, m).
template <class Int>
constexpr Int inverse_mod(Int a, Int m) noexcept
{
    Int r0 = m, r1 = floor_mod(a, m), t0 = 0, t1 = 1;
    while (r1 != 0) {
        const Int q = r0 / r1;
        const Int r2 = r0 - q * r1, t2 = t0 - q * t1;
        r0 = r1;
        r1 = r2;
        t0 = t1;
        t1 = t2;
    }
    return floor_mod(t0, m);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
