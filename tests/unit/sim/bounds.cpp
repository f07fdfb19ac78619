// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/reference/bounds_sums.hpp>
#include <catch.hpp>

#include <array>

using namespace axe;
using namespace axe::ref;
using enum DType;

namespace {

Bounded between(double low, double high, bool nan = false) { return {low, low, high, nan}; }
bool same(const Bounded& b, double low, double high, bool nan = false) { return b.low == low && b.high == high && b.nan == nan; }
Bounded f(Function function, std::array<Bounded, 3> of, DType computed = f32, bool whole = false)
{
    return apply(function, of.data(), computed, whole);
}
const double nan_in = std::nan("");

} // namespace

TEST_CASE("the bounds of a type are those of its format")
{
    CHECK(unit_roundoff(f32) == 0x1p-24);
    CHECK(unit_roundoff(f16) == 0x1p-11);
    CHECK(unit_roundoff(bf16) == 0x1p-8);
    CHECK(unit_roundoff(tf32) == 0x1p-11);
    CHECK(unit_roundoff(e8m0) == 0.5);
    CHECK(unit_roundoff(i8) == 0);
    CHECK(largest(f16) == 65504);
    CHECK(largest(tf32) == 0x1.ffcp127);
    CHECK(largest(e4m3) == 448);
    CHECK(largest(e8m0) == 0x1p127);
    CHECK(largest(ue4m3) == 448);
    CHECK(lowest(ue4m3) == 0);
    CHECK(largest(e3m2) == 28);
    CHECK(largest(e2m3) == 7.5);
    CHECK(lowest(e2m1) == -6);
    CHECK(unit_roundoff(e2m1) == 0.25);
    CHECK(lowest(i8) == -128);
    CHECK(lowest(u8) == 0);
    CHECK(lowest(bf16) == -0x1.fep127);
    CHECK(least_positive(f16) == 0x1p-24);
    CHECK(least_positive(tf32) == 0x1p-136);
    CHECK(least_positive(e8m0) == 0x1p-127);
    CHECK(least_positive(e2m1) == 0.5);
}

TEST_CASE("what is written is rounded, end by end")
{
    CHECK(same(stored(exactly(1.0 / 3), f16), 0.333251953125, 0.333251953125));
    CHECK(same(stored(between(1, 1 + 0x1p-10), f16), 1, 1 + 0x1p-10));
    CHECK(same(stored(between(65000, 65530), f16), 64992, inf)); // 65520 and more is infinity
    CHECK(same(stored(between(0x1p-26, 0x1p-24), f16), 0, 0x1p-24));
    CHECK(same(stored(exactly(300.5), i8), 127, 127));
    CHECK(same(stored(between(1.4, 1.6), i32), 1, 2));
    CHECK(same(stored(exactly(nan_in), f16), inf, -inf, true));
    CHECK(same(stored(exactly(nan_in), i32), 0, 0));
    CHECK(same(stored(between(3, 4, true), i32), 0, 4));
    // By way of f32 the tie goes the other way; either is right.
    const double tie = 1 + 0x1p-11 + 0x1p-30;
    CHECK(same(stored(exactly(tie), f16), 1 + 0x1p-10, 1 + 0x1p-10));
    CHECK(same(stored(exactly(tie), f16, f32), 1, 1 + 0x1p-10));
    CHECK(same(stored(exactly(1e39), f64, f32), 1e39, inf));
}

TEST_CASE("types without infinity, sign or numbers between")
{
    CHECK(same(stored(exactly(448), e4m3), 448, 448));
    CHECK(same(stored(between(400, 1000), e4m3), 384, 448, true));
    CHECK(stored(exactly(1000), e4m3).never_number());
    CHECK(stored(exactly(-1000), e4m3).never_number());
    CHECK(same(stored(between(-1000, 1000), e4m3), -448, 448, true));
    CHECK(stored(exactly(-1), ue4m3).never_number());
    CHECK(same(stored(between(-1, 3), ue4m3), 0, 3, true));
    CHECK(same(stored(between(-9, 100), e2m1), -6, 6));
    CHECK(same(stored(exactly(not_a_number), e2m1), 6, 6));
    CHECK(stored(exactly(0), e8m0).never_number());
    CHECK(same(stored(between(-1, 3), e8m0), 0x1p-127, 4, true));
    CHECK(same(stored(exactly(0.0), b1), 0, 0));
    CHECK(same(stored(exactly(-7), b1), 1, 1));
    CHECK(same(stored(between(-1, 1), b1), 0, 1));
    CHECK(same(stored(between(0, 0, true), b1), 0, 1));
    CHECK(same(stored(exactly(nan_in), b1), 1, 1));
}

TEST_CASE("functions of intervals")
{
    CHECK(same(f(Function::neg, {between(1, 2)}), -2, -1));
    CHECK(same(f(Function::abs, {between(-3, 2)}), 0, 3));
    CHECK(same(f(Function::abs, {between(-3, -2)}), 2, 3));
    CHECK(same(f(Function::relu, {between(-3, 2)}), 0, 2));
    CHECK(same(f(Function::add, {between(1, 2), between(10, 20)}), 11, 22));
    CHECK(same(f(Function::sub, {between(1, 2), between(10, 20)}), -19, -8));
    CHECK(same(f(Function::mul, {between(-1, 2), between(-10, 20)}), -20, 40));
    CHECK(same(f(Function::div, {between(1, 2), between(4, 8)}), 0.125, 0.5));
    CHECK(same(f(Function::min, {between(1, 5), between(2, 3)}), 1, 3));
    CHECK(same(f(Function::max, {between(1, 5), between(2, 3)}), 2, 5));
    CHECK(same(f(Function::sqrt, {between(4, 9)}), 2, 3));
    CHECK(same(f(Function::fma, {between(1, 2), between(3, 4), between(-1, 1)}), 2, 9));
    CHECK(same(f(Function::select, {between(-1, 1), exactly(5), exactly(7)}), 5, 7));
    CHECK(same(f(Function::select, {between(1, 2), exactly(5), exactly(7)}), 5, 5));
    CHECK(same(f(Function::select, {exactly(0), exactly(5), exactly(7)}), 7, 7));
    CHECK(same(f(Function::select, {exactly(nan_in), exactly(5), exactly(7)}), 5, 5));
    CHECK(same(f(Function::less, {between(1, 2), between(2, 3)}), 0, 1));
    CHECK(same(f(Function::less, {between(1, 2), between(2.5, 3)}), 1, 1));
    CHECK(same(f(Function::less_equal, {between(1, 2), between(2, 3)}), 1, 1));
    CHECK(same(f(Function::less_equal, {exactly(nan_in), exactly(1)}), 0, 0));
    CHECK(same(f(Function::equal, {between(1, 2), between(2, 3)}), 0, 1));
    CHECK(same(f(Function::equal, {exactly(2), exactly(2)}), 1, 1));
    CHECK(same(f(Function::equal, {exactly(2), exactly(3)}), 0, 0));
}

TEST_CASE("infinities, NaN and poles")
{
    CHECK(f(Function::add, {exactly(inf), exactly(-inf)}).never_number());
    CHECK(same(f(Function::add, {exactly(inf), exactly(1)}), inf, inf));
    CHECK(f(Function::add, {between(1, inf), between(-inf, 1)}).nan);
    CHECK(f(Function::mul, {exactly(0), exactly(inf)}).never_number());
    CHECK(f(Function::mul, {between(-1, 1), between(5, inf)}).nan);
    CHECK(same(f(Function::mul, {between(1, 2), exactly(inf)}), inf, inf));
    CHECK(same(f(Function::div, {exactly(1), exactly(0)}), inf, inf));
    CHECK(same(f(Function::div, {exactly(1), exactly(-0.0)}), -inf, -inf));
    CHECK(same(f(Function::div, {exactly(1), between(-1, 1)}), -inf, inf, true));
    CHECK(f(Function::sqrt, {exactly(-1)}).never_number());
    CHECK(same(f(Function::sqrt, {between(-1, 4)}), 0, 2, true));
    CHECK(f(Function::log, {exactly(-1)}).never_number());
    CHECK(f(Function::log, {exactly(0)}).low == -inf);
    CHECK(f(Function::log, {exactly(0)}).high == -inf);
    CHECK(same(f(Function::exp, {exactly(-inf)}), 0, 0));
    CHECK(same(f(Function::rsqrt, {exactly(inf)}), 0, 0));
    CHECK(f(Function::max, {exactly(nan_in), exactly(1)}).never_number());
    CHECK(f(Function::max, {between(0, 1, true), exactly(1)}).nan);
}

TEST_CASE("functions that are not exact have an allowance")
{
    for (const Function function :
         {Function::exp, Function::exp2, Function::log, Function::tanh, Function::rsqrt, Function::reciprocal}) {
        const Bounded b = f(function, {exactly(0.7)});
        const double ulp = std::ldexp(1.0, std::ilogb(b.value) - 23);
        CAPTURE(name(function), b.value, b.low, b.high);
        CHECK(b.value == function.row().apply(0.7, 0, 0));
        CHECK(b.allows(b.value + 4 * ulp));
        CHECK(b.allows(b.value - 4 * ulp));
        CHECK_FALSE(b.allows(b.value + 9 * ulp));
        CHECK_FALSE(b.allows(b.value - 9 * ulp));
        CHECK_FALSE(f(function, {exactly(0.7)}, f64).allows(b.value + ulp));
    }
}

TEST_CASE("integers are exact, and quotients and bits are theirs")
{
    CHECK(same(f(Function::mul, {exactly(2147483647), exactly(2147483647)}, f64, true), 0x1p62 - 0x1p32, 0x1p62 - 0x1p32));
    CHECK(same(f(Function::div, {exactly(-7), exactly(2)}, f64, true), -3, -3));
    CHECK(same(f(Function::div, {between(-7, -5), exactly(2)}, f64, true), -3, -2));
    CHECK(same(f(Function::bit_and, {exactly(12), exactly(10)}, f64, true), 8, 8));
    CHECK(same(f(Function::bit_xor, {exactly(12), exactly(-1)}, f64, true), -13, -13));
    CHECK(same(stored(f(Function::bit_or, {between(1, 2), exactly(8)}, f64, true), i8), -128, 127));
}

TEST_CASE("sums are bounded by their length, their type and their size")
{
    const Arithmetic single = arithmetic(f32, f32, false), half = arithmetic(f16, f32, false), ints = arithmetic(i8, f64, true);
    CHECK(half.unit == 0x1p-11);
    Sum one;
    one.add(exactly(0.1));
    CHECK(one.result(0, single).is_point());
    Sum small; // 0.1 · 10: nine additions
    for (int i = 0; i < 10; ++i) small.add(exactly(0.1));
    const Bounded b = small.result(0, single);
    CHECK(b.high - b.value > 8.9 * 0x1p-24);
    CHECK(b.high - b.value < 9.3 * 0x1p-24);
    Sum whole;
    for (int i = 0; i < 10; ++i) whole.add(exactly(3));
    CHECK(whole.result(0, single).is_point());
    CHECK(whole.result(0, ints).is_point());
    whole.add(exactly(127)); // an order may saturate on the way
    whole.add(exactly(-100));
    CHECK(same(whole.result(0, ints), -128, 127));
    Sum large;
    large.add(exactly(60000)), large.add(exactly(20000)), large.add(exactly(-30000));
    CHECK(large.result(0, half).high == inf); // 60000 + 20000 first
    CHECK(large.result(0, half).low > 49890);
    CHECK_FALSE(large.result(0, half).nan);
    large.add(exactly(-60000));
    CHECK(large.result(0, half).nan);
}

TEST_CASE("sums with infinities and NaN")
{
    const Arithmetic single = arithmetic(f32, f32, false);
    Sum up;
    up.add(exactly(inf)), up.add(exactly(3)), up.add(exactly(inf));
    CHECK(same(up.result(0, single), inf, inf));
    up.add(between(-inf, 3));
    CHECK(same(up.result(0, single), inf, inf, true));
    up.add(exactly(-inf));
    CHECK(up.result(0, single).never_number());
    Sum other;
    other.add(exactly(1)), other.add(between(1, 2, true));
    CHECK(other.result(0, single).nan);
    CHECK(other.result(0, single).low < 2);
    CHECK(other.result(0, single).high < 4);
    other.add(exactly(nan_in));
    CHECK(other.result(0, single).never_number());
}

TEST_CASE("products in any order")
{
    const Arithmetic single = arithmetic(f32, f32, false), ints = arithmetic(i32, f64, true);
    Product p;
    for (const double x : {1.5, 1.25, 3.1}) p.multiply(exactly(x));
    const Bounded b = p.result(0, single);
    CHECK(b.allows(1.5 * 1.25 * 3.1 * (1 + 0x1p-23)));
    CHECK_FALSE(b.allows(1.5 * 1.25 * 3.1 * (1 + 0x1p-21)));
    p.multiply(exactly(1e30)), p.multiply(exactly(1e30)), p.multiply(exactly(1e-40));
    CHECK(p.result(0, single).allows(nan_in)); // overflows in some orders
    Product whole;
    for (const double x : {2.0, 3.0, -7.0}) whole.multiply(exactly(x));
    CHECK(same(whole.result(0, ints), -42, -42));
    CHECK(exact_products(f16, f16, f32));
    CHECK(exact_products(bf16, bf16, f32));
    CHECK(exact_products(tf32, tf32, f32));
    CHECK_FALSE(exact_products(f32, f32, f32));
    CHECK_FALSE(exact_products(f16, f16, f16));
}

TEST_CASE("sigmoid, log2, sin, cos, floor, ceil and round of an interval hold those of its numbers, as a run in f32 has them")
{
    const Function functions[] = {Function::sigmoid, Function::log2, Function::sin,  Function::cos,
                                  Function::floor,   Function::ceil, Function::round};
    for (const Function function : functions)
        for (double low = -120; low <= 120; low += 0.37)
            for (const double width : {0.0, 1e-6, 0.3, 3.0, 40.0}) {
                const Bounded b = f(function, {between(low, low + width)});
                for (int i = 0; i <= 8; ++i) {
                    const double x = i == 8 ? low + width : low + width * i / 8;
                    const float of = static_cast<float>(x);
                    if (static_cast<double>(of) < low || static_cast<double>(of) > low + width) continue;
                    CAPTURE(name(function), low, width, x, b.low, b.high, b.nan);
                    REQUIRE(b.allows(static_cast<double>(function.row().apply_f32(of, 0, 0))));
                    REQUIRE(b.allows(function.row().apply(static_cast<double>(of), 0, 0)));
                }
                CHECK((b.nan || !b.never_number()));
            }
    const Bounded all = f(Function::sin, {between(-inf, inf)});
    CHECK(all.nan);
    CHECK(all.allows(1));
    CHECK_FALSE(all.allows(1.01));
    CHECK(f(Function::cos, {exactly(inf)}).never_number());
    CHECK(f(Function::sigmoid, {exactly(-inf)}).allows(0));
    CHECK(f(Function::sigmoid, {exactly(inf)}).allows(1));
    CHECK_FALSE(f(Function::sigmoid, {between(-1, 1)}).allows(0.2));
    CHECK(same(f(Function::round, {between(0.5, 2.5)}), 0, 2));
}

TEST_CASE("shifts of points are exact, and of what may be several numbers anything is right")
{
    CHECK(same(f(Function::shift_left, {exactly(3), exactly(30)}, f64, true), -1073741824, -1073741824));
    CHECK(same(f(Function::shift_right, {exactly(-9), exactly(1)}, f64, true), -5, -5));
    CHECK(f(Function::shift_left, {between(1, 2), exactly(1)}, f64, true).allows(17));
}
