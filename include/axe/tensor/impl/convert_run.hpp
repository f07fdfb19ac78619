// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_CONVERT_RUN_HPP
#define AXE_TENSOR_IMPL_CONVERT_RUN_HPP

#include <axe/tensor/convert_run.hpp>

#include <cstring>
#include <type_traits>

namespace axe {
inline namespace v0 {
namespace detail {

/// The lanes of a block. Loops of constant length without branches become vector instructions at -O2 too.
inline constexpr std::size_t run_block = 16;

[[gnu::always_inline]] inline float widen_bf16(std::uint16_t half) noexcept
{
    const std::int32_t h = half, quiet = below(0x7f80, h & 0x7fff) & 0x400000;
    return std::bit_cast<float>(static_cast<std::uint32_t>(h) << 16 | static_cast<std::uint32_t>(quiet));
}

[[gnu::always_inline]] inline float widen_tf32(std::uint32_t element) noexcept
{
    const auto word = static_cast<std::int32_t>(element), quiet = below(0x7f800000, word & INT32_MAX) & 0x400000;
    return std::bit_cast<float>((word & ~0x1fff) | quiet);
}

/// f32 to f16. `limit` is the code of what is too large: infinity, or the largest finite value.
[[gnu::always_inline]] inline std::uint16_t narrow_f16(float value, std::int32_t limit) noexcept
{
    const auto word = std::bit_cast<std::int32_t>(value);
    const std::int32_t magnitude = word & INT32_MAX;
    const std::int32_t normal = (magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    // Below 2^-14 the unit is 2^-24, that of floats in [0.5, 1): the addition rounds.
    const std::int32_t tiny = std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
    const std::int32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    std::int32_t out = choose(below(magnitude, 113 << 23), tiny, normal);
    out = choose(below(out, limit), out, limit);
    out = choose(below(0x7f800000, magnitude), nan, out);
    return static_cast<std::uint16_t>(out | (word >> 16 & 0x8000));
}

/// The bits of an f32, the lowest of them rounded off: bf16 but for its place, or tf32. `limit` as in `narrow_f16`.
template <int dropped>
[[gnu::always_inline]] inline std::uint32_t round_off(float value, std::int32_t limit) noexcept
{
    const auto word = std::bit_cast<std::int32_t>(value);
    const std::int32_t magnitude = word & INT32_MAX;
    // The sum may leave 31 bits for NaN only, which is replaced: unsigned.
    const auto up = static_cast<std::uint32_t>((1 << (dropped - 1)) - 1 + (magnitude >> dropped & 1));
    auto out = static_cast<std::int32_t>((static_cast<std::uint32_t>(magnitude) + up) >> dropped);
    out = choose(below(out, limit), out, limit);
    out = choose(below(0x7f800000, magnitude), (0x7fc00000 | magnitude) >> dropped, out);
    return static_cast<std::uint32_t>(out) << dropped | (static_cast<std::uint32_t>(word) & 0x80000000u);
}

template <class From, class To, class Convert>
[[gnu::always_inline]] inline void run_one(const std::byte* __restrict from, std::byte* __restrict to, Convert convert) noexcept
{
    From in;
    std::memcpy(&in, from, sizeof in);
    const To out = convert(in);
    std::memcpy(to, &out, sizeof out);
}

/// to[i] = convert(from[i]), a block at a time.
template <class From, class To, class Convert>
[[gnu::always_inline]] inline void run_blocks(const std::byte* __restrict from, std::byte* __restrict to, std::size_t n,
                                              Convert convert) noexcept
{
    for (; n >= run_block; n -= run_block, from += run_block * sizeof(From), to += run_block * sizeof(To))
        for (std::size_t i = 0; i < run_block; ++i) run_one<From, To>(from + i * sizeof(From), to + i * sizeof(To), convert);
    for (; n > 0; --n, from += sizeof(From), to += sizeof(To)) run_one<From, To>(from, to, convert);
}
inline const std::byte* bytes_of(const void* p) noexcept { return static_cast<const std::byte*>(p); }
inline std::byte* bytes_of(void* p) noexcept { return static_cast<std::byte*>(p); }

/// The values of the 256 codes of a type of one byte.
template <class Value>
struct ByteTable {
    Value value[256];
};
template <class Value, DType type>
inline constexpr ByteTable<Value> byte_table = [] {
    ByteTable<Value> out{};
    for (std::uint64_t code = 0; code < 256; ++code) out.value[code] = static_cast<Value>(decode(type, code));
    return out;
}();

/// Calls `run` with the type as a constant, so that a loop is compiled for each.
template <class Run>
[[gnu::always_inline]] inline void with_dtype(DType type, Run run) noexcept
{
    switch (type) {
    case DType::f64: return run(std::integral_constant<DType, DType::f64>{});
    case DType::f32: return run(std::integral_constant<DType, DType::f32>{});
    case DType::tf32: return run(std::integral_constant<DType, DType::tf32>{});
    case DType::f16: return run(std::integral_constant<DType, DType::f16>{});
    case DType::bf16: return run(std::integral_constant<DType, DType::bf16>{});
    case DType::dl16: return run(std::integral_constant<DType, DType::dl16>{});
    case DType::e4m3: return run(std::integral_constant<DType, DType::e4m3>{});
    case DType::e5m2: return run(std::integral_constant<DType, DType::e5m2>{});
    case DType::e8m0: return run(std::integral_constant<DType, DType::e8m0>{});
    case DType::ue4m3: return run(std::integral_constant<DType, DType::ue4m3>{});
    case DType::e3m2: return run(std::integral_constant<DType, DType::e3m2>{});
    case DType::e2m3: return run(std::integral_constant<DType, DType::e2m3>{});
    case DType::e2m1: return run(std::integral_constant<DType, DType::e2m1>{});
    case DType::i32: return run(std::integral_constant<DType, DType::i32>{});
    case DType::i16: return run(std::integral_constant<DType, DType::i16>{});
    case DType::i8: return run(std::integral_constant<DType, DType::i8>{});
    case DType::u8: return run(std::integral_constant<DType, DType::u8>{});
    case DType::i4: return run(std::integral_constant<DType, DType::i4>{});
    case DType::b1: return run(std::integral_constant<DType, DType::b1>{});
    }
}

template <int bytes>
using element_word =
    std::conditional_t<bytes == 1, std::uint8_t,
                       std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

template <DType type, class Value>
void decode_as(const std::byte* from, Value* values, std::size_t n) noexcept
{
    using Word = element_word<storage_bytes(type)>;
    std::byte* to = bytes_of(values);
    if constexpr ((type == DType::f32 && sizeof(Value) == 4) || (type == DType::f64 && sizeof(Value) == 8))
        std::memcpy(to, from, n * sizeof(Value));
    else if constexpr (type == DType::f16)
        run_blocks<Word, Value>(from, to, n, [](Word w) { return static_cast<Value>(widen_f16(w)); });
    else if constexpr (type == DType::bf16)
        run_blocks<Word, Value>(from, to, n, [](Word w) { return static_cast<Value>(widen_bf16(w)); });
    else if constexpr (type == DType::tf32)
        run_blocks<Word, Value>(from, to, n, [](Word w) { return static_cast<Value>(widen_tf32(w)); });
    else if constexpr (sizeof(Word) == 1)
        run_blocks<Word, Value>(from, to, n, [](Word w) { return byte_table<Value, type>.value[w]; });
    else
        run_blocks<Word, Value>(from, to, n, [](Word w) { return static_cast<Value>(decode(type, w)); });
}

template <DType type, class Value>
void encode_as(const Value* values, std::byte* to, std::size_t n, Overflow overflow) noexcept
{
    using Word = element_word<storage_bytes(type)>;
    const std::byte* from = bytes_of(values);
    [[maybe_unused]] const std::int32_t less = overflow == Overflow::saturate ? 1 : 0;
    constexpr bool same = (type == DType::f32 && sizeof(Value) == 4) || (type == DType::f64 && sizeof(Value) == 8);
    if (same && overflow == Overflow::format)
        std::memcpy(to, from, n * sizeof(Value));
    else if constexpr (type == DType::f16 && sizeof(Value) == 4)
        run_blocks<float, Word>(from, to, n, [less](float v) { return narrow_f16(v, 0x7c00 - less); });
    else if constexpr (type == DType::bf16 && sizeof(Value) == 4)
        run_blocks<float, Word>(from, to, n, [less](float v) { return static_cast<Word>(round_off<16>(v, 0x7f80 - less) >> 16); });
    else if constexpr (type == DType::tf32 && sizeof(Value) == 4)
        run_blocks<float, Word>(from, to, n, [less](float v) { return round_off<13>(v, (0x7f800000 >> 13) - less); });
    else
        run_blocks<Value, Word>(from, to, n, [overflow](Value v) { return static_cast<Word>(encode(type, double{v}, overflow)); });
}

} // namespace detail

AXE_DECL void decode(DType type, const void* from, float* to, std::size_t n) noexcept
{
    if (n == 0) return; // then the pointers may be null
    detail::with_dtype(type, [&](auto t) { detail::decode_as<decltype(t)::value>(detail::bytes_of(from), to, n); });
}

AXE_DECL void decode(DType type, const void* from, double* to, std::size_t n) noexcept
{
    if (n == 0) return; // then the pointers may be null
    detail::with_dtype(type, [&](auto t) { detail::decode_as<decltype(t)::value>(detail::bytes_of(from), to, n); });
}

AXE_DECL void encode(DType type, const float* from, void* to, std::size_t n, Overflow overflow) noexcept
{
    if (n == 0) return;
    detail::with_dtype(type, [&](auto t) { detail::encode_as<decltype(t)::value>(from, detail::bytes_of(to), n, overflow); });
}

AXE_DECL void encode(DType type, const double* from, void* to, std::size_t n, Overflow overflow) noexcept
{
    if (n == 0) return;
    detail::with_dtype(type, [&](auto t) { detail::encode_as<decltype(t)::value>(from, detail::bytes_of(to), n, overflow); });
}

} // namespace v0
} // namespace axe

#endif
