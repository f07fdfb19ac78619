// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_RECOGNIZE_HPP
#define AXE_LAYOUT_EXACT_RECOGNIZE_HPP

#include <axe/layout/exact/at_index.hpp>
#include <axe/layout/exact/digits.hpp>

/// A layout from its points.
namespace axe {
inline namespace v0 {
namespace detail {

/// q − p when they differ on one axis at most: that axis and the difference. False when they differ on two, or it overflows.
template <class Point, class Int>
constexpr bool step_between(const Point& p, const Point& q, Axis& axis, Int& step) noexcept
{
    axis = Axis{};
    step = 0;
    bool moves = false;
    const auto consider = [&](const Axis& a) {
        if (p[a] == q[a]) return true;
        if (moves) return a == axis;
        moves = true;
        axis = a;
        return sub(q[a], p[a], step);
    };
    for (const auto& e : p)
        if (!consider(e.axis)) return false;
    for (const auto& e : q)
        if (!consider(e.axis)) return false;
    return true;
}

constexpr Error too_many_points(std::int64_t n) noexcept
{
    return Error(errc::too_hard, -1, "the points of {0} elements are too many to compare one by one; the limit is {1}", n,
                 search_limit);
}

/// The layout without replicas that has  out(x) = f(x)  for each x of [0, n); `errc::no_layout` if none exists.
///
/// Of the canonical form the innermost iter is as long as f goes on in equal steps: were it longer, the steps would be too, and were it
/// shorter, the next would continue it. So one iter after the other is read off f, and then all of f compared with them.
/// `f` returns a `Result<Point>`, whose errors are passed on. `errc::too_hard` beyond 2^20 indices. Cost: two evaluations an index.
template <class L, class F>
AXE_COLD constexpr Status recognize(typename L::integer n, const F& f, L& out) noexcept
{
    using Int = typename L::integer;
    if (n > search_limit) return too_many_points(n);
    const Error none(errc::no_layout, -1, "the map is not a layout under this swizzle");
    const auto first = f(Int{0});
    if (!first) return first.error();
    InlineVector<BasicIter<Int>, L::max_shard> inside_out;
    for (Int inner = 1; inner < n;) {
        const auto second = f(inner);
        if (!second) return second.error();
        BasicIter<Int> it{2, 0, Axis{}};
        if (!step_between(*first, *second, it.axis, it.stride)) return none;
        for (typename L::Point expected = *second; it.extent * inner < n; ++it.extent) {
            if (it.stride != 0) {
                auto* const value = expected.entry(it.axis);
                if (value == nullptr) return axes_capacity<L>();
                if (!add(*value, it.stride, *value)) break;
            }
            const auto next = f(it.extent * inner);
            if (!next) return next.error();
            if (!(*next == expected)) break;
        }
        if ((n / inner) % it.extent != 0) return none;
        inner *= it.extent;
        if (!inside_out.push_back(it)) return shard_capacity<L>();
    }
    out = {};
    for (int i = inside_out.size() - 1; i >= 0; --i) out.shard.push_back(inside_out[i]);
    out.offset = *first;
    out.offset.drop_zeros();
    if (const Status e = check(out); !e.ok()) return e;
    for (Int x = 0; x < n; ++x) {
        const auto asked = f(x);
        if (!asked) return asked.error();
        typename L::Point point;
        evaluate_into(out, x, point);
        if (!(point == *asked)) return none;
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
