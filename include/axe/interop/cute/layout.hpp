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
    /// A list of at most three places, kept in one number, 21 bits for each; 0 in them is the end.
    struct Path {
        std::uint64_t bits;

        static constexpr int capacity = 3;
        static constexpr int largest = (1 << 21) - 2; ///< place
        static constexpr std::uint64_t none = std::uint64_t{1} << 63;

        [[nodiscard]] constexpr bool empty() const noexcept { return bits == 0; }
        /// A list that was made from too many places, or from one outside [0, largest], is of no basis.
        [[nodiscard]] constexpr bool is_none() const noexcept { return (bits & none) != 0; }
        [[nodiscard]] constexpr int size() const noexcept { return bits >> 42 != 0 ? 3 : bits >> 21 != 0 ? 2 : bits != 0 ? 1 : 0; }
        constexpr int operator[](int i) const noexcept { return static_cast<int>(bits >> 21 * i & 0x1fffff) - 1; }
        /// Appends, innermost; returns whether there was room.
        constexpr bool push_back(std::int64_t place) noexcept
        {
            if (!takes(place)) return false;
            bits |= static_cast<std::uint64_t>(place + 1) << 21 * size();
            return true;
        }
        /// The same, outermost.
        constexpr bool push_front(std::int64_t place) noexcept
        {
            if (!takes(place)) return false;
            bits = bits << 21 | static_cast<std::uint64_t>(place + 1);
            return true;
        }
        friend constexpr bool operator==(const Path&, const Path&) = default;

      private:
        [[nodiscard]] constexpr bool takes(std::int64_t place) const noexcept
        {
            return size() < capacity && place >= 0 && place <= largest;
        }
    };
    Path path; ///< empty: a plain integer

    Basis() = default; // trivial, as that of Leaf and Node, so that a list of nodes costs nothing to make; Basis{} is the plain one
    constexpr Basis(std::initializer_list<std::int64_t> places) noexcept : path{0}
    {
        for (const std::int64_t place : places)
            if (!path.push_back(place)) path.bits |= Path::none;
    }
    friend constexpr bool operator==(const Basis&, const Basis&) = default;
};

/// An extent with its stride.
struct Leaf {
    std::int64_t extent;
    std::int64_t stride;
    Basis basis;

    Leaf() = default;
    constexpr Leaf(std::int64_t n, std::int64_t s, const Basis& along = {}) noexcept : extent(n), stride(s), basis(along) {}
    friend constexpr bool operator==(const Leaf&, const Leaf&) = default;
};

/// A node of the tree that a shape and its stride share.
struct Node {
    int children;                      ///< of a tuple: how many; −1: a leaf
    bool static_extent, static_stride; ///< printed `_8`; nothing else depends on it
    Leaf leaf;                         ///< of a tuple: all zeros

    Node() = default; // Node{}, all zeros, is a tuple of nothing
    constexpr Node(int items, const Leaf& l, bool static_n = false, bool static_s = false) noexcept
        : children(items), static_extent(static_n), static_stride(static_s), leaf(l)
    {
    }
    /// Copies number by number: a store that is read back wider than it was written has to be waited for.
    constexpr void put(const Node& other) noexcept
    {
        children = other.children;
        static_extent = other.static_extent;
        static_stride = other.static_stride;
        leaf.extent = other.leaf.extent;
        leaf.stride = other.leaf.stride;
        leaf.basis.path.bits = other.leaf.basis.path.bits;
    }
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
    InlineVector<Node, max_nodes> nodes;

    constexpr Layout() noexcept {} // not defaulted: `Layout{}` would be filled with zeros first
    /// Of the nodes, those that there are; in a constant expression all, so that equal layouts are one template argument.
    constexpr Layout(const Layout& other) noexcept { copy(other); }
    constexpr Layout& operator=(const Layout& other) noexcept
    {
        copy(other);
        return *this;
    }

    friend constexpr bool operator==(const Layout&, const Layout&) = default;

  private:
    constexpr void copy(const Layout& other) noexcept
    {
        int used = other.nodes.overfull() ? max_nodes : other.nodes.size();
        if (__builtin_is_constant_evaluated()) used = max_nodes;
        for (int i = 0; i < used; ++i) nodes.items[i].put(other.nodes.items[i]);
        nodes.count = other.nodes.count;
    }
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

/// Mode i as a separate layout.
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
    if (tuple.nodes.empty()) tuple.nodes.push_back(Node{0, Leaf{}});
    ++tuple.nodes[0].children;
    for (const Node& node : item.nodes)
        if (!tuple.nodes.push_back(node)) return false;
    return true;
}

/// A flat layout of these leaves: a lone leaf for one, `1:0` for none.
constexpr Layout from_leaves(const Leaves& leaves) noexcept
{
    Layout out;
    if (leaves.empty()) out.nodes.push_back(Node{-1, {1, 0}});
    if (leaves.size() > 1) out.nodes.push_back(Node{leaves.size(), Leaf{}});
    for (const Leaf& leaf : leaves) out.nodes.push_back(Node{-1, leaf});
    return out;
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
    for (int i = 0; i < layout.nodes.held(); ++i)
        if (layout.nodes[i].children < 0) last = i;
    for (int i = 0; i <= last; ++i) {
        const Node& node = layout.nodes[i];
        if (node.children >= 0) continue;
        const std::int64_t q = i == last ? 0 : axe::detail::quotient(x, node.leaf.extent);
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
    out.nodes.push_back(Node{0, Leaf{}});
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
    for (int i = 0; i < a.nodes.held(); ++i)
        if ((a.nodes[i].children < 0 ? -1 : a.nodes[i].children) != (b.nodes[i].children < 0 ? -1 : b.nodes[i].children))
            return false;
    return true;
}

/// Is every coordinate of a one of b: is b's shape that of a, some extents nested further into tuples of the same size?
constexpr bool compatible(const Layout& a, const Layout& b) noexcept
{
    int k = 0;
    for (int i = 0; i < a.nodes.held(); ++i) {
        if (k >= b.nodes.held()) return false;
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
