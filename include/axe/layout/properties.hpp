// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_PROPERTIES_HPP
#define AXE_LAYOUT_PROPERTIES_HPP

#include <axe/layout/exact/axis_image.hpp>
#include <axe/layout/exact/canonical.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// One index of a pair that shares a point, from the digits of a search for  (1 + z_k)·|s_k| + Σ (z_i − (n_i−1))·|s_i| = 0: the digits
/// with a positive difference, at that difference, the others at 0.
template <class L, class Sums>
constexpr typename L::integer colliding_index(const L& from, const typename L::integer* weight, int k, const Sums& sums,
                                              const typename L::integer* digit) noexcept
{
    using Int = typename L::integer;
    Int index = 0;
    bool taken[L::max_shard + L::max_replica]{};
    // Terms of one stride and extent are interchangeable, so any one not yet taken will do.
    const auto take = [&](Int extent, Int stride) {
        for (int t = 0; t < sums.count; ++t)
            if (!taken[t] && sums.extent[t] == extent && sums.stride[t] == stride) {
                taken[t] = true;
                return digit[t];
            }
        return Int{0};
    };
    for (int i = k; i < from.shard.size(); ++i) {
        const auto& it = from.shard[i];
        if (i > k && !(it.axis == from.shard[k].axis)) continue;
        const Int z = i == k ? take(it.extent - 1, magnitude(it.stride)) : take(2 * it.extent - 1, magnitude(it.stride));
        Int difference = i == k ? 1 + z : z - (it.extent - 1);
        if (it.stride < 0) difference = -difference;
        if (difference > 0) index += difference * weight[i];
    }
    return index;
}

template <class P>
constexpr Status check_box(const P& box) noexcept
{
    if (box.entries.overfull())
        return Error(errc::capacity, P{}.entries.capacity, "a box has at most {0} axes", P{}.entries.capacity);
    for (int i = 0; i < box.size(); ++i) {
        const auto& e = box.entries[i];
        if (e.value < 1) return Error(errc::bad_extent, i, "side {0} of the box is {1}; it must be at least 1", i, e.value);
        if (i > 0 && !(box.entries[i - 1].axis < e.axis))
            return Error(errc::bad_axis, i, "side {0} of the box repeats an axis or is out of order", i);
    }
    return {};
}

} // namespace detail

/// Do different indices have disjoint sets:  L(x) ∩ L(y) = ∅ for x ≠ y?
///
/// On a no, `witness()` is an index that shares a point with another. Decided axis by axis: no combination of digit differences, not all 0,
/// and replica differences may sum to 0. `errc::too_hard` only where strides overlap so much that the search gives up.
template <AnyLayout L>
constexpr Decision is_injective(const L& layout) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    const int count = from.shard.size();
    Int weight[L::max_shard]{};
    digit_weights(from.shard, weight);
    for (int k = count - 1; k >= 0; --k)
        if (from.shard[k].stride == 0) return Decision(false, weight[k]);

    // Is there a difference Δ with Δ_k ≥ 1, |Δ_i| < n_i, on one axis, that the others and the replicas cancel?
    std::int64_t steps = 4 * search_limit;
    for (int k = 0; k < count; ++k) {
        const Axis axis = from.shard[k].axis;
        BoundedSum<Int, L::max_shard + L::max_replica> sums;
        wider_t<Int> footprint = 0; // Σ (n−1)·|s| of the others: differences are counted from their least
        bool overlapping = false;
        const auto others = [&](const auto& it) {
            if (!(it.axis == axis)) return true;
            Int twice;
            if (!add(it.extent, Int(it.extent - 1), twice)) return false;
            overlapping = true;
            sums.insert(twice, magnitude(it.stride));
            footprint += wider_t<Int>(it.extent - 1) * magnitude(it.stride);
            return true;
        };
        bool fits = true;
        // Digits before k may be taken as 0: were they not, they would have been found as k themselves.
        for (int i = k + 1; i < count; ++i) fits = fits && others(from.shard[i]);
        for (const auto& it : from.replica) fits = fits && others(it);
        if (!fits) return result_overflow();
        if (!overlapping) continue;
        const Int s = magnitude(from.shard[k].stride);
        sums.insert(from.shard[k].extent - 1, s); // Δ_k = 1 + digit
        sums.prepare();
        Int digit[L::max_shard + L::max_replica]{};
        const bool found = sums.contains(footprint - s, steps, digit);
        if (steps <= 0) return Error(errc::too_hard, k, "the strides of the axis of iter {0} overlap too much", k);
        if (!found) continue;
        return Decision(false, colliding_index(from, weight, k, sums, digit));
    }
    return Decision(true);
}

namespace detail {

constexpr Error box_overflows(int dim) noexcept { return Error(errc::overflow, dim, "the number of points of the box overflows"); }

} // namespace detail

/// Does the image cover a box:  every point of  Π_a [0, box_a)  (0 on axes that are not named) in some L(x)?
///
/// On a no, `witness()` is the least point that is missed, as its row-major position in the box, axes in alphabetical order. Points outside
/// the box do not matter. `errc::bad_extent` for a side below 1.
template <AnyLayout L>
constexpr Decision is_surjective(const L& layout, const typename L::Point& box) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check_box(box); !e.ok()) return e;
    std::int64_t steps = search_limit;
    bool missing = false;
    Int first = 0;
    for_each_axis(layout, [&](const Axis& axis) { // 0 on the axes that are not named
        bool named = false;
        for (const auto& e : box) named = named || e.axis == axis;
        if (!named && AxisImage<L>(layout, axis).first_missing(1, steps) == 0) missing = true;
    });
    // The least point that is missed is 0 but on one axis: the least of those.
    Int weight = 1;
    for (int i = box.size() - 1; i >= 0; --i) {
        const auto& side = box.entries[i];
        const Int value = AxisImage<L>(layout, side.axis).first_missing(side.value, steps);
        if (value < side.value) {
            Int position;
            if (!mul(value, weight, position)) return detail::box_overflows(i);
            first = missing ? detail::least(first, position) : position;
            missing = true;
        }
        if (i > 0 && !mul(weight, side.value, weight)) return detail::box_overflows(i);
    }
    if (steps <= 0) return sums_too_hard();
    return missing ? Decision(false, first) : Decision(true);
}

/// Is L a bijection onto a box: injective, the box covered, and no point outside it?
///
/// On a no, `witness()` is that of the property that fails first: an index that shares a point, the position of a point of the box that
/// is missed, or an index with a point outside: of those that go farthest to a side on an axis, the least.
template <AnyLayout L>
constexpr Decision is_bijective(const L& layout, const typename L::Point& box) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    const Decision injective = is_injective(layout);
    if (injective.undecided() || !injective) return injective;
    const Decision surjective = is_surjective(layout, box);
    if (surjective.undecided() || !surjective) return surjective;
    Int outside = -1;
    for_each_axis(layout, [&](const Axis& axis) {
        const AxisImage<L> image(layout, axis);
        Int side = 1;
        for (const auto& e : box)
            if (e.axis == axis) side = e.value;
        const bool below = image.least < 0, above = image.least + image.sums.footprint[image.sums.count] >= side;
        if (!below && !above) return;
        Int farthest = 0; // the index that goes farthest to that side
        for (const auto& it : layout.shard)
            farthest = farthest * it.extent + (it.axis == axis && (it.stride < 0) == below && it.stride != 0 ? it.extent - 1 : 0);
        outside = outside < 0 ? farthest : detail::least(outside, farthest);
    });
    return outside < 0 ? Decision(true) : Decision(false, outside);
}

/// Do successive elements sit at successive places of one axis:  L(x) = L(0) + x@a  for some axis a and every x?
///
/// Offset and replicas do not matter. On a no, `witness()` is the least x for which it fails.
template <AnyLayout L>
constexpr Decision is_contiguous(const L& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    detail::Digits<typename L::integer, L::max_shard> digits;
    for (const auto& it : layout.shard) detail::append(digits, it);
    if (digits.size() == 0) return Decision(true);
    const auto& inner = digits[digits.size() - 1];
    if (inner.stride != 1) return Decision(false, 1);
    return digits.size() == 1 ? Decision(true) : Decision(false, inner.extent);
}

} // namespace v0
} // namespace axe

#endif
