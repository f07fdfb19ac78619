// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_BOUNDS_HPP
#define AXE_SIM_REFERENCE_BOUNDS_HPP

#include <axe/tensor/convert.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

/// What a correct run may give: intervals, and how they are rounded to a type.
namespace axe {
inline namespace v0 {

/// What an element may be in a correct run: a number of [low, high], or NaN where `nan`; nothing but NaN where low > high. `value`
/// is one of these: what a run gives that rounds nowhere but where it writes.
///
/// An interval and not a value with an error, since rounding and most functions are monotone: the interval's ends go through them
/// as they are, infinities and overflow among them, and what is exact stays a point.
struct Bounded {
    double value = 0, low = 0, high = 0;
    bool nan = false;

    [[nodiscard]] bool never_number() const noexcept { return low > high; }
    [[nodiscard]] bool is_point() const noexcept { return low == high && !nan; }
    [[nodiscard]] bool has_zero() const noexcept { return low <= 0 && high >= 0; }
    [[nodiscard]] bool may_be(double x) const noexcept { return low <= x && x <= high; }
    /// Is it a result that a correct run may have?
    [[nodiscard]] bool allows(double x) const noexcept { return x != x ? nan : may_be(x); }
    /// The largest absolute value; 0 where there is no number.
    [[nodiscard]] double magnitude() const noexcept { return never_number() ? 0 : std::max(std::fabs(low), std::fabs(high)); }
};

namespace ref {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline Bounded exactly(double x) noexcept { return x != x ? Bounded{x, inf, -inf, true} : Bounded{x, x, x, false}; }
/// Whatever a run gives is right, as far as can be told.
inline Bounded anything(double value) noexcept { return {value, -inf, inf, true}; }
inline Bounded hull(const Bounded& a, const Bounded& b) noexcept
{
    return {a.value, std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}

/// The next number of f64 below and above, but infinities as they are: around a result of f64 that was rounded.
inline double below(double x) noexcept { return std::isinf(x) ? x : std::nextafter(x, -inf); }
inline double above(double x) noexcept { return std::isinf(x) ? x : std::nextafter(x, inf); }

/// a + b from below and from above; equal where the sum is exact.      [Knuth, TwoSum]
inline double sum_below(double a, double b) noexcept
{
    const double s = a + b, part = s - a;
    return std::isfinite(s) && (a - (s - part)) + (b - part) < 0 ? below(s) : s;
}
inline double sum_above(double a, double b) noexcept { return -sum_below(-a, -b); }

/// a·b from below; 0·∞, which has no value, counts as 0 here.
inline double product_below(double a, double b) noexcept
{
    if (a == 0 || b == 0) return 0;
    const double p = a * b;
    // Where the product is tiny its error is not a number of f64, and the test says nothing.
    return std::isfinite(p) && (std::fabs(p) < 0x1p-960 || std::fma(a, b, -p) < 0) ? below(p) : p;
}
inline double product_above(double a, double b) noexcept { return -product_below(-a, b); }

// ---- types --------------------------------------------------------------------------------------------------------------------

/// The bits of a significand; of e8m0 none is kept.
constexpr int significand_bits(DType type) noexcept
{
    return type == DType::e8m0 ? 1 : is_float(type) ? float_format(type).fraction_bits + 1 : bits(type);
}

/// u: a value x of the type's range is rounded to one of (1 + δ)·x, |δ| ≤ u; of integers 0.
constexpr double unit_roundoff(DType type) noexcept
{
    double u = is_float(type) ? 1 : 0;
    for (int i = 0; i < significand_bits(type); ++i) u /= 2;
    return u;
}

/// The largest number, and the least positive one.
constexpr double largest(DType type) noexcept
{
    if (type == DType::e8m0) return decode(type, 0xfe);
    if (is_float(type)) return decode(type, (float_format(type).special() - 1) << float_format(type).unused);
    return static_cast<double>(highest_integer(type));
}
constexpr double lowest(DType type) noexcept
{
    if (type == DType::e8m0 || type == DType::ue4m3) return decode(type, 0);
    return is_float(type) ? -largest(type) : static_cast<double>(lowest_integer(type));
}
constexpr double least_positive(DType type) noexcept
{
    if (!is_float(type)) return 1;
    if (type == DType::e8m0) return decode(type, 0);
    return decode(type, std::uint64_t{1} << float_format(type).unused);
}

/// decode(type, encode(type, x))
inline double rounded(DType type, double x, Overflow overflow = Overflow::format) noexcept
{
    if (type == DType::f64) return x;
    if (type == DType::f32 && overflow == Overflow::format) return static_cast<double>(static_cast<float>(x));
    return decode(type, encode(type, x, overflow));
}

/// e4m3, dl16, e8m0 and ue4m3 have no infinity: numbers too large become NaN, to ue4m3 those below zero, too, and to e8m0 those
/// below its least become that.
inline Bounded stored_without_infinity(Bounded b, DType type) noexcept
{
    Bounded out{rounded(type, b.value), inf, -inf, b.nan};
    if (b.never_number()) return out;
    if (type == DType::e8m0 && b.low <= 0) {
        out.nan = true;
        b.low = least_positive(type);
        if (b.high <= 0) return out;
    }
    if (type == DType::ue4m3 && b.low < 0) {
        out.nan = true;
        b.low = 0;
        if (b.high < 0) return out;
    }
    const double low = rounded(type, b.low), high = rounded(type, b.high);
    out.nan = out.nan || low != low || high != high;
    // What is left of the interval between the largest numbers of either sign, if anything.
    if ((low != low && b.low > 0) || (high != high && b.high < 0)) return out;
    out.low = rounded(type, b.low, Overflow::saturate);
    out.high = rounded(type, b.high, Overflow::saturate);
    return out;
}

/// What b is when it is written as an element of the type, in one rounding, or after a first one to `computed`. A NaN becomes what
/// `encode` says: to integers 0, to b1 1.
inline Bounded stored(const Bounded& b, DType type, DType computed = DType::f64) noexcept
{
    if (type == DType::f64 && computed == DType::f64) return b;
    // Rounding is monotone, so that the ends of the interval bound what becomes of it; likewise two of them, one after the other.
    const bool twice = computed != DType::f64 && computed != type;
    Bounded from = b;
    if (twice && !b.never_number()) {
        from.low = std::min(b.low, rounded(computed, b.low));
        from.high = std::max(b.high, rounded(computed, b.high));
    }
    if (type == DType::b1) {
        const bool zero = from.has_zero(), one = b.nan || from.low < 0 || from.high > 0;
        return {rounded(type, b.value), zero ? 0.0 : 1.0, one ? 1.0 : 0.0, false};
    }
    if (type == DType::e4m3 || type == DType::dl16 || type == DType::e8m0 || type == DType::ue4m3)
        return stored_without_infinity(from, type);
    Bounded out{rounded(type, b.value), from.low, from.high, b.nan};
    if (!from.never_number()) {
        out.low = rounded(type, from.low);
        out.high = b.is_point() && !twice ? out.low : rounded(type, from.high);
    }
    if (!is_float(type) && b.nan) out = {out.value, std::min(out.low, 0.0), std::max(out.high, 0.0), false};
    if (is_float(type) && !float_format(type).has_nan && b.nan) // it becomes the largest number
        out = {out.value, std::min(out.low, largest(type)), largest(type), false};
    return out;
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
