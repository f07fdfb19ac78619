// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_CONVERT_RUN_HPP
#define AXE_TENSOR_CONVERT_RUN_HPP

#include <axe/tensor/convert.hpp>

#include <cstddef>

/// Conversion of many elements in one call: bit by bit that of `convert.hpp` for each.
namespace axe {
inline namespace v0 {
namespace detail {

/// a < b, as ones or zeros; for 0 ≤ a, b. A choice by masks, since a conditional one keeps g++ from using vectors.
[[gnu::always_inline]] inline std::int32_t below(std::int32_t a, std::int32_t b) noexcept { return (a - b) >> 31; }
[[gnu::always_inline]] inline std::int32_t choose(std::int32_t mask, std::int32_t yes, std::int32_t no) noexcept
{
    return (mask & yes) | (~mask & no);
}

/// f16 to f32. Subnormals are converted as integers, so that a processor that flushes them does not touch them.
[[gnu::always_inline]] inline float widen_f16(std::uint16_t half) noexcept
{
    const std::int32_t h = half, magnitude = h & 0x7fff, sign = -(h >> 15);
    const float tiny = static_cast<float>(magnitude) * 0x1p-24f;
    std::int32_t out = (magnitude << 13) + (112 << 23);
    out += ~below(magnitude, 0x7c00) & 112 << 23;
    out |= below(0x7c00, magnitude) & 0x400000;
    out = choose(below(magnitude, 0x400), std::bit_cast<std::int32_t>(tiny), out);
    return std::bit_cast<float>(out | (sign & INT32_MIN));
}

} // namespace detail

/// to[i] = float(decode(type, element i)), rounded to nearest for f64 and i32; of f32 a copy, signalling NaN and all.
///
/// @param from n elements of the type, of any alignment; @param to n floats that do not overlap them.
/// Cost: f16, bf16 and tf32 some ten vector instructions for 4 to 16 elements; bytes a look-up each.
AXE_DECL void decode(DType type, const void* from, float* to, std::size_t n) noexcept;
/// to[i] = decode(type, element i); of f64 a copy.
AXE_DECL void decode(DType type, const void* from, double* to, std::size_t n) noexcept;

/// Element i = encode(type, from[i], overflow); of the same type a copy, unless it saturates.
///
/// @param to room for n elements of the type, of any alignment, that does not overlap the values.
/// Cost: f16, bf16 and tf32 some fifteen vector instructions for 4 to 16 elements, the other types some twenty operations each.
AXE_DECL void encode(DType type, const float* from, void* to, std::size_t n, Overflow overflow = Overflow::format) noexcept;
AXE_DECL void encode(DType type, const double* from, void* to, std::size_t n, Overflow overflow = Overflow::format) noexcept;

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/convert_run.hpp>
#endif

#endif
