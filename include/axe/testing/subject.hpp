// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_SUBJECT_HPP
#define AXE_TESTING_SUBJECT_HPP

#include <axe/layout/static_layout.hpp>
#include <axe/layout/swizzle.hpp>

/// The forms in which a test may hold a layout, brought to one.
namespace axe {
inline namespace v0 {
namespace detail {

/// The type of the layout inside T, on 64 bits; no member for what holds none.
template <class T>
struct LayoutIn {};
template <class Int, int S, int R, int A>
struct LayoutIn<BasicLayout<Int, S, R, A>> {
    using type = BasicLayout<std::int64_t, S, R, A>;
};
template <AnyLayout L>
struct LayoutIn<Grouped<L>> : LayoutIn<L> {};
template <AnyLayout L>
struct LayoutIn<Swizzled<L>> : LayoutIn<L> {};
template <class T>
struct LayoutIn<Result<T>> : LayoutIn<T> {};
template <AnyStaticLayout T>
struct LayoutIn<T> {
    using type = decltype(as_layout(T::self()));
};

} // namespace detail

/// A layout in any of its forms: a `BasicLayout`, `Grouped`, `Swizzled`, a `static_layout`, or a `Result` of one of these.
template <class T>
concept LayoutLike = requires { typename detail::LayoutIn<T>::type; };

namespace detail {

template <LayoutLike T>
using layout_in = typename LayoutIn<T>::type;

/// A layout type with room for what is in both.
template <class A, class B>
using layout_for = BasicLayout<std::int64_t, greatest(layout_in<A>::max_shard, layout_in<B>::max_shard),
                               greatest(layout_in<A>::max_replica, layout_in<B>::max_replica),
                               greatest(layout_in<A>::max_axes, layout_in<B>::max_axes)>;

/// The layout that a test is about, in the one form that the questions are asked of; or why it is not valid. A layout that is not
/// swizzled has the swizzle of no bits.
template <AnyLayout L>
struct Subject {
    Error error{};
    Swizzled<L> map{};

    template <LayoutLike T>
    constexpr Subject(const T& value) noexcept // NOLINT(google-explicit-constructor): what a matcher is given becomes one
    {
        take(value);
        if (error.ok()) error = check(map).error();
        if (!error.ok()) map = {};
    }

  private:
    template <class Int, int S, int R, int A>
    constexpr void take(const BasicLayout<Int, S, R, A>& from) noexcept
    {
        error = check(from).error();
        if (!error.ok()) return;
        const auto copy = [](const auto& list, auto& out) {
            for (const auto& it : list) // one that has no place is counted, and rejected by `check`
                out.push_back({it.extent, it.stride, it.axis});
        };
        copy(from.shard, map.layout.shard);
        copy(from.replica, map.layout.replica);
        for (const auto& e : from.offset) // in order of axis already
            map.layout.offset.entries.push_back({e.axis, e.value});
    }
    template <AnyLayout M>
    constexpr void take(const Grouped<M>& from) noexcept
    {
        take(from.layout);
    }
    template <AnyLayout M>
    constexpr void take(const Swizzled<M>& from) noexcept
    {
        take(from.layout);
        map.swizzle = from.swizzle;
        map.axis = from.axis;
        map.width = from.width;
    }
    template <class T>
    constexpr void take(const Result<T>& from) noexcept
    {
        error = from.error();
        if (error.ok()) take(*from);
    }

    template <AnyStaticLayout T>
    constexpr void take(const T& from) noexcept
    {
        take(as_layout(from));
    }
};
template <AnyLayout L>
struct LayoutIn<Subject<L>> {
    using type = L;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
