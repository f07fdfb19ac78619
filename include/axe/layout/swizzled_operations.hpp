// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SWIZZLED_OPERATIONS_HPP
#define AXE_LAYOUT_SWIZZLED_OPERATIONS_HPP

#include <axe/layout/broadcast.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/local.hpp>
#include <axe/layout/permute.hpp>
#include <axe/layout/project.hpp>
#include <axe/layout/rename.hpp>
#include <axe/layout/reshape.hpp>
#include <axe/layout/shift.hpp>
#include <axe/layout/span.hpp>
#include <axe/layout/swizzled_points.hpp>

/// Operations of the algebra that commute with a swizzle. The XOR is applied after the layout: what changes the domain alone, or
/// the coordinates on other axes, or the swizzled one by multiples of the period, is done to the layout inside.
namespace axe {
inline namespace v0 {
namespace detail {

/// The same swizzle over another layout; none where the swizzle has no bits.
template <AnyLayout L>
constexpr Result<Swizzled<L>> under(const Swizzled<L>& s, const Result<L>& layout) noexcept
{
    if (!layout) return layout.error();
    if (s.swizzle.bits == 0) return Swizzled<L>{{}, {}, 1, *layout};
    return Swizzled<L>{s.swizzle, s.axis, s.width, *layout};
}

/// Is each coordinate of the layout on the axis a multiple of n?
template <AnyLayout L>
constexpr bool moves_by_multiples(const L& layout, const Axis& axis, std::int64_t n) noexcept
{
    for (const auto& it : layout.shard)
        if (it.extent > 1 && it.axis == axis && it.stride % n != 0) return false;
    for (const auto& it : layout.replica)
        if (it.extent > 1 && it.axis == axis && it.stride % n != 0) return false;
    return layout.offset[axis] % n == 0;
}

/// The layout's coordinates on one axis: its least and its greatest.
template <AnyLayout L>
constexpr bool bounds_on(const L& layout, const Axis& axis, typename L::integer& low, typename L::integer& high) noexcept
{
    low = high = layout.offset[axis];
    bool fits = true;
    const auto stretch = [&](const auto& it) {
        if (it.extent < 2 || !(it.axis == axis)) return;
        auto& end = it.stride < 0 ? low : high;
        fits = fits && add(end, typename L::integer((it.extent - 1) * it.stride), end);
    };
    for (const auto& it : layout.shard) stretch(it);
    for (const auto& it : layout.replica) stretch(it);
    return fits;
}

/// Parts of elements keep whole bits of a swizzle.
constexpr Status parts_of_swizzled(std::int64_t n) noexcept
{
    if ((n & (n - 1)) == 0) return {};
    return Error(errc::bad_argument, -1, "a swizzled element has 2, 4, 8, ... parts, got {0}", n);
}

} // namespace detail

/// The number of elements: that of the layout inside.
template <AnyLayout L>
constexpr Result<typename L::integer> size(const Swizzled<L>& s) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return size(s.layout);
}

/// The canonical layout under the same swizzle:  canonicalize(s)(x) = s(x).  A swizzle of no bits is left out. Two swizzles may be one
/// map of few elements, so that whether two swizzled layouts are one is asked of `equal`. Errors: those of `canonicalize`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> canonicalize(const Swizzled<L>& s) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::under(s, canonicalize(s.layout));
}

/// The same map, seen on another shape. Errors: those of `reshape`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> reshape(const Swizzled<L>& s, const typename L::Shape& shape) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::under(s, reshape(s.layout, shape));
}

/// The dimensions in another order. Exists and errors as for `permute`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> permute(const Swizzled<L>& s, const typename L::Shape& shape, const Order& order) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::under(s, permute(s.layout, shape, order));
}

/// A new dimension, which moves nothing. Exists and errors as for `broadcast`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> broadcast(const Swizzled<L>& s, const typename L::Shape& shape, int dim,
                                        typename L::integer n) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::under(s, broadcast(s.layout, shape, dim, n));
}

/// A swizzled layout after a layout:  C(x) = s(b(x)).  Exists and errors as for `compose`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> compose(const Swizzled<L>& s, const L& b) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::under(s, compose(s.layout, b));
}

/// What one owner holds. Without the swizzled axis there is nothing to swizzle. Exists and errors as for `local`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> local(const Swizzled<L>& s, const typename L::Axes& axes) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    const auto kept = local(s.layout, axes);
    if (kept && detail::named(axes, s.axis)) return Swizzled<L>{{}, {}, 1, *kept};
    return detail::under(s, kept);
}

/// The coordinates on the axes named; without the swizzled one, 0 stays 0. Exists and errors as for `project`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> project(const Swizzled<L>& s, const typename L::Axes& axes) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    const auto kept = project(s.layout, axes);
    if (kept && !detail::named(axes, s.axis)) return Swizzled<L>{{}, {}, 1, *kept};
    return detail::under(s, kept);
}

/// Another name for an axis; the swizzle moves to it. `errc::unknown_axis` and `errc::bad_axis` as for `rename`, and `errc::bad_axis` when
/// the new name is that of the swizzled axis.
template <AnyLayout L>
constexpr Result<Swizzled<L>> rename(const Swizzled<L>& s, const Axis& from, const Axis& to) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    if (s.swizzle.bits > 0 && to == s.axis && !(from == to))
        return Error(errc::bad_axis, -1, "the new name is that of the swizzled axis");
    auto renamed = detail::under(s, rename(s.layout, from, to));
    if (renamed && s.swizzle.bits > 0 && s.axis == from) renamed->axis = to;
    return renamed;
}

/// The layout moved by a point:  S(x) = s(x) + by.  On the swizzled axis it moves by a multiple of the period (`errc::bad_argument`), as
/// the XOR of other sums is another map. Errors else: those of `shift`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> shift(const Swizzled<L>& s, const typename L::Point& by) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    if (const std::int64_t period = in_elements(s).period(); by[s.axis] % period != 0)
        return Error(errc::bad_argument, -1, "a swizzled layout moves by multiples of the period {0} of its swizzle, not by {1}",
                     period, by[s.axis]);
    return detail::under(s, shift(s.layout, by));
}

/// The room that the swizzled layout takes on an axis:  1 + the greatest coordinate − the least.
///
/// On the swizzled axis a swizzle permutes each run of as many elements as its period, so that the two extremes are in the runs of
/// the layout's own; they are searched for from the ends of these on, by at most 2^16 questions whether a coordinate is taken
/// (`errc::too_hard` beyond). On other axes, and without bits, as `span` of the layout. Errors: those of `check`.
template <AnyLayout L>
constexpr Result<typename L::integer> span(const Swizzled<L>& s, const Axis& axis) noexcept
{
    using Int = typename L::integer;
    constexpr int limit = 1 << 16;
    if (const Status e = check(s); !e.ok()) return e;
    const Swizzle swizzle = in_elements(s);
    if (swizzle.bits == 0 || !(axis == s.axis)) return span(s.layout, axis);
    typename L::Axes only;
    only.push_back(axis);
    const auto alone = project(s.layout, only);
    if (!alone) return alone.error();
    Int low = 0, high = 0;
    if (!detail::bounds_on(*alone, axis, low, high)) return detail::result_overflow();
    const int read = swizzle.base + (swizzle.shift > 0 ? swizzle.shift : 0);
    if (low >> read == high >> read && ((low >> read) & ((Int{1} << swizzle.bits) - 1)) == 0)
        return span(s.layout, axis); // moves none
    const typename L::Shape flat{detail::product(alone->shard)};
    const auto taken = [&](Int at) {
        typename L::Point point;
        *point.entry(axis) = static_cast<Int>(swizzle(at));
        return !preimage(*alone, flat, point).empty();
    };
    const std::int64_t period = swizzle.period();
    Int first = low - detail::floor_mod(low, static_cast<Int>(period));
    Int last = high - detail::floor_mod(high, static_cast<Int>(period)) + static_cast<Int>(period - 1);
    const Error far(errc::too_hard, -1, "the span of a swizzle of period {0} was not found at {1} places", period, limit);
    int steps = limit;
    for (; !taken(first); ++first)
        if (--steps == 0) return far;
    for (; !taken(last); --last)
        if (--steps == 0) return far;
    return last - first + 1;
}

/// From places of elements on an axis to places of their n parts:  U(x·n + i) = s(x) with its coordinate times n, plus i.
///
/// On the swizzled axis n must be a power of two (`errc::bad_argument`): the bits of the swizzle then move up, or the elements get
/// smaller where their width is a multiple of n. Exists and errors else as for `unpack`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> unpack(const Swizzled<L>& s, typename L::integer n, const Axis& axis) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    auto parts = detail::under(s, unpack(s.layout, n, axis));
    if (!parts || s.swizzle.bits == 0 || !(axis == s.axis)) return parts;
    if (const Status e = detail::parts_of_swizzled(n); !e.ok()) return e;
    if (s.width % n == 0)
        parts->width = s.width / n;
    else
        for (auto k = n; k > 1; k /= 2) ++parts->swizzle.base;
    if (const Status e = check(*parts); !e.ok()) return e;
    return parts;
}

/// n neighbors become one element:  the M with unpack(M, n, axis) = s.
///
/// On the swizzled axis n must be a power of two, and the element no larger than the lowest bit of the swizzle, which else cuts it
/// (`errc::bad_argument`). Exists and errors else as for `pack`.
template <AnyLayout L>
constexpr Result<Swizzled<L>> pack(const Swizzled<L>& s, typename L::integer n, const Axis& axis) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    auto whole = detail::under(s, pack(s.layout, n, axis));
    if (!whole || s.swizzle.bits == 0 || !(axis == s.axis)) return whole;
    if (const Status e = detail::parts_of_swizzled(n); !e.ok()) return e;
    if (!detail::mul(s.width, n, whole->width)) return detail::result_overflow();
    if (const Status e = check(*whole); !e.ok()) return e;
    return whole;
}

} // namespace v0
} // namespace axe

#endif
