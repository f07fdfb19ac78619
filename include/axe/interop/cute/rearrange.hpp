// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_REARRANGE_HPP
#define AXE_INTEROP_CUTE_REARRANGE_HPP

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/coordinate.hpp>
#include <axe/interop/cute/modes.hpp>

/// The same leaves in other tuples, in another order, or fewer of them.
namespace axe {
inline namespace v0 {
namespace cute {

/// The layout of the same shape that counts its coordinates, leftmost fastest:  compact(L)(x) = x,  CuTe's `make_layout(shape)`.
///
/// Errors: those of `check`.
constexpr Result<Layout> compact(const Layout& shape) noexcept
{
    if (const Status e = check(shape); !e.ok()) return e;
    Result<Layout> result(shape);
    std::int64_t stride = 1;
    for (Node& node : result->nodes) {
        if (node.children >= 0) continue;
        node.leaf = Leaf(node.leaf.extent, node.leaf.extent == 1 ? 0 : stride);
        node.static_stride = false;
        stride *= node.leaf.extent;
    }
    return result;
}

/// Modes begin … end−1 as one mode, a tuple of them: the same map.      [CUTLASS, include/cute/layout.hpp, group]
///
/// `errc::out_of_domain` unless 0 ≤ begin ≤ end ≤ rank; `errc::capacity`; the errors of `check`.
constexpr Result<Layout> group(const Layout& layout, int begin, int end) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const detail::Part all = detail::whole(layout);
    if (begin < 0 || begin > end || end > all.rank())
        return Error(errc::out_of_domain, -1, "[{0}, {1}) is not a range of modes; the layout has {2} modes", begin, end,
                     all.rank());
    Result<Layout> result;
    bool room = detail::put_tuple(*result, all.rank() - (end - begin) + 1);
    detail::Modes modes(all);
    for (int i = 0; i <= all.rank(); ++i) {
        if (i == begin) room = detail::put_tuple(*result, end - begin) && room;
        if (i < all.rank()) room = detail::put_part(*result, modes.next()) && room;
    }
    return room ? result : Result<Layout>(detail::nodes_capacity());
}

/// The leaves of a layout as a flat tuple, by the size of the stride, then by the extent, least first. Of the same values, at other
/// indices.      [layout-categories, sort]
///
/// Strides along bases are ordered by the basis first, plain ones before them. Errors: those of `check`.
constexpr Result<Layout> sort(const Layout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    Result<Layout> result(flatten(layout));
    auto& nodes = result->nodes;
    const auto before = [](const Leaf& a, const Leaf& b) {
        const std::int64_t s = axe::detail::magnitude(a.stride), t = axe::detail::magnitude(b.stride);
        if (a.basis.path.bits != b.basis.path.bits) return a.basis.path.bits < b.basis.path.bits;
        if (s != t) return s < t;
        return a.stride != b.stride ? a.stride < b.stride : a.extent < b.extent;
    };
    for (int i = 2; i < nodes.size(); ++i) {
        const Node node = nodes[i];
        int k = i;
        for (; k > 1 && before(node.leaf, nodes[k - 1].leaf); --k) nodes[k] = nodes[k - 1];
        nodes[k] = node;
    }
    return result;
}

/// A coordinate of which some places stay open, CuTe's `_`: `((1,_),5)`.
struct Slicer {
    Coordinate coordinate{};
    std::uint64_t kept = 0; ///< bit i: node i of the coordinate is `_`

    friend constexpr bool operator==(const Slicer&, const Slicer&) = default;
};
static_assert(Coordinate::capacity <= 64);

namespace detail {

/// Appends what the coordinate's node `c` keeps of the layout's node `i`, and adds to the offset where it begins.
constexpr Status take_slice(const Layout& layout, int& i, const Slicer& slicer, int& c, Layout& out, std::int64_t& offset) noexcept
{
    if (c >= slicer.coordinate.size()) return open_tuples();
    const CoordinateNode& here = slicer.coordinate[c];
    const Part part = part_at(layout.nodes.items, i);
    if ((slicer.kept >> c & 1) != 0) {
        ++c;
        i += part.count;
        ++out.nodes[0].children;
        return put_part(out, part) ? Error{} : nodes_capacity();
    }
    if (here.children < 0) {
        Layout alone;
        put_part(alone, part);
        if (here.index < 0 || here.index >= size_of(part)) return index_outside(c, here.index, size_of(part));
        offset += cute::evaluate(alone, here.index);
        ++c;
        i += part.count;
        return {};
    }
    if (here.children != layout.nodes[i].children) return tuple_differs(c, here.children, part.rank());
    ++i;
    ++c;
    for (int k = 0; k < here.children; ++k)
        if (const Status e = take_slice(layout, i, slicer, c, out, offset); !e.ok()) return e;
    return {};
}

} // namespace detail

/// The modes that stay open, where the others are at an index:  R(x) = L(c with x in its open places).
///
/// What stays open in tuples of the coordinate is put beside the other modes, as in CuTe: R is a tuple of what each `_` keeps, or L
/// itself where all is open. Where it begins is the offset of the result. `errc::out_of_domain` and `errc::rank_mismatch` as in
/// `linear_index`; `errc::bad_argument` for strides along a basis; the errors of `check`.      [CUTLASS, include/cute/layout.hpp, slice_and_offset]
constexpr Result<Composed> slice(const Layout& layout, const Slicer& slicer) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::plain_only(detail::whole(layout)); !e.ok()) return e;
    Result<Composed> result;
    if (slicer.coordinate.size() == 1 && slicer.kept == 1) {
        result->layout = layout;
        return result;
    }
    int i = 0, c = 0;
    detail::put_tuple(result->layout, 0);
    if (const Status e = detail::take_slice(layout, i, slicer, c, result->layout, result->offset); !e.ok()) return e;
    if (c != slicer.coordinate.size()) return detail::open_tuples();
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
