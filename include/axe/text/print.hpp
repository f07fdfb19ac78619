// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PRINT_HPP
#define AXE_TEXT_PRINT_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/layout.hpp>

/// The written form of layouts, shapes, regions and points. For every value that is well-formed, reading what is printed gives the
/// same value: extents of 1, strides of 0 with their axes and offsets of 0 are written as they stand.
namespace axe {
inline namespace v0 {

/// Text of bounded length, held by value and ended by a zero.
template <int Capacity>
struct Text {
    static constexpr int capacity = Capacity;
    char text[Capacity + 1]{};
    int size = 0;

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
    [[nodiscard]] constexpr const char* begin() const noexcept { return text; }
    [[nodiscard]] constexpr const char* end() const noexcept { return text + size; }

    /// What does not fit is left out; the capacities below leave room for every value.
    constexpr void put(char c) noexcept
    {
        if (size < Capacity) text[size++] = c;
    }
    constexpr void put(const char* s) noexcept
    {
        while (*s) put(*s++);
    }
    constexpr void put_number(std::int64_t n) noexcept
    {
        char digits[20]{};
        int count = 0;
        if (n < 0) put('-');
        do { // negative remainders keep INT64_MIN printable
            const int digit = static_cast<int>(n % 10);
            digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
            n /= 10;
        } while (n != 0);
        while (count > 0) put(digits[--count]);
    }
    constexpr void put(const Axis& axis) noexcept { put(axis.name().c_str()); }

    friend constexpr bool operator==(const Text& a, const char* b) noexcept
    {
        for (int i = 0; i < a.size; ++i)
            if (b[i] == '\0' || a.text[i] != b[i]) return false;
        return b[a.size] == '\0';
    }
};

namespace detail {

inline constexpr int number_width = 20; // -9223372036854775808
inline constexpr int axis_width = Axis::max_length;
inline constexpr int iter_width = 2 * number_width + axis_width + 4; // "n:s@axis, "

/// Room for the largest value: every number and every name at its longest.
template <AnyLayout L>
inline constexpr int layout_width =
    5 + (L::max_shard + L::max_replica) * iter_width + 5 + L::max_axes * (number_width + axis_width + 4);

/// The items there are, of a list that may claim more than it holds.
template <class List>
constexpr int held(const List& list) noexcept
{
    return list.overfull() ? List::capacity : list.count;
}

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

/// The iters, extents then strides, as `separate(out, i)` puts what stands before iter i and, for i = count, at the end.
template <int N, class List, class Separate>
constexpr void put_lists(Text<N>& out, const List& list, Separate separate) noexcept
{
    const int count = held(list);
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
constexpr void put_replica_and_offset(Text<N>& out, const L& layout) noexcept
{
    for (int i = 0; i < held(layout.replica); ++i) {
        out.put(i == 0 ? " + [" : ", ");
        put_iter(out, layout.replica[i]);
    }
    if (layout.replica.size() > 0) out.put(']');
    for (int i = 0; i < held(layout.offset.entries); ++i) {
        const auto& e = layout.offset.entries[i];
        out.put(" + ");
        out.put_number(e.value);
        out.put('@');
        out.put(e.axis);
    }
}

template <int N, class List, class Item>
constexpr void put_list(Text<N>& out, const List& list, char open, char close, const char* comma, Item item) noexcept
{
    out.put(open);
    for (int i = 0; i < held(list); ++i) {
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
        detail::put_lists(out, layout.shard, [&](int i) {
            if (i > 0 && i < detail::held(layout.shard)) out.put(',');
        });
    detail::put_replica_and_offset(out, layout);
    return out;
}

/// The text of a grouped layout, `|` between the blocks: `(8|2,4,2):(4@lane|1@warp,1@lane,1@reg)`; empty blocks show as `(|8|)`.
template <AnyLayout L>
constexpr Text<detail::layout_width<L> + 2 * max_rank> print(const Grouped<L>& grouped) noexcept
{
    Text<detail::layout_width<L> + 2 * max_rank> out;
    const auto& list = grouped.layout.shard;
    detail::put_lists(out, list, [&](int i) {
        bool between = false; // do blocks end before iter i, other than the last block at the end?
        for (int d = 0; d + 1 < grouped.rank(); ++d)
            if (grouped.ends[d] == i) {
                out.put('|');
                between = true;
            }
        if (!between && i > 0 && i < detail::held(list)) out.put(',');
    });
    detail::put_replica_and_offset(out, grouped.layout);
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
    detail::put_list(out, region, '[', ']', ", ", [&](const BasicRange<Int>& range) {
        out.put_number(range.lo);
        out.put(':');
        out.put_number(range.hi);
    });
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
    for (int i = 0; i < detail::held(axes); ++i) {
        if (i > 0) out.put(',');
        out.put(axes[i]);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
