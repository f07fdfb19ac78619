// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/convert.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/unit/tensor/formats.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using axe::DType;
using axe::Overflow;
using Bits = std::uint64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Equal as numbers, with the sign of zero; or both NaN of one sign.
bool same(double a, double b) { return std::signbit(a) == std::signbit(b) && (a == b || (std::isnan(a) && std::isnan(b))); }

double random_double(laws::Random& random) { return std::bit_cast<double>(random.next()); }

/// A double of an exponent in [lo, hi].
double random_double(laws::Random& random, int lo, int hi)
{
    const double significand = 1 + static_cast<double>(random.next() >> 12) * 0x1p-52;
    return std::ldexp(random.one_in(2) ? -significand : significand, static_cast<int>(random.in(lo, hi)));
}

/// The codes of the finite values that are not negative, ascending with their values: the codes from 0 on.
std::vector<double> finite(DType type)
{
    std::vector<double> out;
    for (const float v : formats::values(type)) {
        if (!std::isfinite(v) || std::signbit(v)) break;
        out.push_back(v);
    }
    return out;
}

Bits sign_of(DType type) { return type == DType::e8m0 ? 0 : Bits{1} << (axe::bits(type) - 1); }

/// Has the type numbers only?
bool has_no_nan(DType type) { return type == DType::e3m2 || type == DType::e2m3 || type == DType::e2m1; }

/// What is beyond the largest finite value.
Bits beyond(DType type) { return finite(type).size(); }

/// The code nearest to v ≥ 0, from the table alone: found by comparison with half-way values, which doubles hold.
Bits nearest(const std::vector<double>& table, DType type, double v)
{
    const auto above = static_cast<std::size_t>(std::lower_bound(table.begin(), table.end(), v) - table.begin());
    if (above == 0) return 0;
    const bool last = above == table.size();
    const double lo = table[above - 1];
    // The value after the last one, if there were one.
    const double hi = !last ? table[above] : type == DType::e8m0 ? 2 * lo : lo + (lo - table[above - 2]);
    const double middle = lo + (hi - lo) / 2;
    if (v != middle) return v < middle ? above - 1 : above;
    // An e8m0 code has no fraction bit: half-way is 1.5·2^e, and the even one of 1 and 2 is 2.
    return type == DType::e8m0 || above % 2 == 0 ? above : above - 1;
}

} // namespace

// Usable in constant expressions.
static_assert(axe::encode(DType::f16, 1.0) == 0x3c00 && axe::decode(DType::f16, 0x3c00) == 1.0);
static_assert(axe::encode(DType::e4m3, 448.0) == 0x7e && axe::decode(DType::e4m3, 0x7e) == 448.0);
static_assert(axe::encode(DType::e8m0, 1.0) == 127 && axe::decode(DType::e8m0, 127) == 1.0);
static_assert(axe::encode(DType::i4, -8.0) == 8 && axe::decode(DType::i4, 8) == -8.0);
static_assert(axe::encode_int(DType::i32, -1) == 0xffffffff && axe::decode_int(DType::i32, 0xffffffff) == -1);

TEST_CASE("decode: every code of 4 to 16 bits has the value that NumPy and ml_dtypes give it")
{
    for (const DType type : formats::tabled) {
        const auto table = formats::values(type);
        REQUIRE(table.size() == std::size_t{1} << axe::bits(type));
        Bits wrong = 0;
        for (Bits code = 0; code < table.size(); ++code)
            if (!same(axe::decode(type, code), double{table[code]})) ++wrong;
        INFO(axe::name(type));
        CHECK(wrong == 0);
    }
}

TEST_CASE("encode: every value gives its code back")
{
    for (const DType type : formats::tabled) {
        const auto table = formats::values(type);
        Bits wrong = 0;
        for (Bits code = 0; code < table.size(); ++code)
            if (!std::isnan(table[code]) && axe::encode(type, double{table[code]}) != code) ++wrong;
        INFO(axe::name(type));
        CHECK(wrong == 0);
    }
}

TEST_CASE("encode: half-way between neighbors goes to the even one, anything off it to the nearer")
{
    for (const DType type : formats::tabled) {
        const auto table = finite(type);
        const Bits sign = sign_of(type);
        Bits wrong = 0;
        for (Bits code = 0; code + 1 < table.size(); ++code) {
            const double middle = table[code] + (table[code + 1] - table[code]) / 2;
            const Bits even = type == DType::e8m0 ? code + 1 : code + code % 2;
            if (axe::encode(type, std::nextafter(middle, 0)) != code) ++wrong;
            if (axe::encode(type, middle) != even) ++wrong;
            if (axe::encode(type, std::nextafter(middle, infinity)) != code + 1) ++wrong;
            if (sign == 0) continue;
            if (axe::encode(type, -std::nextafter(middle, 0)) != (sign | code)) ++wrong;
            if (axe::encode(type, -middle) != (sign | even)) ++wrong;
            if (axe::encode(type, -std::nextafter(middle, infinity)) != (sign | (code + 1))) ++wrong;
        }
        INFO(axe::name(type));
        CHECK(wrong == 0);
    }
}

TEST_CASE("encode: doubles of all magnitudes go to the nearest value of the table")
{
    laws::Random random(7);
    for (const DType type : formats::tabled) {
        const auto table = finite(type);
        const int lowest = std::ilogb(table[1]) - 3, highest = std::ilogb(table.back()) + 2;
        int wrong = 0;
        for (laws::Int i = laws::cases(20'000); i > 0; --i) {
            double v = i % 4 == 0 ? random_double(random) : random_double(random, lowest, highest);
            if (std::isnan(v) || v == 0) continue;
            if (type == DType::e8m0) v = std::fabs(v);
            const Bits found = nearest(table, type, std::fabs(v)), sign = v < 0 ? sign_of(type) : 0;
            const Bits want = has_no_nan(type) ? std::min(found, beyond(type) - 1) : found;
            if (axe::encode(type, v) != (sign | want)) ++wrong;
            if (axe::encode(type, v, Overflow::saturate) != (sign | std::min(want, beyond(type) - 1))) ++wrong;
        }
        INFO(axe::name(type));
        CHECK(wrong == 0);
    }
}

TEST_CASE("encode: floats become what NumPy and ml_dtypes make of them")
{
    const auto floats = formats::floats("encode_values");
    for (const DType type : formats::tabled) {
        const axe::Array codes = formats::file(std::string("encode_") + axe::name(type));
        REQUIRE(codes.size() == static_cast<std::int64_t>(floats.size()));
        int compared = 0, wrong = 0;
        for (std::size_t i = 0; i < floats.size(); ++i) {
            if (std::isnan(floats[i])) continue; // they differ in what they keep of the payload
            // ml_dtypes 0.6.0 rounds floats between 2^-127 and 1.5·2^-127 up to 2^-126, which is farther.
            if (type == DType::e8m0 && floats[i] > 0x1p-127F && floats[i] < 0x1.8p-127F) continue;
            ++compared;
            if (axe::encode(type, double{floats[i]}) != codes.bits_at(static_cast<std::int64_t>(i))) ++wrong;
        }
        INFO(axe::name(type));
        CHECK(compared > 3500);
        CHECK(wrong == 0);
    }
}

TEST_CASE("encode: beyond the largest value is infinity or NaN, or the largest value where that is asked for")
{
    struct Row {
        DType type;
        double value;
        Bits format, saturated;
    };
    const Row rows[] = {
        {DType::f16, 65519.99, 0x7bff, 0x7bff},
        {DType::f16, 65520, 0x7c00, 0x7bff},
        {DType::f16, infinity, 0x7c00, 0x7bff},
        {DType::f16, -infinity, 0xfc00, 0xfbff},
        {DType::bf16, 3.4e38, 0x7f80, 0x7f7f},
        {DType::bf16, -1e300, 0xff80, 0xff7f},
        {DType::e4m3, 464, 0x7e, 0x7e},
        {DType::e4m3, 464.0001, 0x7f, 0x7e},
        {DType::e4m3, -infinity, 0xff, 0xfe},
        {DType::e5m2, 61439.9, 0x7b, 0x7b},
        {DType::e5m2, 61440, 0x7c, 0x7b},
        {DType::e5m2, -infinity, 0xfc, 0xfb},
        {DType::e8m0, 0x1.7p127, 0xfe, 0xfe},
        {DType::e8m0, 0x1.8p127, 0xff, 0xfe},
        {DType::e8m0, infinity, 0xff, 0xfe},
        {DType::ue4m3, 464, 0x7e, 0x7e},
        {DType::ue4m3, 464.0001, 0x7f, 0x7e},
        {DType::ue4m3, infinity, 0x7f, 0x7e},
        {DType::e3m2, 28, 0x1f, 0x1f},
        {DType::e3m2, 30.1, 0x1f, 0x1f},
        {DType::e3m2, -infinity, 0x3f, 0x3f},
        {DType::e2m3, 1e300, 0x1f, 0x1f},
        {DType::e2m3, -7.75, 0x3f, 0x3f},
        {DType::e2m1, 5, 6, 6},
        {DType::e2m1, 7, 7, 7},
        {DType::e2m1, infinity, 7, 7},
        {DType::e2m1, -1e300, 0xf, 0xf},
        {DType::f32, 1e39, 0x7f800000, 0x7f7fffff},
        {DType::tf32, -1e39, 0xff800000, 0xff7fe000},
        {DType::f64, infinity, 0x7ff0000000000000, 0x7fefffffffffffff},
        {DType::i8, 127.5, 0x7f, 0x7f},
        {DType::i8, -1e300, 0x80, 0x80},
        {DType::u8, infinity, 0xff, 0xff},
        {DType::u8, -0.75, 0, 0},
        {DType::i4, 100, 7, 7},
        {DType::i32, infinity, 0x7fffffff, 0x7fffffff},
    };
    for (const auto& row : rows) {
        INFO(axe::name(row.type) << " " << row.value);
        CHECK(axe::encode(row.type, row.value) == row.format);
        CHECK(axe::encode(row.type, row.value, Overflow::saturate) == row.saturated);
    }
}

TEST_CASE("encode: an e8m0 has no zero and no sign, and nothing is too small for it")
{
    for (const double v : {0.0, -0.0, -1.0, -infinity}) {
        CHECK(axe::encode(DType::e8m0, v) == 0xff);
        CHECK(axe::encode(DType::e8m0, v, Overflow::saturate) == 0);
    }
    CHECK(axe::encode(DType::e8m0, not_a_number, Overflow::saturate) == 0xff);
    CHECK(axe::encode(DType::e8m0, 5e-324) == 0);
    CHECK(axe::encode(DType::e8m0, 1e-300) == 0);
    CHECK(axe::encode(DType::e8m0, 3.0) == 129);
}

TEST_CASE("a ue4m3 is an e4m3 that has no sign: every code both ways, half-way values, and what is below zero")
{
    for (Bits code = 0; code < 256; ++code) { // the highest bit does not count
        const double value = axe::decode(DType::ue4m3, code);
        CHECK(same(value, axe::decode(DType::e4m3, code & 0x7f)));
        if (!std::isnan(value)) CHECK(axe::encode(DType::ue4m3, value) == (code & 0x7f));
    }
    for (Bits code = 0; code < 0x7e; ++code) {
        const double middle = (axe::decode(DType::ue4m3, code) + axe::decode(DType::ue4m3, code + 1)) / 2;
        CHECK(axe::encode(DType::ue4m3, std::nextafter(middle, 0)) == code);
        CHECK(axe::encode(DType::ue4m3, middle) == code + code % 2);
        CHECK(axe::encode(DType::ue4m3, std::nextafter(middle, infinity)) == code + 1);
    }
    for (const double v : {-5e-324, -1.0, -1e300, -infinity}) {
        CHECK(axe::encode(DType::ue4m3, v) == 0x7f);
        CHECK(axe::encode(DType::ue4m3, v, Overflow::saturate) == 0);
    }
    CHECK(axe::encode(DType::ue4m3, -0.0) == 0);
    for (const double v : {not_a_number, -not_a_number})
        for (const auto overflow : {Overflow::format, Overflow::saturate}) CHECK(axe::encode(DType::ue4m3, v, overflow) == 0x7f);
    CHECK(axe::encode_int(DType::ue4m3, -1) == 0x7f);
    CHECK(axe::encode_int(DType::ue4m3, -1, Overflow::saturate) == 0);
    CHECK(axe::encode_int(DType::ue4m3, INT64_MAX, Overflow::saturate) == 0x7e);
}

TEST_CASE("types of numbers only: all codes are, NaN becomes the largest, and bits above the element's do not count")
{
    for (const DType type : {DType::e3m2, DType::e2m3, DType::e2m1}) {
        INFO(axe::name(type));
        const Bits codes = Bits{1} << axe::bits(type);
        for (Bits code = 0; code < codes; ++code) {
            CHECK(std::isfinite(axe::decode(type, code)));
            CHECK(same(axe::decode(type, code), axe::decode(type, ~(codes - 1) | code)));
        }
        for (const double v : {not_a_number, -not_a_number})
            for (const auto overflow : {Overflow::format, Overflow::saturate})
                CHECK(axe::encode(type, v, overflow) == codes / 2 - 1);
        CHECK(axe::encode_int(type, INT64_MIN) == codes - 1);
        CHECK(std::signbit(axe::decode(type, axe::encode(type, -0.0))));
    }
}

TEST_CASE("NaN stays NaN with its sign, and is quiet")
{
    for (const DType type : formats::tabled) {
        if (has_no_nan(type)) continue;
        INFO(axe::name(type));
        for (const auto overflow : {Overflow::format, Overflow::saturate}) {
            CHECK(std::isnan(axe::decode(type, axe::encode(type, not_a_number, overflow))));
            if (type != DType::e8m0) CHECK(std::signbit(axe::decode(type, axe::encode(type, -not_a_number, overflow))));
        }
    }
    CHECK(axe::encode(DType::f16, not_a_number) == 0x7e00);
    CHECK(axe::encode(DType::bf16, -not_a_number) == 0xffc0);
    CHECK(axe::encode(DType::e5m2, not_a_number) == 0x7e);
    CHECK(axe::encode(DType::e4m3, not_a_number) == 0x7f);
    // The high bits of the payload are kept; a signalling NaN becomes quiet, either way.
    const double payload = std::bit_cast<double>(Bits{0x7ff4540000000000});
    CHECK(axe::encode(DType::f16, payload) == 0x7f15);
    CHECK(axe::encode(DType::f32, payload) == 0x7fe2a000);
    CHECK(std::bit_cast<Bits>(axe::decode(DType::f16, 0x7d51)) == 0x7ffd440000000000);
    CHECK(std::bit_cast<Bits>(axe::decode(DType::f32, 0xffa00001)) == 0xfffc000020000000);
    CHECK(axe::encode(DType::f64, payload) == 0x7ff4540000000000);
}

TEST_CASE("one rounding: a value just above half-way does not become half-way on the way through f32")
{
    const double above = 1 + 0x1p-11 + 0x1p-40; // as an f32 it is 1 + 2^-11, half-way between two f16
    CHECK(axe::encode(DType::f16, above) == 0x3c01);
    CHECK(axe::encode(DType::f16, double{static_cast<float>(above)}) == 0x3c00);
    const double tiny = 0x1p-25 + 0x1p-70; // half-way between 0 and the least f16
    CHECK(axe::encode(DType::f16, tiny) == 1);
    CHECK(axe::encode(DType::f16, 0x1p-25) == 0);
    CHECK(axe::encode(DType::f16, 0x1p-26) == 0);
}

TEST_CASE("f32 rounds as this machine's conversion does, and f64 not at all")
{
    laws::Random random(3);
    int wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        const double v = i % 2 == 0 ? random_double(random) : random_double(random, -160, 130);
        if (std::isnan(v)) continue;
        if (axe::encode(DType::f32, v) != std::bit_cast<std::uint32_t>(static_cast<float>(v))) ++wrong;
        if (axe::encode(DType::f64, v) != std::bit_cast<Bits>(v) || !same(axe::decode(DType::f64, std::bit_cast<Bits>(v)), v))
            ++wrong;
        const auto word = static_cast<std::uint32_t>(random.next());
        if (!same(axe::decode(DType::f32, word), double{std::bit_cast<float>(word)})) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("tf32 keeps ten bits of fraction, in an f32 with the rest zero")
{
    laws::Random random(4);
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
        const double v = random_double(random, -155, 126);
        // The unit in the last place, 2^-136 below the least normal number; then to the nearest even multiple.
        const int unit = std::max(std::ilogb(v), -126) - 10;
        const double want = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
        const Bits got = axe::encode(DType::tf32, v);
        if (got % 8192 != 0 || got != std::bit_cast<std::uint32_t>(static_cast<float>(want))) ++wrong;
        if (!same(axe::decode(DType::tf32, got), want)) ++wrong;
        // What the low bits hold does not count.
        if (!same(axe::decode(DType::tf32, got | (random.next() % 8192)), want)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(axe::encode(DType::tf32, not_a_number) == 0x7fc00000);
    CHECK(std::isnan(axe::decode(DType::tf32, 0x7f800001)));
}

TEST_CASE("integers: to the nearest, half-way to the even one, saturated, NaN is 0")
{
    struct Range {
        DType type;
        double lo, hi;
    };
    const Range ranges[] = {{DType::i32, -2147483648.0, 2147483647.0},
                            {DType::i16, -32768, 32767},
                            {DType::i8, -128, 127},
                            {DType::u8, 0, 255},
                            {DType::i4, -8, 7}};
    laws::Random random(5);
    for (const Range& range : ranges) {
        const DType type = range.type;
        const double lo = range.lo, hi = range.hi;
        INFO(axe::name(type));
        int wrong = 0;
        const auto check = [&](double v) {
            const double want = std::min(std::max(std::nearbyint(v), lo), hi);
            const Bits code = axe::encode(type, v);
            if (axe::decode(type, code) != want || code >> axe::bits(type) != 0) ++wrong;
            if (static_cast<double>(axe::decode_int(type, code)) != want) ++wrong;
        };
        for (double v = -300; v <= 300; v += 0.25) check(v);
        for (int i = 0; i < 20000; ++i) check(random_double(random, -3, 70));
        for (const double v : {lo - 0.5, lo, hi, hi + 0.5, hi + 0.25, infinity, -infinity}) check(v);
        CHECK(wrong == 0);
        CHECK(axe::encode(type, not_a_number) == 0);
        // Bits above the element's do not count.
        CHECK(axe::decode(type, ~Bits{0}) == (lo < 0 ? -1 : 255));
    }
}

TEST_CASE("b1 asks whether the value is other than 0")
{
    for (const double v : {1.0, -1.0, 0.25, 5e-324, infinity, not_a_number}) CHECK(axe::encode(DType::b1, v) == 1);
    CHECK(axe::encode(DType::b1, 0.0) == 0);
    CHECK(axe::encode(DType::b1, -0.0) == 0);
    CHECK(axe::decode(DType::b1, 1) == 1);
    CHECK(axe::decode(DType::b1, 2) == 0);
}

TEST_CASE("encode_int rounds once, from all 64 bits")
{
    laws::Random random(6);
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
        const auto v = static_cast<std::int64_t>(random.next()) >> random.in(0, 62);
        if (axe::encode_int(DType::f64, v) != std::bit_cast<Bits>(static_cast<double>(v))) ++wrong;
        if (axe::encode_int(DType::f32, v) != std::bit_cast<std::uint32_t>(static_cast<float>(v))) ++wrong;
        if (axe::encode_int(DType::i32, v) != static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX)))
            ++wrong;
        // What a double holds goes the same way.
        const std::int64_t exact = v % (std::int64_t{1} << 53);
        for (const DType type : {DType::f16, DType::bf16, DType::e4m3, DType::e5m2, DType::e8m0, DType::ue4m3, DType::e3m2,
                                 DType::e2m3, DType::e2m1, DType::i8, DType::u8, DType::b1})
            for (const auto overflow : {Overflow::format, Overflow::saturate})
                if (axe::encode_int(type, exact, overflow) != axe::encode(type, static_cast<double>(exact), overflow)) ++wrong;
    }
    CHECK(wrong == 0);
    // Half-way only after the rounding to a double.
    constexpr std::int64_t above = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
    CHECK(axe::encode_int(DType::bf16, above) == 0x5e81);
    CHECK(axe::encode(DType::bf16, static_cast<double>(above)) == 0x5e80);
    constexpr std::int64_t below = 3 * (std::int64_t{1} << 61) - 1;
    CHECK(axe::encode_int(DType::e8m0, below) == 127 + 62);
    CHECK(axe::encode(DType::e8m0, static_cast<double>(below)) == 127 + 63);
    CHECK(axe::encode_int(DType::f64, INT64_MIN) == std::bit_cast<Bits>(-0x1p63));
    CHECK(axe::encode_int(DType::e8m0, INT64_MIN) == 0xff);
}

TEST_CASE("decode_int of a floating-point element is the nearest integer")
{
    CHECK(axe::decode_int(DType::f16, axe::encode(DType::f16, 2.5)) == 2);
    CHECK(axe::decode_int(DType::f16, axe::encode(DType::f16, 3.5)) == 4);
    CHECK(axe::decode_int(DType::f64, axe::encode(DType::f64, -2.5)) == -2);
    CHECK(axe::decode_int(DType::f32, axe::encode(DType::f32, infinity)) == INT64_MAX);
    CHECK(axe::decode_int(DType::f32, axe::encode(DType::f32, -infinity)) == INT64_MIN);
    CHECK(axe::decode_int(DType::f32, axe::encode(DType::f32, not_a_number)) == 0);
}
