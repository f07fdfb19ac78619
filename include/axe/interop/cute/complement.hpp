// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPLEMENT_HPP
#define AXE_INTEROP_CUTE_COMPLEMENT_HPP

#include <axe/interop/cute/by_basis.hpp>
#include <axe/interop/cute/sorted.hpp>
#include <axe/support/errors.hpp>

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
    bool endless = false; ///< does the end overflow?
};

constexpr Status gaps_of(const Part& part, Gaps& gaps) noexcept
{
    if (const Status e = plain_only(part); !e.ok()) return e;
    Sorted modes;
    sort_modes(part, modes);
    for (int i = 0; i < modes.count; ++i) {
        const Int stride = modes.items[i].stride;
        if (stride < 0) return no_layout("stride {0} is negative; a complement exists for nonnegative strides only", stride);
        if (gaps.endless || stride < gaps.end)
            return no_layout("stride {0} is less than the {1} values that the smaller strides span: the modes interleave", stride,
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
AXE_COLD constexpr Status check_complement(const Gaps& gaps, Int n) noexcept
{
    Int footprint = 1, size = 1;
    const Leaf last(axe::detail::quotient(n - 1, gaps.end) + 1, gaps.end);
    bool fits = grow(last, footprint) && axe::detail::mul(size, last.extent, size);
    for (int i = 0; i < gaps.count; ++i)
        fits = fits && grow(Leaf(gaps.extent[i], gaps.stride[i]), footprint) && axe::detail::mul(size, gaps.extent[i], size);
    return fits ? Error{} : axe::detail::result_overflow();
}

/// The complement up to n, along a basis.
constexpr Status put_complement(const Part& part, Int n, bool without_holes, const Basis& basis, FlatMode& mode) noexcept
{
    Gaps gaps;
    if (const Status e = gaps_of(part, gaps); !e.ok()) return e;
    if (without_holes && gaps.holes)
        return no_layout(
            "a stride of the tiler is not a multiple of the values that the smaller strides span: its copies would omit elements");
    for (int i = 0; i < gaps.count; ++i) mode.put(gaps.extent[i], gaps.stride[i], basis.path.bits);
    if (!gaps.endless) mode.put(axe::detail::quotient(n - 1, gaps.end) + 1, gaps.end, basis.path.bits);
    Int end = 0; // below it are the size and all sums, but of what may be in `out` already
    return gaps.endless || axe::detail::add(n, gaps.end, end) ? Error{} : check_complement(gaps, n);
}
/// The coordinates, of the shape of `a`, that a layout leaves free, mode by mode.
constexpr Status put_complement_in(const Part& part, const Part& a, const Basis& path, bool without_holes, FlatMode& mode) noexcept
{
    if (modes_at(part, path) == 0) return put_complement(whole(at_place(part, path)), size_of(a), without_holes, path, mode);
    Modes modes(a);
    for (int i = 0; !modes.done(); ++i)
        if (const Status e = put_complement_in(part, modes.next(), within(path, i), without_holes, mode); !e.ok()) return e;
    return {};
}
/// Appends the complement up to n as one mode.
constexpr Status complement_into(const Part& part, Int n, bool without_holes, Layout& out) noexcept
{
    FlatMode mode(out);
    if (const Status e = put_complement(part, n, without_holes, Basis{}, mode); !e.ok()) return e;
    return mode.finish() ? Error{} : nodes_capacity();
}
/// Appends the complement in the shape of `a` as one mode: of plain strides up to its size, else of coordinates.
constexpr Status complement_in(const Part& part, const Part& a, bool without_holes, Layout& out) noexcept
{
    if (is_plain(part)) return complement_into(part, size_of(a), without_holes, out);
    if (!a.is_tuple() && modes_at(part, Basis{}) == 1) { // a number is the extent of the one mode there is
        Layout alone;
        put_tuple(alone, 1);
        put_part(alone, a);
        return complement_in(part, whole(alone), without_holes, out);
    }
    for (const Node& node : part) {
        Part named{};
        if (node.children >= 0) continue;
        if (const Status e = mode_named(a, node.leaf.basis, named); !e.ok()) return e;
    }
    FlatMode mode(out);
    if (const Status e = put_complement_in(part, a, Basis{}, without_holes, mode); !e.ok()) return e;
    return mode.finish() ? Error{} : nodes_capacity();
}
constexpr Status checked_complement(const Layout& layout, Int n, Layout& out) noexcept
{
    if (n < 1) return axe::detail::empty_interval(n);
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
/// extents of 0). Errors: those of `check`; `errc::bad_extent` for n < 1; `errc::overflow` when n, rounded up, overflows; `errc::bad_argument` for strides along a
/// basis. Cost:
/// quadratic in the modes.
/// [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> complement(const Layout& layout, std::int64_t n) noexcept
{
    Result<Layout> result;
    Status e = check(layout);
    if (e.ok()) e = detail::checked_complement(layout, n, *result);
    if (!e.ok()) result = e;
    return result;
}

/// In the shape of another layout, whose strides do not matter: of plain strides up to its size (CuTe rounds up mode by mode). Where
/// the strides count along bases the values are coordinates, and M fills what they leave free of the shape, mode by mode:
///
///   M = (M_0, M_1, …),   M_d the complement, up to S_d, of what counts along mode d, its strides along that mode
///
/// A single extent S stands for (S) where all strides count along mode 0.
/// Errors: those of the other form for each mode; `errc::rank_mismatch` for a basis that names no mode of the shape.
constexpr Result<Layout> complement(const Layout& layout, const Layout& shape) noexcept
{
    Result<Layout> result;
    Status e = check(layout);
    if (e.ok()) e = check(shape);
    if (e.ok()) e = detail::complement_in(detail::whole(layout), detail::whole(shape), false, *result);
    if (e.ok() && !is_plain(layout)) e = check(*result);
    if (!e.ok()) result = e;
    return result;
}

/// Up to the room that the layout takes:  complement(L, cosize(L)).
constexpr Result<Layout> complement(const Layout& layout) noexcept
{
    Result<Layout> result;
    Status e = check(layout);
    if (e.ok()) e = detail::checked_complement(layout, cosize(layout), *result);
    if (!e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
