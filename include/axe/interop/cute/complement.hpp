// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPLEMENT_HPP
#define AXE_INTEROP_CUTE_COMPLEMENT_HPP

#include <axe/interop/cute/sorted.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// What fits below, between and above the modes of a layout, fastest first: (s_1, 1), (⌊s_2/n_1·s_1⌋, n_1·s_1), …; from `end` on
/// the layout has nothing.
struct Gaps {
    Int extent[Layout::max_nodes], stride[Layout::max_nodes];
    int count = 0;
    Int end = 1;
    bool holes = false;   ///< does some gap leave values that nothing reaches?
    bool endless = false; ///< does the end leave the integer?
};

constexpr Error gaps_of(const Part& part, Gaps& gaps) noexcept
{
    if (const Error e = plain_only(part)) return e;
    Sorted modes;
    sort_modes(part, modes);
    for (int i = 0; i < modes.count; ++i) {
        const Int stride = modes.items[i].stride;
        if (stride < 0) return no_layout("the stride {0} leads below 0, where no complement begins", stride);
        if (gaps.endless || stride < gaps.end)
            return no_layout("stride {0} begins within the {1} values of the smaller strides: the modes interleave", stride,
                             gaps.end);
        const Int gap = axe::detail::quotient(stride, gaps.end);
        gaps.extent[gaps.count] = gap;
        gaps.stride[gaps.count++] = gaps.end;
        gaps.holes = gaps.holes || gap * gaps.end != stride;
        gaps.endless = !axe::detail::mul(modes.items[i].extent, stride, gaps.end);
    }
    return {};
}

/// Does the last gap, which rounds n up, lead out of the integer?
AXE_COLD constexpr Error check_complement(const Gaps& gaps, Int n) noexcept
{
    Int reach = 1, size = 1;
    const Leaf last(axe::detail::quotient(n - 1, gaps.end) + 1, gaps.end);
    bool fits = grow(last, reach) && axe::detail::mul(size, last.extent, size);
    for (int i = 0; i < gaps.count; ++i)
        fits = fits && grow(Leaf(gaps.extent[i], gaps.stride[i]), reach) && axe::detail::mul(size, gaps.extent[i], size);
    return fits ? Error{} : axe::detail::result_overflow();
}

/// Appends the complement up to n as one mode.
constexpr Error complement_into(const Part& part, Int n, bool without_holes, Layout& out) noexcept
{
    Gaps gaps;
    if (const Error e = gaps_of(part, gaps)) return e;
    if (without_holes && gaps.holes)
        return no_layout("a stride of the tiler is no multiple of the values below it: its copies would leave elements out");
    FlatMode mode(out);
    for (int i = 0; i < gaps.count; ++i) mode.put(gaps.extent[i], gaps.stride[i]);
    if (!gaps.endless) mode.put(axe::detail::quotient(n - 1, gaps.end) + 1, gaps.end);
    if (!mode.finish()) return nodes_capacity();
    Int end = 0; // below it are the size and all sums, but of what may be in `out` already
    return gaps.endless || axe::detail::add(n, gaps.end, end) ? Error{} : check_complement(gaps, n);
}
constexpr Error checked_complement(const Layout& layout, Int n, Layout& out) noexcept
{
    if (n < 1) return Error(errc::bad_extent, -1, "the interval [0, {0}) is empty", n);
    return complement_into(whole(layout), n, false, out);
}

} // namespace detail

/// What fills the gaps of a layout up to n and beyond, increasing from 0: all sums L(x) + M(y) differ but for L's own repetitions.
///
///   M = (s_1 : 1, ⌊s_2/e_1⌋ : e_1, …, ⌈n/e_k⌉ : e_k),   e_i = n_i·s_i,   n_i:s_i the modes of L that move, by stride
///
/// Where every e_i divides s_{i+1} the sums are 0, 1, …, ⌈n/e_k⌉·e_k − 1, each once for each time L has its part: CuTe's form of
/// the complement, which rounds n up. Where some does not, values between are reached by nothing (`axe::complement` has none
/// then). Exists iff no mode begins within the smaller ones, s_{i+1} ≥ e_i ≥ 0 (`errc::no_layout` otherwise: there CuTe gives
/// extents of 0). Errors: those of `check`; `errc::bad_extent` for n < 1; `errc::overflow` when n, rounded up, leaves the integer; `errc::bad_argument` for strides along a basis. Cost:
/// quadratic in the modes.
/// [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> complement(const Layout& layout, std::int64_t n) noexcept
{
    Result<Layout> result;
    Error e = check(layout);
    if (!e) e = detail::checked_complement(layout, n, *result);
    if (e) result = e;
    return result;
}

/// Up to the room that the layout takes:  complement(L, cosize(L)).
constexpr Result<Layout> complement(const Layout& layout) noexcept
{
    Result<Layout> result;
    Error e = check(layout);
    if (!e) e = detail::checked_complement(layout, cosize(layout), *result);
    if (e) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
