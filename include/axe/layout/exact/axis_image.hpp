// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_AXIS_IMAGE_HPP
#define AXE_LAYOUT_EXACT_AXIS_IMAGE_HPP

#include <axe/layout/exact/replica_set.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The values that D and R reach on one axis, counted from the least: absorbed to the fewest progressions, and that least value.
template <class L>
struct AxisImage {
    using Int = typename L::integer;
    BoundedSum<Int, L::max_shard + L::max_replica> sums;
    Int least = 0;

    constexpr AxisImage(const L& layout, const Axis& axis) noexcept
    {
        InlineVector<BasicIter<Int>, L::max_shard + L::max_replica> list;
        typename L::Point origin;
        for (const auto& it : layout.shard)
            if (it.axis == axis) list.push_back(it);
        for (const auto& it : layout.replica)
            if (it.axis == axis) list.push_back(it);
        if (!canonical_replica(list, origin).ok()) return; // one axis of a checked layout: it fits
        for (const auto& it : list) sums.insert(it.extent, it.stride);
        sums.prepare();
        least = layout.offset[axis] + origin[axis];
    }

    /// The least value of [0, n) that is not reached; n when all are.
    [[nodiscard]] constexpr Int first_missing(Int n, std::int64_t& steps) const noexcept
    {
        const wider_t<Int> origin = -wider_t<Int>(least);
        Int digit[L::max_shard + L::max_replica]{};
        for (Int v = 0; v < n;) {
            if (--steps <= 0 || !sums.contains(origin + v, steps, digit)) return v;
            // A digit of stride 1 that is not at its end yet reaches the next values too.
            const Int run = sums.count > 0 && sums.stride[0] == 1 ? Int(sums.extent[0] - digit[0]) : Int{1};
            if (run >= n - v) return n;
            v += run;
        }
        return n;
    }
};

/// Calls f with each axis on which something moves or that has an offset, once.
template <class L, class F>
constexpr void for_each_axis(const L& layout, F f) noexcept
{
    Axis seen[L::max_shard + L::max_replica + L::max_axes];
    int count = 0;
    const auto visit = [&](const Axis& axis) {
        for (int i = 0; i < count; ++i)
            if (seen[i] == axis) return;
        seen[count++] = axis;
        f(axis);
    };
    for (const auto& it : layout.shard)
        if (it.stride != 0) visit(it.axis);
    for (const auto& it : layout.replica)
        if (it.stride != 0) visit(it.axis);
    for (const auto& e : layout.offset) visit(e.axis);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
