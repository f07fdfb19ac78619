// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_PRODUCT_HPP
#define AXE_INTEROP_CUTE_PRODUCT_HPP

#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/halves.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// A* as far as one likes: its last leaf, of extent 1, is there only to run on.
constexpr Status endless_complement(const Part& part, Layout& out) noexcept
{
    Gaps gaps;
    if (const Status e = gaps_of(part, gaps); !e.ok()) return e;
    if (gaps.endless) return Error(errc::overflow, -1, "the first value of a copy of the layout overflows");
    bool room = put_tuple(out, gaps.count + 1);
    for (int i = 0; i < gaps.count; ++i) room = put_leaf(out, gaps.extent[i], gaps.stride[i]) && room;
    return put_leaf(out, 1, gaps.end) && room ? Error{} : nodes_capacity();
}

/// (A, A*∘B).
struct Multiplication {
    static constexpr bool stays_plain(const Widths&, const Widths&) noexcept { return false; }
    static constexpr Status append(const Part& block, const Part& tiler, Layout& out) noexcept
    {
        Layout copies;
        if (const Status e = endless_complement(block, copies); !e.ok()) return e;
        if (!put_tuple(out, 2) || !put_part(out, block)) return nodes_capacity();
        return compose_into(whole(copies), tiler, out);
    }
};

inline constexpr Node idle_leaf{-1, {1, 0}};

/// The modes of a part, and 1:0 for those that it lacks of `count`.
constexpr void pad_modes(const Part& part, int count, Part* out) noexcept
{
    Modes modes(part);
    for (int i = 0; i < count; ++i) out[i] = modes.done() ? Part{&idle_leaf, 1} : modes.next();
}
/// ((b_0,t_0),(b_1,t_1),…) of the product of the two, or ((t_0,b_0),…); both have been checked.
constexpr Status interleaved_product(const Layout& block, const Layout& tiler, bool block_first, Layout& out) noexcept
{
    const int modes = axe::detail::greatest(rank(block), rank(tiler));
    Layout copies, tiles;
    Part blocks[Layout::max_nodes], places[Layout::max_nodes];
    pad_modes(whole(block), modes, blocks);
    pad_modes(whole(tiler), modes, places);
    if (const Status e = endless_complement(whole(block), copies); !e.ok()) return e;
    put_tuple(tiles, modes);
    if (const Status e = compose_into(whole(copies), places, modes, tiles); !e.ok()) return e;
    Modes tiled(whole(tiles));
    bool room = put_tuple(out, modes);
    for (int i = 0; i < modes; ++i) {
        const Part t = tiled.next();
        room = put_tuple(out, 2) && room;
        room = put_part(out, block_first ? blocks[i] : t) && put_part(out, block_first ? t : blocks[i]) && room;
    }
    return room ? check(out) : nodes_capacity();
}
constexpr Result<Layout> interleaved(const Layout& block, const Layout& tiler, bool block_first) noexcept
{
    Result<Layout> result;
    Status e = check(block);
    if (e.ok()) e = check(tiler);
    if (e.ok()) e = interleaved_product(block, tiler, block_first, *result);
    if (!e.ok()) result = e;
    return result;
}

/// The compact layout of the copies that fill a shape.
constexpr Status copies_in_shape(const Layout& block, const Shape& shape, const Shape& order, Layout& out) noexcept
{
    if (const Status e = check(block); !e.ok()) return e;
    if (const auto elements = volume(shape); !elements) return elements.error();
    if (rank(block) > shape.size())
        return Error(errc::rank_mismatch, -1, "the block has {0} modes, the shape {1} dimensions", rank(block), shape.size());
    if (!order.empty() && order.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the order has {0} entries, the shape {1} dimensions", order.size(), shape.size());
    Int extents[max_rank], strides[max_rank];
    Modes modes(whole(block));
    for (int d = 0; d < shape.size(); ++d) {
        const Int n = modes.done() ? 1 : size_of(modes.next());
        if (!axe::detail::divides(n, shape[d]))
            return Error(errc::not_grouped, d, "dimension {0}: the {1} elements of the block do not divide {2}", d, n, shape[d]);
        extents[d] = axe::detail::quotient(shape[d], n);
        strides[d] = 0;
    }
    Int stride = 1;
    for (int done = 0; done < shape.size(); ++done) {
        int next = -1;
        for (int d = 0; d < shape.size(); ++d)
            if (strides[d] == 0 && (next < 0 || (!order.empty() && order[d] < order[next]))) next = d;
        strides[next] = stride;
        stride *= extents[next];
    }
    put_tuple(out, shape.size());
    for (int d = 0; d < shape.size(); ++d) put_leaf(out, extents[d], strides[d]);
    return {};
}

} // namespace detail

/// Copies of a block, laid out by a tiler:  logical_product(A, B)(x, y) = A(x) + A*(B(y)),  A* the complement of A, without end.
///
/// Copy y is where B counts in the places that A leaves free. Exists iff A has a complement and A*∘B is a layout of B's modes
/// (`errc::no_layout` otherwise). Errors: those of `check`, also of the result; `errc::bad_argument` for an A with strides along a
/// basis. Cost: that of axe::compose.      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> logical_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::logical);
}
/// Mode by mode:  (A_0·T_0, A_1·T_1, …, A_k, …).
constexpr Result<Layout> logical_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::logical);
}

/// The blocks of all modes gathered, and the copies:  ((b_0,b_1,…),(t_0,t_1,…)). With one layout as tiler it is logical_product.
constexpr Result<Layout> zipped_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::zipped);
}
constexpr Result<Layout> zipped_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::zipped);
}
/// zipped_product with the copies opened:  ((b_0,b_1,…),t_0,t_1,…).
constexpr Result<Layout> tiled_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::tiled);
}
constexpr Result<Layout> tiled_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::tiled);
}
/// zipped_product with both opened:  (b_0,b_1,…,t_0,t_1,…).
constexpr Result<Layout> flat_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::flat);
}
constexpr Result<Layout> flat_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::halved<detail::Multiplication>(block, tiler, detail::Form::flat);
}

/// Blocks side by side:  R((x_0,y_0),(x_1,y_1),…) = logical_product(A, B)(x, y);  what has fewer modes gets modes 1:0.
///
/// Where logical_product exists, with its errors. Cost: that of axe::compose.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> blocked_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::interleaved(block, tiler, true);
}
/// Blocks interleaved:  R((y_0,x_0),(y_1,x_1),…) = logical_product(A, B)(x, y).
constexpr Result<Layout> raked_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::interleaved(block, tiler, false);
}

/// Copies of a block up to a shape:  blocked_product(A, B),  B the compact layout of the shape S_d / size(A_d), its modes in the
/// given order: that with the least `order` fastest, the leftmost first where none is given or two are equal.
///
/// Mode d of the result has S_d elements. `errc::rank_mismatch` when A has more modes than S, or the order another number of them;
/// `errc::not_grouped` with the dimension that A's does not divide; the errors of a shape and of `blocked_product`.
constexpr Result<Layout> tile_to_shape(const Layout& block, const Shape& shape, const Shape& order = {}) noexcept
{
    Result<Layout> result;
    Layout tiler;
    Status e = detail::copies_in_shape(block, shape, order, tiler);
    if (e.ok()) e = check(tiler);
    if (e.ok()) e = detail::interleaved_product(block, tiler, true, *result);
    if (!e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
