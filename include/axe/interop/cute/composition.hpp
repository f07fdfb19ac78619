// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPOSITION_HPP
#define AXE_INTEROP_CUTE_COMPOSITION_HPP

#include <axe/interop/cute/by_basis.hpp>
#include <axe/interop/cute/steps.hpp>
#include <axe/interop/cute/tiler.hpp>
#include <axe/layout/compose.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// A, ready for indices low … high: its last leaf runs on as far as they go, and since A(x + W) = A(x) + s with W the size before
/// the last leaf and s its stride, indices below 0 are moved up by multiples of W. The new place of index 0 is `start`.
constexpr Status run_on(const Part& a, Int low, Int high, Digits& out, Int& start) noexcept
{
    using namespace axe::detail;
    int last = -1; // by number: g++ 12 takes no comparison of pointers into a temporary for constant
    Int inside = 1;
    for (int i = 0; i < a.count; ++i) {
        if (a.nodes[i].children >= 0) continue;
        if (last >= 0) inside *= a.nodes[last].leaf.extent;
        last = i;
    }
    start = 0;
    if (last < 0) return {}; // A is (), which is 0 everywhere
    const Error outside(errc::overflow, -1,
                        "the outer layout would have to extend to the indices {0} to {1}, where its size or its values overflow",
                        low, high);
    const Leaf& leaf = a.nodes[last].leaf;
    Int extent = 0, periods = 0;
    if (!add(quotient(high, inside), Int{1}, extent)) return outside;
    if (low < 0) {
        if (!sub(Int{low % inside != 0 ? 1 : 0}, low / inside, periods) || !mul(periods, inside, start) ||
            !add(extent, periods, extent))
            return outside;
    }
    extent = greatest(extent, leaf.extent);
    if (extent > leaf.extent) {
        Int footprint = 1, most = 0;
        if (!mul(extent, inside, most) || !cute::detail::grow(Leaf{extent, leaf.stride, {}}, footprint)) return outside;
        for (int i = 0; i < last; ++i)
            if (a.nodes[i].children < 0 && a.nodes[i].leaf.basis == leaf.basis && !cute::detail::grow(a.nodes[i].leaf, footprint))
                return outside;
    }
    append(out, extent, leaf.stride, axis_of(leaf.basis));
    for (int i = last - 1; i >= 0; --i) {
        const Leaf& inner = a.nodes[i].leaf;
        if (a.nodes[i].children < 0) append(out, inner.extent, inner.stride, axis_of(inner.basis));
    }
    return {};
}

/// Cuts digits, slowest first, into pieces for each of the leaves of these extents, fastest first; pieces come out fastest first,
/// leaf k's up to ends[k]. Returns whether the leaves cut them.
constexpr bool cut_for_leaves(const Iter* digits, int count, const Int* extents, int leaves, Digits& pieces, int* ends) noexcept
{
    using axe::detail::quotient;
    int at = count - 1;
    Int extent = at >= 0 ? digits[at].extent : 1, stride = at >= 0 ? digits[at].stride : 0; // what is left of that digit
    for (int k = 0; k < leaves; ++k) {
        for (Int need = extents[k]; need > 1;) {
            if (at < 0) return false;
            const bool fits = need >= extent;
            const Int q = fits ? quotient(need, extent) : quotient(extent, need);
            if (q * (fits ? extent : need) != (fits ? need : extent)) return false;
            Iter& piece = pieces.items[pieces.count++]; // number by number: no store is read back wider than it was written
            piece.extent = fits ? extent : need;
            piece.stride = stride;
            piece.axis = digits[at].axis;
            if (fits) {
                need = q;
                if (--at >= 0) {
                    extent = digits[at].extent;
                    stride = digits[at].stride;
                }
            } else {
                extent = q;
                stride *= need;
                need = 1;
            }
        }
        ends[k] = pieces.size();
    }
    return true;
}

/// A(index) as the stride of `sum`; returns whether it is a single number, within the integer.
constexpr bool find_value(const Part& a, Int index, Iter& sum) noexcept
{
    using namespace axe::detail;
    sum = Iter{1, 0, Axis{}};
    int last = -1;
    for (int i = 0; i < a.count; ++i)
        if (a.nodes[i].children < 0) last = i;
    for (int i = 0; i <= last; ++i) {
        const Node& node = a.nodes[i];
        if (node.children >= 0) continue;
        const Int digit = i == last ? index : floor_mod(index, node.leaf.extent);
        index = floor_div(index, node.leaf.extent);
        if (digit == 0 || node.leaf.stride == 0) continue;
        const Axis axis = axis_of(node.leaf.basis);
        if ((sum.stride != 0 && !(sum.axis == axis)) || !add_product(digit, node.leaf.stride, sum.stride)) return false;
        sum.axis = axis;
    }
    return true;
}
/// The same for an extent of 1, where nothing depends on it: 0 if none exists.
constexpr Iter value_at(const Part& a, Int index) noexcept
{
    Iter sum;
    return find_value(a, index, sum) && sum.stride != 0 ? sum : Iter{1, 0, Axis{}};
}

/// The leaves of B along one basis, composed with the mode of A that it names.
struct Walked {
    int leaf[most_leaves]; ///< their numbers among B's
    Int extents[most_leaves];
    int count = 0;
};

constexpr Status compose_walked(const Part& a, const Leaf* const* leaves, int count, const Basis& basis, Int start, Walked& walked,
                                Working& composed) noexcept
{
    using namespace axe::detail;
    axe::detail::Walk<Int> walk;
    Int low = start, high = start, size = 1;
    for (int k = 0; k < count; ++k) {
        if (!(leaves[k]->basis == basis)) continue;
        walked.leaf[walked.count] = k;
        walked.extents[walked.count++] = leaves[k]->extent;
        const Int footprint = (leaves[k]->extent - 1) * leaves[k]->stride;
        Int& end = footprint < 0 ? low : high;
        if (!add(end, footprint, end) || !mul(size, leaves[k]->extent, size)) return result_overflow();
    }
    for (int i = walked.count - 1; i >= 0; --i) walk.push(walked.extents[i], leaves[walked.leaf[i]]->stride);
    Part named{};
    if (const Status e = mode_named(a, basis, named); !e.ok()) return e;
    Digits f;
    if (const Status e = run_on(named, low, high, f, walk.start); !e.ok()) return e;
    walk.start += start;
    return compose_digits(f, walk, composed);
}

constexpr Status not_cut() noexcept
{
    return no_layout("the composed map is a layout, but it does not split at the modes of the inner layout");
}

/// The digits of A∘(B_0, B_1, …) as one flat mode for each part.
AXE_COLD constexpr Status put_flat(const Working::Shard& digits, const Part* b, int parts, Layout& out) noexcept
{
    Int sizes[most_leaves];
    int ends[most_leaves];
    for (int i = 0; i < parts; ++i) sizes[i] = size_of(b[i]);
    Digits pieces, mode;
    if (!cut_for_leaves(digits.items, digits.size(), sizes, parts, pieces, ends)) return not_cut();
    for (int i = 0, at = 0; i < parts; ++i) {
        mode.count = 0;
        for (int k = ends[i] - 1; k >= at; --k) mode.push_back(pieces[k]);
        at = ends[i];
        if (!put_digits(out, mode)) return nodes_capacity();
    }
    return {};
}

/// Appends A∘(B_0, B_1, …), a mode for each, where every leaf of B steps through A's digits without a carry into those of another
/// leaf; returns whether that is so. It is of nearly all that CuTe itself composes.
constexpr bool compose_steps(const Part& a, const Part* b, int parts, Layout& out) noexcept
{
    Steps steps(a);
    if (!steps.sound) return false;
    for (int p = 0; p < parts; ++p)
        for (const Node& node : b[p]) {
            if (node.children >= 0) {
                if (!put_tuple(out, node.children)) return false;
                continue;
            }
            const Leaf& leaf = node.leaf;
            if (!leaf.basis.path.empty() || leaf.stride < 0) return false;
            if (leaf.extent == 1) {
                if (!put_leaf(out, value_at(a, leaf.stride))) return false;
                continue;
            }
            FlatMode mode(out);
            if (!steps.put(leaf.extent, leaf.stride, mode) || !mode.finish()) return false;
        }
    return true;
}

/// Appends A∘(B_0, B_1, …), a mode for each: of the profile of B_i, or all flat where the leaves do not cut the map but the modes
/// do.
///
/// From index `start` on, where that is not 0: then what is added to A(start).
AXE_NOINLINE constexpr Status compose_digits_into(const Part& a, const Part* b, int parts, Layout& out, Int start = 0) noexcept
{
    const Leaf* leaves[most_leaves];
    int count = 0;
    bool plain = true;
    for (int i = 0; i < parts; ++i)
        for (const Node& node : b[i]) {
            if (node.children >= 0) continue;
            if (count == most_leaves) return nodes_capacity();
            plain = plain && node.leaf.basis.path.empty();
            leaves[count++] = &node.leaf;
        }
    Digits pieces;
    int begins[most_leaves], ends[most_leaves];
    for (int k = 0; k < count; ++k) begins[k] = -1;
    for (int k = 0; k < count; ++k) {
        if (begins[k] >= 0) continue;
        Walked walked;
        Working composed;
        if (const Status e = compose_walked(a, leaves, count, leaves[k]->basis, start, walked, composed); !e.ok()) return e;
        const auto& digits = composed.shard;
        int cuts[most_leaves];
        const int before = pieces.size();
        if (!cut_for_leaves(digits.items, digits.size(), walked.extents, walked.count, pieces, cuts))
            return plain ? put_flat(digits, b, parts, out) : not_cut();
        for (int i = 0; i < walked.count; ++i) {
            begins[walked.leaf[i]] = i == 0 ? before : cuts[i - 1];
            ends[walked.leaf[i]] = cuts[i];
        }
    }
    int k = 0;
    for (int p = 0; p < parts; ++p)
        for (const Node& node : b[p]) {
            bool room = true;
            if (node.children >= 0) {
                room = put_tuple(out, node.children);
            } else if (begins[k] == ends[k]) {
                Part named{};
                if (const Status e = mode_named(a, node.leaf.basis, named); !e.ok()) return e;
                room = put_leaf(out, start == 0 ? value_at(named, node.leaf.stride) : Iter{1, 0, Axis{}});
                ++k;
            } else {
                if (ends[k] - begins[k] > 1) room = put_tuple(out, ends[k] - begins[k]);
                for (int i = begins[k]; i < ends[k]; ++i) room = put_leaf(out, pieces[i]) && room;
                ++k;
            }
            if (!room) return nodes_capacity();
        }
    return {};
}
constexpr Status compose_into(const Part& a, const Part* b, int parts, Layout& out) noexcept
{
    const int before = out.nodes.size();
    if (compose_steps(a, b, parts, out)) return {};
    while (out.nodes.size() > before) out.nodes.pop_back();
    return compose_digits_into(a, b, parts, out);
}
constexpr Status compose_into(const Part& a, const Part& b, Layout& out) noexcept { return compose_into(a, &b, 1, out); }

struct Composition {
    static constexpr Status append(const Part& a, const Part& b, Layout& out) noexcept { return compose_into(a, b, out); }
};

} // namespace detail

/// One layout after another:  composition(A, B)(x) = A(B(x)).      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
///
/// The last leaf of A runs on past its extent, and below 0, as CuTe's does. Exists iff the map is a layout (`errc::no_layout`
/// otherwise); this is decided, where CuTe asks for divisibility that some layouts do not have and, of dynamic ones, assumes it.
/// The result has B's profile, each leaf a leaf or a tuple of its digits, coalesced; where B's leaves do not cut the map it is
/// flat. A stride of B along a basis takes the mode of A that it names (then B's profile is kept, or no layout exists). Errors:
/// those of `check`, also of the result; `errc::rank_mismatch` for a basis that names no mode; `errc::overflow`; `errc::capacity`; `errc::too_hard`
/// as for axe::compose. Cost: that of axe::compose.
constexpr Result<Layout> composition(const Layout& outer, const Layout& inner) noexcept
{
    Result<Layout> result;
    detail::Widths a, b;
    Status e = detail::check_widths(outer, a);
    if (e.ok()) e = detail::check_widths(inner, b);
    if (e.ok()) e = detail::compose_into(detail::whole(outer), detail::whole(inner), *result);
    if (e.ok() && !detail::stays_plain(a, b)) e = check(*result);
    if (!e.ok()) result = e;
    return result;
}

/// Mode by mode:  (A_0∘T_0, A_1∘T_1, …);  modes past the tiler's are dropped, as CuTe does.      [CUTLASS, include/cute/layout.hpp]
///
/// Errors: those of the other form for each mode; `errc::rank_mismatch` when the tiler has more items than the layout modes.
constexpr Result<Layout> composition(const Layout& outer, const Tiler& tiler) noexcept
{
    Result<Layout> result;
    detail::TilerPlace at;
    detail::Widths a, b;
    Status e = detail::check_tiler(outer, tiler, a, b);
    if (e.ok()) e = detail::by_mode<detail::Composition>(detail::whole(outer), tiler, at, false, *result);
    if (e.ok() && !detail::stays_plain(a, b)) e = check(*result);
    if (!e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
