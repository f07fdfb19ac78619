// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_AXES_HPP
#define AXE_MACHINE_AXES_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/machine/split_replicas.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Is the axis one that the canonical layout has?
template <class L>
constexpr bool names(const L& canonical, const Axis& axis) noexcept
{
    for (const auto& it : canonical.shard)
        if (it.stride != 0 && it.axis == axis) return true;
    for (const auto& it : canonical.replica)
        if (it.axis == axis) return true;
    return canonical.offset[axis] != 0;
}

/// The axis of which this one is a part; null if it is not a part of any.
constexpr const Axis* whole_of(const Machine& machine, const Axis& axis) noexcept
{
    for (const AxisSplit& split : machine.splits)
        if (split.outer == axis || split.inner == axis) return &split.whole;
    return nullptr;
}
/// Is it so of the axis or of one that it is a part of? (In a sound machine no way up is longer than the list of splits.)
template <class Predicate>
constexpr bool above(const Machine& machine, const Axis& axis, const Predicate& is_so) noexcept
{
    const Axis* at = &axis;
    for (int steps = 0; at != nullptr && steps <= machine.splits.size(); ++steps, at = whole_of(machine, *at))
        if (is_so(*at)) return true;
    return false;
}
/// How many axes it is a part of.
constexpr int depth(const Machine& machine, const Axis& axis) noexcept
{
    int steps = -1;
    above(machine, axis, [&](const Axis&) {
        ++steps;
        return false;
    });
    return steps;
}

template <class Int>
constexpr Status check_split(const AxisSplit& split, Int& extent) noexcept
{
    if (split.extent < 1) return Error(errc::bad_extent, -1, "an axis is split by {0}; it must be at least 1", split.extent);
    if (split.whole == split.outer || split.whole == split.inner || split.outer == split.inner)
        return Error(errc::bad_axis, -1, "the three axes of a split must be different");
    if (!narrow<Int>(split.extent, extent)) return result_overflow();
    return {};
}

/// The iter that prevents a split. One that cannot be split by itself; else the first that is not a multiple of e.
template <class L>
AXE_COLD constexpr Error why_no_split(const L& canonical, const AxisSplit& split, typename L::integer e) noexcept
{
    using Int = typename L::integer;
    const char* message = "the replicas of one element cross a multiple of {2}";
    int blamed = -1;
    for (int i = 0; i < canonical.shard.size(); ++i) {
        const auto& it = canonical.shard[i];
        if (!(it.axis == split.whole) || divides(e, it.stride)) continue;
        const Int size = magnitude(it.stride);
        const bool alone =
            size < e && (wider_t<Int>(it.extent - 1) * size < e || (divides(size, e) && divides(quotient(e, size), it.extent)));
        if (alone && blamed >= 0) continue;
        blamed = i;
        message = size > e ? "iter {0} has stride {1}, not a multiple of {2}: one step moves both parts of the axis"
                  : !alone ? "iter {0} crosses a multiple of {2} in steps of {1}, not at the end of a digit"
                           : "iter {0} of stride {1}, with the offset and the other iters of its axis, crosses a multiple of {2}";
        if (!alone) break;
    }
    return Error(errc::no_layout, blamed, message, blamed, blamed < 0 ? 0 : canonical.shard[blamed].stride, e);
}

/// The shard of a canonical layout, split iter by iter: multiples of e go to the outer part; (n, s) with |s| | e and e/|s| | n is a
/// digit of each; the rest stays on the inner one. Right iff those, with the offset and with `width` for replicas, stay in one
/// class [ea, ea + e).
///
/// And if not, there is no answer. Let D' be one, canonical, its inner coordinates in [0, e). With strides times e on the outer
/// part it is L's D, of which the canonical form merges neighbors (m, t), (n, s) with t = n·s, and no others. Two iters of one
/// part do not merge: D' is canonical. Inner before outer has |t| ≥ 2e, but inner strides are below e. Outer before inner has
/// t = ±e·u = n·s, while (n−1)·|s| < e: so u = 1 and n·|s| = e. Hence each iter of L is of one of the three kinds, and D' is what
/// is made here.
template <class L>
constexpr Status split_digits(const L& canonical, const AxisSplit& split, typename L::integer e, typename L::integer width,
                              L& out) noexcept
{
    using Int = typename L::integer;
    wider_t<Int> low = floor_mod(canonical.offset[split.whole], e), high = low + width;
    bool room = true;
    for (const auto& it : canonical.shard) {
        const Int size = magnitude(it.stride);
        const Int m = it.stride == 0 || !divides(size, e) ? Int{0} : quotient(e, size);
        if (it.stride == 0 || !(it.axis == split.whole)) {
            room = append(out.shard, it) && room;
        } else if (divides(e, it.stride)) {
            room = append(out.shard, it.extent, quotient(it.stride, e), split.outer) && room;
        } else {
            const bool both = m != 0 && divides(m, it.extent);
            if (both) room = append(out.shard, quotient(it.extent, m), it.stride < 0 ? Int(-1) : Int(1), split.outer) && room;
            const Int n = both ? m : it.extent;
            room = append(out.shard, n, it.stride, split.inner) && room;
            (it.stride < 0 ? low : high) += wider_t<Int>(n - 1) * it.stride;
        }
    }
    if (low < 0 || high >= e) return why_no_split(canonical, split, e);
    return room ? Error{} : shard_capacity<L>();
}

/// The offset, split, into that of `out`.
template <class L>
constexpr Status split_offset(const L& canonical, const AxisSplit& split, typename L::integer e, L& out) noexcept
{
    for (const auto& entry : canonical.offset)
        if (!(entry.axis == split.whole))
            if (const Status f = add_offset(out.offset, entry.axis, entry.value); !f.ok()) return f;
    const auto whole = canonical.offset[split.whole];
    if (const Status f = add_offset(out.offset, split.outer, floor_div(whole, e)); !f.ok()) return f;
    return add_offset(out.offset, split.inner, floor_mod(whole, e));
}

template <class L>
constexpr Status split_axis_into(const L& layout, const AxisSplit& split, L& out) noexcept
{
    typename L::integer e = 1, width = 0;
    if (const Status f = check(layout); !f.ok()) return f;
    if (const Status f = check_split(split, e); !f.ok()) return f;
    L canonical;
    if (const Status f = canonicalize_into(layout, canonical); !f.ok()) return f;
    if (!names(canonical, split.whole)) {
        out = canonical;
        return {};
    }
    if (names(canonical, split.outer) || names(canonical, split.inner))
        return Error(errc::bad_axis, -1, "the layout has both the axis to split and a part of it");
    if (const Status f = split_replicas(canonical, split, e, out, width); !f.ok()) return f;
    if (const Status f = split_digits(canonical, split, e, width, out); !f.ok()) return f;
    if (const Status f = split_offset(canonical, split, e, out); !f.ok()) return f;
    if (const Status f = canonical_replica(out.replica, out.offset); !f.ok()) return f;
    out.offset.drop_zeros();
    return check(out);
}

template <class L>
constexpr Status fuse_axes_into(const L& layout, const AxisSplit& split, L& out) noexcept
{
    using Int = typename L::integer;
    Int e = 1;
    if (const Status f = check(layout); !f.ok()) return f;
    if (const Status f = check_split(split, e); !f.ok()) return f;
    L canonical;
    if (const Status f = canonicalize_into(layout, canonical); !f.ok()) return f;
    if (!names(canonical, split.outer) && !names(canonical, split.inner)) {
        out = canonical;
        return {};
    }
    if (names(canonical, split.whole))
        return Error(errc::bad_axis, -1, "the layout has both a part and the axis that the parts join into");

    Int low = canonical.offset[split.inner], high = low; // of a checked layout, so in the integer
    L fused;
    bool fits = true;
    const auto put = [&](const auto& it, auto& list) {
        auto moved = it;
        if (it.axis == split.outer) {
            fits = mul(it.stride, e, moved.stride) && fits;
            moved.axis = split.whole;
        } else if (it.axis == split.inner && it.stride != 0) {
            (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
            moved.axis = split.whole;
        }
        list.push_back(moved);
    };
    for (const auto& it : canonical.shard) put(it, fused.shard);
    for (const auto& it : canonical.replica) put(it, fused.replica);
    if (low < 0 || high >= e)
        return Error(errc::out_of_domain, -1, "the inner axis has the coordinate {0}, outside [0, {1})", low < 0 ? low : high, e);
    for (const auto& entry : canonical.offset) {
        Int value = entry.value;
        if (entry.axis == split.outer) fits = mul(value, e, value) && fits;
        const bool is_part = entry.axis == split.outer || entry.axis == split.inner;
        if (const Status f = add_offset(fused.offset, is_part ? split.whole : entry.axis, value); !f.ok()) return f;
    }
    if (!fits) return result_overflow();
    if (const Status f = check(fused); !f.ok()) return f;
    return canonicalize_into(fused, out);
}

} // namespace detail

/// One axis read as quotient and remainder:  split(L)(x) = { p with  outer = ⌊p_whole/e⌋,  inner = p_whole mod e  : p ∈ L(x) },  e
/// the extent of the split; the quotient rounds down, so the remainder is in [0, e) for negative coordinates too.
///
/// Exists iff that map is a layout (`errc::no_layout`, with the iter of the canonical form that passes a multiple of e where it may
/// not); this is decided, not approximated. A layout without the whole axis comes back canonical, and else as it was.
/// `errc::bad_axis` when it has the whole and a part of it; `errc::bad_extent`, `errc::overflow`, `errc::capacity`;
/// `errc::too_hard` for replica sets that break the gap condition, have more than 2^12 points and do not split iter by iter.
/// Cost: linear in the shard iters, quadratic in the replica iters.
template <AnyLayout L>
constexpr Result<L> split_axis(const L& layout, const AxisSplit& split) noexcept
{
    Result<L> result;
    if (const Status e = detail::split_axis_into(layout, split, *result); !e.ok()) result = e;
    return result;
}

/// Two axes as one:  fuse(L)(x) = { p with  whole = e·p_outer + p_inner  : p ∈ L(x) }.  fuse(split(L)) = L.
///
/// Exists iff the inner coordinate stays in [0, e): otherwise two places would become one (`errc::out_of_domain` with the
/// coordinate). A layout without either part is returned as it is, canonical. `errc::bad_axis` when it has the whole beside a part;
/// `errc::bad_extent`, `errc::overflow`. Cost: linear in the iters.
template <AnyLayout L>
constexpr Result<L> fuse_axes(const L& layout, const AxisSplit& split) noexcept
{
    Result<L> result;
    if (const Status e = detail::fuse_axes_into(layout, split, *result); !e.ok()) result = e;
    return result;
}

/// The layout on the axes that are wanted, by the splits of a machine: parts of a wanted axis are fused, wholes of wanted ones
/// split.
///
/// With thread = 32·warp + lane, `convert_axes(machine, L, {"warp", "lane"})` gives what a layout by threads is by warps and lanes,
/// and `{"thread"}` turns it back. Axes that no split turns into a requested one stay. Exists iff all of the conversions together do:
/// fusing loses nothing, so it comes first, and a split that exists passes through those outside it.
/// `errc::unknown_axis` with the wanted axis that the machine has not; `errc::bad_argument` when one is a part of another; else the
/// errors of `split_axis` and `fuse_axes`. Cost: that of the splits in turn.
template <AnyLayout L>
constexpr Result<L> convert_axes(const Machine& machine, const L& layout, const typename L::Axes& wanted) noexcept
{
    const auto is_wanted = [&](const Axis& axis) {
        for (const Axis& w : wanted)
            if (w == axis) return true;
        return false;
    };
    if (wanted.overfull()) return detail::axes_capacity<L>();
    for (int i = 0; i < wanted.size(); ++i) {
        if (scope_of_axis(machine, wanted[i]) < 0 && !is_address_axis(machine, wanted[i]))
            return Error(errc::unknown_axis, i, "requested axis {0} is not an axis of a scope or memory of the machine", i);
        if (const Axis* up = detail::whole_of(machine, wanted[i]); up != nullptr && detail::above(machine, *up, is_wanted))
            return Error(errc::bad_argument, i, "requested axis {0} is a part of another requested axis", i);
    }

    // Innermost parts are fused first, outermost wholes are split first.
    const int deepest = machine.splits.size();
    Result<L> result(layout);
    for (int level = deepest; level >= 0; --level)
        for (const AxisSplit& split : machine.splits)
            if (result && detail::depth(machine, split.whole) == level && detail::above(machine, split.whole, is_wanted))
                result = fuse_axes(*result, split);
    for (int level = 0; level <= deepest; ++level)
        for (const AxisSplit& split : machine.splits) {
            if (detail::depth(machine, split.whole) != level || is_wanted(split.whole)) continue;
            bool leads = false;
            for (const Axis& w : wanted)
                leads = leads || detail::above(machine, w, [&](const Axis& axis) { return axis == split.whole; });
            if (result && leads) result = split_axis(*result, split);
        }
    if (!result) return result;
    return canonicalize(*result);
}

} // namespace v0
} // namespace axe

#endif
