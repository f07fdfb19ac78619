// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PRINT_HPP
#define AXE_TEXT_PRINT_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>
#include <axe/text/text.hpp>

/// The written form of layouts, grouped and swizzled ones, shapes, regions and points. For every value that is well-formed, reading
/// what is printed gives the same value: extents of 1, strides of 0 with their axes and offsets of 0 are written unchanged.
namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr int number_width = 20; // -9223372036854775808
inline constexpr int axis_width = Axis::max_length;
inline constexpr int iter_width = 2 * number_width + axis_width + 4;                  // "n:s@axis, "
inline constexpr int swizzle_width = 11 + 3 * 11 + 1 + axis_width + 1 + number_width; // "swizzle<b,b,s>@axis/width"
inline constexpr int code_width = 20;                                                 // "not_single_valued", and some

/// Room for the largest value: every number and every name at its longest.
template <AnyLayout L>
inline constexpr int layout_width =
    5 + (L::max_shard + L::max_replica) * iter_width + 5 + L::max_axes * (number_width + axis_width + 4);

template <int N>
constexpr void put_stride(Text<N>& out, std::int64_t stride, const Axis& axis) noexcept
{
    out.put_number(stride);
    if (axis == Axis{}) return;
    out.put('@');
    out.put(axis);
}
template <int N, class Int>
constexpr void put_iter(Text<N>& out, const BasicIter<Int>& it) noexcept
{
    out.put_number(it.extent);
    out.put(':');
    put_stride(out, it.stride, it.axis);
}

/// `(extents):(strides)`, with `|` where a dimension group other than the last ends.
template <int N, class List>
constexpr void put_lists(Text<N>& out, const List& list, const InlineVector<int, max_rank>& ends = {}) noexcept
{
    const int count = list.held();
    const auto separate = [&](int i) { // before iter i, or the end
        bool bar = false;
        for (int d = 0; d + 1 < ends.held(); ++d)
            if (ends[d] == i) {
                out.put('|');
                bar = true;
            }
        if (!bar && i > 0 && i < count) out.put(',');
    };
    out.put('(');
    for (int i = 0; i <= count; ++i) {
        separate(i);
        if (i < count) out.put_number(list[i].extent);
    }
    out.put("):(");
    for (int i = 0; i <= count; ++i) {
        separate(i);
        if (i < count) put_stride(out, list[i].stride, list[i].axis);
    }
    out.put(')');
}

template <int N, class L>
constexpr void put_offset(Text<N>& out, const L& layout) noexcept
{
    for (int i = 0; i < layout.offset.entries.held(); ++i) {
        const auto& e = layout.offset.entries[i];
        out.put(" + ");
        out.put_number(e.value);
        out.put('@');
        out.put(e.axis);
    }
}

template <int N, class L>
constexpr void put_replica_and_offset(Text<N>& out, const L& layout) noexcept
{
    for (int i = 0; i < layout.replica.held(); ++i) {
        out.put(i == 0 ? " + [" : ", ");
        put_iter(out, layout.replica[i]);
    }
    if (layout.replica.size() > 0) out.put(']');
    put_offset(out, layout);
}

template <int N>
constexpr void put_swizzle(Text<N>& out, const Swizzle& swizzle) noexcept
{
    out.put("swizzle<");
    out.put_number(swizzle.bits);
    out.put(',');
    out.put_number(swizzle.base);
    out.put(',');
    out.put_number(swizzle.shift);
    out.put('>');
}

template <int N, class Int>
constexpr void put_range(Text<N>& out, const BasicRange<Int>& range) noexcept
{
    out.put_number(range.lo);
    out.put(':');
    out.put_number(range.hi);
}

/// The text before the parentheses of a swizzled layout.
template <int N, class L>
constexpr void put_swizzle(Text<N>& out, const Swizzled<L>& s) noexcept
{
    put_swizzle(out, s.swizzle);
    if (!(s.axis == Axis{})) {
        out.put('@');
        out.put(s.axis);
    }
    if (s.width != 1) {
        out.put('/');
        out.put_number(s.width);
    }
}

template <int N, class List, class Item>
constexpr void put_list(Text<N>& out, const List& list, char open, char close, const char* comma, Item item) noexcept
{
    out.put(open);
    for (int i = 0; i < list.held(); ++i) {
        if (i > 0) out.put(comma);
        item(list[i]);
    }
    out.put(close);
}

} // namespace detail

/// The text of a layout: `(8,2):(4@lane,1) + [2:4@warp] + 5@warp`. `@m` is left out of strides, a single iter has no parentheses,
/// no iter is `():()`.
template <AnyLayout L>
constexpr Text<detail::layout_width<L>> print(const L& layout) noexcept
{
    Text<detail::layout_width<L>> out;
    if (layout.shard.size() == 1)
        detail::put_iter(out, layout.shard[0]);
    else
        detail::put_lists(out, layout.shard);
    detail::put_replica_and_offset(out, layout);
    return out;
}

/// The text of a grouped layout, `|` between the dimension groups: `(8|2,4,2):(4@lane|1@warp,1@lane,1@reg)`; empty groups show as `(|8|)`.
template <AnyLayout L>
constexpr Text<detail::layout_width<L> + 2 * max_rank> print(const Grouped<L>& grouped) noexcept
{
    Text<detail::layout_width<L> + 2 * max_rank> out;
    detail::put_lists(out, grouped.layout.shard, grouped.ends);
    detail::put_replica_and_offset(out, grouped.layout);
    return out;
}

/// The text of a swizzled layout: `swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem))`; `@m` and `/1` are left out.
template <AnyLayout L>
constexpr Text<detail::swizzle_width + detail::layout_width<L> + 2> print(const Swizzled<L>& s) noexcept
{
    Text<detail::swizzle_width + detail::layout_width<L> + 2> out;
    detail::put_swizzle(out, s);
    out.put('(');
    out.put(print(s.layout).c_str());
    out.put(')');
    return out;
}

/// The text of a shape or a coordinate: `(64,128)`.
template <class Int>
constexpr auto print(const InlineVector<Int, max_rank>& numbers) noexcept
    requires(sizeof(Int) <= 8 && Int(-1) < Int(0))
{
    Text<2 + max_rank*(detail::number_width + 1)> out;
    detail::put_list(out, numbers, '(', ')', ",", [&](Int n) { out.put_number(n); });
    return out;
}

/// The text of a region: `[0:32, 64:128]`.
template <class Int>
constexpr auto print(const BasicRegion<Int>& region) noexcept
{
    Text<2 + max_rank * (2 * detail::number_width + 3)> out;
    detail::put_list(out, region, '[', ']', ", ", [&](const BasicRange<Int>& range) { detail::put_range(out, range); });
    return out;
}

/// The text of an interval, as in a region: `0:32`.
template <class Int>
constexpr Text<2 * detail::number_width + 1> print(const BasicRange<Int>& range) noexcept
{
    Text<2 * detail::number_width + 1> out;
    detail::put_range(out, range);
    return out;
}

/// The text of a swizzle, as in a swizzled layout: `swizzle<3,4,3>`.
constexpr Text<detail::swizzle_width> print(const Swizzle& swizzle) noexcept
{
    Text<detail::swizzle_width> out;
    detail::put_swizzle(out, swizzle);
    return out;
}

/// The text of a point, axes in alphabetical order: `{lane:8, warp:6}`.
template <class Int, int MaxAxes>
constexpr auto print(const BasicPoint<Int, MaxAxes>& point) noexcept
{
    Text<2 + MaxAxes*(detail::axis_width + detail::number_width + 3)> out;
    detail::put_list(out, point.entries, '{', '}', ", ", [&](const auto& e) {
        out.put(e.axis);
        out.put(':');
        out.put_number(e.value);
    });
    return out;
}

/// The text of one iter: `8:1@lane`.
template <class Int>
constexpr Text<detail::iter_width> print(const BasicIter<Int>& it) noexcept
{
    Text<detail::iter_width> out;
    detail::put_iter(out, it);
    return out;
}

/// The name of an axis.
constexpr Text<detail::axis_width> print(const Axis& axis) noexcept
{
    Text<detail::axis_width> out;
    out.put(axis);
    return out;
}

/// The names of a list of axes: `lane,reg`.
template <int N>
constexpr auto print(const InlineVector<Axis, N>& axes) noexcept
{
    Text<N*(detail::axis_width + 1)> out;
    for (int i = 0; i < axes.held(); ++i) {
        if (i > 0) out.put(',');
        out.put(axes[i]);
    }
    return out;
}

/// The name of a code.
constexpr Text<detail::code_width> print(errc code) noexcept
{
    Text<detail::code_width> out;
    out.put(name(code));
    return out;
}

/// What went wrong: `code: message`; `ok` when nothing did.
constexpr Text<detail::code_width + 2 + Message::capacity> print(const Error& error) noexcept
{
    Text<detail::code_width + 2 + Message::capacity> out;
    out.put(name(error.code));
    if (!error.ok()) {
        out.put(": ");
        out.put(error.message().c_str());
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
