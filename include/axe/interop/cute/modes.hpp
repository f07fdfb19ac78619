// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_MODES_HPP
#define AXE_INTEROP_CUTE_MODES_HPP

#include <axe/interop/cute/layout.hpp>
#include <axe/layout/digits.hpp>

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

/// A node with all that is below it, where it stands.
struct Part {
    const Node* nodes = nullptr;
    int count = 0;

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
    for (int i = basis.path.size() - 1; i >= 0; --i) {
        axis.low = axis.low << 32 | axis.high >> 32;
        axis.high = axis.high << 32 | static_cast<std::uint32_t>(basis.path[i] + 1);
    }
    return axis;
}
constexpr Basis basis_of(Axis axis) noexcept
{
    Basis basis;
    for (; axis.high != 0 || axis.low != 0; axis.low >>= 32) {
        basis.path.push_back(static_cast<int>(axis.high & 0xffffffffu) - 1);
        axis.high = axis.high >> 32 | axis.low << 32;
    }
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
constexpr Error plain_only(const Part& part) noexcept
{
    if (is_plain(part)) return {};
    return Error(errc::bad_argument, -1, "the strides of the layout count along a basis; plain integers are needed");
}

// ---- Writing a tree: all of these say whether there was room
// ---------------------------------------------------------------------

constexpr bool put_tuple(Layout& out, int children) noexcept { return out.nodes.push_back(Node{children, {}, false, false}); }
constexpr bool put_leaf(Layout& out, Int extent, Int stride, const Basis& basis = {}) noexcept
{
    return out.nodes.push_back(Node{-1, {extent, stride, basis}, false, false});
}
constexpr bool put_leaf(Layout& out, const Iter& it) noexcept { return put_leaf(out, it.extent, it.stride, basis_of(it.axis)); }
constexpr bool put_part(Layout& out, const Part& part) noexcept
{
    for (const Node& node : part)
        if (!out.nodes.push_back(node)) return false;
    return true;
}
/// Digits, slowest first, as one mode: 1:0 for none, a leaf for one, else a tuple.
constexpr bool put_digits(Layout& out, const Iter* digits, int count) noexcept
{
    if (count == 0) return put_leaf(out, 1, 0);
    if (count > 1 && !put_tuple(out, count)) return false;
    for (int i = count - 1; i >= 0; --i)
        if (!put_leaf(out, digits[i])) return false;
    return true;
}
constexpr bool put_digits(Layout& out, const Digits& digits) noexcept { return put_digits(out, digits.items, digits.size()); }

} // namespace detail

/// A tuple of layouts that apply to the modes of another one by one, CuTe's `Tile`, written `<4:1,8:2>`. Where `kept` has bit i,
/// item i stands for `_`: the mode stays whole.
struct Tiler {
    Layout items{}; ///< a tuple; each of its modes is a layout
    std::uint64_t kept = 0;

    friend constexpr bool operator==(const Tiler&, const Tiler&) = default;
};

namespace detail {

constexpr bool keeps(const Tiler& tiler, int i) noexcept { return (tiler.kept >> i & 1) != 0; }

/// Both are sound, and the tiler has no more items than the layout has modes.
constexpr Error check_tiler(const Layout& layout, const Tiler& tiler) noexcept
{
    if (const Error e = check(layout)) return e;
    if (const Error e = check(tiler.items)) return e;
    if (!whole(tiler.items).is_tuple())
        return Error(errc::bad_argument, -1, "a tiler is a tuple of layouts; this one is a lone leaf");
    if (rank(tiler.items) > rank(layout))
        return Error(errc::rank_mismatch, -1, "the tiler has {0} items, the layout {1} modes", rank(tiler.items), rank(layout));
    return {};
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
