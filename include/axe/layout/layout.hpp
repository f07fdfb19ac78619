// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_LAYOUT_HPP
#define AXE_LAYOUT_LAYOUT_HPP

#include <axe/layout/iter.hpp>
#include <axe/layout/point.hpp>
#include <axe/layout/shape.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {

/// A map from a logical index to a set of hardware points:
///   D(x) = Σ_k d_k(x)·s_k@a_k      digits of x over the shard iters, last fastest
///   L(x) = { D(x) + r + O : r ∈ ⊕ R }                                                   [Axe 2.1–2.3]
///
/// `shard` is D, an ordered list; `replica` is R, a multiset; `offset` is O, an integer for each axis. The domain is
/// [0, Π extents of D). A layout is a value: structural (it may be a template argument), trivially copyable, of fixed size, and
/// made without allocation. Every operation checks what it is given (`check`) and returns an error value, never a guess.
///
/// @tparam Int signed integer of extents, strides and offsets
/// @tparam MaxShard, MaxReplica the most iters; @tparam MaxAxes the most distinct axes, those of the offset included
template <class Int, int MaxShard = 16, int MaxReplica = 8, int MaxAxes = 8>
struct BasicLayout {
    using integer = Int;
    using Iter = BasicIter<Int>;
    using Shape = BasicShape<Int>;
    using Coord = BasicCoord<Int>;
    using Range = BasicRange<Int>;
    using Region = BasicRegion<Int>;
    using Point = BasicPoint<Int, MaxAxes>;
    using Shard = InlineVector<Iter, MaxShard>;
    using Replica = InlineVector<Iter, MaxReplica>;
    /// A list of axes, for the operations that take one.
    using Axes = InlineVector<Axis, MaxAxes>;

    static constexpr int max_shard = MaxShard;
    static constexpr int max_replica = MaxReplica;
    static constexpr int max_axes = MaxAxes;

    Shard shard{};
    Replica replica{};
    Point offset{};

    /// Equality of the three lists as they are written. `axe::equal` compares what they mean.
    friend constexpr bool operator==(const BasicLayout&, const BasicLayout&) = default;
    /// A total order of layouts as they are written, for maps and sorting: by shard, then replica, then offset.
    friend constexpr std::strong_ordering operator<=>(const BasicLayout&, const BasicLayout&) = default;
};

using Layout = BasicLayout<std::int64_t>;
using AxeLayout = Layout;

namespace detail {
template <class T>
inline constexpr bool is_layout = false;
template <class Int, int S, int R, int A>
inline constexpr bool is_layout<BasicLayout<Int, S, R, A>> = true;
} // namespace detail

/// Any `BasicLayout`.
template <class T>
concept AnyLayout = detail::is_layout<T>;

namespace detail {

/// The axes seen so far, to hold a layout to its capacity.
template <int Capacity>
struct AxisSet {
    Axis seen[Capacity];
    int count = 0;
    constexpr bool insert(const Axis& axis) noexcept
    {
        for (int i = 0; i < count; ++i)
            if (seen[i] == axis) return true;
        if (count >= Capacity) return false;
        seen[count++] = axis;
        return true;
    }
};

/// The exact range on one axis: do the least and the greatest coordinate fit the integer, their negatives, and the span?
template <AnyLayout L>
AXE_COLD constexpr bool axis_fits(const L& layout, const Axis& axis) noexcept
{
    using Int = typename L::integer;
    Int low = layout.offset[axis], high = low, part = 0;
    const auto grow = [&](const typename L::Iter& it) {
        if (!(it.axis == axis) || it.extent == 1) return true;
        if (!mul(Int(it.extent - 1), it.stride, part)) return false;
        return part < 0 ? add(low, part, low) : add(high, part, high);
    };
    for (const auto& it : layout.shard)
        if (!grow(it)) return false;
    for (const auto& it : layout.replica)
        if (!grow(it)) return false;
    return sub(Int{0}, low, part) && sub(Int{0}, high, part) && sub(high, low, part) && add(part, Int{1}, part);
}

template <AnyLayout L>
AXE_COLD constexpr Status check_reach(const L& layout) noexcept
{
    const char* message = "the coordinates on the axis of iter {0} overflow";
    for (int i = 0; i < layout.shard.size(); ++i)
        if (!axis_fits(layout, layout.shard[i].axis)) return Error(errc::overflow, i, message, i);
    for (int i = 0; i < layout.replica.size(); ++i)
        if (!axis_fits(layout, layout.replica[i].axis))
            return Error(errc::overflow, i, "the coordinates on the axis of replica iter {0} overflow", i);
    for (int i = 0; i < layout.offset.size(); ++i)
        if (!axis_fits(layout, layout.offset.entries[i].axis))
            return Error(errc::overflow, i, "the coordinates on the axis of offset {0} overflow", i);
    return {};
}

template <AnyLayout L>
AXE_NOINLINE constexpr Status check_axes(const L& layout) noexcept
{
    AxisSet<L::max_axes> axes;
    bool room = true;
    for (const auto& it : layout.shard) room = room && (it.extent == 1 || it.stride == 0 || axes.insert(it.axis));
    for (const auto& it : layout.replica) room = room && (it.extent == 1 || it.stride == 0 || axes.insert(it.axis));
    for (const auto& e : layout.offset) room = room && axes.insert(e.axis);
    if (!room) return Error(errc::capacity, L::max_axes, "a layout has at most {0} axes", L::max_axes);
    for (int i = 1; i < layout.offset.size(); ++i)
        if (!(layout.offset.entries[i - 1].axis < layout.offset.entries[i].axis))
            return Error(errc::bad_axis, i, "entry {0} of the offset repeats an axis or is out of order", i);
    return {};
}

} // namespace detail

namespace detail {

/// The error of `check` for a value that failed the fast test.
template <AnyLayout L>
AXE_COLD constexpr Status find_fault(const L& layout) noexcept
{
    using Int = typename L::integer;
    if (layout.shard.overfull())
        return Error(errc::capacity, L::max_shard, "a layout has at most {0} shard iters, this one has {1}", L::max_shard,
                     layout.shard.size());
    if (layout.replica.overfull())
        return Error(errc::capacity, L::max_replica, "a layout has at most {0} replica iters, this one has {1}", L::max_replica,
                     layout.replica.size());
    if (layout.offset.entries.overfull())
        return Error(errc::capacity, L::max_axes, "an offset has at most {0} axes, this one has {1}", L::max_axes,
                     layout.offset.size());
    Int size = 1;
    for (int i = 0; i < layout.shard.size(); ++i) {
        const auto& it = layout.shard[i];
        if (it.extent < 1) return iter_extent(i, it.extent);
        if (!mul(size, it.extent, size)) return Error(errc::overflow, i, "the product of the extents overflows at iter {0}", i);
    }
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].extent < 1)
            return Error(errc::bad_extent, i, "the extent of replica iter {0} is {1}; it must be at least 1", i,
                         layout.replica[i].extent);
    if (const Status e = check_axes(layout); !e.ok()) return e;
    return check_reach(layout);
}

/// The number of bits of a non-negative integer.
template <class Int>
constexpr int bit_width(Int n) noexcept
{
    return n == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(n));
}

/// A quick yes to `check`, from the sizes of the numbers alone: n ≤ 2^w(n−1), so the extents multiply to no more than 2^Σw(n−1), and
/// an iter reaches less than 2^(w(n−1) + w(s)); with the largest n and s of all that costs one count of bits. Then exactly.
template <AnyLayout L>
constexpr bool plainly_sound(const L& layout) noexcept
{
    using Int = typename L::integer;
    constexpr int bits = static_cast<int>(sizeof(Int)) * 8 - 2;
    static_assert(L::max_axes <= 32, "the sum of the reaches is bounded by 2^5 times the largest");
    const auto size_of = [](Int n) { return n < 0 ? Int(~n) : n; };
    const int count = layout.shard.size() + layout.replica.size();
    if (layout.shard.overfull() || layout.replica.overfull() || layout.offset.entries.overfull()) return false;
    if (count + layout.offset.size() > L::max_axes && !check_axes(layout).ok()) return false;
    Int extents = 0, strides = 0;
    for (const auto& it : layout.shard) {
        extents |= it.extent < 1 ? Int(-1) : Int(it.extent - 1);
        strides |= size_of(it.stride);
    }
    for (const auto& it : layout.replica) {
        extents |= it.extent < 1 ? Int(-1) : Int(it.extent - 1);
        strides |= size_of(it.stride);
    }
    for (int i = 0; i < layout.offset.size(); ++i) {
        strides |= size_of(layout.offset.entries[i].value);
        if (i > 0 && !(layout.offset.entries[i - 1].axis < layout.offset.entries[i].axis)) return false;
    }
    if (extents < 0) return false; // one is below 1
    const int widest = bit_width(extents);
    if (widest * layout.shard.size() <= bits && widest + bit_width(strides) + 6 <= bits) return true;

    // iter by iter, exactly: the sum of the reaches on all axes bounds the one on each
    Int size = 1, footprint = 1, part = 0;
    bool fits = true;
    const auto grow = [&](Int steps, Int stride) {
        fits = fits && mul(steps, stride, part) && sub(footprint, part > 0 ? Int(-part) : part, footprint);
    };
    for (const auto& it : layout.shard) {
        fits = fits && mul(size, it.extent, size);
        grow(it.extent - 1, it.stride);
    }
    for (const auto& it : layout.replica) grow(it.extent - 1, it.stride);
    for (const auto& e : layout.offset) grow(1, e.value);
    return fits;
}

} // namespace detail

/// Is the value a layout? Every operation asks this of its arguments first.
///
/// Extents ≥ 1 (`errc::bad_extent` with the iter), no list longer than it can be and no more axes than the type holds
/// (`errc::capacity`), offsets in order of axis and each axis once (`errc::bad_axis`), and size, coordinates and spans within the
/// integer (`errc::overflow`): what passes can be evaluated anywhere without a check.
/// Cost: linear in the number of iters.
template <AnyLayout L>
constexpr Status check(const L& layout) noexcept
{
    if (detail::plainly_sound(layout)) return {};
    return detail::find_fault(layout);
}

/// A checked layout from its three parts: `make_layout({{8, 4, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}}, {{"warp", 5}})`.
template <class Int = std::int64_t>
constexpr Result<BasicLayout<Int>> make_layout(const detail::same<typename BasicLayout<Int>::Shard>& shard,
                                               const detail::same<typename BasicLayout<Int>::Replica>& replica = {},
                                               const detail::same<typename BasicLayout<Int>::Point>& offset = {}) noexcept
{
    Result<BasicLayout<Int>> result(BasicLayout<Int>{shard, replica, offset});
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// The same of ranges of iters: spans, vectors, views, LLVM's `ArrayRef`; of more than a layout holds `errc::capacity`.
template <class Int = std::int64_t, class D = typename BasicLayout<Int>::Shard, class R = typename BasicLayout<Int>::Replica>
    requires((!std::same_as<std::remove_cvref_t<D>, typename BasicLayout<Int>::Shard> ||
              !std::same_as<std::remove_cvref_t<R>, typename BasicLayout<Int>::Replica>) &&
             detail::RangeOf<D, BasicIter<Int>> && detail::RangeOf<R, BasicIter<Int>>)
constexpr Result<BasicLayout<Int>> make_layout(D&& shard, R&& replica = {},
                                               const detail::same<typename BasicLayout<Int>::Point>& offset = {}) noexcept
{
    using L = BasicLayout<Int>;
    return make_layout<Int>(typename L::Shard(static_cast<D&&>(shard)), typename L::Replica(static_cast<R&&>(replica)), offset);
}

/// The number of elements of the domain: Π extents of D; 1 when D is empty.
template <AnyLayout L>
constexpr Result<typename L::integer> size(const L& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    typename L::integer product = 1;
    for (const auto& it : layout.shard) product *= it.extent;
    return product;
}

/// Does the shape cover the layout's domain exactly (Π S = size)?      [Axe 2.3, shape admission]
///
/// A no is an answer, not an error; operations that need admission report `errc::size_mismatch`. Undecided where the layout or the shape
/// is not sound.
template <AnyLayout L>
constexpr Decision admits(const L& layout, const typename L::Shape& shape) noexcept
{
    const auto n = size(layout);
    if (!n) return n.error();
    const auto v = volume(shape);
    if (!v) return v.error();
    return Decision(*n == *v);
}

} // namespace v0
} // namespace axe

#endif
