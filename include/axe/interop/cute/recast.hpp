// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_RECAST_HPP
#define AXE_INTEROP_CUTE_RECAST_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

constexpr Status check_factor(const Layout& layout, Int n) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (n < 1) return Error(errc::bad_argument, -1, "{0} elements per word; at least 1 is needed", n);
    return plain_only(whole(layout));
}

/// The downcast of a layout that has been checked.
constexpr Status downcast_into(const Part& layout, Int n, Layout& out) noexcept
{
    put_part(out, layout);
    if (n == 1) return {};
    int taker = -1;
    for (int i = 0; i < layout.count; ++i) {
        const Node& node = layout.nodes[i];
        if (node.children >= 0) continue;
        const bool adjacent = node.leaf.stride == 1 && node.leaf.extent > 1;
        if (adjacent && (taker < 0 || layout.nodes[taker].leaf.extent == 1)) taker = i;
        if (taker < 0 && node.leaf.extent == 1) taker = i;
    }
    if (taker < 0) return no_layout("no mode has stride 1; one is needed for the {0} parts of each word", n);
    for (int i = 0; i < layout.count; ++i) {
        if (out.nodes[i].children >= 0) continue;
        Leaf& leaf = out.nodes[i].leaf;
        if (i == taker) leaf.stride = 1;
        Int& grown = i == taker ? leaf.extent : leaf.stride;
        if (axe::detail::mul(grown, n, grown)) continue;
        if (i == taker || leaf.extent > 1) return axe::detail::result_overflow();
        leaf.stride = 0;
    }
    return check(out);
}

} // namespace detail

/// The words of n elements that contain a layout:  R(⌊c_k/q_k⌋) = ⌊L(c)/n⌋,  q_k = n/s_k where s_k divides n, else 1.
///
/// R has L's profile; a mode within words shrinks to ⌈n_k/q_k⌉ of stride 1. Exists iff n divides every stride or is a multiple of
/// it, those within a word lead upwards, and together they stay within it (`errc::no_layout` otherwise, where CuTe's is wrong in
/// silence). Errors: those of `check`; `errc::bad_argument` for n < 1 or strides along a basis. Cost: linear.
/// [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> upcast(const Layout& layout, std::int64_t n) noexcept
{
    using namespace detail;
    Result<Layout> result;
    if (const Status e = check_factor(layout, n); !e.ok()) {
        result = e;
        return result;
    }
    Int within = 0; // the furthest that the modes within words lead
    int at = -1;
    put_part(*result, whole(layout));
    for (Node& node : result->nodes) {
        if (node.children >= 0) continue;
        ++at;
        Leaf& leaf = node.leaf;
        const Int s = leaf.stride;
        const Int words = s < 0 ? s / n : axe::detail::quotient(s, n);
        if (words * n == s) {
            leaf.stride = words;
            continue;
        }
        const Int q = s > 0 && s < n && axe::detail::divides(s, n) ? axe::detail::quotient(n, s) : 0;
        if (leaf.extent == 1) {
            leaf.stride = s > 0 ? words + 1 : words;
            continue;
        }
        if (q == 0) {
            result =
                Error(errc::no_layout, at,
                      "leaf {0} has stride {1}, which neither divides a word of {2} elements nor is a multiple of it", at, s, n);
            return result;
        }
        const Int footprint = (axe::detail::least(leaf.extent, q) - 1) * s;
        if (footprint >= n - within) {
            result =
                Error(errc::no_layout, at, "leaf {0} spans {1} elements, which crosses from one word of {2} elements into the next",
                      at, footprint, n);
            return result;
        }
        within += footprint;
        leaf.extent = axe::detail::quotient(leaf.extent - 1, q) + 1;
        leaf.stride = 1;
    }
    return result;
}

/// The n parts of each word:  R(c′) = n·L(c) + r,  where c′ is c but n·c_k + r in the mode k that takes the parts.
///
/// That mode is the first of stride 1, or the first of extent 1 if none exists. Exists iff there is such a mode
/// (`errc::no_layout` otherwise: no other makes room; CuTe rejects too where it knows the strides at compile time). Only one
/// takes them: CuTe lets each mode of stride 1 or −1 do it. Errors: those of `check` for L and the result; `errc::bad_argument`.
/// Cost: linear.
/// [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> downcast(const Layout& layout, std::int64_t n) noexcept
{
    using namespace detail;
    Result<Layout> result;
    Status e = check_factor(layout, n);
    if (e.ok()) e = downcast_into(whole(layout), n, *result);
    if (!e.ok()) result = e;
    return result;
}

namespace detail {

template <class L>
constexpr Result<L> recast_of(const L& layout, Int old_bits, Int new_bits) noexcept
{
    if (old_bits < 1 || new_bits < 1)
        return Error(errc::bad_argument, -1, "elements of {0} and {1} bits; at least 1 bit is needed", old_bits, new_bits);
    if (new_bits % old_bits == 0) return upcast(layout, new_bits / old_bits);
    if (old_bits % new_bits == 0) return downcast(layout, old_bits / new_bits);
    const Int common = axe::detail::gcd(old_bits, new_bits);
    const auto words = upcast(layout, new_bits / common);
    if (!words) return words;
    return downcast(*words, old_bits / common);
}

} // namespace detail

/// The same memory seen as elements of another width: upcast by new/old and downcast by old/new, in lowest terms, in this order.
///
/// Errors: theirs; `errc::bad_argument` for a width below 1.      [CUTLASS, include/cute/layout.hpp, recast_layout]
constexpr Result<Layout> recast(const Layout& layout, std::int64_t old_bits, std::int64_t new_bits) noexcept
{
    return detail::recast_of(layout, old_bits, new_bits);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
