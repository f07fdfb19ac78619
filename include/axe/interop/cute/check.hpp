// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_CHECK_HPP
#define AXE_INTEROP_CUTE_CHECK_HPP

#include <axe/interop/cute/layout.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

namespace detail {

/// Takes |n − 1|·|s| into the footprint; returns whether it fits.
constexpr bool grow(const Leaf& leaf, std::int64_t& reach) noexcept
{
    using namespace axe::detail;
    std::int64_t part = 0;
    return mul(leaf.extent - 1, leaf.stride, part) && sub(reach, part > 0 ? -part : part, reach);
}

/// Is one the beginning of the other, and not the same? Then there is no tuple that has a number at both.
constexpr bool is_within(const Basis& outer, const Basis& inner) noexcept
{
    const int levels = outer.path.size();
    if (levels >= inner.path.size()) return false;
    return ((outer.path.bits ^ inner.path.bits) & ((std::uint64_t{1} << 21 * levels) - 1)) == 0;
}

constexpr Error values_overflow(int leaf) noexcept
{
    return Error(errc::overflow, leaf, "the values of the layout overflow at leaf {0}", leaf);
}

/// What `check` says of strides along a basis: each basis has a separate footprint, and all values are places of one tuple.
AXE_COLD constexpr Status check_bases(const Leaves& list) noexcept
{
    for (int i = 0; i < list.size(); ++i) {
        std::int64_t reach = 1;
        for (int k = 0; k <= i; ++k) {
            const Leaf &a = list[k], &b = list[i];
            if (a.basis == b.basis && !grow(a, reach)) return values_overflow(i);
            const bool both_move = a.extent > 1 && a.stride != 0 && b.extent > 1 && b.stride != 0;
            if (both_move && (is_within(a.basis, b.basis) || is_within(b.basis, a.basis)))
                return Error(errc::bad_argument, i,
                             "the basis of leaf {0} contains that of leaf {1} or is contained in it: their values cannot be added",
                             i, k);
        }
    }
    return {};
}

/// The error of `check` for a value that failed the fast test.
AXE_COLD constexpr Status find_fault(const Layout& layout) noexcept
{
    if (layout.nodes.overfull() || layout.nodes.empty())
        return Error(errc::capacity, -1, "a CuTe layout has 1 to {0} nodes, this one has {1}", Layout::max_nodes,
                     layout.nodes.size());
    std::int64_t size = 1, reach = 1;
    int at = 0, open = 1; // leaves so far, and nodes still to come
    bool plain = true;
    for (const Node& node : layout.nodes) {
        if (open == 0 || node.children >= Layout::max_nodes) { // so that the sum is one
            open = -1;
            break;
        }
        open += (node.children < 0 ? 0 : node.children) - 1;
        if (node.children >= 0) continue;
        const Leaf& leaf = node.leaf;
        if (leaf.extent < 1)
            return Error(errc::bad_extent, at, "the extent of leaf {0} is {1}; it must be at least 1", at, leaf.extent);
        if (!axe::detail::mul(size, leaf.extent, size))
            return Error(errc::overflow, at, "the product of the extents overflows at leaf {0}", at);
        if (leaf.basis.path.is_none())
            return Error(errc::bad_argument, at, "the basis of leaf {0} has more than {1} levels, or an index outside [0, {2}]", at,
                         Basis::Path::capacity, Basis::Path::largest);
        plain = plain && leaf.basis.path.empty();
        if (plain && !grow(leaf, reach)) return values_overflow(at);
        ++at;
    }
    if (open != 0) return Error(errc::bad_argument, -1, "the tuples of the layout are not properly nested");
    return plain ? Error{} : check_bases(leaves(layout));
}

/// How many bits the numbers of a plain layout need; the most there are when that is not known.
struct Widths {
    int extent = 63; ///< of n − 1, at most
    int stride = 63;
    int leaves = Layout::max_nodes;

    [[nodiscard]] constexpr int size() const noexcept { return extent * leaves; }
    [[nodiscard]] constexpr int reach() const noexcept { return extent + stride + 6; }
};

/// A quick yes to `check`, from the sizes of the numbers alone: n ≤ 2^w(n−1), so extents multiply to no more than 2^Σw(n−1), and a
/// leaf reaches less than 2^(w(n−1) + w(s)); with the largest n and s of all.
constexpr bool plainly_sound(const Layout& layout, Widths& widths) noexcept
{
    static_assert(Layout::max_nodes <= 64, "the sum of the reaches is bounded by 2^6 times the largest");
    if (layout.nodes.overfull()) return false;
    std::int64_t extents = 0, strides = 0, open = 1; // nodes still to come
    std::uint64_t bases = 0;
    int count = 0;
    bool closed = false; // before the last node
    for (const Node& node : layout.nodes) {
        const int is_leaf = node.children < 0;
        closed |= open == 0;
        open += (is_leaf != 0 ? 0 : node.children) - 1;
        count += is_leaf;
        extents |= static_cast<std::int64_t>(static_cast<std::uint64_t>(node.leaf.extent) - static_cast<std::uint64_t>(is_leaf));
        strides |= node.leaf.stride ^ node.leaf.stride >> 63;
        bases |= node.leaf.basis.path.bits;
    }
    if (open != 0 || closed || bases != 0 || extents < 0) return false;
    const int widest = extents == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(extents));
    const int steepest = strides == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(strides));
    if (widest * count > 62 || widest + steepest + 6 > 62) return false;
    widths = {widest, steepest, count};
    return true;
}
constexpr Status check_widths(const Layout& layout, Widths& widths) noexcept
{
    return plainly_sound(layout, widths) ? Error{} : find_fault(layout);
}

/// Is what A makes of a walk through the indices of T certainly sound? Its indices are below 2^(max(size of A, reach of T) + 1), moved
/// up from below 0 by as much; steps from one to another are differences of A's values.
constexpr bool stays_plain(const Widths& a, const Widths& t) noexcept
{
    const int size = a.size(), reach = t.reach();
    return size + t.size() <= 62 && (size > reach ? size : reach) + a.stride + 11 <= 62;
}

} // namespace detail

/// Is the tree whole, every extent at least 1, do size and values stay within the integer, and do values add?
///
/// `errc::bad_extent`, `errc::overflow` and `errc::bad_argument` (of a basis) with the leaf; `errc::bad_argument` for a tree that is
/// none; `errc::capacity`. What passes can be evaluated anywhere in its size without a check.
/// Cost: linear; quadratic where strides count along a basis.
constexpr Status check(const Layout& layout) noexcept
{
    detail::Widths widths;
    return detail::check_widths(layout, widths);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
