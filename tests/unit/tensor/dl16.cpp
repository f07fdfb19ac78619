// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/reference/bounds.hpp>
#include <axe/tensor/convert_run.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <cmath>
#include <limits>

namespace {

using axe::DType;
using axe::Overflow;
using Bits = std::uint64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bits sign = 0x8000, nan_code = 0x7fff;

/// (−1)^s·2^(e−31)·(1 + m/512), by the definition; 0 is zero, and all ones are neither infinity nor a number.
double value_of(Bits code)
{
    const Bits e = code >> 9 & 63, m = code & 511;
    const double positive = (code & nan_code) == 0 ? 0.0
                            : (code & nan_code) == nan_code
                                ? std::numeric_limits<double>::quiet_NaN()
                                : std::ldexp(1 + static_cast<double>(m) / 512, static_cast<int>(e) - 31);
    return (code & sign) == 0 ? positive : -positive;
}

/// What the rounding of onnx-mlir's NNP1, written down from its description, makes of a number: the fraction is rounded to 9 bits,
/// half-way up; from an exponent below 0 on it is zero, and what comes to all ones or more is infinity.
Bits rounded(double v)
{
    const Bits s = std::signbit(v) ? sign : 0;
    if (v == 0) return s;
    if (!std::isfinite(v)) return s | nan_code;
    int exponent = 0;
    double fraction = 2 * std::frexp(std::fabs(v), &exponent); // [1, 2)
    --exponent;
    double units = std::floor((fraction - 1) * 512 + 0.5);
    if (units == 512) units = 0, ++exponent;
    if (exponent < -31) return s;
    const double code = (exponent + 31) * 512.0 + units;
    return s | (code >= static_cast<double>(nan_code) ? nan_code : static_cast<Bits>(code));
}

bool same(double a, double b) { return std::signbit(a) == std::signbit(b) && (a == b || (std::isnan(a) && std::isnan(b))); }

} // namespace

static_assert(axe::decode(DType::dl16, 0x3e00) == 1.0 && axe::encode(DType::dl16, 1.0) == 0x3e00);
static_assert(axe::decode(DType::dl16, 0x7ffe) == 0x1p32 * (1 + 510.0 / 512));
static_assert(axe::decode(DType::dl16, 1) == 0x1p-31 * (1 + 1.0 / 512));
static_assert(axe::encode_int(DType::dl16, -3) == 0xc100 && axe::decode_int(DType::dl16, 0xc100) == -3);

TEST_CASE("dl16: all 65536 codes have the value of the definition, and every number its code back")
{
    Bits wrong_value = 0, wrong_code = 0;
    for (Bits code = 0; code < 65536; ++code) {
        const double v = axe::decode(DType::dl16, code);
        if (!same(v, value_of(code))) ++wrong_value;
        if (axe::encode(DType::dl16, v) != code) ++wrong_code; // NaN too: it has one code a sign
    }
    CHECK(wrong_value == 0);
    CHECK(wrong_code == 0);
}

TEST_CASE("dl16: half-way is rounded away from zero, anything off it to the nearer")
{
    int wrong = 0;
    for (Bits code = 1; code + 1 < nan_code; ++code) {
        const double low = value_of(code), middle = low + (value_of(code + 1) - low) / 2;
        for (const Bits s : {Bits{0}, sign}) {
            const auto encoded = [&](double v) { return axe::encode(DType::dl16, s == 0 ? v : -v); };
            if (encoded(std::nextafter(middle, 0)) != (s | code)) ++wrong;
            if (encoded(middle) != (s | (code + 1))) ++wrong;
            if (encoded(std::nextafter(middle, infinity)) != (s | (code + 1))) ++wrong;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("dl16: doubles and floats of all magnitudes are rounded as onnx-mlir's NNP1 says")
{
    laws::Random random(11);
    std::vector<float> values;
    int wrong = 0;
    for (laws::Int i = laws::cases(100'000); i > 0; --i) {
        double v = std::bit_cast<double>(random.next());
        if (i % 4 != 0)
            v = std::ldexp(1 + static_cast<double>(random.next() >> 12) * 0x1p-52, static_cast<int>(random.in(-35, 34)));
        if (std::isnan(v)) continue;
        if (axe::encode(DType::dl16, v) != rounded(v)) ++wrong;
        values.push_back(static_cast<float>(v));
    }
    CHECK(wrong == 0);
    std::vector<std::uint16_t> codes(values.size());
    std::vector<float> back(values.size());
    axe::encode(DType::dl16, values.data(), codes.data(), codes.size());
    axe::decode(DType::dl16, codes.data(), back.data(), codes.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (codes[i] != rounded(double{values[i]}) || !same(double{back[i]}, value_of(codes[i]))) ++wrong;
    CHECK(wrong == 0);
}

TEST_CASE("dl16: nothing is subnormal, and infinity and NaN are one")
{
    // The least number is 2^-31·(1 + 2^-9); what is rounded to a significand of 1 there has the code of zero.
    CHECK(axe::encode(DType::dl16, 0x1p-31) == 0);
    CHECK(axe::encode(DType::dl16, std::nextafter(0x1p-31 * (1 + 0x1p-10), 0)) == 0);
    CHECK(axe::encode(DType::dl16, 0x1p-31 * (1 + 0x1p-10)) == 1);
    CHECK(axe::encode(DType::dl16, -0x1p-31) == sign);
    CHECK(axe::encode(DType::dl16, 5e-324) == 0);
    CHECK(std::signbit(axe::decode(DType::dl16, sign)));

    const double largest = value_of(0x7ffe), beyond = 0x1p32 * (1 + 510.5 / 512);
    CHECK(axe::ref::largest(DType::dl16) == largest);
    CHECK(axe::ref::lowest(DType::dl16) == -largest);
    CHECK(axe::ref::least_positive(DType::dl16) == value_of(1));
    CHECK(axe::ref::unit_roundoff(DType::dl16) == 0x1p-10);
    CHECK(axe::encode(DType::dl16, std::nextafter(beyond, 0)) == 0x7ffe);
    for (const double v : {beyond, 1e300, infinity}) {
        CHECK(axe::encode(DType::dl16, v) == nan_code);
        CHECK(axe::encode(DType::dl16, -v) == (sign | nan_code));
        CHECK(axe::encode(DType::dl16, v, Overflow::saturate) == 0x7ffe);
        CHECK(axe::encode(DType::dl16, -v, Overflow::saturate) == (sign | 0x7ffe));
    }
    CHECK(axe::encode(DType::dl16, std::numeric_limits<double>::quiet_NaN(), Overflow::saturate) == nan_code);
    CHECK(axe::encode_int(DType::dl16, INT64_MAX) == nan_code);
    CHECK(axe::encode_int(DType::dl16, INT64_MIN, Overflow::saturate) == (sign | 0x7ffe));
}

TEST_CASE("dl16: bounds hold for what has no infinity")
{
    const axe::Bounded large{1e9, -1e9, 1e10, false}, stored = axe::ref::stored(large, DType::dl16);
    CHECK(stored.nan);
    CHECK(stored.low == axe::ref::rounded(DType::dl16, -1e9));
    CHECK(stored.high == axe::ref::largest(DType::dl16));
}

TEST_CASE("dl16: what f16 loses there and back")
{
    // f16 has one bit more of fraction: every other number of it comes back, and none is off by more than 1/1024 of itself.
    int exact = 0, far = 0;
    for (std::int64_t code = 0; code < 0x7c00; ++code) {
        const double v = axe::decode(DType::f16, static_cast<Bits>(code));
        const double there = axe::decode(DType::dl16, axe::encode(DType::dl16, v));
        exact += there == v ? 1 : 0;
        far += std::fabs(there - v) > v / 1024 ? 1 : 0;
    }
    CHECK(exact == 0x400 + (0x7c00 - 0x400) / 2); // subnormal numbers have 10 bits at most
    CHECK(far == 0);
}
