// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMPOSED_OPERATIONS_HPP
#define AXE_INTEROP_CUTE_COMPOSED_OPERATIONS_HPP

#include <axe/interop/cute/bit_map.hpp>
#include <axe/interop/cute/coalesce.hpp>
#include <axe/interop/cute/common.hpp>
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/inverse.hpp>
#include <axe/interop/cute/product.hpp>
#include <axe/interop/cute/rearrange.hpp>

/// CuTe's operations on a layout under an offset and a swizzle. Those that only choose other indices act on the layout; those that
/// have to bring a swizzle through a layout do it bit by bit.
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// The same swizzle and offset over what f makes of the layout.
template <class F>
constexpr Result<Composed> under(const Composed& c, F f) noexcept
{
    Result<Composed> result;
    Status e = check(c);
    if (e.ok()) {
        const auto layout = f(c.layout);
        e = layout.error();
        if (e.ok()) {
            *result = c;
            result->layout = *layout;
            e = check(*result); // with the offset
        }
    }
    if (!e.ok()) result = e;
    return result;
}

constexpr Error not_of_bits() noexcept
{
    return Error(
        errc::too_hard, -1,
        "a swizzle can be moved only through a layout whose extents are powers of two and whose values add without a carry");
}

/// S_A(o_A + A(S_B(o_B + B(x)))) where all of it is linear over bits, or all but the sum with o_A.
constexpr Status compose_bits(const Composed& outer, const Composed& inner, Composed& out) noexcept
{
    const Swizzle first = in_elements(inner), last = in_elements(outer);
    BitMap b, a, map;
    if (!bit_map_of(inner.layout, inner.offset, 0, b)) return not_of_bits();
    b.start = first(b.start);
    for (int i = 0; i < b.count; ++i) b.image[i] = first(b.image[i]);
    if (b.all_bits() >> BitMap::most_bits != 0) return axe::detail::result_overflow(); // the outer one would run on to 2^63
    if (!bit_map_of(outer.layout, 0, b.bits(), a)) return not_of_bits();
    map.count = b.count;
    map.start = a(b.start);
    for (int i = 0; i < b.count; ++i) map.image[i] = a(b.image[i]);
    if (map.is_sum()) { // no swizzle is left within
        if (!axe::detail::add(map.start, outer.offset, out.offset)) return axe::detail::result_overflow();
        out.swizzle = last;
        return put_bit_map(map, inner.layout, out.layout);
    }
    if (outer.offset < 0 || (outer.offset & map.all_bits()) != 0) return not_of_bits();
    map.start = last(map.start | outer.offset);
    for (int i = 0; i < map.count; ++i) map.image[i] = last(map.image[i]);
    BitMap sum;
    if (!find_swizzle(map, out.swizzle, sum))
        return Error(errc::too_hard, -1, "no CuTe swizzle gives the composed map on a layout whose values add without a carry");
    out.offset = sum.start;
    return put_bit_map(sum, inner.layout, out.layout);
}

/// With an inner layout that has no swizzle but an offset: A(o + B(x)) = A(o) + …
constexpr Status compose_from(const Composed& outer, const Composed& inner, Composed& out) noexcept
{
    if (const Status e = plain_only(whole(outer.layout)); !e.ok()) return e;
    const Part b = whole(inner.layout);
    if (const Status e = compose_digits_into(whole(outer.layout), &b, 1, out.layout, inner.offset); !e.ok()) return e;
    out.swizzle = in_elements(outer);
    Iter origin;
    return find_value(whole(outer.layout), inner.offset, origin) && axe::detail::add(outer.offset, origin.stride, out.offset)
               ? Error{}
               : axe::detail::result_overflow();
}
constexpr Status compose_composed(const Composed& outer, const Composed& inner, Composed& out) noexcept
{
    if (const Status e = check(outer); !e.ok()) return e;
    if (const Status e = check(inner); !e.ok()) return e;
    Status e;
    if (inner.swizzle.bits == 0 && inner.offset == 0) {
        out.swizzle = outer.swizzle;
        out.offset = outer.offset;
        out.static_offset = outer.static_offset;
        out.element_bits = outer.element_bits;
        e = compose_into(whole(outer.layout), whole(inner.layout), out.layout);
    } else if (inner.swizzle.bits == 0) {
        e = compose_from(outer, inner, out);
    } else {
        e = compose_bits(outer, inner, out);
    }
    return !e.ok() ? e : check(out);
}
constexpr Composed bare(const Layout& layout) noexcept
{
    Composed c;
    c.layout = layout;
    return c;
}
/// 2^bits : 1 under a swizzle.
constexpr Composed swizzled_numbers(const Swizzle& swizzle, int bits) noexcept
{
    Composed c;
    c.swizzle = swizzle;
    put_leaf(c.layout, Int{1} << bits, 1);
    return c;
}
constexpr Status not_from_zero(const Composed& c) noexcept
{
    if (c.offset == 0) return {};
    return Error(errc::bad_argument, -1,
                 "offset {0} would have to be subtracted before the inverse; CuTe adds offsets after layouts", c.offset);
}

constexpr Status left_inverse_of_composed(const Composed& c, Composed& out) noexcept
{
    if (const Status e = check(c); !e.ok()) return e;
    if (const Status e = not_from_zero(c); !e.ok()) return e;
    if (const Status e = plain_only(whole(c.layout)); !e.ok()) return e;
    Composed inverse;
    if (const Status e = append_left_inverse(c.layout, inverse.layout); !e.ok()) return e;
    const Swizzle s = in_elements(c);
    const int end = s.bits == 0 ? 0 : s.bits + s.base + axe::detail::magnitude(s.shift);
    if (s.bits == 0) {
        out.layout = inverse.layout;
        return {};
    }
    return compose_composed(inverse, swizzled_numbers(s, axe::detail::greatest(end, bits_below(cosize(c.layout)))), out);
}

/// R(S(i)), of which R is the index of each of the values 0, 1, …: as far as the largest power of two that the swizzle maps to itself.
constexpr Status values_from_zero(const Layout& inverse, const Swizzle& s, Composed& out) noexcept
{
    int bits = 0; // of the values that R reaches
    while (bits < 61 && (Int{1} << (bits + 1)) <= size_of(whole(inverse))) ++bits;
    // An upward swizzle must not lead out of them.
    if (s.shift < 0 && bits > s.base && bits < s.base - s.shift + axe::detail::least(s.bits, bits - s.base)) {
        int kept = s.base;
        for (int k = s.base + 1; k <= bits; ++k)
            if (k >= s.base - s.shift + axe::detail::least(s.bits, k - s.base)) kept = k;
        bits = kept;
    }
    Composed beginning;
    Layout numbers;
    put_leaf(numbers, Int{1} << bits, 1);
    if (const Status e = compose_into(whole(inverse), whole(numbers), beginning.layout); !e.ok()) return e;
    return compose_composed(beginning, swizzled_numbers(s, bits), out);
}

constexpr Status right_inverse_of_composed(const Composed& c, Composed& out) noexcept
{
    if (const Status e = check(c); !e.ok()) return e;
    if (const Status e = not_from_zero(c); !e.ok()) return e;
    if (const Status e = plain_only(whole(c.layout)); !e.ok()) return e;
    const auto inverse = right_inverse(c.layout);
    if (!inverse) return inverse.error();
    const Swizzle s = in_elements(c);
    if (s.bits != 0) return values_from_zero(*inverse, s, out);
    out.layout = *inverse;
    return {};
}

/// The values below 2^k, of the largest k such that a swizzle leaves them where they are; 62 where it leaves all.
constexpr int bits_at_rest(const Swizzle& s) noexcept
{
    return s.bits == 0 ? 62 : axe::detail::least(62, s.shift < 0 ? s.base : s.base + s.shift);
}

constexpr Status max_common_of_composed(const Composed& a, const Composed& b, Composed& out) noexcept
{
    for (const Composed* c : {&a, &b}) {
        if (const Status e = check(*c); !e.ok()) return e;
        if (const Status e = not_from_zero(*c); !e.ok()) return e;
        if (const Status e = plain_only(whole(c->layout)); !e.ok()) return e;
    }
    const auto common = max_common_layout(a.layout, b.layout);
    if (!common) return common.error();
    const Swizzle first = in_elements(a), second = in_elements(b);
    int bits = axe::detail::least(bits_at_rest(first), bits_at_rest(second));
    if (first == second && Int{1} << bits < size_of(whole(*common))) {
        const Status e = values_from_zero(*common, first, out);
        if (e.ok() || (e.code() != errc::too_hard && e.code() != errc::no_layout)) return e;
        out = Composed{};
    }
    out.layout = *common;
    while (Int{1} << bits < size_of(whole(*common))) {
        Layout numbers, beginning;
        put_leaf(numbers, Int{1} << bits, 1);
        const Status e = compose_into(whole(*common), whole(numbers), beginning);
        out.layout = beginning;
        if (e.code() != errc::no_layout || bits-- == 0) return e;
    }
    return {};
}

/// What f writes, or its error.
template <class F>
constexpr Result<Composed> made(F f) noexcept
{
    Result<Composed> result;
    if (const Status e = f(*result); !e.ok()) result = e;
    return result;
}

} // namespace detail

/// One after another, under swizzles:  composition(A, B)(x) = A(B(x)).      [CUTLASS, include/cute/swizzle_layout.hpp]
///
/// Where B has no swizzle, A's stays, and the layouts compose as ever. A swizzle of B is brought through A's layout, and with A's own
/// made one where there is such a one: extents must be powers of two, values add without a carry (`errc::too_hard` otherwise). Errors:
/// those of `check` and of `composition` of layouts; `errc::overflow`. Cost: with a swizzle of B, a search over CuTe's swizzles.
constexpr Result<Composed> composition(const Composed& outer, const Composed& inner) noexcept
{
    return detail::made([&](Composed& out) { return detail::compose_composed(outer, inner, out); });
}
constexpr Result<Composed> composition(const Layout& outer, const Composed& inner) noexcept
{
    return composition(detail::bare(outer), inner);
}
/// The inner one is a layout, or a tiler: swizzle and offset stay as they are.
template <class T>
constexpr Result<Composed> composition(const Composed& outer, const T& inner) noexcept
{
    return detail::under(outer, [&](const Layout& l) { return composition(l, inner); });
}

/// The index of each value:  M(C(x)) = x,  as for layouts. Exists where that of the layout does and the swizzle can be brought through
/// it; `errc::bad_argument` for an offset, `errc::too_hard` as for `composition`.
constexpr Result<Composed> left_inverse(const Composed& c) noexcept
{
    return detail::made([&](Composed& out) { return detail::left_inverse_of_composed(c, out); });
}
/// C(R(i)) = i  for 0 ≤ i < size(R): as long as R of the layout, or under a swizzle as the largest power of two within that which the
/// swizzle maps to itself. Errors: those of `left_inverse`.
constexpr Result<Composed> right_inverse(const Composed& c) noexcept
{
    return detail::made([&](Composed& out) { return detail::right_inverse_of_composed(c, out); });
}

/// Of the layout, under the same swizzle and offset: other modes of the same map.      [CUTLASS, include/cute/layout_composed.hpp]
constexpr Result<Composed> coalesce(const Composed& c) noexcept
{
    return detail::under(c, [](const Layout& l) { return coalesce(l); });
}
constexpr Result<Composed> coalesce(const Composed& c, const Layout& profile) noexcept
{
    return detail::under(c, [&](const Layout& l) { return coalesce(l, profile); });
}
constexpr Result<Composed> filter(const Composed& c) noexcept
{
    return detail::under(c, [](const Layout& l) { return filter(l); });
}
constexpr Result<Composed> filter(const Composed& c, const Layout& profile) noexcept
{
    return detail::under(c, [&](const Layout& l) { return filter(l, profile); });
}
template <class T>
constexpr Result<Composed> logical_divide(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return logical_divide(l, tiler); });
}
template <class T>
constexpr Result<Composed> zipped_divide(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return zipped_divide(l, tiler); });
}
template <class T>
constexpr Result<Composed> tiled_divide(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return tiled_divide(l, tiler); });
}
template <class T>
constexpr Result<Composed> flat_divide(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return flat_divide(l, tiler); });
}
/// S(o + …) of the product of the layout: the copies are swizzled as one.
template <class T>
constexpr Result<Composed> logical_product(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return logical_product(l, tiler); });
}
template <class T>
constexpr Result<Composed> zipped_product(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return zipped_product(l, tiler); });
}
template <class T>
constexpr Result<Composed> tiled_product(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return tiled_product(l, tiler); });
}
template <class T>
constexpr Result<Composed> flat_product(const Composed& c, const T& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return flat_product(l, tiler); });
}
constexpr Result<Composed> blocked_product(const Composed& c, const Layout& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return blocked_product(l, tiler); });
}
constexpr Result<Composed> raked_product(const Composed& c, const Layout& tiler) noexcept
{
    return detail::under(c, [&](const Layout& l) { return raked_product(l, tiler); });
}
constexpr Result<Composed> tile_to_shape(const Composed& c, const Shape& shape, const Shape& order = {}) noexcept
{
    return detail::under(c, [&](const Layout& l) { return tile_to_shape(l, shape, order); });
}
constexpr Result<Composed> group(const Composed& c, int begin, int end) noexcept
{
    return detail::under(c, [&](const Layout& l) { return group(l, begin, end); });
}
/// By the strides of the layout, under the same swizzle and offset: of the same values, at other indices.
constexpr Result<Composed> sort(const Composed& c) noexcept
{
    return detail::under(c, [](const Layout& l) { return sort(l); });
}

/// The modes that stay open:  R(x) = C(c with x in its open places).  Where they begin is added to the offset, before the swizzle, as
/// CuTe does; `errc::bad_argument` where the layout has a pointer flag in place of the offset and they begin elsewhere than at 0. Errors:
/// those of `slice` of the layout, and of `check`.      [CUTLASS, include/cute/layout_composed.hpp]
constexpr Result<Composed> slice(const Composed& c, const Slicer& slicer) noexcept
{
    if (const Status e = check(c); !e.ok()) return e;
    auto result = slice(c.layout, slicer);
    if (!result) return result;
    const std::int64_t start = result->offset;
    const Layout open = result->layout;
    *result = c;
    result->layout = open;
    if (!axe::detail::add(c.offset, start, result->offset)) return axe::detail::result_overflow();
    if (start != 0) result->static_offset = false;
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// A(R(i)) = B(R(i)) = i:  that of the layouts, as far as both swizzles leave the values where they are, or to the largest power of two
/// there at which it splits; under one swizzle, that of both, to the largest power of two which the swizzle maps to itself where
/// the swizzle can be brought through it. Errors: those of `max_common_layout`; `errc::bad_argument` for an offset.
constexpr Result<Composed> max_common_layout(const Composed& a, const Composed& b) noexcept
{
    return detail::made([&](Composed& out) { return detail::max_common_of_composed(a, b, out); });
}
/// The size of max_common_layout.      [CUTLASS, include/cute/swizzle_layout.hpp]
constexpr Result<std::int64_t> max_common_vector(const Composed& a, const Composed& b) noexcept
{
    const auto common = max_common_layout(a, b);
    if (!common) return common.error();
    return size(*common);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
