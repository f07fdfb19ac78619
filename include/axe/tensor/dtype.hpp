// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_DTYPE_HPP
#define AXE_TENSOR_DTYPE_HPP

#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <cstdint>
#include <string_view>

namespace axe {
inline namespace v0 {

/// The type of an element.
///
/// f64, f32, f16 are IEEE 754's binary formats; bf16 is the upper half of an f32; tf32 is an f32 whose 13 low bits are zero; e4m3
/// (no infinity, S.1111.111 is NaN) and e5m2 are OCP's 8-bit formats, e8m0 its scale 2^(code − 127), 255 being NaN; e3m2, e2m3 and e2m1
/// its formats of 6 and 4 bits, all of whose codes are numbers. ue4m3 is an e4m3 without its sign, NVIDIA's other scale. dl16 is IBM's
/// DLFloat: 6 bits of exponent, 9 of fraction, nothing subnormal, all ones for infinity and NaN. i and u are integers, two's
/// complement; b1 is 0 or 1.      [OCP 8-bit Floating Point 1.0; OCP Microscaling 1.0; onnx-mlir, NNP-data-format 1]
enum class DType : std::uint8_t {
    f64,
    f32,
    tf32,
    f16,
    bf16,
    dl16,
    e4m3,
    e5m2,
    e8m0,
    ue4m3,
    e3m2,
    e2m3,
    e2m1,
    i32,
    i16,
    i8,
    u8,
    i4,
    b1
};

/// How many types there are: they are numbered from 0.
inline constexpr int dtype_count = 19;

namespace detail {

/// A type as a row of data.
struct DTypeRow {
    const char* name;
    int bits;
    int storage_bytes;
    bool is_float;
    bool is_integer;
};

inline constexpr DTypeRow dtype_rows[dtype_count] = {
    {"f64", 64, 8, true, false},  {"f32", 32, 4, true, false},  {"tf32", 19, 4, true, false}, {"f16", 16, 2, true, false},
    {"bf16", 16, 2, true, false}, {"dl16", 16, 2, true, false}, {"e4m3", 8, 1, true, false},  {"e5m2", 8, 1, true, false},
    {"e8m0", 8, 1, true, false},  {"ue4m3", 7, 1, true, false}, {"e3m2", 6, 1, true, false},  {"e2m3", 6, 1, true, false},
    {"e2m1", 4, 1, true, false},  {"i32", 32, 4, false, true},  {"i16", 16, 2, false, true},  {"i8", 8, 1, false, true},
    {"u8", 8, 1, false, true},    {"i4", 4, 1, false, true},    {"b1", 1, 1, false, false},
};

constexpr const DTypeRow& row(DType type) noexcept { return dtype_rows[static_cast<int>(type)]; }

} // namespace detail

/// The bits that tell the values of a type apart: 19 for tf32, 7 for ue4m3, 4 for i4, 1 for b1.
constexpr int bits(DType type) noexcept { return detail::row(type).bits; }

/// The bytes that an element takes in host arrays and in simulated memories: a whole number, also for types of less than 8 bits, which
/// take one byte each, in its low bits. That several of them share a byte is a matter of the layout, not of the type.
constexpr int storage_bytes(DType type) noexcept { return detail::row(type).storage_bytes; }

/// The bits that an element takes where hardware keeps elements next to each other without gaps: 4 and 6 for the types that have as many,
/// else those of its bytes.
constexpr int packed_bits(DType type) noexcept { return bits(type) == 4 || bits(type) == 6 ? bits(type) : 8 * storage_bytes(type); }

/// The name of a type, as the enumerator is spelled.
constexpr const char* name(DType type) noexcept { return detail::row(type).name; }

/// Is it one of the floating-point types, e8m0 and ue4m3 among them?
constexpr bool is_float(DType type) noexcept { return detail::row(type).is_float; }

/// Is it one of the integer types? b1 is not: it is a truth value.
constexpr bool is_integer(DType type) noexcept { return detail::row(type).is_integer; }

namespace detail {

/// Other people's names of the types.
struct DTypeAlias {
    const char* word;
    DType type;
};
inline constexpr DTypeAlias dtype_aliases[] = {
    {"float64", DType::f64},
    {"double", DType::f64},
    {"fp64", DType::f64},
    {"float32", DType::f32},
    {"float", DType::f32},
    {"fp32", DType::f32},
    {"single", DType::f32},
    {"float16", DType::f16},
    {"half", DType::f16},
    {"fp16", DType::f16},
    {"bfloat16", DType::bf16},
    {"bfloat", DType::bf16},
    {"dlfloat", DType::dl16},
    {"dlfloat16", DType::dl16},
    {"dlf16", DType::dl16},
    {"sen169_fp16", DType::dl16},
    {"float8_e4m3fn", DType::e4m3},
    {"f8e4m3fn", DType::e4m3},
    {"e4m3fn", DType::e4m3},
    {"float8_e5m2", DType::e5m2},
    {"f8e5m2", DType::e5m2},
    {"float8_e8m0fnu", DType::e8m0},
    {"ue8m0", DType::e8m0},
    {"float8_ue4m3", DType::ue4m3},
    {"float6_e3m2fn", DType::e3m2},
    {"f6e3m2fn", DType::e3m2},
    {"float6_e2m3fn", DType::e2m3},
    {"f6e2m3fn", DType::e2m3},
    {"float4_e2m1fn", DType::e2m1},
    {"f4e2m1fn", DType::e2m1},
    {"int32", DType::i32},
    {"s32", DType::i32},
    {"int16", DType::i16},
    {"s16", DType::i16},
    {"int8", DType::i8},
    {"s8", DType::i8},
    {"uint8", DType::u8},
    {"int4", DType::i4},
    {"s4", DType::i4},
    {"bool", DType::b1},
    {"u1", DType::b1},
};

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool same_word(std::string_view a, std::string_view b) noexcept
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

/// Does one character too many, missing or wrong, or one swap of neighbors, make one word of the other?
constexpr bool one_edit_apart(std::string_view a, std::string_view b) noexcept
{
    if (a.size() < b.size()) return one_edit_apart(b, a);
    std::size_t head = 0, tail = 0;
    while (head < b.size() && lower(a[head]) == lower(b[head])) ++head;
    while (tail < b.size() - head && lower(a[a.size() - 1 - tail]) == lower(b[b.size() - 1 - tail])) ++tail;
    const std::size_t left = a.size() - head - tail;
    if (left <= 1) return true;
    return left == 2 && a.size() == b.size() && lower(a[head]) == lower(b[head + 1]) && lower(a[head + 1]) == lower(b[head]);
}

/// The type that was probably meant: the one with that name elsewhere, or the only one a single edit away; −1 when none or several.
constexpr int guess_dtype(std::string_view text) noexcept
{
    for (int t = 0; t < dtype_count; ++t)
        if (same_word(text, dtype_rows[t].name)) return t;
    for (const auto& alias : dtype_aliases)
        if (same_word(text, alias.word)) return static_cast<int>(alias.type);
    int found = -1;
    for (int t = 0; t < dtype_count; ++t) {
        if (!one_edit_apart(text, dtype_rows[t].name)) continue;
        if (found >= 0) return -1;
        found = t;
    }
    return found;
}

} // namespace detail

/// The type of that name:  parse_dtype(name(t)) = t
///
/// `errc::bad_syntax` with the known names, and with the one that was meant where only one is near: names are matched exactly, but
/// NumPy's, PTX's and a single typing error are recognized in the message.
inline Result<DType, Problem> parse_dtype(std::string_view text)
{
    std::string known;
    for (int t = 0; t < dtype_count; ++t) {
        if (text == detail::dtype_rows[t].name) return static_cast<DType>(t);
        known += t == 0 ? "" : ", ";
        known += detail::dtype_rows[t].name;
    }
    const std::string asked(text.substr(0, 40));
    const int guess = detail::guess_dtype(text);
    if (guess < 0) return Problem(errc::bad_syntax, "no type is called \"{0}\"; the types are {1}", {asked, known});
    return Problem(errc::bad_syntax, "no type is called \"{0}\"; did you mean {1}? The types are {2}",
                   {asked, detail::dtype_rows[guess].name, known});
}

} // namespace v0
} // namespace axe

#endif
