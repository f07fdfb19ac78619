// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SWIZZLE_HPP
#define AXE_LAYOUT_SWIZZLE_HPP

#include <axe/layout/equal.hpp>
#include <axe/layout/pack.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/layout/slice.hpp>

namespace axe {
inline namespace v0 {
/// CuTe's XOR of address bits: the `bits` bits from position base + max(shift, 0) on are XORed onto those |shift| places away, at
/// base + max(−shift, 0). It is its own inverse. Bits are those of a byte address unless said otherwise.
///
/// A negative shift is the mirrored direction, another permutation. Well-formed iff bits, base ≥ 0 and |shift| ≥ bits (so that the bits
/// read are not those written) and all bits are below 62.      [CUTLASS, cute/swizzle.hpp]
struct Swizzle {
    int bits = 0;
    int base = 0;
    int shift = 0;

    [[nodiscard]] AXE_HOST_DEVICE constexpr std::int64_t operator()(std::int64_t address) const noexcept
    {
        const std::int64_t mask = (std::int64_t{1} << bits) - 1;
        const std::int64_t read = (address >> (base + (shift > 0 ? shift : 0))) & mask;
        return address ^ (read << (base + (shift > 0 ? 0 : -shift)));
    }
    /// Addresses that differ by a multiple of this are moved alike.
    [[nodiscard]] constexpr std::int64_t period() const noexcept
    {
        return bits == 0 ? 1 : std::int64_t{1} << (base + bits + (shift < 0 ? -shift : shift));
    }
    friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;
    friend constexpr std::strong_ordering operator<=>(const Swizzle&, const Swizzle&) = default;
};

constexpr Status check(const Swizzle& s) noexcept
{
    const auto small = [](int n) { return n >= -61 && n <= 61; }; // so that the sum is one
    const int apart = s.shift < 0 && small(s.shift) ? -s.shift : s.shift;
    if (!small(s.bits) || !small(s.base) || !small(apart) || s.bits < 0 || s.base < 0 || apart < s.bits ||
        s.bits + s.base + apart > 61)
        return Error(errc::bad_argument, -1,
                     "swizzle<{0},{1},{2}> must have bits and base >= 0, |shift| >= bits, and end below bit 62", s.bits, s.base,
                     s.shift);
    return {};
}

/// A layout whose coordinates on one memory axis are swizzled:  x ↦ L(x) with  a ↦ swizzle(a·width) / width  on `axis`.
///
/// The XOR of address bits is not affine, so it is outside the algebra and is applied after the layout. `width` is the bytes of
/// an element; it must be a power of two no larger than 2^base, so that elements stay whole.
template <AnyLayout L>
struct Swizzled {
    Swizzle swizzle{};
    Axis axis{};
    typename L::integer width = 1;
    L layout{};

    friend constexpr bool operator==(const Swizzled&, const Swizzled&) = default;
    friend constexpr std::strong_ordering operator<=>(const Swizzled&, const Swizzled&) = default;
};

template <AnyLayout L>
constexpr Status check(const Swizzled<L>& s) noexcept
{
    if (const Status e = check(s.layout); !e.ok()) return e;
    if (const Status e = check(s.swizzle); !e.ok()) return e;
    if (s.width < 1 || (s.width & (s.width - 1)) != 0 || (s.swizzle.bits > 0 && s.width > (std::int64_t{1} << s.swizzle.base)))
        return Error(errc::bad_argument, -1, "a swizzle whose lowest bit is {1} splits elements of {0} bytes", s.width,
                     s.swizzle.base);
    return {};
}

/// The swizzle as it acts on the coordinate, which counts elements:  in_elements(s)(a) = s.swizzle(a·width) / width.  That of no bits is
/// `Swizzle{}`. For an `s` that `check` takes; costs one step for each bit of the width.
template <AnyLayout L>
constexpr Swizzle in_elements(const Swizzled<L>& s) noexcept
{
    Swizzle e = s.swizzle;
    for (auto w = s.width; w > 1; w /= 2) --e.base;
    if (e.bits == 0) e = {};
    return e;
}

/// Moves a point of the layout under a swizzle to where the swizzle puts it, and back: a swizzle is its own inverse. For an `s` that
/// `check` takes; `errc::capacity` where the point has no room for the axis. Constant cost.
template <AnyLayout L>
constexpr Status swizzle_point(const Swizzled<L>& s, typename L::Point& p) noexcept
{
    const auto at = in_elements(s)(p[s.axis]);
    if (at == p[s.axis]) return {};
    auto* entry = p.entry(s.axis);
    if (entry == nullptr) return detail::axes_capacity<L>();
    *entry = static_cast<typename L::integer>(at); // bits move within the coordinate's own
    return {};
}

/// The point of an index of a swizzled layout without replicas. Errors: those of `evaluate`, and `errc::bad_argument` of the swizzle.
template <AnyLayout L>
constexpr Result<typename L::Point> evaluate(const Swizzled<L>& s, typename L::integer index) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    auto p = evaluate(s.layout, index);
    if (p)
        if (const Status e = swizzle_point(s, *p); !e.ok()) return e;
    return p;
}
template <AnyLayout L>
constexpr Result<typename L::Point> evaluate(const Swizzled<L>& s, const typename L::Shape& shape,
                                             const typename L::Coord& coord) noexcept
{
    const auto index = detail::index_of(s.layout, shape, coord);
    return index ? evaluate(s, *index) : Result<typename L::Point>(index.error());
}

/// The coordinates that reach a point: a swizzle is its own inverse, so they are those of the layout at the point moved back.
template <AnyLayout L>
constexpr Preimages<L> preimage(const Swizzled<L>& s, const typename L::Shape& shape, const typename L::Point& point) noexcept
{
    if (const Status e = check(s); !e.ok()) return e.error();
    typename L::Point back = point;
    if (const Status e = swizzle_point(s, back); !e.ok()) return e.error();
    return preimage(s.layout, shape, back);
}

/// The swizzled layout of a region: the layout's slice, moved by the same swizzle. Exists and errors as for `slice`.
///
/// The offset stays inside the swizzle, as the XOR needs the whole address; where it is a multiple of the period
/// (`is_aligned`) it may be added outside instead.
template <AnyLayout L>
constexpr Result<Swizzled<L>> slice(const Swizzled<L>& s, const typename L::Shape& shape, const typename L::Region& region) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    const auto part = slice(s.layout, shape, region);
    if (!part) return part.error();
    return Swizzled<L>{s.swizzle, s.axis, s.width, *part};
}

/// Is the offset on the swizzled axis a multiple of the swizzle's period, so that  s(x) = s without offset (x) + offset?
///
/// The offset is that of the layout with replicas of positive strides, the least coordinate at index 0: so the answer depends on the map, and
/// not on how it is written.
template <AnyLayout L>
constexpr bool is_aligned(const Swizzled<L>& s) noexcept
{
    // The period is a power of two, so arithmetic modulo 2^64 will do, also of a value that is not a layout.
    auto start = static_cast<std::uint64_t>(s.layout.offset[s.axis]);
    for (const auto& it : s.layout.replica)
        if (it.axis == s.axis && it.stride < 0)
            start += (static_cast<std::uint64_t>(it.extent) - 1) * static_cast<std::uint64_t>(it.stride);
    return start % static_cast<std::uint64_t>(in_elements(s).period()) == 0;
}

/// The same bytes as elements of another width: unpacked into smaller ones, or packed into larger ones where that is possible.
///
/// Exists and errors as for `pack`; `errc::bad_argument` when one width is not a multiple of the other.
template <AnyLayout L>
constexpr Result<Swizzled<L>> with_width(const Swizzled<L>& s, typename L::integer width) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    if (width < 1 || (s.width % width != 0 && width % s.width != 0))
        return Error(errc::bad_argument, -1, "the element sizes {0} and {1} bytes do not divide one another", width, s.width);
    const auto layout = width < s.width ? unpack(s.layout, s.width / width, s.axis) : pack(s.layout, width / s.width, s.axis);
    if (!layout) return layout.error();
    Result<Swizzled<L>> result(Swizzled<L>{s.swizzle, s.axis, width, *layout});
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// Are two swizzled layouts one map? On a no, `witness()` is the least index that differs.
///
/// One swizzle on both sides is a bijection, and the layouts decide. Different ones are compared on every index, up to 2^20
/// (`errc::too_hard` beyond, and for different swizzles of layouts with replicas).
template <AnyLayout L>
constexpr Decision equal(const Swizzled<L>& a, const Swizzled<L>& b) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    const Swizzle x = in_elements(a), y = in_elements(b);
    if (x == y && (a.axis == b.axis || x.bits == 0)) return equal(a.layout, b.layout);
    const Int n = detail::product(a.layout.shard);
    if (n != detail::product(b.layout.shard)) return Decision(false);
    for (Int i = 0; i < n; ++i) {
        if (i == detail::search_limit)
            return Error(errc::too_hard, -1, "different swizzles of {0} elements agree on the first {1}; the rest was not compared",
                         n, i);
        const auto p = evaluate(a, i), q = evaluate(b, i);
        if (!p || !q) return Error(errc::too_hard, -1, "different swizzles of layouts with replicas are not compared");
        if (!(*p == *q)) return Decision(false, i);
    }
    return Decision(true);
}

} // namespace v0
} // namespace axe

#endif
