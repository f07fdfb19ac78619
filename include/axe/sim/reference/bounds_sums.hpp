// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_BOUNDS_SUMS_HPP
#define AXE_SIM_REFERENCE_BOUNDS_SUMS_HPP

#include <axe/sim/reference/bounds_functions.hpp>

/// Sums and products of many terms, added in any order: what a correct run may give.
namespace axe {
inline namespace v0 {
namespace ref {

/// In what a run may add: a step rounds by `unit` at most, loses `least` where numbers are tiny, and overflows past `largest`.
struct Arithmetic {
    double unit = 0, least = 0, lowest = -inf, largest = inf;
    bool whole = false; ///< integers: exact, until they leave the type
};

/// Results of type `result` grow in that type or in `computed` (f32 or f64), partial results in either: the coarser counts.
/// @param whole are the terms integers?
inline Arithmetic arithmetic(DType result, DType computed, bool whole) noexcept
{
    if (whole && is_whole(result)) return {0, 0, lowest(result), largest(result), true};
    return {std::max(unit_roundoff(result), unit_roundoff(computed)), std::max(least_positive(result), least_positive(computed)),
            std::max(lowest(result), lowest(computed)), std::min(largest(result), largest(computed)), false};
}

/// How far a result may be off whose terms went through `roundings` roundings each, at most:
///
///   |error| ≤ ((1 + u)^k − 1)·Σ|t| + k·(least positive number)       [Higham, Accuracy and Stability, 3.1 and 4.2]
///
/// for every order and every tree of additions. The reference's own error, of f64, is in it.
inline double sum_error(double magnitude, double roundings, const Arithmetic& in) noexcept
{
    if (magnitude == 0) return 0;
    return (std::expm1(roundings * in.unit) + roundings * 0x1p-51) * magnitude + roundings * in.least;
}

/// A sum, from what is known of its finite terms: bounds of their exact sum, Σ|t| and the number of roundings.
///
/// Terms that are all `integral` are added exactly by every order while Σ|t| ≤ 1/u. Where partial sums may leave the type, a run
/// may overflow; integers saturate then in one order and do not in another, and may be anything of their type.
inline Bounded sum_of_terms(double value, double low, double high, double magnitude, double roundings, bool integral,
                            const Arithmetic& in) noexcept
{
    const bool exact = in.whole || (integral && magnitude * in.unit <= 1 && magnitude <= in.largest);
    const double error = exact ? 0 : sum_error(magnitude, roundings, in);
    Bounded out{value, low - error, high + error, false};
    // Partial sums stay between minus the sum of the negative terms' sizes and that of the positive ones'.
    const bool up = (magnitude + out.high) / 2 + error > in.largest, down = (magnitude - out.low) / 2 + error > -in.lowest;
    if (in.whole && (up || down)) return {value, in.lowest, in.largest, false};
    if (up) out.high = inf;
    if (down) out.low = -inf;
    out.nan = up && down;
    return out;
}

/// Σ of terms one by one, infinities and NaN among them.
class Sum {
  public:
    void add(const Bounded& t) noexcept
    {
        value_ += t.value;
        ++terms_;
        may_nan_ = may_nan_ || t.nan;
        is_nan_ = is_nan_ || t.never_number();
        if (t.never_number()) return;
        is_up_ = is_up_ || t.low == inf;
        is_down_ = is_down_ || t.high == -inf;
        may_up_ = may_up_ || t.high == inf;
        may_down_ = may_down_ || t.low == -inf;
        if (std::isfinite(t.low)) low_ += t.low;
        if (std::isfinite(t.high)) high_ += t.high;
        if (std::isfinite(t.low) && std::isfinite(t.high)) magnitude_ += t.magnitude();
        integral_ = integral_ && t.is_point() && t.value == std::floor(t.value);
    }

    /// @param more how often a term may be rounded besides in additions
    [[nodiscard]] Bounded result(double more, const Arithmetic& in) const noexcept
    {
        if (is_nan_ || (is_up_ && is_down_)) return exactly(not_a_number);
        Bounded out = sum_of_terms(value_, low_, high_, magnitude_, static_cast<double>(terms_ - 1) + more, integral_, in);
        out.nan = out.nan || may_nan_ || (may_up_ && may_down_);
        if (may_up_) out.high = inf;
        if (may_down_) out.low = -inf;
        if (is_up_) out.low = inf;
        if (is_down_) out.high = -inf;
        return out;
    }

  private:
    double value_ = 0, low_ = 0, high_ = 0, magnitude_ = 0;
    std::int64_t terms_ = 0;
    bool integral_ = true;
    bool may_nan_ = false, is_nan_ = false, is_up_ = false, is_down_ = false, may_up_ = false, may_down_ = false;
};

/// Π of terms one by one.
class Product {
  public:
    void multiply(const Bounded& t) noexcept
    {
        product_ = terms_ == 0 ? t : product(product_, t);
        ++terms_;
        big_ *= std::max(t.magnitude(), 1.0);
    }
    [[nodiscard]] Bounded result(double more, const Arithmetic& in) const noexcept
    {
        // Some order may overflow before it meets the small factors, or a zero.
        if (!(big_ <= in.largest) && !product_.never_number()) return anything(product_.value);
        const double roundings = static_cast<double>(terms_ - 1) + more, size = product_.magnitude();
        const double error = in.whole || size == 0 ? 0 : std::expm1(roundings * in.unit) * size + roundings * in.least * big_;
        Bounded out = product_;
        out.low -= error;
        out.high += error;
        return out;
    }

  private:
    Bounded product_ = exactly(1);
    double big_ = 1; // Π max(|t|, 1), which no partial product exceeds
    std::int64_t terms_ = 0;
};

/// Are products of these types exact in the sum's: enough bits for both significands? (Where one is tiny `least` allows for it.)
constexpr bool exact_products(DType a, DType b, DType sum) noexcept
{
    return significand_bits(a) + significand_bits(b) <= significand_bits(sum);
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
