// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_MODES_HPP
#define AXE_INTEROP_CUTE_MODES_HPP

#include <axe/interop/cute/check.hpp>
#include <axe/layout/exact/digits.hpp>

/// What the operations on CuTe's layouts share: parts of the tree, and its leaves as the algebra's digits, slowest first.
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

using Int = std::int64_t;
using Iter = BasicIter<Int>;
using Digits = axe::detail::Digits<Int>;
/// A working layout for the algebra: one axis for each basis.
using Working = BasicLayout<Int, axe::detail::most_digits>;

/// A node with all nodes below it, in place.
struct Part {
    const Node* nodes;
    int count;

    constexpr const Node* begin() const noexcept { return nodes; }
    constexpr const Node* end() const noexcept { return nodes + count; }
    [[nodiscard]] constexpr bool is_tuple() const noexcept { return nodes[0].children >= 0; }
    [[nodiscard]] constexpr int rank() const noexcept { return is_tuple() ? nodes[0].children : 1; }
};
constexpr Part whole(const Layout& layout) noexcept { return {layout.nodes.items, layout.nodes.size()}; }
constexpr Part part_at(const Node* nodes, int at) noexcept
{
    int end = at;
    for (int open = 1; open > 0; ++end) open += (nodes[end].children < 0 ? 0 : nodes[end].children) - 1;
    return {nodes + at, end - at};
}

/// The modes of a part from left to right: the items of a tuple, a lone leaf itself.
class Modes {
  public:
    constexpr explicit Modes(const Part& part) noexcept : nodes_(part.nodes), at_(part.is_tuple() ? 1 : 0), end_(part.count) {}
    [[nodiscard]] constexpr bool done() const noexcept { return at_ >= end_; }
    constexpr Part next() noexcept
    {
        const Part part = part_at(nodes_, at_);
        at_ += part.count;
        return part;
    }

  private:
    const Node* nodes_;
    int at_;
    int end_;
};
constexpr Part mode_of(const Part& part, int i) noexcept
{
    Modes modes(part);
    for (; i > 0; --i) modes.next();
    return modes.next();
}

/// A basis as an axis, and back; a plain integer is `m`. The axis has no name that could be printed.
constexpr Axis axis_of(const Basis& basis) noexcept
{
    Axis axis{};
    axis.high = basis.path.bits;
    return axis;
}
constexpr Basis basis_of(const Axis& axis) noexcept
{
    Basis basis{};
    basis.path.bits = axis.high;
    return basis;
}

constexpr Int size_of(const Part& part) noexcept
{
    Int size = 1;
    for (const Node& node : part)
        if (node.children < 0) size *= node.leaf.extent;
    return size;
}
constexpr bool is_plain(const Part& part) noexcept
{
    for (const Node& node : part)
        if (node.children < 0 && !node.leaf.basis.path.empty()) return false;
    return true;
}
/// The canonical digits of a part's map, slowest first; without those that move nothing where asked.
constexpr void digits_of(const Part& part, Digits& out, bool without_zeros = false) noexcept
{
    for (int i = part.count - 1; i >= 0; --i) {
        const Node& node = part.nodes[i];
        if (node.children >= 0 || (without_zeros && node.leaf.stride == 0)) continue;
        axe::detail::append(out, node.leaf.extent, node.leaf.stride, axis_of(node.leaf.basis));
    }
}

constexpr Error no_layout(const char* words, Int n0 = 0, Int n1 = 0, Int n2 = 0) noexcept
{
    return Error(errc::no_layout, -1, words, n0, n1, n2);
}
constexpr Error nodes_capacity() noexcept
{
    return Error(errc::capacity, Layout::max_nodes, "the result needs more than {0} nodes", Layout::max_nodes);
}
constexpr Status plain_only(const Part& part) noexcept
{
    if (is_plain(part)) return {};
    return Error(errc::bad_argument, -1, "the strides of the layout are along a basis; plain integers are needed");
}

// ---- Writing a tree: all of these say whether there was room
// ---------------------------------------------------------------------

/// The next node, or none.
constexpr Node* next_node(Layout& out) noexcept
{
    return out.nodes.count < Layout::max_nodes ? &out.nodes.items[out.nodes.count++] : nullptr;
}
constexpr void set_tuple(Node& node, int children) noexcept
{
    node.children = children;
    node.static_extent = node.static_stride = false;
    node.leaf.extent = node.leaf.stride = 0;
    node.leaf.basis.path.bits = 0;
}
constexpr bool put_tuple(Layout& out, int children) noexcept
{
    Node* const node = next_node(out);
    if (node != nullptr) set_tuple(*node, children);
    return node != nullptr;
}
constexpr bool put_leaf(Layout& out, Int extent, Int stride, const Basis& basis = {}) noexcept
{
    Node* const node = next_node(out);
    if (node == nullptr) return false;
    node->children = -1;
    node->static_extent = node->static_stride = false;
    node->leaf.extent = extent;
    node->leaf.stride = stride;
    node->leaf.basis.path.bits = basis.path.bits;
    return true;
}
constexpr bool put_leaf(Layout& out, const Iter& it) noexcept { return put_leaf(out, it.extent, it.stride, basis_of(it.axis)); }
constexpr bool put_part(Layout& out, const Part& part) noexcept
{
    if (out.nodes.count + part.count > Layout::max_nodes) return false;
    for (const Node& node : part) out.nodes.items[out.nodes.count++].put(node);
    return true;
}

/// A mode that is written leaf by leaf, fastest first, and is coalesced at every moment: `1:0` of none, a leaf, or a tuple.
class FlatMode {
  public:
    constexpr explicit FlatMode(Layout& out) noexcept : out_(out), at_(out.nodes.count) {}

    constexpr void put(Int extent, Int stride, std::uint64_t basis = 0) noexcept
    {
        if (extent == 1) return;
        if (stride == 0) basis = 0;
        if (count_ > 0) {
            Leaf& inner = out_.nodes.back().leaf;
            Int chained = 0; // a product that overflows is not a stride
            if (inner.basis.path.bits == basis && axe::detail::mul(inner.extent, inner.stride, chained) && chained == stride) {
                inner.extent *= extent;
                return;
            }
        }
        put_apart(extent, stride, basis);
    }
    constexpr void put(const Leaf& leaf) noexcept { put(leaf.extent, leaf.stride, leaf.basis.path.bits); }
    /// a separate leaf, whatever is before it.
    constexpr void put_apart(Int extent, Int stride, std::uint64_t basis = 0) noexcept
    {
        if (count_ == 1) {
            Node* const moved = next_node(out_);
            room_ = room_ && moved != nullptr;
            if (!room_) return;
            moved->put(out_.nodes[at_]);
            set_tuple(out_.nodes[at_], 2);
        }
        Basis along{};
        along.path.bits = basis;
        room_ = room_ && put_leaf(out_, extent, stride, along);
        ++count_;
    }

    /// Returns whether there was room for all.
    constexpr bool finish() noexcept
    {
        if (count_ == 0) return put_leaf(out_, 1, 0);
        if (count_ > 1 && room_) out_.nodes[at_].children = count_;
        return room_;
    }

  private:
    Layout& out_;
    int at_;
    int count_ = 0;
    bool room_ = true;
};

/// A part as one coalesced mode; without what moves nothing where asked.
constexpr bool put_coalesced(const Part& part, bool without_zeros, Layout& out) noexcept
{
    FlatMode mode(out);
    for (const Node& node : part)
        if (node.children < 0 && !(without_zeros && node.leaf.stride == 0)) mode.put(node.leaf);
    return mode.finish();
}
/// Digits, slowest first, as one mode.
constexpr bool put_digits(Layout& out, const Digits& digits) noexcept
{
    FlatMode mode(out);
    for (int i = digits.size() - 1; i >= 0; --i) mode.put(digits[i].extent, digits[i].stride, digits[i].axis.high);
    return mode.finish();
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
