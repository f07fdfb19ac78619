// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_FUNCTIONS_HPP
#define AXE_PROGRAM_FUNCTIONS_HPP

#include <axe/machine/find_row.hpp>
#include <axe/program/function.hpp>
#include <axe/tensor/dtype.hpp>

#include <cmath>
#include <limits>

namespace axe {
inline namespace v0 {
namespace detail {

/// A row that there is, by its name: no compilation if none exists.
template <class Rows>
consteval const auto& own_row(const Rows& rows, std::string_view name)
{
    return *find_row(rows, name);
}

} // namespace detail

/// What a function is of.
enum class Domain : std::uint8_t {
    numbers,   ///< of floating-point numbers and of integers
    fractions, ///< of floating-point numbers: its value is not an integer
    bits,      ///< of integers and truth values
};

struct Bounded;

/// A function as a row of data. The functions of three numbers ignore those beyond the arity.
///
/// The same function three times, for users that compute in f64, in f32 (each operation rounded to it) and in integers, whose results
/// saturate when they are written. Where both operands of `min` and `max` are zeros −0 is the smaller, and a NaN in makes a NaN out,
/// so that no order of operands matters.                                       [IEEE 754-2019 9.6, minimum and maximum]
///
/// A row of a user's own also says what a correct run may give: `bounds(a, computed)` holds every result of the function on operands of
/// which no more is known than a[0], a[1], …, computed in the type `computed` (sim/reference/bounds_functions.hpp has what such bounds
/// are made of).
struct FunctionRow {
    const char* name;
    int arity;
    Domain domain;
    double (*apply)(double, double, double);
    float (*apply_f32)(float, float, float);
    std::int64_t (*apply_integer)(std::int64_t, std::int64_t, std::int64_t); ///< null of `fractions`
    bool reduces = false; ///< associative and commutative: an operation of `reduce`
    double neutral = 0;   ///< of a reduction: f(neutral, a) = a
    std::int64_t neutral_integer = 0;
    int operations = 0; ///< that an application counts as, in the counters of a run
    Bounded (*bounds)(const Bounded* operands, DType computed) = nullptr; ///< null: of the library's own rows alone
};

/// The less of two floating-point numbers, as the function `min` has it: NaN where one of them is, and −0 less than 0. A NaN is the same
/// one, whatever the operands' bits and order.      [IEEE 754, minimum; PTX ISA, min.NaN: the canonical NaN, and +0 > −0]
template <class T>
T minimum(T a, T b) noexcept
{
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
/// The greater of two, likewise.      [IEEE 754, maximum]
template <class T>
T maximum(T a, T b) noexcept
{
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    return -minimum(-a, -b);
}

namespace detail {

/// An operation of bits on whole numbers that a floating-point number holds; it does not exist for others.
template <class T, class F>
T of_bits(T a, T b, F f) noexcept
{
    constexpr T most = T(9007199254740992.0); // 2^53: beyond, doubles are not all of the integers
    const bool whole = a >= -most && a <= most && b >= -most && b <= most && a == std::trunc(a) && b == std::trunc(b);
    if (!whole) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(f(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

// Integers wrap here, where overflow would have no meaning in C++; operands of 32 bits and their sums stay far from it.
inline std::int64_t wrapped(std::uint64_t word) noexcept { return static_cast<std::int64_t>(word); }
inline std::uint64_t word(std::int64_t i) noexcept { return static_cast<std::uint64_t>(i); }

/// Rounded to zero. By zero: what writing the infinity or the NaN of that division into an integer gives.
inline std::int64_t integer_quotient(std::int64_t a, std::int64_t b) noexcept
{
    if (b == 0) return a == 0 ? 0 : a > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
    return b == -1 ? wrapped(0 - word(a)) : a / b;
}

// A row of a function that is one expression for all three kinds of numbers, and of one that integers do not have.
#define AXE_FUNCTION(NAME, ARITY, DOMAIN, FLOAT, INTEGER, ...)                                                                     \
    {#NAME,                                                                                                                        \
     ARITY,                                                                                                                        \
     Domain::DOMAIN,                                                                                                               \
     [](double a, [[maybe_unused]] double b, [[maybe_unused]] double c) -> double { return FLOAT; },                               \
     [](float a, [[maybe_unused]] float b, [[maybe_unused]] float c) -> float { return FLOAT; },                                   \
     [](std::int64_t a, [[maybe_unused]] std::int64_t b, [[maybe_unused]] std::int64_t c) -> std::int64_t { return INTEGER; },     \
     __VA_ARGS__}
#define AXE_FRACTION(NAME, FLOAT)                                                                                                  \
    {#NAME,                                                                                                                        \
     1,                                                                                                                            \
     Domain::fractions,                                                                                                            \
     [](double a, double, double) -> double { return FLOAT; },                                                                     \
     [](float a, float, float) -> float { return FLOAT; },                                                                         \
     nullptr}

/// a·2^b without the bits above the 32nd, whatever is below the sign: of 32-bit integers as two's complement has them.   [PTX ISA, shl]
inline std::int64_t shifted_left(std::int64_t a, std::int64_t b) noexcept
{
    if (b < 0 || b > 31) return 0;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word(a)) << b);
}
/// ⌊a / 2^b⌋; the sign alone where b is not one of 0 … 31.                                                               [PTX ISA, shr]
inline std::int64_t shifted_right(std::int64_t a, std::int64_t b) noexcept
{
    if (b < 0 || b > 31) return a < 0 ? -1 : 0;
    return a >> b;
}

/// One more, from b on 0; one less, from 0 and from beyond b on b: of unsigned numbers of 32 bits.                     [PTX ISA, atom.inc, atom.dec]
inline std::int64_t incremented(std::int64_t a, std::int64_t b) noexcept
{
    const auto old = static_cast<std::uint32_t>(word(a)), last = static_cast<std::uint32_t>(word(b));
    return old >= last ? 0 : static_cast<std::int32_t>(old + 1);
}
inline std::int64_t decremented(std::int64_t a, std::int64_t b) noexcept
{
    const auto old = static_cast<std::uint32_t>(word(a)), last = static_cast<std::uint32_t>(word(b));
    return static_cast<std::int32_t>(old == 0 || old > last ? last : old - 1);
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t greatest_integer = std::numeric_limits<std::int64_t>::max();

inline constexpr FunctionRow function_rows[] = {
    AXE_FUNCTION(identity, 1, numbers, a, a, false),
    AXE_FUNCTION(neg, 1, numbers, -a, wrapped(0 - word(a)), false),
    AXE_FUNCTION(abs, 1, numbers, std::fabs(a), a < 0 ? wrapped(0 - word(a)) : a, false),
    AXE_FUNCTION(relu, 1, numbers, a <= 0 ? decltype(a)(0) : a, a < 0 ? 0 : a, false), // a NaN stays
    AXE_FRACTION(exp, std::exp(a)),
    AXE_FRACTION(exp2, std::exp2(a)),
    AXE_FRACTION(log, std::log(a)),
    AXE_FRACTION(sqrt, std::sqrt(a)),
    AXE_FRACTION(rsqrt, decltype(a)(1) / std::sqrt(a)),
    AXE_FRACTION(reciprocal, decltype(a)(1) / a),
    AXE_FRACTION(tanh, std::tanh(a)),
    AXE_FUNCTION(add, 2, numbers, a + b, wrapped(word(a) + word(b)), true, 0, 0, 1),
    AXE_FUNCTION(sub, 2, numbers, a - b, wrapped(word(a) - word(b)), false, 0, 0, 1),
    AXE_FUNCTION(mul, 2, numbers, (a * b), wrapped(word(a) * word(b)), true, 1, 1, 1),
    AXE_FUNCTION(div, 2, numbers, a / b, integer_quotient(a, b), false),
    AXE_FUNCTION(min, 2, numbers, axe::minimum(a, b), a < b ? a : b, true, infinity, greatest_integer),
    AXE_FUNCTION(max, 2, numbers, axe::maximum(a, b), a > b ? a : b, true, -infinity, least_integer),
    AXE_FUNCTION(bit_and, 2, bits, of_bits(a, b, [](auto x, auto y) { return x & y; }), (a & b), true, -1, -1),
    AXE_FUNCTION(bit_or, 2, bits, of_bits(a, b, [](auto x, auto y) { return x | y; }), a | b, true),
    AXE_FUNCTION(bit_xor, 2, bits, of_bits(a, b, [](auto x, auto y) { return x ^ y; }), a ^ b, true),
    AXE_FUNCTION(equal, 2, numbers, decltype(a)(a == b ? 1 : 0), a == b ? 1 : 0, false),
    AXE_FUNCTION(less, 2, numbers, decltype(a)(a < b ? 1 : 0), a < b ? 1 : 0, false),
    AXE_FUNCTION(less_equal, 2, numbers, decltype(a)(a <= b ? 1 : 0), a <= b ? 1 : 0, false),
    AXE_FUNCTION(fma, 3, numbers, std::fma(a, b, c), wrapped(word(a) * word(b) + word(c)), false, 0, 0, 2),
    AXE_FUNCTION(select, 3, numbers, a != 0 ? b : c, a != 0 ? b : c, false),
    AXE_FRACTION(sigmoid, decltype(a)(1) / (decltype(a)(1) + std::exp(-a))),
    AXE_FRACTION(log2, std::log2(a)),
    AXE_FRACTION(sin, std::sin(a)),
    AXE_FRACTION(cos, std::cos(a)),
    AXE_FUNCTION(floor, 1, numbers, std::floor(a), a, false),
    AXE_FUNCTION(ceil, 1, numbers, std::ceil(a), a, false),
    AXE_FUNCTION(round, 1, numbers, std::nearbyint(a), a, false), // ties to even
    AXE_FUNCTION(bit_cast, 1, numbers, a, a, false),              // users that know the types take the bits
    AXE_FUNCTION(shift_left, 2, bits, of_bits(a, b, shifted_left), shifted_left(a, b), false),
    AXE_FUNCTION(shift_right, 2, bits, of_bits(a, b, shifted_right), shifted_right(a, b), false),
    AXE_FUNCTION(inc, 2, bits, of_bits(a, b, incremented), incremented(a, b), false, 0, 0, 1),
    AXE_FUNCTION(dec, 2, bits, of_bits(a, b, decremented), decremented(a, b), false, 0, 0, 1),
};

#undef AXE_FUNCTION
#undef AXE_FRACTION

} // namespace detail

/// The functions of the library, a row each.
inline constexpr const auto& function_rows = detail::function_rows;

/// The library's function of that name; null if none exists.
constexpr const FunctionRow* find_function(std::string_view name) noexcept { return find_row(function_rows, name); }

inline constexpr Function Function::identity{detail::own_row(function_rows, "identity")};
inline constexpr Function Function::neg{detail::own_row(function_rows, "neg")};
inline constexpr Function Function::abs{detail::own_row(function_rows, "abs")};
inline constexpr Function Function::relu{detail::own_row(function_rows, "relu")};
inline constexpr Function Function::exp{detail::own_row(function_rows, "exp")};
inline constexpr Function Function::exp2{detail::own_row(function_rows, "exp2")};
inline constexpr Function Function::log{detail::own_row(function_rows, "log")};
inline constexpr Function Function::sqrt{detail::own_row(function_rows, "sqrt")};
inline constexpr Function Function::rsqrt{detail::own_row(function_rows, "rsqrt")};
inline constexpr Function Function::reciprocal{detail::own_row(function_rows, "reciprocal")};
inline constexpr Function Function::tanh{detail::own_row(function_rows, "tanh")};
inline constexpr Function Function::add{detail::own_row(function_rows, "add")};
inline constexpr Function Function::sub{detail::own_row(function_rows, "sub")};
inline constexpr Function Function::mul{detail::own_row(function_rows, "mul")};
inline constexpr Function Function::div{detail::own_row(function_rows, "div")};
inline constexpr Function Function::min{detail::own_row(function_rows, "min")};
inline constexpr Function Function::max{detail::own_row(function_rows, "max")};
inline constexpr Function Function::bit_and{detail::own_row(function_rows, "bit_and")};
inline constexpr Function Function::bit_or{detail::own_row(function_rows, "bit_or")};
inline constexpr Function Function::bit_xor{detail::own_row(function_rows, "bit_xor")};
inline constexpr Function Function::equal{detail::own_row(function_rows, "equal")};
inline constexpr Function Function::less{detail::own_row(function_rows, "less")};
inline constexpr Function Function::less_equal{detail::own_row(function_rows, "less_equal")};
inline constexpr Function Function::fma{detail::own_row(function_rows, "fma")};
inline constexpr Function Function::select{detail::own_row(function_rows, "select")};
inline constexpr Function Function::sigmoid{detail::own_row(function_rows, "sigmoid")};
inline constexpr Function Function::log2{detail::own_row(function_rows, "log2")};
inline constexpr Function Function::sin{detail::own_row(function_rows, "sin")};
inline constexpr Function Function::cos{detail::own_row(function_rows, "cos")};
inline constexpr Function Function::floor{detail::own_row(function_rows, "floor")};
inline constexpr Function Function::ceil{detail::own_row(function_rows, "ceil")};
inline constexpr Function Function::round{detail::own_row(function_rows, "round")};
inline constexpr Function Function::bit_cast{detail::own_row(function_rows, "bit_cast")};
inline constexpr Function Function::shift_left{detail::own_row(function_rows, "shift_left")};
inline constexpr Function Function::shift_right{detail::own_row(function_rows, "shift_right")};
inline constexpr Function Function::inc{detail::own_row(function_rows, "inc")};
inline constexpr Function Function::dec{detail::own_row(function_rows, "dec")};

/// The name of a function.
constexpr const char* name(Function f) noexcept { return f.row().name; }

/// Are elements of the type whole numbers, which functions compute exactly: the integers and the truth values?
constexpr bool is_whole(DType type) noexcept { return is_integer(type) || type == DType::b1; }

} // namespace v0
} // namespace axe

#endif
