// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_HASH_HPP
#define AXE_HASH_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>

#include <cstddef>
#include <typeindex> // declares std::hash at the least cost

/// Hashes of the algebra's values, `hash_value(x)` and `std::hash`, that agree with `==`: values as they are written, of points as
/// points. They are the same in every run, with every compiler and on every system, so that they may be stored; they are not
/// protected against input that is chosen to collide. Cost: two multiplications for each number.
namespace axe {
inline namespace v0 {
namespace detail {

/// Takes in one number after another; a multiplication by an odd constant and a shift spread each over all bits.      [splitmix64]
struct Hasher {
    std::uint64_t state = 0x9e3779b97f4a7c15;

    constexpr Hasher& add(std::uint64_t word) noexcept
    {
        state = (state ^ word) * 0xbf58476d1ce4e5b9;
        state = (state ^ (state >> 31)) * 0x94d049bb133111eb;
        state ^= state >> 29;
        return *this;
    }
    template <class T>
        requires std::is_integral_v<T>
    constexpr Hasher& put(T number) noexcept
    {
        return add(static_cast<std::uint64_t>(number));
    }
    constexpr Hasher& put(const Axis& axis) noexcept { return add(axis.high).add(axis.low); }
    template <class Int>
    constexpr Hasher& put(const BasicIter<Int>& it) noexcept
    {
        return put(it.extent).put(it.stride).put(it.axis);
    }
    template <class Int>
    constexpr Hasher& put(const BasicRange<Int>& range) noexcept
    {
        return put(range.lo).put(range.hi);
    }
    template <class T, int N>
    constexpr Hasher& put(const InlineVector<T, N>& list) noexcept
    {
        put(list.size());
        for (int i = 0; i < list.size() && i < N; ++i) put(list[i]);
        return *this;
    }
    template <class Int, int N>
    constexpr Hasher& put(const BasicPoint<Int, N>& point) noexcept
    {
        for (int i = 0; i < point.size() && i < N; ++i) // an axis that is not named counts as 0
            if (point.entries[i].value != 0) put(point.entries[i].axis).put(point.entries[i].value);
        return *this;
    }
    template <AnyLayout L>
    constexpr Hasher& put(const L& layout) noexcept
    {
        return put(layout.shard).put(layout.replica).put(layout.offset);
    }
    constexpr Hasher& put(const Swizzle& s) noexcept { return put(s.bits).put(s.base).put(s.shift); }
    template <AnyLayout L>
    constexpr Hasher& put(const Swizzled<L>& s) noexcept
    {
        return put(s.swizzle).put(s.axis).put(s.width).put(s.layout);
    }
    template <AnyLayout L>
    constexpr Hasher& put(const Grouped<L>& g) noexcept
    {
        return put(g.layout).put(g.ends);
    }
};

template <class T>
inline constexpr bool is_hashable = AnyLayout<T>;
template <>
inline constexpr bool is_hashable<Axis> = true;
template <>
inline constexpr bool is_hashable<Swizzle> = true;
template <class Int>
inline constexpr bool is_hashable<BasicIter<Int>> = true;
template <class Int>
inline constexpr bool is_hashable<BasicRange<Int>> = true;
template <class Int, int N>
inline constexpr bool is_hashable<BasicPoint<Int, N>> = true;
template <class L>
inline constexpr bool is_hashable<Swizzled<L>> = true;
template <class L>
inline constexpr bool is_hashable<Grouped<L>> = true;
template <class T, int N>
inline constexpr bool is_hashable<InlineVector<T, N>> = std::is_integral_v<T> || is_hashable<T>;

} // namespace detail

/// The values of the algebra that have a hash: Axis, Iter, Range, Shape, Region, Order and other lists, Point, Layout, Grouped,
/// Swizzle, Swizzled.
template <class T>
concept Hashable = detail::is_hashable<T>;

/// The hash of a value: a = b ⇒ hash_value(a) = hash_value(b).
template <Hashable T>
[[nodiscard]] constexpr std::size_t hash_value(const T& value) noexcept
{
    return static_cast<std::size_t>(detail::Hasher{}.put(value).state);
}

} // namespace v0
} // namespace axe

template <axe::Hashable T>
struct std::hash<T> {
    [[nodiscard]] constexpr std::size_t operator()(const T& value) const noexcept { return axe::hash_value(value); }
};

#endif
