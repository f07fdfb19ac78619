// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_CONVERT_HPP
#define AXE_TENSOR_CONVERT_HPP

#include <axe/tensor/dtype.hpp>

#include <bit>

/// Exact conversion of one element. Values are doubles, which hold every value of every type; the bits of an element are the low
/// `8·storage_bytes` bits of a 64-bit word. `convert_run.hpp` converts many in one call, to the same bits.
namespace axe {
inline namespace v0 {

/// What becomes of a value beyond the largest finite one of a floating-point type. Integers saturate always.
enum class Overflow : std::uint8_t {
    format, ///< infinity; where the type has none (e4m3, e8m0, ue4m3), NaN; where it has neither, the largest finite value of that sign.
            ///< As IEEE 754, OCP's non-saturating mode and ml_dtypes do
    saturate, ///< the largest finite value of that sign, for infinities too. As OCP's saturating mode and PTX's .satfinite do
};

/// A binary floating-point format: sign, exponent, fraction, from the high bit to the low.
struct FloatFormat {
    int exponent_bits;
    int fraction_bits;
    int unused;        ///< zero bits below the fraction
    bool has_infinity; ///< else the largest exponent has numbers, all ones alone being NaN
    /// Gradual underflow, and rounding half-way to the even neighbor. Without it the least exponent has numbers like the others, but
    /// for the code 0, which is zero; and half-way is rounded up, away from zero.
    bool is_gradual = true;
    bool has_nan = true; ///< else all codes are numbers
    bool is_signed = true;

    [[nodiscard]] constexpr int bias() const noexcept { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] constexpr std::uint64_t sign() const noexcept { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
    [[nodiscard]] constexpr std::uint64_t all_ones() const noexcept { return sign() - 1; }
    /// The least code that is not a number, without its sign: infinity where there is one.
    [[nodiscard]] constexpr std::uint64_t special() const noexcept
    {
        return has_infinity ? all_ones() >> fraction_bits << fraction_bits : has_nan ? all_ones() : sign();
    }
    [[nodiscard]] constexpr std::uint64_t quiet() const noexcept { return std::uint64_t{1} << (fraction_bits - 1); }
    /// The code of a value beyond the largest finite one, without its sign.
    [[nodiscard]] constexpr std::uint64_t beyond(Overflow overflow) const noexcept
    {
        return overflow == Overflow::saturate || !has_nan ? special() - 1 : special();
    }
};

namespace detail {

inline constexpr FloatFormat binary64{11, 52, 0, true}, binary32{8, 23, 0, true}, tf32_format{8, 10, 13, true},
    binary16{5, 10, 0, true}, bf16_format{8, 7, 0, true}, e4m3_format{4, 3, 0, false}, e5m2_format{5, 2, 0, true},
    dl16_format{6, 9, 0, false, false}, ue4m3_format{4, 3, 0, false, true, true, false}, e3m2_format{3, 2, 0, false, true, false},
    e2m3_format{2, 3, 0, false, true, false}, e2m1_format{2, 1, 0, false, true, false};

} // namespace detail

/// The format of a floating-point type that has a zero: all but e8m0. That of f32 for types that are not floating-point.
constexpr const FloatFormat& float_format(DType type) noexcept
{
    switch (type) {
    case DType::f64: return detail::binary64;
    case DType::tf32: return detail::tf32_format;
    case DType::f16: return detail::binary16;
    case DType::bf16: return detail::bf16_format;
    case DType::dl16: return detail::dl16_format;
    case DType::e4m3: return detail::e4m3_format;
    case DType::e5m2: return detail::e5m2_format;
    case DType::ue4m3: return detail::ue4m3_format;
    case DType::e3m2: return detail::e3m2_format;
    case DType::e2m3: return detail::e2m3_format;
    case DType::e2m1: return detail::e2m1_format;
    default: return detail::binary32;
    }
}

/// The least value of an integer type, or of b1.
constexpr std::int64_t lowest_integer(DType type) noexcept
{
    return type == DType::u8 || type == DType::b1 ? 0 : -(std::int64_t{1} << (bits(type) - 1));
}
/// The greatest value of an integer type, or of b1.
constexpr std::int64_t highest_integer(DType type) noexcept
{
    return (std::int64_t{1} << (type == DType::u8 || type == DType::b1 ? bits(type) : bits(type) - 1)) - 1;
}

namespace detail {

/// m · 2^e rounded to an integer, to the nearest, of two equally near ones to the even or to the greater; for results below 2^63.
constexpr std::uint64_t round_shift(std::uint64_t m, int e, bool to_even = true) noexcept
{
    if (e >= 0) return m << e;
    if (e < -64) return 0;
    const std::uint64_t kept = e == -64 ? 0 : m >> -e;
    const std::uint64_t half = std::uint64_t{1} << (-e - 1);
    const std::uint64_t rest = e == -64 ? m : m & (half * 2 - 1);
    return kept + (rest > half || (rest == half && (kept % 2 == 1 || !to_even)) ? 1 : 0);
}

/// The same in a format without subnormal numbers: what is rounded to a significand of 2^−bias, or is less, is zero.
constexpr std::uint64_t pack_abrupt(const FloatFormat& f, std::uint64_t m, int e, Overflow overflow) noexcept
{
    const int top = 63 - std::countl_zero(m) + e;
    const std::uint64_t significand = round_shift(m, e - (top - f.fraction_bits), false), one = std::uint64_t{1} << f.fraction_bits;
    if (top + f.bias() < 0) return 0;
    const std::uint64_t code = (static_cast<std::uint64_t>(top + f.bias() + 1) << f.fraction_bits) + significand - 2 * one;
    if (code < f.special()) return code;
    return f.beyond(overflow);
}

/// The code of m · 2^e, m > 0, rounded once, without its sign.
constexpr std::uint64_t pack(const FloatFormat& f, std::uint64_t m, int e, Overflow overflow) noexcept
{
    if (!f.is_gradual) return pack_abrupt(f, m, e, overflow);
    const int lowest = 1 - f.bias();
    const int top = 63 - std::countl_zero(m) + e;
    const int exponent = top < lowest ? lowest : top;
    const std::uint64_t significand = round_shift(m, e - (exponent - f.fraction_bits));
    // A significand that rounded up to the next power of two carries into the exponent by itself, and a subnormal one has no bit
    // there.
    const std::uint64_t code = (static_cast<std::uint64_t>(exponent - lowest) << f.fraction_bits) + significand;
    if (code < f.special()) return code;
    return f.beyond(overflow);
}

constexpr std::uint64_t encode_float(const FloatFormat& f, double value, Overflow overflow) noexcept
{
    const auto word = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = (word & binary64.sign()) != 0 ? f.sign() : 0;
    const std::uint64_t magnitude = word & binary64.all_ones();
    std::uint64_t code = 0;
    if (magnitude > binary64.special() && !f.has_nan) return f.special() - 1;
    if (sign != 0 && !f.is_signed && magnitude <= binary64.special()) // the nearest number is 0
        return magnitude == 0 || overflow == Overflow::saturate ? 0 : f.special();
    if (magnitude > binary64.special()) // NaN: what fits of its payload, quiet
        code = f.has_infinity ? f.special() | f.quiet() | ((magnitude & ((std::uint64_t{1} << 52) - 1)) >> (52 - f.fraction_bits))
                              : f.special();
    else if (magnitude == binary64.special())
        code = f.beyond(overflow);
    else if (magnitude >> 52 != 0)
        code = pack(f, (magnitude & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52,
                    static_cast<int>(magnitude >> 52) - 1075, overflow);
    else if (magnitude != 0)
        code = pack(f, magnitude, -1074, overflow);
    return ((f.is_signed ? sign : 0) | code) << f.unused;
}

constexpr double decode_float(const FloatFormat& f, std::uint64_t element) noexcept
{
    const std::uint64_t low = element & ((std::uint64_t{1} << f.unused) - 1);
    const std::uint64_t word = element >> f.unused;
    std::uint64_t code = word & f.all_ones();
    const std::uint64_t sign = f.is_signed && (word & f.sign()) != 0 ? binary64.sign() : 0;
    if (code > f.special() || (code == f.special() && (!f.has_infinity || low != 0))) {
        const std::uint64_t payload = f.has_infinity ? (code & (f.quiet() * 2 - 1)) << (52 - f.fraction_bits) : 0;
        return std::bit_cast<double>(sign | binary64.special() | binary64.quiet() | payload);
    }
    if (code == f.special()) return std::bit_cast<double>(sign | binary64.special());
    if (code == 0) return std::bit_cast<double>(sign);
    std::uint64_t fraction = code & ((std::uint64_t{1} << f.fraction_bits) - 1);
    int exponent = static_cast<int>(code >> f.fraction_bits);
    if (exponent == 0 && f.is_gradual) {
        const int up = f.fraction_bits + 1 - (64 - std::countl_zero(fraction));
        fraction = (fraction << up) & ((std::uint64_t{1} << f.fraction_bits) - 1);
        exponent = 1 - up;
    }
    return std::bit_cast<double>(sign | (static_cast<std::uint64_t>(exponent - f.bias() + 1023) << 52) |
                                 fraction << (52 - f.fraction_bits));
}

/// e8m0 has no zero and no sign. What is below its least value, 2^−127, is nearest to that; zero and negative numbers are not
/// it.
constexpr std::uint64_t encode_scale(double value, Overflow overflow) noexcept
{
    constexpr std::uint64_t nan = 0xff, highest = 0xfe;
    if (value != value) return nan;
    if (!(value > 0)) return overflow == Overflow::saturate ? 0 : nan;
    const auto word = std::bit_cast<std::uint64_t>(value);
    // To the nearest; half-way between 1 and 2 the even significand is that of 2.
    const auto exponent = static_cast<std::int64_t>((word + (std::uint64_t{1} << 51)) >> 52) - 1023 + 127;
    if (exponent < 0) return 0;
    if (exponent < 255) return static_cast<std::uint64_t>(exponent);
    return overflow == Overflow::saturate ? highest : nan;
}

constexpr std::uint64_t integer_code(DType type, std::int64_t value) noexcept
{
    const std::int64_t lo = lowest_integer(type), hi = highest_integer(type);
    const std::int64_t in = value < lo ? lo : value > hi ? hi : value;
    return static_cast<std::uint64_t>(in) & ((std::uint64_t{1} << bits(type)) - 1);
}

/// To the nearest integer, half-way to the even one; beyond 64 bits the limit, NaN 0.
constexpr std::int64_t nearest_integer(double value) noexcept
{
    if (value != value) return 0;
    if (value >= 9223372036854775808.0) return INT64_MAX;
    if (value < -9223372036854775808.0) return INT64_MIN;
    const auto whole = static_cast<std::int64_t>(value);
    const double rest = value - static_cast<double>(whole); // exact: a fraction exists only below 2^53
    const bool odd = whole % 2 != 0;
    if (rest > 0.5 || (rest == 0.5 && odd)) return whole + 1;
    if (rest < -0.5 || (rest == -0.5 && odd)) return whole - 1;
    return whole;
}

} // namespace detail

/// The value of an element's bits; exact. Bits beyond the element's are ignored.
///
/// NaN comes out quiet, with its sign and payload; of f64 the bits are those of the double. The 13 low bits of a tf32 are ignored,
/// but in NaN; of types of less than 8 bits the low bits count. Cost: some ten operations.
constexpr double decode(DType type, std::uint64_t element) noexcept
{
    switch (type) {
    case DType::f64: return std::bit_cast<double>(element);
    case DType::e8m0:
        element &= 0xff;
        return std::bit_cast<double>(element == 0xff ? std::uint64_t{0x7ff8} << 48 : (element + 1023 - 127) << 52);
    default: break;
    }
    if (is_float(type)) return detail::decode_float(float_format(type), element);
    const int unused = 64 - bits(type);
    const std::uint64_t high = element << unused;
    if (lowest_integer(type) == 0) return static_cast<double>(high >> unused);
    return static_cast<double>(static_cast<std::int64_t>(high) >> unused);
}

/// The bits of the element nearest to a value, of two equally near ones the even one, in one rounding.
///
///   decode(type, encode(type, v)) = v   for every v that the type has
///
/// Beyond the largest finite value: as `overflow` says. NaN keeps its sign and the high bits of its payload and comes out quiet;
/// e4m3 and dl16 have one NaN a sign; dl16 rounds half-way away from zero, and has no number but zero below 2^−31·(1 + 2^−9), to which
/// all is rounded from half-way between 2^−31 and it. To integers: saturated, NaN is 0, as PTX's cvt.rni. To b1: is the value other than 0? (NaN is.) e8m0
/// has neither zero nor sign: zero and negative values are NaN, saturated 2^−127; half-way is rounded up. ue4m3 has no sign: negative
/// values are NaN, saturated 0. e3m2, e2m3 and e2m1 saturate always, and NaN becomes their largest number. Cost: some twenty
/// operations.       [PTX ISA, cvt; OCP 8-bit Floating Point 1.0; OCP Microscaling 1.0; onnx-mlir, DLF16Conversion.hpp]
constexpr std::uint64_t encode(DType type, double value, Overflow overflow = Overflow::format) noexcept
{
    switch (type) {
    case DType::f64:
        if (overflow == Overflow::format) return std::bit_cast<std::uint64_t>(value);
        break;
    case DType::e8m0: return detail::encode_scale(value, overflow);
    case DType::b1: return value != 0 ? 1 : 0;
    default: break;
    }
    if (is_float(type)) return detail::encode_float(float_format(type), value, overflow);
    return detail::integer_code(type, detail::nearest_integer(value));
}

/// `encode` of an integer, which need not be a double: rounded once, from all its 64 bits.
constexpr std::uint64_t encode_int(DType type, std::int64_t value, Overflow overflow = Overflow::format) noexcept
{
    if (is_integer(type)) return detail::integer_code(type, value);
    if (type == DType::b1) return value != 0 ? 1 : 0;
    if (value == 0) return encode(type, 0.0, overflow);
    // Not through a double, which would round a first time from 2^53 on.
    const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    if (type == DType::e8m0) {
        if (value < 0) return encode(type, -1.0, overflow);
        const int top = 63 - std::countl_zero(magnitude);
        const bool up = top > 0 && (magnitude >> (top - 1)) % 2 == 1;
        return static_cast<std::uint64_t>(127 + top + (up ? 1 : 0));
    }
    const FloatFormat& f = float_format(type);
    if (value < 0 && !f.is_signed) return encode(type, -1.0, overflow);
    return ((value < 0 ? f.sign() : 0) | detail::pack(f, magnitude, 0, overflow)) << f.unused;
}

/// The integer that an element is; of a floating-point one the nearest, as `encode` to an integer of 64 bits would have it.
constexpr std::int64_t decode_int(DType type, std::uint64_t element) noexcept
{
    return detail::nearest_integer(decode(type, element));
}

} // namespace v0
} // namespace axe

#endif
