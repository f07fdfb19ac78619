// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPOSED_RECAST_HPP
#define AXE_INTEROP_CUTE_COMPOSED_RECAST_HPP

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/recast.hpp>

/// Words of several elements, and parts of words, under an offset and a swizzle.
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// log2 n, or -1 where n is not a power of two.
constexpr int bits_of_word(Int n) noexcept
{
    if (n < 1 || (n & (n - 1)) != 0) return -1;
    int bits = 0;
    while (Int{1} << bits < n) ++bits;
    return bits;
}

/// What a swizzle of elements does to words of 2^bits of them.
constexpr Status upcast_swizzle(const Swizzle& s, int bits, Swizzle& out) noexcept
{
    out = s;
    const int lost = axe::detail::least(s.bits, axe::detail::greatest(0, bits - s.base)); // of its bits, those within a word
    if (lost > 0 && s.shift < 0)
        return no_layout("the swizzle moves words of {0} elements by bit {1}, which is within a word", Int{1} << bits, s.base);
    out.bits -= lost;
    out.base = axe::detail::greatest(0, s.base - bits);
    if (out.bits == 0) out = Swizzle{};
    return {};
}

constexpr Error word_not_of_bits(Int n) noexcept
{
    return Error(errc::bad_argument, -1, "a swizzle moves words of a power of two of elements, got {0}", n);
}

} // namespace detail

/// The words of n elements that contain a layout:  R(⌊c_k/q_k⌋) = ⌊C(c)/n⌋,  q_k as for a layout.
///
/// The swizzle acts on words: its base is lower by log2 n; of its bits those within a word are dropped, as they permute a word's elements
/// only. Under the flag of a pointer the elements are wider and the swizzle stays, as it is one of bytes. Exists where that of the
/// layout does and n divides the offset; `errc::no_layout` otherwise, or where the swizzle moves words by bits within a word;
/// `errc::bad_argument` for n that is not a power of two under a swizzle. Errors: those of `upcast` and of `check`. Cost: linear.
/// [CUTLASS, include/cute/swizzle_layout.hpp]
constexpr Result<Composed> upcast(const Composed& c, std::int64_t n) noexcept
{
    if (const Status e = check(c); !e.ok()) return e;
    const auto layout = upcast(c.layout, n);
    if (!layout) return layout.error();
    Result<Composed> result(c);
    result->layout = *layout;
    if (n == 1) return result;
    if (c.offset % n != 0) return detail::no_layout("offset {0} is not a multiple of a word of {1} elements", c.offset, n);
    result->offset = c.offset / n;
    if (c.swizzle.bits > 0 || c.element_bits != 0) {
        const int bits = detail::bits_of_word(n);
        if (bits < 0) return detail::word_not_of_bits(n);
        Swizzle in_words{};
        if (const Status e = detail::upcast_swizzle(in_elements(c), bits, in_words); !e.ok()) return e;
        if (c.element_bits == 0) {
            result->swizzle = in_words;
        } else if (bits > 30 || !axe::detail::mul(result->element_bits, 1 << bits, result->element_bits)) {
            return axe::detail::result_overflow();
        }
    }
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// The n parts of each word:  R(c′) = n·C(c) + r,  c′ as for a layout.
///
/// The swizzle moves whole words: its base is higher by log2 n; under the flag of a pointer the elements are narrower and the swizzle
/// stays. Exists where that of the layout does. `errc::bad_argument` for n that is not a power of two under a swizzle, or above the
/// bits of the flag; errors: those of `downcast` and of `check`. Cost: linear.      [CUTLASS, include/cute/swizzle_layout.hpp]
constexpr Result<Composed> downcast(const Composed& c, std::int64_t n) noexcept
{
    if (const Status e = check(c); !e.ok()) return e;
    const auto layout = downcast(c.layout, n);
    if (!layout) return layout.error();
    Result<Composed> result(c);
    result->layout = *layout;
    if (n == 1) return result;
    if (!axe::detail::mul(c.offset, n, result->offset)) return axe::detail::result_overflow();
    if (c.swizzle.bits > 0 || c.element_bits != 0) {
        const int bits = detail::bits_of_word(n);
        if (bits < 0) return detail::word_not_of_bits(n);
        if (c.element_bits == 0) {
            result->swizzle.base += bits;
        } else if (n > c.element_bits) {
            return Error(errc::bad_argument, -1, "elements of {0} bits have no {1} parts", c.element_bits, n);
        } else {
            result->element_bits = static_cast<int>(c.element_bits / n);
        }
    }
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// The same memory seen as elements of another width, as `recast` of a layout. Errors: those of `upcast` and `downcast`.
constexpr Result<Composed> recast(const Composed& c, std::int64_t old_bits, std::int64_t new_bits) noexcept
{
    return detail::recast_of(c, old_bits, new_bits);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
