// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_BOUNDS_FUNCTIONS_HPP
#define AXE_SIM_REFERENCE_BOUNDS_FUNCTIONS_HPP

#include <axe/program/functions.hpp>
#include <axe/sim/reference/bounds.hpp>

#include <iterator>

/// The functions of elements on what these may be: every result that a correct run may have is in the result.
namespace axe {
inline namespace v0 {
namespace ref {

/// How far a run's exp, exp2, log, tanh, rsqrt and reciprocal may be off, in units of the last place of the type it computes in.
/// Twice what is stated of functions for f32, which is at most 2.   [CUDA C++ Programming Guide, Mathematical Functions]
/// Sums, products, quotients and square roots are rounded correctly there, and here.
inline constexpr double function_ulps = 4;

/// f's values, an error of `function_ulps` included, for a rising f on the numbers from `first` on; below there is NaN.
template <class F>
Bounded rising(const Bounded& a, F f, DType computed, double first = -inf) noexcept
{
    Bounded out{f(a.value), inf, -inf, a.nan || a.low < first};
    if (a.never_number() || a.high < first) {
        out.nan = true;
        return out;
    }
    // The functions of <cmath> are themselves off by a little, in f64.
    const double share = function_ulps * 2 * unit_roundoff(computed) + 0x1p-50, least = function_ulps * least_positive(computed);
    const auto error = [&](double x, double y) { return std::isfinite(y) && std::isfinite(x) ? std::fabs(y) * share + least : 0; };
    const double low = std::max(a.low, first), at_low = f(low), at_high = f(a.high);
    out.low = at_low - error(low, at_low);
    if (at_low == inf && low != inf) out.low = std::numeric_limits<double>::max() * (1 - share);
    out.high = at_high + error(a.high, at_high);
    return out;
}
template <class F>
Bounded falling(const Bounded& a, F f, DType computed, double first = -inf) noexcept
{
    const Bounded minus = rising(a, [&](double x) { return -f(x); }, computed, first);
    return {-minus.value, -minus.high, -minus.low, minus.nan};
}

inline Bounded negated(const Bounded& a) noexcept { return {-a.value, -a.high, -a.low, a.nan}; }

inline Bounded sum(const Bounded& a, const Bounded& b) noexcept
{
    if (a.never_number() || b.never_number()) return exactly(not_a_number);
    Bounded out{a.value + b.value, sum_below(a.low, b.low), sum_above(a.high, b.high), a.nan || b.nan};
    if ((a.high == inf && b.low == -inf) || (a.low == -inf && b.high == inf)) {
        out.nan = true;
        if (out.low != out.low) out.low = -inf;
        if (out.high != out.high) out.high = inf;
        if (a.low == a.high && b.low == b.high) return exactly(not_a_number);
    }
    return out;
}

inline Bounded product(const Bounded& a, const Bounded& b) noexcept
{
    if (a.never_number() || b.never_number()) return exactly(not_a_number);
    Bounded out{a.value * b.value, inf, -inf, a.nan || b.nan};
    const auto infinite = [](const Bounded& x) { return x.low == -inf || x.high == inf; };
    if ((a.has_zero() && infinite(b)) || (b.has_zero() && infinite(a))) out.nan = true;
    if (a.is_point() && b.is_point() && out.value != out.value) return exactly(not_a_number);
    for (const double x : {a.low, a.high})
        for (const double y : {b.low, b.high}) {
            out.low = std::min(out.low, product_below(x, y));
            out.high = std::max(out.high, product_above(x, y));
        }
    return out;
}

inline Bounded quotient(const Bounded& a, const Bounded& b) noexcept
{
    if (a.never_number() || b.never_number()) return exactly(not_a_number);
    const double value = a.value / b.value;
    if (a.is_point() && b.is_point()) {
        if (!std::isfinite(value)) return exactly(value);
    } else if (b.has_zero() || a.low == -inf || a.high == inf || b.low == -inf || b.high == inf) {
        // Of a pole, and of infinities that might be, no more is said than that; what matters comes as points.
        return {value, -inf, inf, true};
    }
    Bounded out{value, inf, -inf, a.nan || b.nan};
    for (const double x : {a.low, a.high})
        for (const double y : {b.low, b.high}) {
            const double q = x / y;
            const bool exact = std::isinf(y) || (std::fabs(x) > 0x1p-900 && std::fma(q, y, -x) == 0) || x == 0;
            out.low = std::min(out.low, exact ? q : below(q));
            out.high = std::max(out.high, exact ? q : above(q));
        }
    return out;
}

inline Bounded greater(const Bounded& a, const Bounded& b) noexcept
{
    if (a.never_number() || b.never_number()) return exactly(not_a_number);
    return {maximum(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}

/// A sine or cosine, y at a.value: no steeper than 1, so that no number of the interval has one further from y than it is from the value.
inline Bounded wave(const Bounded& a, double y, DType computed) noexcept
{
    if (a.never_number() || (a.is_point() && std::isinf(a.value))) return exactly(not_a_number);
    const double share = function_ulps * 2 * unit_roundoff(computed) + 0x1p-50, least = function_ulps * least_positive(computed);
    const bool wide = std::isinf(a.low) || std::isinf(a.high);
    const double away = wide ? 2 : std::min(std::max(a.high - a.value, a.value - a.low), 2.0);
    const double most = 1 + share, error = (std::fabs(y) + away) * share + least + away * 0x1p-50;
    if (y != y) return {y, -most, most, true};
    return {y, std::max(y - away - error, -most), std::min(y + away + error, most), a.nan || wide};
}
/// f(a) of a rising f whose values are whole numbers, and exact.
template <class F>
Bounded by_steps(const Bounded& a, F f) noexcept
{
    if (a.never_number()) return a;
    return {f(a.value), f(a.low), f(a.high), a.nan};
}

/// 1 where it may hold, 0 where it may fail.
inline Bounded truth(double value, bool may_hold, bool may_fail) noexcept
{
    return {value, may_fail ? 0.0 : 1.0, may_hold ? 1.0 : 0.0, false};
}

inline Bounded chosen(const Bounded& where, const Bounded& yes, const Bounded& no) noexcept
{
    const bool may_hold = where.nan || where.low < 0 || where.high > 0, may_fail = where.has_zero();
    Bounded out = where.value != 0 ? yes : no;
    if (may_hold) out = hull(out, yes);
    if (may_fail) out = hull(out, no);
    return out;
}

/// The functions of integers, whose results are exact: of points, as the rows of functions.hpp have them.
inline Bounded of_whole(Function f, const Bounded* a) noexcept
{
    const FunctionRow& row = f.row();
    std::int64_t whole[3]{};
    for (int i = 0; i < row.arity; ++i) whole[i] = static_cast<std::int64_t>(a[i].value);
    return exactly(static_cast<double>(row.apply_integer(whole[0], whole[1], whole[2])));
}

/// What a function of the library may give on operands of which no more is known than a[0], …, computed in f64, f32 or, where `whole`,
/// in integers that are not all points.
struct FunctionBounds {
    Function function;
    Bounded (*of)(const Bounded* a, DType computed, bool whole);
};
/// In the order of `function_rows`.
inline constexpr FunctionBounds function_bounds[] = {
    {Function::identity, [](const Bounded* a, DType, bool) -> Bounded { return a[0]; }},
    {Function::neg, [](const Bounded* a, DType, bool) -> Bounded { return negated(a[0]); }},
    {Function::abs,
     [](const Bounded* a, DType, bool) -> Bounded {
         if (a[0].never_number()) return a[0];
         return {std::fabs(a[0].value), a[0].has_zero() ? 0.0 : std::min(std::fabs(a[0].low), std::fabs(a[0].high)),
                 a[0].magnitude(), a[0].nan};
     }},
    {Function::relu,
     [](const Bounded* a, DType, bool) -> Bounded {
         if (a[0].never_number()) return a[0];
         return {a[0].value <= 0 ? 0.0 : a[0].value, std::max(a[0].low, 0.0), std::max(a[0].high, 0.0), a[0].nan};
     }},
    {Function::exp,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         Bounded out = rising(a[0], [](double x) { return std::exp(x); }, computed);
         out.low = out.never_number() ? out.low : std::max(out.low, 0.0);
         return out;
     }},
    {Function::exp2,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         Bounded out = rising(a[0], [](double x) { return std::exp2(x); }, computed);
         out.low = out.never_number() ? out.low : std::max(out.low, 0.0);
         return out;
     }},
    {Function::log,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         return rising(a[0], [](double x) { return std::log(x); }, computed, 0);
     }},
    {Function::sqrt,
     [](const Bounded* a, DType, bool) -> Bounded {
         if (a[0].never_number() || a[0].high < 0) return exactly(not_a_number);
         const double low = std::sqrt(std::max(a[0].low, 0.0)), high = std::sqrt(a[0].high);
         const auto exact = [](double root, double x) { return std::isinf(x) || std::fma(root, root, -x) == 0; };
         return {std::sqrt(a[0].value), exact(low, std::max(a[0].low, 0.0)) ? low : below(low),
                 exact(high, a[0].high) ? high : above(high), a[0].nan || a[0].low < 0};
     }},
    {Function::rsqrt,
     [](const Bounded* a, DType computed, bool) -> Bounded { // A zero of unknown sign has the infinity of either.
         if (a[0].has_zero() && !a[0].is_point()) return {1 / std::sqrt(a[0].value), -inf, inf, true};
         return falling(a[0], [](double x) { return 1 / std::sqrt(x); }, computed, 0);
     }},
    {Function::reciprocal,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         const Bounded q = quotient(exactly(1), a[0]);
         return rising(q, [](double x) { return x; }, computed);
     }},
    {Function::tanh,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         return rising(a[0], [](double x) { return std::tanh(x); }, computed);
     }},
    {Function::add, [](const Bounded* a, DType, bool) -> Bounded { return sum(a[0], a[1]); }},
    {Function::sub, [](const Bounded* a, DType, bool) -> Bounded { return sum(a[0], negated(a[1])); }},
    {Function::mul, [](const Bounded* a, DType, bool) -> Bounded { return product(a[0], a[1]); }},
    {Function::div,
     [](const Bounded* a, DType, bool whole) -> Bounded {
         const Bounded q = quotient(a[0], a[1]);
         return whole ? Bounded{std::trunc(q.value), std::trunc(q.low), std::trunc(q.high), q.nan} : q;
     }},
    {Function::min, [](const Bounded* a, DType, bool) -> Bounded { return negated(greater(negated(a[0]), negated(a[1]))); }},
    {Function::max, [](const Bounded* a, DType, bool) -> Bounded { return greater(a[0], a[1]); }},
    {Function::bit_and,
     [](const Bounded* a, DType, bool) -> Bounded { return anything(Function::bit_and.row().apply(a[0].value, a[1].value, 0)); }},
    {Function::bit_or,
     [](const Bounded* a, DType, bool) -> Bounded { return anything(Function::bit_or.row().apply(a[0].value, a[1].value, 0)); }},
    {Function::bit_xor,
     [](const Bounded* a, DType, bool) -> Bounded { return anything(Function::bit_xor.row().apply(a[0].value, a[1].value, 0)); }},
    {Function::equal,
     [](const Bounded* a, DType, bool) -> Bounded {
         const bool same_point = a[0].is_point() && a[1].is_point() && a[0].low == a[1].low;
         return truth(a[0].value == a[1].value ? 1 : 0, std::max(a[0].low, a[1].low) <= std::min(a[0].high, a[1].high),
                      !same_point);
     }},
    {Function::less,
     [](const Bounded* a, DType, bool) -> Bounded {
         if (a[0].never_number() || a[1].never_number()) return exactly(0);
         return truth(a[0].value < a[1].value ? 1 : 0, a[0].low < a[1].high, a[0].nan || a[1].nan || a[0].high >= a[1].low);
     }},
    {Function::less_equal,
     [](const Bounded* a, DType, bool) -> Bounded {
         if (a[0].never_number() || a[1].never_number()) return exactly(0);
         return truth(a[0].value <= a[1].value ? 1 : 0, a[0].low <= a[1].high, a[0].nan || a[1].nan || a[0].high > a[1].low);
     }},
    {Function::fma,
     [](const Bounded* a, DType, bool) -> Bounded {
         Bounded out = sum(product(a[0], a[1]), a[2]);
         out.value = std::fma(a[0].value, a[1].value, a[2].value);
         return out;
     }},
    {Function::select, [](const Bounded* a, DType, bool) -> Bounded { return chosen(a[0], a[1], a[2]); }},
    {Function::sigmoid,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         Bounded out = rising(a[0], [](double x) { return 1 / (1 + std::exp(-x)); }, computed);
         if (out.never_number()) return out;
         // Where the exponential overflows the result is 0, and what it would be is less than one over the largest number.
         return {out.value, std::max(out.low - 4 / largest(computed), 0.0), out.high, out.nan};
     }},
    {Function::log2,
     [](const Bounded* a, DType computed, bool) -> Bounded {
         return rising(a[0], [](double x) { return std::log2(x); }, computed, 0);
     }},
    {Function::sin, [](const Bounded* a, DType computed, bool) -> Bounded { return wave(a[0], std::sin(a[0].value), computed); }},
    {Function::cos, [](const Bounded* a, DType computed, bool) -> Bounded { return wave(a[0], std::cos(a[0].value), computed); }},
    {Function::floor,
     [](const Bounded* a, DType, bool) -> Bounded { return by_steps(a[0], [](double x) { return std::floor(x); }); }},
    {Function::ceil,
     [](const Bounded* a, DType, bool) -> Bounded { return by_steps(a[0], [](double x) { return std::ceil(x); }); }},
    {Function::round,
     [](const Bounded* a, DType, bool) -> Bounded { return by_steps(a[0], [](double x) { return std::nearbyint(x); }); }},
    {Function::bit_cast, [](const Bounded* a, DType, bool) -> Bounded { return anything(a[0].value); }},
    {Function::shift_left,
     [](const Bounded* a, DType, bool) -> Bounded {
         return anything(Function::shift_left.row().apply(a[0].value, a[1].value, 0));
     }},
    {Function::shift_right,
     [](const Bounded* a, DType, bool) -> Bounded {
         return anything(Function::shift_right.row().apply(a[0].value, a[1].value, 0));
     }},
    {Function::inc,
     [](const Bounded* a, DType, bool) -> Bounded { return anything(Function::inc.row().apply(a[0].value, a[1].value, 0)); }},
    {Function::dec,
     [](const Bounded* a, DType, bool) -> Bounded { return anything(Function::dec.row().apply(a[0].value, a[1].value, 0)); }},
};

static_assert(
    [] {
        int i = 0;
        for (const FunctionRow& row : function_rows)
            if (&function_bounds[i++].function.row() != &row) return false;
        return i == static_cast<int>(std::size(function_bounds));
    }(),
    "each function of the library has its bounds, in the order of its rows");

/// Is it known what a correct run may give?
inline bool has_bounds(Function f) noexcept
{
    if (f.row().bounds != nullptr) return true;
    for (const FunctionBounds& known : function_bounds)
        if (known.function == f) return true;
    return false;
}

/// f(a[0], …) before it is written, computed in f64, f32 or, where `whole`, in integers. With integers that may be several numbers
/// the operations of bits may give anything.
/// @pre has_bounds(f)
inline Bounded apply(Function f, const Bounded* a, DType computed, bool whole) noexcept
{
    const FunctionRow& row = f.row();
    bool points = true;
    for (int i = 0; i < row.arity; ++i) points = points && a[i].is_point();
    if (whole && points) return of_whole(f, a);
    if (row.bounds != nullptr) return row.bounds(a, computed);
    return function_bounds[&row - function_rows].of(a, computed, whole);
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
