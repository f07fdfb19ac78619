// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_CONVERT_HPP
#define AXE_INTEROP_CUTE_CONVERT_HPP

#include <axe/interop/cute/axis_names.hpp>
#include <axe/interop/cute/check.hpp>
#include <axe/layout/group.hpp>
#include <axe/support/errors.hpp>

/// CuTe's layouts as Axe's and back.
///
/// CuTe counts the leftmost mode fastest, Axe the rightmost dimension. So there are two ways to be the same layout, of different
/// digits: to be the same function of the linear index, with the modes in the opposite order, or the same function of the
/// coordinate, with the modes in the order that they have.
namespace axe {
inline namespace v0 {
namespace cute {

/// An Axe layout with the shape of the coordinates that it is meant for.
struct OnShape {
    axe::Layout layout{};
    axe::Shape shape{};
    friend constexpr bool operator==(const OnShape&, const OnShape&) = default;
};

namespace detail {

/// The leaves of nodes [from, to), from right to left, as the next iters.
constexpr Status put_iters(const Layout& layout, int from, int to, const AxisNames& names, bool shorten, axe::Layout& out) noexcept
{
    for (int i = to - 1; i >= from; --i) {
        const Node& node = layout.nodes[i];
        if (node.children >= 0) continue;
        const auto axis = axis_of(names, node.leaf.basis);
        if (!axis) return axis.error();
        const axe::Iter it{node.leaf.extent, node.leaf.stride, *axis};
        if (shorten ? !axe::detail::append(out.shard, it) : !out.shard.push_back(it))
            return axe::detail::shard_capacity<axe::Layout>();
    }
    return {};
}

constexpr Status check_to_axe(const Layout& layout, const AxisNames& names) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check_names(names); !e.ok()) return e;
    return is_plain(layout) ? Error{} : check_axes_apart(layout, names);
}

/// Are there more leaves than iters? Then those of extent 1 are left out, and neighbors that run on are merged.
constexpr bool must_shorten(const Layout& layout) noexcept
{
    int count = 0;
    for (const Node& node : layout.nodes) count += node.children < 0;
    return count > axe::Layout::max_shard;
}

/// The basis of each iter of a layout without replicas and offset.
constexpr Status find_bases(const axe::Layout& layout, const AxisNames& names, Basis* bases) noexcept
{
    const auto moves = [](const axe::Iter& it) { return it.extent > 1 && it.stride != 0; };
    for (int i = 0; i < layout.shard.size(); ++i) bases[i] = Basis{};
    if (!names.empty()) {
        for (int i = 0; i < layout.shard.size(); ++i) {
            bool found = false;
            for (const AxisOf& entry : names) {
                if (!(entry.axis == layout.shard[i].axis)) continue;
                bases[i] = entry.basis;
                found = true;
            }
            if (!found && moves(layout.shard[i]))
                return Error(errc::unknown_axis, i, "iter {0} moves on an axis for which no CuTe basis was given", i);
        }
        return {};
    }
    const axe::Iter* first = nullptr;
    bool by_default = true;
    int second = -1;
    for (int i = 0; i < layout.shard.size(); ++i) {
        const axe::Iter& it = layout.shard[i];
        if (!(it.axis == Axis{})) bases[i] = default_basis(it.axis);
        if (!moves(it)) continue;
        by_default = by_default && !bases[i].path.empty();
        if (first == nullptr) first = &it;
        if (second < 0 && !(first->axis == it.axis)) second = i;
    }
    if (first != nullptr && by_default) return {};
    if (second >= 0)
        return Error(
            errc::bad_axis, second,
            "iter {0} moves on a different axis than the iters before it; give a CuTe basis for each axis, as in 1@0 and 1@1",
            second);
    for (int i = 0; i < layout.shard.size(); ++i) bases[i] = Basis{};
    return {};
}

/// What CuTe has nothing for.
constexpr Status check_from_axe(const axe::Layout& layout, const AxisNames& names) noexcept
{
    if (const Status e = axe::check(layout); !e.ok()) return e;
    if (const Status e = check_names(names); !e.ok()) return e;
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].extent > 1 && layout.replica[i].stride != 0)
            return Error(errc::not_single_valued, i,
                         "replica iter {0} places an element at {1} points; a CuTe layout places it at one", i,
                         layout.replica[i].extent);
    for (int i = 0; i < layout.offset.size(); ++i)
        if (layout.offset.entries[i].value != 0)
            return Error(errc::no_layout, i, "the layout starts at {0}, a CuTe layout at 0", layout.offset.entries[i].value)
                .with_hint("convert it as a Swizzled with a swizzle of 0 bits");
    return {};
}

/// Iters [from, to) as a mode: a lone leaf for one, `1:0` for none, else a tuple, the innermost first.
constexpr void put_mode(const axe::Layout::Shard& shard, const Basis* bases, int from, int to, Layout& out) noexcept
{
    if (to == from) out.nodes.push_back(Node{-1, {1, 0}});
    if (to - from > 1) out.nodes.push_back(Node{to - from, Leaf{}});
    for (int i = to - 1; i >= from; --i) out.nodes.push_back(Node{-1, {shard[i].extent, shard[i].stride, bases[i]}});
}

constexpr Status to_linear(const Layout& layout, const AxisNames& names, axe::Layout& out) noexcept
{
    if (const Status e = check_to_axe(layout, names); !e.ok()) return e;
    if (const Status e = put_iters(layout, 0, layout.nodes.size(), names, must_shorten(layout), out); !e.ok()) return e;
    return axe::check(out);
}

constexpr Status to_coordinates(const Layout& layout, const AxisNames& names, axe::Layout& out, axe::Shape& shape) noexcept
{
    if (const Status e = check_to_axe(layout, names); !e.ok()) return e;
    const bool shorten = must_shorten(layout);
    for (int from = layout.nodes[0].children < 0 ? 0 : 1; from < layout.nodes.size();) {
        const int to = end_of(layout, from);
        std::int64_t extent = 1;
        for (int i = from; i < to; ++i)
            if (layout.nodes[i].children < 0) extent *= layout.nodes[i].leaf.extent;
        if (!shape.push_back(extent)) return axe::detail::shape_capacity(max_rank, rank(layout));
        if (const Status e = put_iters(layout, from, to, names, shorten, out); !e.ok()) return e;
        from = to;
    }
    return axe::check(out);
}

constexpr Status from_linear(const axe::Layout& layout, const AxisNames& names, Layout& out) noexcept
{
    if (const Status e = check_from_axe(layout, names); !e.ok()) return e;
    Basis bases[axe::Layout::max_shard];
    if (const Status e = find_bases(layout, names, bases); !e.ok()) return e;
    put_mode(layout.shard, bases, 0, layout.shard.size(), out);
    return check(out);
}

constexpr Status from_coordinates(const axe::Layout& layout, const axe::Shape& shape, const AxisNames& names, Layout& out) noexcept
{
    if (const Status e = check_from_axe(layout, names); !e.ok()) return e;
    const auto grouped = axe::group(layout, shape);
    if (!grouped) return grouped.error();
    Basis bases[axe::Layout::max_shard];
    if (const Status e = find_bases(grouped->layout, names, bases); !e.ok()) return e;
    out.nodes.push_back(Node{grouped->rank(), Leaf{}});
    for (int d = 0; d < grouped->rank(); ++d) put_mode(grouped->layout.shard, bases, grouped->begin(d), grouped->end(d), out);
    return check(out);
}

} // namespace detail

/// The Axe layout that is the same function of the linear index:  to_axe_linear(L)(x) = L(x),  the leaves from right to left.
///
/// A leaf becomes an iter, on the axis of its basis; of more than 16 leaves, extents of 1 are left out and neighbors merged.
/// Errors: those of `check`; `errc::bad_axis` when two bases would share an axis; `errc::capacity`. Cost: linear in the nodes.
constexpr Result<axe::Layout> to_axe_linear(const Layout& layout, const AxisNames& names = {}) noexcept
{
    Result<axe::Layout> result;
    if (const Status e = detail::to_linear(layout, names, *result); !e.ok()) result = e;
    return result;
}

/// The Axe layout that is the same function of the coordinate:  L'(c_0, …, c_r) = L(c_0, …, c_r)  on the shape of the sizes of
/// the modes, which is returned with it.
///
/// The modes keep their order, the leaves of each are taken from right to left. Errors and cost: as for `to_axe_linear`.
constexpr Result<OnShape> to_axe_by_coordinate(const Layout& layout, const AxisNames& names = {}) noexcept
{
    Result<OnShape> result;
    if (const Status e = detail::to_coordinates(layout, names, result->layout, result->shape); !e.ok()) result = e;
    return result;
}

/// The CuTe layout that is the same function of the linear index:  from_axe_linear(L)(x) = L(x),  a flat one.
///
/// All on one axis, whichever, the strides are plain. On the axes `c0`, `c1`, `c0.1`, … they are along the bases of these names, and
/// else those that `names` has; `errc::bad_axis` with the iter on a second axis if none exists, `errc::unknown_axis` when an
/// axis is not among them. What CuTe cannot carry: `errc::not_single_valued` with a replica iter that moves, `errc::no_layout` for an
/// offset, which a composed layout can have. Cost: linear in the iters.
constexpr Result<Layout> from_axe_linear(const axe::Layout& layout, const AxisNames& names = {}) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::from_linear(layout, names, *result); !e.ok()) result = e;
    return result;
}

/// The CuTe layout that is the same function of the coordinate of a shape: a tuple with a mode for each dimension.
///
/// Exists iff the shape groups the layout (`errc::not_grouped` with the dimension); else as for `from_axe_linear`.
constexpr Result<Layout> from_axe_by_coordinate(const axe::Layout& layout, const axe::Shape& shape,
                                                const AxisNames& names = {}) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::from_coordinates(layout, shape, names, *result); !e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
