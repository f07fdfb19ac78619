// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_DIVIDE_HPP
#define AXE_INTEROP_CUTE_DIVIDE_HPP

#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/halves.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// e:d by n:1 is (n:d, ⌈e/n⌉:n·d): most tilers are of such. Returns whether that is what there was to do.
constexpr bool divide_leaf(const Part& a, const Part& tiler, Layout& out) noexcept
{
    const Leaf &leaf = a.nodes[0].leaf, &tile = tiler.nodes[0].leaf;
    if (a.is_tuple() || tiler.is_tuple() || tile.stride != 1 || tile.extent == 1 || !tile.basis.path.empty() || leaf.stride == 0)
        return false;
    const Int rest = axe::detail::quotient(leaf.extent - 1, tile.extent) + 1;
    Int end = 0, footprint = 0;
    if (rest == 1 || !axe::detail::mul(rest, tile.extent, end) || !axe::detail::mul(end, leaf.stride, footprint)) return false;
    return put_tuple(out, 2) && put_leaf(out, tile.extent, leaf.stride, leaf.basis) &&
           put_leaf(out, rest, tile.extent * leaf.stride, leaf.basis);
}

/// (A∘T, A∘T*), T* what T leaves of A.
struct Division {
    /// T* of a mode A has at most ⌈|A|/e⌉·e elements, e ≤ 2·n·s where T ends: that may double the size, or be e.
    static constexpr bool stays_plain(const Widths& a, const Widths& t) noexcept
    {
        return a.size() + t.size() + t.leaves * (t.extent + t.stride + 2) <= 62 && detail::stays_plain(a, t);
    }
    static constexpr Status append(const Part& a, const Part& tiler, Layout& out) noexcept
    {
        const int before = out.nodes.size();
        if (divide_leaf(a, tiler, out)) return {};
        while (out.nodes.size() > before) out.nodes.pop_back();
        Layout others;
        if (const Status e = complement_in(tiler, a, true, others); !e.ok()) return e;
        if (!put_tuple(out, 2)) return nodes_capacity();
        const Part inner[2] = {tiler, whole(others)};
        return compose_into(a, inner, 2, out);
    }
};

} // namespace detail

/// A tile and how often it is found:  logical_divide(A, T)(i, j) = A(T(i) + T*(j)),  T* = complement(T, size(A)).
///
/// A tile whose strides count along bases, `(4,2):(1@0,1@1)`, is cut out of the modes that they name, and T* is what it leaves of A's
/// coordinates.
///
/// Every element of A is in one tile; where tiles reach past A, its last leaf runs on, as CuTe rounds up. Exists iff the map is a
/// layout whose modes are T's and T*'s, and T's copies leave no element out (`errc::no_layout` otherwise; CuTe loses elements, or
/// gives a wrong layout where its divisibility fails at run time). Errors: those of `composition` and `complement`. Cost: that of
/// axe::compose.
/// [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> logical_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::logical);
}
/// Mode by mode:  (A_0/T_0, A_1/T_1, …, A_k, …);  modes past the tiler's, and those it keeps, stay.
constexpr Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::logical);
}

/// The tiles of all modes gathered, and the rests:  ((t_0,t_1,…),(r_0,r_1,…)),  the same map as logical_divide with coordinates
/// swapped.
///
/// With one layout as tiler it is logical_divide. Of a nested tiler tiles and rests are nested so. A mode that the tiler keeps must have
/// two modes, which are its halves, as CuTe has it (`errc::bad_argument` otherwise).
constexpr Result<Layout> zipped_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::zipped);
}
constexpr Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::zipped);
}

/// zipped_divide with the rests opened:  ((t_0,t_1,…),r_0,r_1,…).
constexpr Result<Layout> tiled_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::tiled);
}
constexpr Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::tiled);
}

/// zipped_divide with both opened:  (t_0,t_1,…,r_0,r_1,…).
constexpr Result<Layout> flat_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::flat);
}
constexpr Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Division>(layout, tiler, detail::Form::flat);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
