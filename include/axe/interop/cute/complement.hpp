// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPLEMENT_HPP
#define AXE_INTEROP_CUTE_COMPLEMENT_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// What fits below, between and above the modes of a layout, fastest first: (s_1, 1), (⌊s_2/n_1·s_1⌋, n_1·s_1), …; from `end` on
/// the layout has nothing.
struct Gaps {
    Iter items[Layout::max_nodes];
    int count = 0;
    Int end = 1;
    bool holes = false;   ///< does some gap leave values that nothing reaches?
    bool endless = false; ///< does the end leave the integer?
};

constexpr Error gaps_of(const Part& part, Gaps& gaps) noexcept
{
    if (const Error e = plain_only(part)) return e;
    Digits modes;
    digits_of(part, modes, true);
    int order[axe::detail::most_digits];
    axe::detail::order_by_stride(modes, order);
    for (int i = 0; i < modes.size(); ++i) {
        const Iter& mode = modes[order[i]];
        if (mode.stride < 0) return no_layout("the stride {0} leads below 0, where no complement begins", mode.stride);
        if (gaps.endless || mode.stride < gaps.end)
            return no_layout("stride {0} begins within the {1} values of the smaller strides: the modes interleave", mode.stride,
                             gaps.end);
        gaps.items[gaps.count++] = {mode.stride / gaps.end, gaps.end, Axis{}};
        gaps.holes = gaps.holes || mode.stride % gaps.end != 0;
        gaps.endless = !axe::detail::mul(mode.extent, mode.stride, gaps.end);
    }
    return {};
}

/// The complement's digits up to n, slowest first.
constexpr Error complement_into(const Part& part, Int n, bool without_holes, Digits& out) noexcept
{
    Gaps gaps;
    if (const Error e = gaps_of(part, gaps)) return e;
    if (without_holes && gaps.holes)
        return no_layout("a stride of the tiler is no multiple of the values below it: its copies would leave elements out");
    if (!gaps.endless) axe::detail::append(out, (n - 1) / gaps.end + 1, gaps.end, Axis{});
    for (int i = gaps.count - 1; i >= 0; --i) axe::detail::append(out, gaps.items[i]);
    return {};
}

} // namespace detail

/// What fills the gaps of a layout up to n and beyond, increasing from 0: all sums L(x) + M(y) differ but for L's own repetitions.
///
///   M = (s_1 : 1, ⌊s_2/e_1⌋ : e_1, …, ⌈n/e_k⌉ : e_k),   e_i = n_i·s_i,   n_i:s_i the modes of L that move, by stride
///
/// Where every e_i divides s_{i+1} the sums are 0, 1, …, ⌈n/e_k⌉·e_k − 1, each once for each time L has its part: CuTe's form of
/// the complement, which rounds n up. Where some does not, values between are reached by nothing (`axe::complement` has none
/// then). Exists iff no mode begins within the smaller ones, s_{i+1} ≥ e_i ≥ 0 (`errc::no_layout` otherwise: there CuTe gives
/// extents of 0). Errors: those of `check`; `errc::bad_extent` for n < 1; `errc::bad_argument` for strides along a basis. Cost:
/// quadratic in the modes.
/// [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> complement(const Layout& layout, std::int64_t n) noexcept
{
    using namespace detail;
    if (const Error e = check(layout)) return e;
    if (n < 1) return Error(errc::bad_extent, -1, "the interval [0, {0}) is empty", n);
    Result<Layout> result;
    Digits digits;
    if (const Error e = complement_into(whole(layout), n, false, digits)) return e;
    if (!put_digits(*result, digits)) return nodes_capacity();
    return result;
}

/// Up to the room that the layout takes:  complement(L, cosize(L)).
constexpr Result<Layout> complement(const Layout& layout) noexcept
{
    if (const Error e = check(layout)) return e;
    return complement(layout, cosize(layout));
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
