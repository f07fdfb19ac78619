// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SWIZZLED_PROPERTIES_HPP
#define AXE_LAYOUT_SWIZZLED_PROPERTIES_HPP

#include <axe/layout/exact/recognize.hpp>
#include <axe/layout/max_vector.hpp>
#include <axe/layout/properties.hpp>
#include <axe/layout/swizzle.hpp>

/// Successive elements of swizzled layouts. A swizzle keeps blocks of elements whole and moves them, so that the layout inside does not
/// tell: the points are compared, up to 2^20.
namespace axe {
inline namespace v0 {
namespace detail {

/// Is q at n more than p on one axis, and at the same place on all others?
template <class Point, class Int>
constexpr bool is_ahead(const Point& p, const Point& q, const Axis& axis, Int n) noexcept
{
    for (const auto& e : p)
        if (!(e.axis == axis) && q[e.axis] != e.value) return false;
    for (const auto& e : q)
        if (!(e.axis == axis) && p[e.axis] != e.value) return false;
    return q[axis] - p[axis] == n;
}

constexpr Error swizzled_replicas() noexcept
{
    return Error(errc::too_hard, -1, "the points of a swizzled layout with replicas are not compared one by one");
}

/// Is every vector of v successive elements along the dimension at v successive coordinates from a multiple of v on?
template <AnyLayout L>
constexpr bool holds_vectors(const Swizzled<L>& s, typename L::integer n, typename L::integer inner, const Axis& axis,
                             typename L::integer v) noexcept
{
    using Int = typename L::integer;
    for (Int outer = 0; outer < n; outer += inner * v)
        for (Int start = outer; start < outer + inner; ++start) {
            const auto first = evaluate(s, start);
            if (!first || (*first)[axis] % v != 0) return false;
            for (Int k = 1; k < v; ++k)
                if (const auto p = evaluate(s, start + inner * k); !p || !is_ahead(*first, *p, axis, k)) return false;
        }
    return true;
}

} // namespace detail

/// Does each step of the index move by 1 on one axis, L(x) = L(0) + x@axis? On a no, `witness()` is the least index that fails.
///
/// Undecided, `errc::too_hard`, above 2^20 elements where the first of them do not show it, and for replicas. Cost: linear in the
/// elements.
template <AnyLayout L>
constexpr Decision is_contiguous(const Swizzled<L>& s) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check(s); !e.ok()) return e;
    if (s.swizzle.bits == 0) return is_contiguous(s.layout);
    const Int n = detail::product(s.layout.shard);
    const auto first = evaluate(s, Int{0});
    if (!first) return detail::swizzled_replicas();
    Axis along{};
    for (Int x = 1; x < n; ++x) {
        if (x == detail::search_limit) return detail::too_many_points(n);
        const auto p = evaluate(s, x);
        if (!p) return p.error();
        if (x == 1) // the axis of the first step is that of all
            for (const auto& e : *p)
                if (e.value - (*first)[e.axis] == 1) along = e.axis;
        if (!detail::is_ahead(*first, *p, along, x)) return Decision(false, x);
    }
    return Decision(true);
}

/// The longest vector along a dimension, as `max_vector` of a layout has it, of the swizzled coordinates.
///
/// Errors: those of `max_vector`; `errc::too_hard` above 2^20 elements and for replicas. Cost: the elements, for each divisor of the
/// dimension at most once.
template <AnyLayout L>
constexpr Result<typename L::integer> max_vector(const Swizzled<L>& s, const typename L::Shape& shape, int dim,
                                                 const Axis& axis) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check(s); !e.ok()) return e;
    const auto inside = max_vector(s.layout, shape, dim, axis);
    if (!inside || s.swizzle.bits == 0) return inside;
    const Int n = detail::product(s.layout.shard);
    if (n > detail::search_limit) return detail::too_many_points(n);
    if (!evaluate(s, Int{0})) return detail::swizzled_replicas();
    Int inner = 1;
    for (int d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
    for (Int v = shape[dim]; v > 1; --v)
        if (shape[dim] % v == 0 && detail::holds_vectors(s, n, inner, axis, v)) return v;
    return Int{1};
}

} // namespace v0
} // namespace axe

#endif
