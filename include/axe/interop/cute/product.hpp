// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_PRODUCT_HPP
#define AXE_INTEROP_CUTE_PRODUCT_HPP

#include <axe/interop/cute/divide.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// A* as far as one likes: its last leaf, of extent 1, is there only to run on.
constexpr Error endless_complement(const Part& part, Layout& out) noexcept
{
    Gaps gaps;
    if (const Error e = gaps_of(part, gaps)) return e;
    if (gaps.endless) return Error(errc::overflow, -1, "copies of the layout begin where the integer ends");
    bool room = put_tuple(out, gaps.count + 1);
    for (int i = 0; i < gaps.count; ++i) room = put_leaf(out, gaps.items[i]) && room;
    return put_leaf(out, 1, gaps.end) && room ? Error{} : nodes_capacity();
}

/// Appends (A, A*∘B) as one mode.
constexpr Error product_into(const Part& block, const Part& tiler, Layout& out) noexcept
{
    Layout copies;
    if (const Error e = endless_complement(block, copies)) return e;
    if (!put_tuple(out, 2) || !put_part(out, block)) return nodes_capacity();
    return compose_into(whole(copies), tiler, out);
}
constexpr Error product_into(const Layout& block, const Tiler& tiler, Layout& out) noexcept
{
    if (const Error e = check_tiler(block, tiler)) return e;
    put_tuple(out, rank(block));
    Modes items(whole(tiler.items));
    int i = 0;
    for (Modes modes(whole(block)); !modes.done(); ++i) {
        const Part mode = modes.next();
        const bool multiplied = !items.done() && !keeps(tiler, i);
        const Part item = items.done() ? Part{} : items.next();
        if (!multiplied) {
            if (!put_part(out, mode)) return nodes_capacity();
        } else if (const Error e = product_into(mode, item, out)) {
            return e;
        }
    }
    return check(out);
}

constexpr Error product(const Layout& block, const Layout& tiler, Zip zip, Layout& out) noexcept
{
    if (const Error e = check(block)) return e;
    if (const Error e = check(tiler)) return e;
    if (zip == Zip::zipped) {
        if (const Error e = product_into(whole(block), whole(tiler), out)) return e;
        return check(out);
    }
    Layout halves;
    if (const Error e = product_into(whole(block), whole(tiler), halves)) return e;
    if (const Error e = open_into(whole(halves), zip, out)) return e;
    return check(out);
}
constexpr Error product(const Layout& block, const Tiler& tiler, Zip zip, Layout& out) noexcept
{
    Layout halves;
    if (const Error e = product_into(block, tiler, halves)) return e;
    return zip_into(whole(halves), tiler, zip, out);
}
template <class T>
constexpr Result<Layout> multiplied(const Layout& block, const T& tiler, Zip zip) noexcept
{
    Result<Layout> result;
    if (const Error e = product(block, tiler, zip, *result)) result = e;
    return result;
}

/// A layout as a tuple of `modes`, those that it lacks 1:0.
constexpr bool pad_modes(const Part& part, int modes, Layout& out) noexcept
{
    bool room = put_tuple(out, modes);
    for (Modes have(part); !have.done();) room = put_part(out, have.next()) && room;
    for (int i = part.rank(); i < modes; ++i) room = put_leaf(out, 1, 0) && room;
    return room;
}
/// ((b_0,t_0),(b_1,t_1),…) of the product of the two, or ((t_0,b_0),…).
constexpr Error interleaved_product(const Layout& block, const Layout& tiler, bool block_first, Layout& out) noexcept
{
    if (const Error e = check(block)) return e;
    if (const Error e = check(tiler)) return e;
    const int modes = axe::detail::greatest(rank(block), rank(tiler));
    Layout padded, positions, copies, tiles;
    if (!pad_modes(whole(block), modes, padded) || !pad_modes(whole(tiler), modes, positions)) return nodes_capacity();
    Part parts[Layout::max_nodes];
    Modes places(whole(positions));
    for (int i = 0; i < modes; ++i) parts[i] = places.next();
    if (const Error e = endless_complement(whole(block), copies)) return e;
    put_tuple(tiles, modes);
    if (const Error e = compose_into(whole(copies), parts, modes, tiles)) return e;
    Modes blocks(whole(padded)), tiled(whole(tiles));
    bool room = put_tuple(out, modes);
    while (!blocks.done()) {
        const Part b = blocks.next(), t = tiled.next();
        room = put_tuple(out, 2) && room;
        room = put_part(out, block_first ? b : t) && put_part(out, block_first ? t : b) && room;
    }
    return room ? check(out) : nodes_capacity();
}

} // namespace detail

/// Copies of a block, laid out by a tiler:  logical_product(A, B)(x, y) = A(x) + A*(B(y)),  A* the complement of A, without end.
///
/// Copy y is where B counts in the places that A leaves free. Exists iff A has a complement and A*∘B is a layout of B's modes
/// (`errc::no_layout` otherwise). Errors: those of `check`, also of the result; `errc::bad_argument` for an A with strides along a
/// basis. Cost: that of axe::compose.      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> logical_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::zipped);
}
/// Mode by mode:  (A_0·T_0, A_1·T_1, …, A_k, …).
constexpr Result<Layout> logical_product(const Layout& block, const Tiler& tiler) noexcept
{
    Result<Layout> result;
    if (const Error e = detail::product_into(block, tiler, *result)) result = e;
    return result;
}

/// The blocks of all modes gathered, and the copies:  ((b_0,b_1,…),(t_0,t_1,…)). With one layout as tiler it is logical_product.
constexpr Result<Layout> zipped_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::zipped);
}
constexpr Result<Layout> zipped_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::zipped);
}
/// zipped_product with the copies opened:  ((b_0,b_1,…),t_0,t_1,…).
constexpr Result<Layout> tiled_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::tiled);
}
constexpr Result<Layout> tiled_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::tiled);
}
/// zipped_product with both opened:  (b_0,b_1,…,t_0,t_1,…).
constexpr Result<Layout> flat_product(const Layout& block, const Layout& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::flat);
}
constexpr Result<Layout> flat_product(const Layout& block, const Tiler& tiler) noexcept
{
    return detail::multiplied(block, tiler, detail::Zip::flat);
}

/// Blocks side by side:  R((x_0,y_0),(x_1,y_1),…) = logical_product(A, B)(x, y);  what has fewer modes gets modes 1:0.
///
/// Where logical_product exists, with its errors. Cost: that of axe::compose.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> blocked_product(const Layout& block, const Layout& tiler) noexcept
{
    Result<Layout> result;
    if (const Error e = detail::interleaved_product(block, tiler, true, *result)) result = e;
    return result;
}
/// Blocks interleaved:  R((y_0,x_0),(y_1,x_1),…) = logical_product(A, B)(x, y).
constexpr Result<Layout> raked_product(const Layout& block, const Layout& tiler) noexcept
{
    Result<Layout> result;
    if (const Error e = detail::interleaved_product(block, tiler, false, *result)) result = e;
    return result;
}

/// Copies of a block up to a shape:  blocked_product(A, B),  B the compact layout of the shape S_d / size(A_d), its modes in the
/// given order: that with the least `order` fastest, the leftmost first where none is given or two are equal.
///
/// Mode d of the result has S_d elements. `errc::rank_mismatch` when A has more modes than S, or the order another number of them;
/// `errc::not_grouped` with the dimension that A's does not divide; the errors of a shape and of `blocked_product`.
constexpr Result<Layout> tile_to_shape(const Layout& block, const Shape& shape, const Shape& order = {}) noexcept
{
    using namespace detail;
    if (const Error e = check(block)) return e;
    if (const auto elements = volume(shape); !elements) return elements.error();
    if (rank(block) > shape.size())
        return Error(errc::rank_mismatch, -1, "the block has {0} modes, the shape {1} dimensions", rank(block), shape.size());
    if (!order.empty() && order.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the order has {0} entries, the shape {1} dimensions", order.size(), shape.size());
    Int extents[max_rank], strides[max_rank];
    Modes modes(whole(block));
    for (int d = 0; d < shape.size(); ++d) {
        const Int n = modes.done() ? 1 : size_of(modes.next());
        if (shape[d] % n != 0)
            return Error(errc::not_grouped, d, "dimension {0}: the {1} elements of the block do not divide {2}", d, n, shape[d]);
        extents[d] = shape[d] / n;
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
    Layout tiler;
    put_tuple(tiler, shape.size());
    for (int d = 0; d < shape.size(); ++d) put_leaf(tiler, extents[d], strides[d]);
    return blocked_product(block, tiler);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
