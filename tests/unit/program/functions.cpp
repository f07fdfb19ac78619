// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/functions.hpp>
#include <catch.hpp>

#include <cstring>
#include <set>

using axe::Function;
using axe::FunctionRow;

namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
double f64(Function f, double a, double b = 0, double c = 0) { return f.row().apply(a, b, c); }
float f32(Function f, float a, float b = 0, float c = 0) { return f.row().apply_f32(a, b, c); }
std::int64_t whole(Function f, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) { return f.row().apply_integer(a, b, c); }

} // namespace

TEST_CASE("each function has a row in its place and a name of its own")
{
    std::set<std::string> names;
    for (const axe::FunctionRow& row : axe::function_rows) {
        CHECK(&Function(row).row() == &row);
        CHECK(axe::find_function(row.name) == &row);
        CHECK(row.arity >= 1);
        CHECK(row.arity <= 3);
        CHECK((row.apply_integer == nullptr) == (row.domain == axe::Domain::fractions));
        names.insert(row.name);
    }
    CHECK(names.size() == std::size(axe::function_rows));
    CHECK(names.size() == 37);
    CHECK(Function(axe::function_rows[24]) == Function::select);
    CHECK(axe::find_function("") == nullptr);
    CHECK(axe::find_function("Add") == nullptr);
    CHECK(std::string(axe::name(Function::less_equal)) == "less_equal");
}

TEST_CASE("what each function gives, in f64, f32 and integers")
{
    struct Case {
        Function f;
        double a, b, c, result;
    };
    const Case cases[] = {
        {Function::identity, 3, 0, 0, 3},   {Function::neg, 3, 0, 0, -3},        {Function::abs, -3, 0, 0, 3},
        {Function::relu, -3, 0, 0, 0},      {Function::relu, 3, 0, 0, 3},        {Function::add, 3, 4, 0, 7},
        {Function::sub, 3, 4, 0, -1},       {Function::mul, 3, 4, 0, 12},        {Function::div, 12, 4, 0, 3},
        {Function::min, 3, 4, 0, 3},        {Function::max, 3, 4, 0, 4},         {Function::bit_and, 12, 10, 0, 8},
        {Function::bit_or, 12, 10, 0, 14},  {Function::bit_xor, 12, 10, 0, 6},   {Function::equal, 3, 3, 0, 1},
        {Function::equal, 3, 4, 0, 0},      {Function::less, 3, 4, 0, 1},        {Function::less, 4, 4, 0, 0},
        {Function::less_equal, 4, 4, 0, 1}, {Function::fma, 3, 4, 5, 17},        {Function::select, 1, 4, 5, 4},
        {Function::select, 0, 4, 5, 5},     {Function::floor, -3, 0, 0, -3},     {Function::ceil, 3, 0, 0, 3},
        {Function::round, -3, 0, 0, -3},    {Function::shift_left, 3, 4, 0, 48}, {Function::shift_right, 12, 2, 0, 3},
        {Function::bit_cast, 3, 0, 0, 3},   {Function::inc, 3, 4, 0, 4},         {Function::inc, 4, 4, 0, 0},
        {Function::inc, 5, 4, 0, 0},        {Function::dec, 3, 4, 0, 2},         {Function::dec, 0, 4, 0, 4},
        {Function::dec, 5, 4, 0, 4},
    };
    for (const Case& c : cases) {
        INFO(axe::name(c.f));
        CHECK(f64(c.f, c.a, c.b, c.c) == c.result);
        CHECK(f32(c.f, static_cast<float>(c.a), static_cast<float>(c.b), static_cast<float>(c.c)) == static_cast<float>(c.result));
        CHECK(whole(c.f, static_cast<std::int64_t>(c.a), static_cast<std::int64_t>(c.b), static_cast<std::int64_t>(c.c)) ==
              static_cast<std::int64_t>(c.result));
    }
    CHECK(f64(Function::exp, 0) == 1);
    CHECK(f64(Function::exp2, 10) == 1024);
    CHECK(f64(Function::log, 1) == 0);
    CHECK(f64(Function::sqrt, 9) == 3);
    CHECK(f64(Function::rsqrt, 4) == 0.5);
    CHECK(f64(Function::reciprocal, 4) == 0.25);
    CHECK(f64(Function::tanh, 0) == 0);
    CHECK(f64(Function::sigmoid, 0) == 0.5);
    CHECK(f64(Function::log2, 8) == 3);
    CHECK(f64(Function::sin, 0) == 0);
    CHECK(f64(Function::cos, 0) == 1);
    CHECK(f64(Function::floor, -1.5) == -2);
    CHECK(f64(Function::ceil, -1.5) == -1);
    CHECK(f64(Function::round, 2.5) == 2); // ties to even
    CHECK(f32(Function::round, 3.5f) == 4);
}

TEST_CASE("in f32 each operation is rounded to f32")
{
    CHECK(f32(Function::add, 16777216.0f, 1.0f) == 16777216.0f);
    CHECK(f64(Function::add, 16777216.0, 1.0) == 16777217.0);
    // One rounding of a fused product: (1 + 2^-12)² loses its last bit when it is rounded before the sum.
    const float e = 1.0f + 0x1p-12f;
    CHECK(f32(Function::fma, e, e, -1.0f) == 0x1p-11f + 0x1p-24f);
}

TEST_CASE("NaN in is NaN out, and zeros are in order, whatever the order of operands")
{
    for (const Function f : {Function::min, Function::max}) {
        CHECK(std::isnan(f64(f, quiet, 1)));
        CHECK(std::isnan(f64(f, 1, quiet)));
        CHECK(std::isnan(f32(f, 1.0f, static_cast<float>(quiet))));
    }
    CHECK(std::signbit(f64(Function::min, 0.0, -0.0)));
    CHECK(std::signbit(f64(Function::min, -0.0, 0.0)));
    CHECK_FALSE(std::signbit(f64(Function::max, 0.0, -0.0)));
    CHECK_FALSE(std::signbit(f64(Function::max, -0.0, 0.0)));
    CHECK(std::isnan(f64(Function::relu, quiet)));
    CHECK_FALSE(std::signbit(f64(Function::relu, -0.0)));
    CHECK(f64(Function::equal, quiet, quiet) == 0);
    CHECK(f64(Function::select, quiet, 1, 2) == 1); // it is not 0
}

TEST_CASE("the least and the greatest have one NaN, whatever its operands' bits and order")
{
    const auto f32_of = [](std::uint32_t bits) {
        float out;
        std::memcpy(&out, &bits, 4);
        return out;
    };
    const auto bits_of = [](float value) {
        std::uint32_t out;
        std::memcpy(&out, &value, 4);
        return out;
    };
    const float operands[] = {f32_of(0x7fc00001), f32_of(0xffc00002), f32_of(0x7fffffff), 1.0f, -0.0f, static_cast<float>(inf)};
    for (const Function f : {Function::min, Function::max})
        for (const float a : operands)
            for (const float b : operands)
                if (std::isnan(a) || std::isnan(b)) CHECK(bits_of(f32(f, a, b)) == 0x7fc00000);
}

TEST_CASE("bits of what is not a whole number are none")
{
    CHECK(std::isnan(f64(Function::bit_and, 0.5, 1)));
    CHECK(std::isnan(f64(Function::bit_or, 1, inf)));
    CHECK(std::isnan(f64(Function::bit_xor, 1e300, 1)));
    CHECK(f64(Function::bit_and, -1, 255) == 255);
}

TEST_CASE("integers are computed without undefined behavior at their limits")
{
    constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
    CHECK(whole(Function::neg, low) == low);
    CHECK(whole(Function::abs, low) == low);
    CHECK(whole(Function::add, high, 1) == low);
    CHECK(whole(Function::sub, low, 1) == high);
    CHECK(whole(Function::mul, high, 2) == -2);
    CHECK(whole(Function::fma, high, 2, 3) == 1);
    CHECK(whole(Function::div, low, -1) == low);
    CHECK(whole(Function::div, 7, 2) == 3);
    CHECK(whole(Function::div, -7, 2) == -3);
    CHECK(whole(Function::div, 7, 0) == high);
    CHECK(whole(Function::div, -7, 0) == low);
    CHECK(whole(Function::div, 0, 0) == 0);
}

TEST_CASE("the neutral element of a reduction is one, in both kinds of numbers")
{
    int reductions = 0;
    for (const axe::FunctionRow& row : axe::function_rows) {
        if (!row.reduces) continue;
        ++reductions;
        INFO(row.name);
        CHECK(row.arity == 2);
        for (const std::int64_t a : {-7, -1, 0, 1, 5, 127}) {
            CHECK(row.apply_integer(row.neutral_integer, a, 0) == a);
            CHECK(row.apply(row.neutral, static_cast<double>(a), 0) == static_cast<double>(a));
            for (const std::int64_t b : {-3, 4}) {
                CHECK(row.apply_integer(a, b, 0) == row.apply_integer(b, a, 0));
                CHECK(row.apply_integer(row.apply_integer(a, b, 0), 9, 0) == row.apply_integer(a, row.apply_integer(b, 9, 0), 0));
            }
        }
    }
    CHECK(reductions == 7);
}
