// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COORDINATE_HPP
#define AXE_INTEROP_CUTE_COORDINATE_HPP

#include <axe/interop/cute/check.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// A node of a coordinate.
struct CoordinateNode {
    int children = -1; ///< of a tuple: how many; −1: an index
    std::int64_t index = 0;
    friend constexpr bool operator==(const CoordinateNode&, const CoordinateNode&) = default;
};

/// A coordinate of a layout, `((1,3),5)`, in preorder. Where the layout has a tuple, one index may stand for all of it.
using Coordinate = InlineVector<CoordinateNode, Layout::max_nodes>;

namespace detail {

constexpr Error open_tuples() noexcept
{
    return Error(errc::bad_argument, -1, "the tuples of the coordinate are not properly nested");
}

constexpr Error index_outside(int node, std::int64_t index, std::int64_t extent) noexcept
{
    return Error(errc::out_of_domain, node, "index {0} of the coordinate is outside [0, {1})", index, extent);
}
constexpr Error tuple_differs(int node, int items, int modes) noexcept
{
    return Error(errc::rank_mismatch, node, "the coordinate has a tuple of {0} where the layout has {1} modes", items, modes);
}

/// The linear index of the coordinate's node `c` within the layout's node `i`; both are left after their nodes.
constexpr Status take_index(const Layout& layout, int& i, const Coordinate& at, int& c, std::int64_t& index) noexcept
{
    index = 0;
    if (c >= at.size()) return open_tuples();
    const CoordinateNode& here = at[c];
    const Node& node = layout.nodes[i];
    if (here.children < 0) {
        const int end = end_of(layout, i);
        std::int64_t extent = 1;
        for (; i < end; ++i)
            if (layout.nodes[i].children < 0) extent *= layout.nodes[i].leaf.extent;
        index = here.index;
        if (index < 0 || index >= extent) return index_outside(c, index, extent);
        ++c;
        return {};
    }
    if (here.children != node.children) return tuple_differs(c, here.children, node.children < 0 ? 1 : node.children);
    ++i;
    ++c;
    std::int64_t weight = 1;
    for (int k = 0; k < here.children; ++k) {
        const int from = i;
        std::int64_t part = 0;
        if (const Status e = take_index(layout, i, at, c, part); !e.ok()) return e;
        index += weight * part;
        for (int n = from; n < i; ++n)
            if (layout.nodes[n].children < 0) weight *= layout.nodes[n].leaf.extent;
    }
    return {};
}

} // namespace detail

/// The linear index of a coordinate, leftmost fastest:  Σ c_k · Π_{i<k} n_i  over the leaves.
///
/// `errc::out_of_domain` with the node of an index that is not in its extent, `errc::rank_mismatch` with that of a tuple which the
/// layout has not; `errc::bad_argument`, `errc::capacity`; the errors of `check`. Cost: quadratic in the nodes.
constexpr Result<std::int64_t> linear_index(const Layout& layout, const Coordinate& at) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (at.overfull())
        return Error(errc::capacity, -1, "a CuTe coordinate has at most {0} nodes, this one has {1}", Coordinate::capacity,
                     at.size());
    int i = 0, c = 0;
    std::int64_t index = 0;
    if (const Status e = detail::take_index(layout, i, at, c, index); !e.ok()) return e;
    if (c != at.size()) return detail::open_tuples();
    return index;
}

/// The coordinate at a linear index, an index for each leaf, in the tuples of the layout:  linear_index(L, coordinate(L, x)) = x.
///
/// `errc::out_of_domain` when x is not in [0, size); the errors of `check`.
constexpr Result<Coordinate> coordinate(const Layout& layout, std::int64_t x) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (x < 0 || x >= size(layout)) return axe::detail::outside_domain(x, size(layout));
    Result<Coordinate> result;
    for (const Node& node : layout.nodes) {
        if (node.children >= 0) {
            result->push_back({node.children, 0});
            continue;
        }
        result->push_back({-1, x % node.leaf.extent});
        x /= node.leaf.extent;
    }
    return result;
}

/// L(c): what the layout has at a coordinate along one basis. Errors: those of `linear_index`.
constexpr Result<std::int64_t> evaluate(const Layout& layout, const Coordinate& at, const Basis& basis = {}) noexcept
{
    const auto x = linear_index(layout, at);
    if (!x) return x;
    return evaluate(layout, *x, basis);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
