// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_LAYOUT_HPP
#define AXE_INTEROP_CUTE_LAYOUT_HPP

#include <axe/layout/shape.hpp>
#include <axe/support/integer.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// What a stride counts: nothing in particular, or elements of a basis: those at one place of a nested tuple.
///
/// The path is that of CuTe's E<i,j>, outermost first: `E<0,1>` is {0, 1}, stands for ((0,1,…),0,…) and is printed innermost first,
/// `1@1@0`.      [CUTLASS, media/docs/cpp/cute/0z_tma_tensors.md]
struct Basis {
    InlineVector<int, 3> path{}; ///< empty: a plain integer

    constexpr Basis() noexcept : Basis({}) {}
    constexpr Basis(std::initializer_list<int> places) noexcept : path(places)
    {
        for (int i = path.count; i < 3; ++i) path.items[i] = 0; // so few that filling them costs less than a warning
    }
    friend constexpr bool operator==(const Basis&, const Basis&) = default;
};

/// An extent with its stride.
struct Leaf {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
    Basis basis{};
    friend constexpr bool operator==(const Leaf&, const Leaf&) = default;
};

/// A node of the tree that a shape and its stride share.
struct Node {
    int children = -1; ///< of a tuple: how many; −1: a leaf
    Leaf leaf{};
    bool static_extent = false, static_stride = false; ///< printed `_8`; nothing else depends on it
    friend constexpr bool operator==(const Node&, const Node&) = default;
};

/// A layout as CuTe writes it, `((2,4),8):((1,16),2)`: two nested tuples of one profile, kept as one tree in preorder.
///
/// Its modes are counted colexicographically: the leftmost leaf runs fastest, in the size, in the linear index and in coordinates.
///
///   L(x) = Σ_k c_k·d_k,   c the digits of x over the leaves, first fastest                [CUTLASS, media/docs/cute/01_layout.md]
///
/// A lone leaf, `8:1`, and a tuple of one, `(8):(1)`, are different texts of one map. A value: structural, of fixed size.
struct Layout {
    static constexpr int max_nodes = 40;
    InlineVector<Node, max_nodes> nodes{};

    friend constexpr bool operator==(const Layout&, const Layout&) = default;
};

/// Leaves from left to right, which is from fastest to slowest.
using Leaves = InlineVector<Leaf, Layout::max_nodes>;

/// The node after the whole of node i.
constexpr int end_of(const Layout& layout, int i) noexcept
{
    for (int open = 1; open > 0 && i < layout.nodes.size(); ++i)
        open += (layout.nodes[i].children < 0 ? 0 : layout.nodes[i].children) - 1;
    return i;
}

/// How many modes the layout has: the items of its outermost tuple; 1 for a lone leaf.
constexpr int rank(const Layout& layout) noexcept
{
    return layout.nodes.empty() ? 0 : layout.nodes[0].children < 0 ? 1 : layout.nodes[0].children;
}

constexpr Leaves leaves(const Layout& layout) noexcept
{
    Leaves out;
    for (const Node& node : layout.nodes)
        if (node.children < 0) out.push_back(node.leaf);
    return out;
}

/// Mode i as a layout of its own.
constexpr Layout mode(const Layout& layout, int i) noexcept
{
    Layout out;
    if (layout.nodes[0].children < 0) return layout;
    int from = 1;
    for (; i > 0; --i) from = end_of(layout, from);
    for (const int to = end_of(layout, from); from < to; ++from) out.nodes.push_back(layout.nodes[from]);
    return out;
}

/// A tuple of layouts, `(a,b)`; false when it has more nodes than a layout can.
constexpr bool append_mode(Layout& tuple, const Layout& item) noexcept
{
    if (tuple.nodes.empty()) tuple.nodes.push_back(Node{0, {}, false, false});
    ++tuple.nodes[0].children;
    for (const Node& node : item.nodes)
        if (!tuple.nodes.push_back(node)) return false;
    return true;
}

/// A flat layout of these leaves: a lone leaf for one, `1:0` for none.
constexpr Layout from_leaves(const Leaves& leaves) noexcept
{
    Layout out;
    if (leaves.size() != 1) out.nodes.push_back(Node{leaves.size(), {}, false, false});
    if (leaves.empty()) out.nodes[0] = Node{};
    for (const Leaf& leaf : leaves) out.nodes.push_back(Node{-1, leaf, false, false});
    return out;
}

namespace detail {

/// Takes |n − 1|·|s| into the reach; says whether it fits.
constexpr bool grow(const Leaf& leaf, std::int64_t& reach) noexcept
{
    using namespace axe::detail;
    std::int64_t part = 0;
    return mul(leaf.extent - 1, leaf.stride, part) && sub(reach, part > 0 ? -part : part, reach);
}

/// Is one the beginning of the other, and not the same? Then there is no tuple that has a number at both.
constexpr bool is_within(const Basis& outer, const Basis& inner) noexcept
{
    if (outer.path.size() >= inner.path.size()) return false;
    for (int i = 0; i < outer.path.size(); ++i)
        if (outer.path[i] != inner.path[i]) return false;
    return true;
}

constexpr Error values_overflow(int leaf) noexcept
{
    return Error(errc::overflow, leaf, "the values of the layout leave the integer at leaf {0}", leaf);
}

/// What `check` says of strides along a basis: each basis has a reach of its own, and all values are places of one tuple.
AXE_COLD constexpr Error check_bases(const Leaves& list) noexcept
{
    for (int i = 0; i < list.size(); ++i) {
        std::int64_t reach = 1;
        for (const int index : list[i].basis.path)
            if (index < 0)
                return Error(errc::bad_argument, i, "leaf {0} counts along place {1} of a tuple; the first is 0", i, index);
        for (int k = 0; k <= i; ++k) {
            const Leaf &a = list[k], &b = list[i];
            if (a.basis == b.basis && !grow(a, reach)) return values_overflow(i);
            const bool both_move = a.extent > 1 && a.stride != 0 && b.extent > 1 && b.stride != 0;
            if (both_move && (is_within(a.basis, b.basis) || is_within(b.basis, a.basis)))
                return Error(errc::bad_argument, i,
                             "leaf {0} counts along a basis within that of leaf {1}, or around it: the two do not add", i, k);
        }
    }
    return {};
}

} // namespace detail

/// Is the tree whole, every extent at least 1, do size and values stay within the integer, and do values add?
///
/// `errc::bad_extent`, `errc::overflow` and `errc::bad_argument` (of a basis) with the leaf; `errc::bad_argument` for a tree that is
/// none; `errc::capacity`. What passes can be evaluated anywhere in its size without a check.
/// Cost: linear; quadratic where strides count along a basis.
constexpr Error check(const Layout& layout) noexcept
{
    if (layout.nodes.overfull() || layout.nodes.empty())
        return Error(errc::capacity, -1, "a CuTe layout has 1 to {0} nodes, this one has {1}", Layout::max_nodes,
                     layout.nodes.size());
    std::int64_t size = 1, reach = 1;
    int at = 0, open = 1; // leaves so far, and nodes still to come
    bool plain = true;
    for (const Node& node : layout.nodes) {
        if (node.children >= Layout::max_nodes) break; // so that the sum is one
        open += (node.children < 0 ? 0 : node.children) - 1;
        if (node.children >= 0) continue;
        const Leaf& leaf = node.leaf;
        if (leaf.extent < 1)
            return Error(errc::bad_extent, at, "the extent of leaf {0} is {1}; it must be at least 1", at, leaf.extent);
        if (!axe::detail::mul(size, leaf.extent, size))
            return Error(errc::overflow, at, "the product of the extents leaves the integer at leaf {0}", at);
        if (leaf.basis.path.overfull())
            return Error(errc::capacity, at, "the basis of leaf {0} nests {1} levels; {2} is the most", at, leaf.basis.path.size(),
                         leaf.basis.path.capacity);
        plain = plain && leaf.basis.path.empty();
        if (plain && !detail::grow(leaf, reach)) return detail::values_overflow(at);
        ++at;
    }
    if (open != 0 || end_of(layout, 0) != layout.nodes.size())
        return Error(errc::bad_argument, -1, "the tuples of the layout do not close");
    return plain ? Error{} : detail::check_bases(leaves(layout));
}

/// Π extents.
constexpr std::int64_t size(const Layout& layout) noexcept
{
    std::int64_t product = 1;
    for (const Node& node : layout.nodes)
        if (node.children < 0) product *= node.leaf.extent;
    return product;
}

/// Are all strides plain integers?
constexpr bool is_plain(const Layout& layout) noexcept
{
    for (const Node& node : layout.nodes)
        if (node.children < 0 && !node.leaf.basis.path.empty()) return false;
    return true;
}

/// The room that the values need along one basis, as CuTe has it:  1 + Σ (n − 1)·|s|.
constexpr std::int64_t cosize(const Layout& layout, const Basis& basis = {}) noexcept
{
    std::int64_t room = 1;
    for (const Node& node : layout.nodes)
        if (node.children < 0 && node.leaf.basis == basis)
            room += axe::detail::magnitude((node.leaf.extent - 1) * node.leaf.stride);
    return room;
}

/// L(x), what it has along one basis, the plain integer unless another is named; for x within the size, or the last leaf runs on, as
/// CuTe's does. Cost: one division a leaf.
constexpr std::int64_t evaluate(const Layout& layout, std::int64_t x, const Basis& basis = {}) noexcept
{
    int last = -1;
    std::int64_t sum = 0;
    for (int i = 0; i < layout.nodes.size(); ++i)
        if (layout.nodes[i].children < 0) last = i;
    for (int i = 0; i <= last; ++i) {
        const Node& node = layout.nodes[i];
        if (node.children >= 0) continue;
        const std::int64_t q = i == last ? 0 : x / node.leaf.extent;
        if (node.leaf.basis == basis) sum += (x - q * node.leaf.extent) * node.leaf.stride;
        x = q;
    }
    return sum;
}

/// One tuple of the leaves; a lone leaf stays one. Which numbers are static is kept.
constexpr Layout flatten(const Layout& layout) noexcept
{
    if (layout.nodes.empty() || layout.nodes[0].children < 0) return layout;
    Layout out;
    out.nodes.push_back(Node{0, {}, false, false});
    for (const Node& node : layout.nodes)
        if (node.children < 0) out.nodes.push_back(node);
    out.nodes[0].children = out.nodes.size() - 1;
    return out;
}

/// How deep tuples nest: 0 for a lone leaf, 1 for a flat tuple.
constexpr int depth(const Layout& layout) noexcept
{
    int open[Layout::max_nodes + 1]{}, level = 0, deepest = 0; // items still to come at each level
    for (const Node& node : layout.nodes) {
        if (level > 0) --open[level];
        if (node.children >= 0) open[++level] = node.children;
        if (level > deepest) deepest = level;
        while (level > 0 && open[level] == 0) --level;
    }
    return deepest;
}

/// Have both the same nested tuples, whatever their numbers?
constexpr bool congruent(const Layout& a, const Layout& b) noexcept
{
    if (a.nodes.size() != b.nodes.size()) return false;
    for (int i = 0; i < a.nodes.size(); ++i)
        if ((a.nodes[i].children < 0 ? -1 : a.nodes[i].children) != (b.nodes[i].children < 0 ? -1 : b.nodes[i].children))
            return false;
    return true;
}

/// Is every coordinate of a one of b: is b's shape that of a, some extents nested further into tuples of the same size?
constexpr bool compatible(const Layout& a, const Layout& b) noexcept
{
    int k = 0;
    for (int i = 0; i < a.nodes.size(); ++i) {
        if (k >= b.nodes.size()) return false;
        if (a.nodes[i].children >= 0) {
            if (a.nodes[i].children != b.nodes[k++].children) return false;
            continue;
        }
        std::int64_t product = 1;
        for (const int end = end_of(b, k); k < end; ++k)
            if (b.nodes[k].children < 0) product *= b.nodes[k].leaf.extent;
        if (product != a.nodes[i].leaf.extent) return false;
    }
    return k == b.nodes.size();
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
