// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SWIZZLED_TILE_HPP
#define AXE_LAYOUT_SWIZZLED_TILE_HPP

#include <axe/layout/exact/recognize.hpp>
#include <axe/layout/sum.hpp>
#include <axe/layout/swizzled_operations.hpp>
#include <axe/layout/untile.hpp>

/// Sums and tilings of swizzled layouts. An XOR does not distribute over a sum, so that the result under the swizzle exists for some
/// operands only: always where what is added moves by multiples of the period; else it is looked for among the points.
namespace axe {
inline namespace v0 {
namespace detail {

/// The swizzle of two operands: theirs, or that of the one that has bits.
template <AnyLayout L>
constexpr Status one_swizzle(const Swizzled<L>& a, const Swizzled<L>& b, Swizzled<L>& out) noexcept
{
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    const bool first = a.swizzle.bits > 0, second = b.swizzle.bits > 0;
    if (first && second && (!(a.axis == b.axis) || !(in_elements(a) == in_elements(b))))
        return Error(errc::bad_argument, -1,
                     "the two layouts have different swizzles; they must be equal, or one layout have none");
    const Swizzled<L>& with = first ? a : b;
    out.swizzle = with.swizzle;
    out.axis = with.axis;
    out.width = with.width;
    if (!first && !second) out = {};
    return {};
}

template <AnyLayout L>
constexpr bool has_replicas_on(const L& layout, const Axis& axis) noexcept
{
    for (const auto& it : layout.replica)
        if (it.axis == axis && it.extent > 1) return true;
    return false;
}
constexpr Error swizzled_outer_layout() noexcept
{
    return Error(errc::bad_argument, -1,
                 "a tiling scales its outer layout, and a swizzle cannot be scaled; only the tile may have one");
}
constexpr Error replicas_under_a_swizzle() noexcept
{
    return Error(errc::too_hard, -1, "replicas on the swizzled axis are not compared one by one");
}

template <AnyLayout L>
constexpr Swizzled<L> without_replicas(Swizzled<L> s) noexcept
{
    s.layout.replica = {};
    return s;
}

/// The row-major indices z and y of an index of the interleaved shape.
template <class Shape>
struct Interleaved {
    Shape z_shape, y_shape;

    template <class Int>
    constexpr void split(Int index, Int& z, Int& y) const noexcept
    {
        z = y = 0;
        for (Int z_weight = 1, y_weight = 1, d = z_shape.size() - 1; d >= 0; --d) {
            const Int n = z_shape[static_cast<int>(d)], m = y_shape[static_cast<int>(d)];
            y += index % m * y_weight;
            z += index / m % n * z_weight;
            index = index / m / n;
            y_weight *= m;
            z_weight *= n;
        }
    }
    /// The index in the tiled shape, z_d·|y_d| + y_d in each dimension: it is that of the interleaved one.
    template <class Int, class Coord>
    [[nodiscard]] constexpr Int index(const Coord& z, const Coord& y) const noexcept
    {
        Int at = 0;
        for (int d = 0; d < z_shape.size(); ++d) at = (at * z_shape[d] + z[d]) * y_shape[d] + y[d];
        return at;
    }
};

/// p + sign·q
template <class Point>
constexpr Status add_point(Point& p, const Point& q, bool negative) noexcept
{
    for (const auto& e : q) {
        auto value = e.value;
        if (negative && !sub(decltype(value){0}, value, value)) return result_overflow();
        if (const Status f = add_offset(p, e.axis, value); !f.ok()) return f;
    }
    return {};
}

/// The layout with its strides and offset times n on an axis.
template <AnyLayout L>
constexpr Status scale(L& layout, const Axis& axis, typename L::integer n) noexcept
{
    bool fits = true;
    for (auto& it : layout.shard)
        if (it.axis == axis) fits = mul(it.stride, n, it.stride) && fits;
    for (auto& it : layout.replica)
        if (it.axis == axis) fits = mul(it.stride, n, it.stride) && fits;
    for (auto& e : layout.offset.entries)
        if (e.axis == axis) fits = mul(e.value, n, e.value) && fits;
    return fits ? check(layout) : Status(result_overflow());
}

/// The layout with every axis scaled by the span of another there.
template <AnyLayout L>
constexpr Result<L> scaled_by_spans(L layout, const Swizzled<L>& inner) noexcept
{
    Result<L> result(layout);
    const auto each = [&](const Axis& axis, bool first) -> Status {
        if (!first) return {};
        const auto n = span(inner, axis);
        return n ? scale(*result, axis, *n) : Status(n.error());
    };
    typename L::Point seen; // the axes that are done
    const auto once = [&](const Axis& axis) {
        for (const auto& e : seen.entries)
            if (e.axis == axis) return false;
        return seen.entry(axis) != nullptr;
    };
    for (const auto& it : layout.shard)
        if (const Status e = each(it.axis, it.stride != 0 && once(it.axis)); !e.ok()) return e;
    for (const auto& it : layout.replica)
        if (const Status e = each(it.axis, once(it.axis)); !e.ok()) return e;
    for (const auto& o : layout.offset)
        if (const Status e = each(o.axis, once(o.axis)); !e.ok()) return e;
    return result;
}

} // namespace detail

/// The direct sum:  F(z‖y) = a(z) ⊕ b(y),  as a layout under the swizzle of the operands; one of them may have none.
///
/// Exists iff some layout M has  swizzle(M(z‖y)) = a(z) ⊕ b(y)  (`errc::no_layout` otherwise). Where one operand has no swizzle and
/// moves by multiples of the period of the other's, M is the sum of the layouts; else M is read off the points, up to 2^20
/// (`errc::too_hard` beyond, and for replicas on the swizzled axis). `errc::bad_argument` for two different swizzles; else the errors
/// of `sum`. Cost: linear in the number of iters, or of elements.
template <AnyLayout L>
constexpr Result<Swizzled<L>> sum(const Swizzled<L>& a, const typename L::Shape& a_shape, const Swizzled<L>& b,
                                  const typename L::Shape& b_shape) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    Swizzled<L> out;
    if (const Status e = one_swizzle(a, b, out); !e.ok()) return e;
    const auto inside = sum(a.layout, a_shape, b.layout, b_shape);
    if (!inside) return inside.error();
    out.layout = *inside;
    const std::int64_t period = in_elements(out).period();
    if (a.swizzle.bits == 0 && moves_by_multiples(a.layout, out.axis, period)) return out;
    if (b.swizzle.bits == 0 && moves_by_multiples(b.layout, out.axis, period)) return out;
    if (has_replicas_on(a.layout, out.axis) || has_replicas_on(b.layout, out.axis)) return replicas_under_a_swizzle();

    const Swizzled<L> left = without_replicas(a), right = without_replicas(b);
    const Interleaved<typename L::Shape> shape{a_shape, b_shape};
    const auto point = [&](Int index) -> Result<typename L::Point> {
        Int z = 0, y = 0;
        shape.split(index, z, y);
        Result<typename L::Point> p;
        typename L::Point q;
        evaluate_into(left.layout, z, *p);
        evaluate_into(right.layout, y, q);
        if (const Status e = swizzle_point(left, *p); !e.ok()) return e;
        if (const Status e = swizzle_point(right, q); !e.ok()) return e;
        if (const Status e = add_point(*p, q, false); !e.ok()) return e;
        if (const Status e = swizzle_point(out, *p); !e.ok()) return e;
        return p;
    };
    L found;
    if (const Status e = recognize(product(inside->shard), point, found); !e.ok()) return e;
    // The sum of the layouts turns replicas to their least point: what it adds on axes without a swizzle is in its offset.
    found.replica = inside->replica;
    for (auto& e : found.offset.entries)
        if (!(e.axis == out.axis)) e.value = inside->offset[e.axis];
    for (const auto& e : inside->offset)
        if (auto* value = e.axis == out.axis ? nullptr : found.offset.entry(e.axis)) *value = e.value;
    found.offset.drop_zeros();
    out.layout = found;
    if (const Status e = check(out); !e.ok()) return e;
    return out;
}

/// Lays swizzled tiles out:  T(z‖y) = span(inner) ⊙ outer(z) + inner(y),  under the swizzle of `inner`.
///
/// The spans are those of the swizzled tile. `outer` is scaled, so that it has no swizzle (`errc::bad_argument`). Exists and errors
/// else as for `sum` of the scaled layout and the tile, and `span` of it.
template <AnyLayout L>
constexpr Result<Swizzled<L>> tile(const Swizzled<L>& outer, const typename L::Shape& outer_shape, const Swizzled<L>& inner,
                                   const typename L::Shape& inner_shape) noexcept
{
    if (const Status e = check(outer); !e.ok()) return e;
    if (const Status e = check(inner); !e.ok()) return e;
    if (outer.swizzle.bits > 0) return detail::swizzled_outer_layout();
    const auto scaled = detail::scaled_by_spans(outer.layout, inner);
    if (!scaled) return scaled.error();
    return sum(Swizzled<L>{{}, {}, 1, *scaled}, outer_shape, inner, inner_shape);
}

namespace detail {

/// A swizzled layout in its canonical form, so that the answer depends on the map alone.
template <AnyLayout L>
constexpr Status canonical(const Swizzled<L>& s, Swizzled<L>& out) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    out.swizzle = s.swizzle;
    out.axis = s.axis;
    out.width = s.width;
    return canonicalize_into(s.layout, out.layout);
}

/// What `untile` and `untile_outer` have in common: the plain answer where it is right, or one that is read off the points.
/// @param plain  what the layouts without their swizzles give
/// @param tiling from the unknown operand to the tiling
/// @param points from the shapes to the unknown operand, index by index
template <AnyLayout L, class Tiling, class Points>
constexpr Result<Swizzled<L>> untiled(const Swizzled<L>& tiled, const Result<L>& plain, const Swizzled<L>& swizzle,
                                      typename L::integer elements, const Tiling& tiling, const Points& points) noexcept
{
    const auto as = [&](const L& layout) { return Swizzled<L>{swizzle.swizzle, swizzle.axis, swizzle.width, layout}; };
    const auto gives_it = [&](const Swizzled<L>& unknown) -> Decision {
        const auto t = tiling(unknown);
        if (t) return equal(*t, tiled);
        return t.error().is_none() ? Decision(false) : Decision(t.error());
    };
    if (!plain && !plain.error().is_none()) return plain.error();
    if (plain) {
        const Decision right = gives_it(as(*plain));
        if (right.yes()) return as(*plain);
    }
    if (!tiled.layout.replica.empty()) return replicas_under_a_swizzle();
    L found;
    if (const Status e = recognize(elements, points, found); !e.ok()) return e;
    const Decision right = gives_it(as(found));
    if (right.undecided()) return right.error();
    if (right.yes()) return as(found);
    return Error(errc::no_layout, -1, "the layout is not a tiling under the swizzles that it and the tile have");
}

} // namespace detail

/// The outer layout C, without a swizzle, with  tile(C, S_A/S_B; b, S_B) = a.
///
/// Exists iff one has that equation (`errc::no_layout` otherwise); it is read off the points where the layouts inside do not give it, up
/// to 2^20 (`errc::too_hard` beyond, and with replicas). Else the errors of `untile` and `tile`.
template <AnyLayout L>
constexpr Result<L> untile(const Swizzled<L>& a, const typename L::Shape& a_shape, const Swizzled<L>& b,
                           const typename L::Shape& b_shape) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    Swizzled<L> tiled, inner;
    if (const Status e = canonical(a, tiled); !e.ok()) return e;
    if (const Status e = canonical(b, inner); !e.ok()) return e;
    const auto plain = untile(tiled.layout, a_shape, inner.layout, b_shape);
    if (tiled.swizzle.bits == 0 && inner.swizzle.bits == 0) return plain;
    if (!plain && !plain.error().is_none()) return plain.error();
    Interleaved<typename L::Shape> shape{{}, b_shape};
    for (int d = 0; d < a_shape.size(); ++d) {
        if (a_shape[d] % b_shape[d] != 0) return plain.error(); // S_B does not divide S_A
        shape.z_shape.push_back(a_shape[d] / b_shape[d]);
    }
    typename L::Coord start;
    for (int d = 0; d < a_shape.size(); ++d) start.push_back(0);
    const Swizzled<L> whole = without_replicas(tiled), part = without_replicas(inner);
    const auto point = [&](Int index) -> Result<typename L::Point> {
        auto p = evaluate(whole, shape.template index<Int>(coordinate(shape.z_shape, index), start));
        const auto q = evaluate(part, Int{0});
        if (!p || !q) return p ? q.error() : p.error();
        if (const Status e = add_point(*p, *q, true); !e.ok()) return e;
        for (auto& e : p->entries) {
            const auto n = span(inner, e.axis);
            if (!n) return n.error();
            if (e.value % *n != 0)
                return Error(errc::no_layout, -1, "the tiles are not always a multiple of their span {0} apart", *n);
            e.value /= *n;
        }
        return p;
    };
    const auto tiling = [&](const Swizzled<L>& c) { return tile(c, shape.z_shape, inner, b_shape); };
    const Int elements = product(tiled.layout.shard) / product(inner.layout.shard);
    const auto found = untiled(tiled, plain, Swizzled<L>{}, elements, tiling, point);
    return found ? Result<L>(found->layout) : Result<L>(found.error());
}

/// The tile X, under the swizzle of a, with  tile(b, S_B; X, S_A/S_B) = a.
///
/// Exists iff one has that equation; read off the points, and errors, as for `untile`. b has no swizzle (`errc::bad_argument`).
template <AnyLayout L>
constexpr Result<Swizzled<L>> untile_outer(const Swizzled<L>& a, const typename L::Shape& a_shape, const Swizzled<L>& b,
                                           const typename L::Shape& b_shape) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    Swizzled<L> tiled, outer;
    if (const Status e = canonical(a, tiled); !e.ok()) return e;
    if (const Status e = canonical(b, outer); !e.ok()) return e;
    if (outer.swizzle.bits > 0) return detail::swizzled_outer_layout();
    const auto plain = untile_outer(tiled.layout, a_shape, outer.layout, b_shape);
    if (tiled.swizzle.bits == 0) return under(tiled, plain);
    if (!plain && !plain.error().is_none()) return plain.error();
    Interleaved<typename L::Shape> shape{b_shape, {}};
    for (int d = 0; d < a_shape.size(); ++d) {
        if (a_shape[d] % b_shape[d] != 0) return plain.error(); // S_C does not divide S_A
        shape.y_shape.push_back(a_shape[d] / b_shape[d]);
    }
    typename L::Coord start;
    for (int d = 0; d < a_shape.size(); ++d) start.push_back(0);
    const Swizzled<L> whole = without_replicas(tiled);
    const Int elements = product(tiled.layout.shard) / product(outer.layout.shard);
    const auto tile_point = [&](Int index) {
        return evaluate(whole, shape.template index<Int>(start, coordinate(shape.y_shape, index)));
    };
    // X(y) = tiled(0‖y) − span(X) ⊙ outer(0), and a span does not change with what is added to all.
    typename L::Point moved = outer.layout.offset;
    for (auto& e : moved.entries) {
        Int low = 0, high = 0;
        for (Int y = 0; y < elements && y < search_limit; ++y) {
            const auto p = tile_point(y);
            if (!p) return p.error();
            if (y == 0) low = high = (*p)[e.axis];
            low = least(low, (*p)[e.axis]);
            high = greatest(high, (*p)[e.axis]);
        }
        if (!mul(e.value, high - low + 1, e.value)) return result_overflow();
    }
    const auto point = [&](Int index) -> Result<typename L::Point> {
        auto p = tile_point(index);
        if (!p) return p;
        if (const Status e = add_point(*p, moved, true); !e.ok()) return e;
        if (const Status e = swizzle_point(tiled, *p); !e.ok()) return e;
        return p;
    };
    const auto tiling = [&](const Swizzled<L>& x) { return tile(outer, b_shape, x, shape.y_shape); };
    return untiled(tiled, plain, tiled, elements, tiling, point);
}

} // namespace v0
} // namespace axe

#endif
