// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_INVERSE_HPP
#define AXE_LAYOUT_INVERSE_HPP

#include <axe/layout/exact/axis_list.hpp>
#include <axe/layout/exact/canonical.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error not_single_valued() noexcept
{
    return Error(errc::no_layout, -1, "the layout has replicas, so an index has several points: no inverse exists");
}

} // namespace detail

/// The logical index of each hardware point:  inverse(L, (a, b, …)) maps the box of spans over the named axes, row-major in the
/// order they are named, to the index on `m`:  inverse(L, axes)(L(x)) = x.
///
/// Exists iff L is a single-valued bijection onto that box, each axis from 0 on (shift first if it starts elsewhere): on every axis
/// the strides, by size, run 1, n_1, n_1·n_2, …; `errc::no_layout` otherwise, also when an axis that is not named moves or is elsewhere than at 0. A named
/// axis without iters has span 1. Cost: quadratic in the number of iters.
template <AnyLayout L>
constexpr Result<L> inverse(const L& layout, const typename L::Axes& axes) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check_axis_list(axes); !e.ok()) return e;
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    if (from.replica.size() > 0) return not_single_valued();

    for (int k = 0; k < from.shard.size(); ++k) {
        const auto& it = from.shard[k];
        if (it.stride == 0)
            return Error(errc::no_layout, k, "an iter of extent {0} has stride 0: several indices have the same point", it.extent);
        if (!named(axes, it.axis)) return Error(errc::no_layout, k, "the layout moves on an axis that is not named");
    }
    for (const auto& e : from.offset)
        if (!named(axes, e.axis))
            return Error(errc::no_layout, -1, "the points are at {0} on an axis that is not named, not at 0", e.value);
    int order[L::max_shard];
    Int weight[L::max_shard];
    digit_weights(from.shard, weight);
    order_by_stride(from.shard, order);

    Result<L> result;
    Digits<Int, L::max_shard> digits;
    Int origin = 0;
    for (const Axis& axis : axes) {
        Int filled = 1, least = from.offset[axis];
        const int first = digits.size();
        for (int i = 0; i < from.shard.size(); ++i) {
            const auto& it = from.shard[order[i]];
            if (!(it.axis == axis)) continue;
            if (magnitude(it.stride) != filled)
                return Error(errc::no_layout, order[i], "stride {0} does not continue the {1} points inside it", it.stride, filled);
            filled *= it.extent;
            if (it.stride < 0) { // the digit runs backwards: start at its end
                least += (it.extent - 1) * it.stride;
                origin += (it.extent - 1) * weight[order[i]];
                digits.push_back({it.extent, -weight[order[i]], Axis{}});
            } else {
                digits.push_back({it.extent, weight[order[i]], Axis{}});
            }
        }
        if (least != 0)
            return Error(errc::no_layout, -1, "the points start at {0} on an axis, not at 0; shift the layout first", least);
        for (int i = first, k = digits.size() - 1; i < k; ++i, --k) {
            const auto swapped = digits[i];
            digits[i] = digits[k];
            digits[k] = swapped;
        }
    }
    for (const auto& it : digits) append(result->shard, it);
    if (const Status e = add_offset(result->offset, Axis{}, origin); !e.ok()) return e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
