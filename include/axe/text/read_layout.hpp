// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_READ_LAYOUT_HPP
#define AXE_TEXT_READ_LAYOUT_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/text/common/reader.hpp>

/// What the readers of layouts, grouped and swizzled ones share: iters, dimension groups, replicas and offsets.
namespace axe {
inline namespace v0 {
namespace detail {

/// The end of each dimension group.
using Ends = InlineVector<int, max_rank>;

/// `"lane"`, TVM's axis with the stride 1.
constexpr bool read_quoted_axis(Reader& in, Axis& axis) noexcept
{
    return in.axis(axis) && in.expect('"', "expected '\"' after the axis at character {0}");
}

/// The axis after '@'; of TVM in quotes, too.
constexpr bool read_axis_after_at(Reader& in, Axis& axis) noexcept
{
    return in.tvm && in.accept('"') ? read_quoted_axis(in, axis) : in.axis(axis);
}

/// `stride` or `stride@axis`; of TVM also `"axis"` and `(stride,"axis")`.
constexpr bool read_stride(Reader& in, std::int64_t& stride, Axis& axis) noexcept
{
    if (in.tvm && in.accept('"')) {
        stride = 1;
        return read_quoted_axis(in, axis);
    }
    if (in.tvm && in.accept('('))
        return in.integer(stride, "expected a stride at character {0}") &&
               in.expect(',', "expected ',' after the stride at character {0}") &&
               in.expect('"', "expected an axis in quotes at character {0}") && read_quoted_axis(in, axis) &&
               in.expect(')', "expected ')' after the axis at character {0}");
    return in.integer(stride, "expected a stride at character {0}") && (!in.accept('@') || read_axis_after_at(in, axis));
}

constexpr bool read_iter(Reader& in, Iter& it, const char* words = "expected an extent at character {0}") noexcept
{
    it = Iter{};
    return in.integer(it.extent, words) && in.expect(':', "expected ':' after the extent at character {0}") &&
           read_stride(in, it.stride, it.axis);
}

/// What follows "(": `a,b|c||d)`, groups of items, any of them empty. `next_group` ends one and returns whether another follows.
template <class Item, class NextGroup>
constexpr bool read_groups(Reader& in, const char* words, Item item, NextGroup next_group) noexcept
{
    int items = 0;
    do {
        const char first = in.peek();
        if (first == ')' || first == '|') continue; // to the condition: nothing in this group
        do {
            if (!item()) return false;
            ++items;
        } while (in.accept(',') && !((in.tvm || items == 1) && in.peek() == ')')); // `(8,)` is Python's list of one
    } while (next_group());
    return in.expect(')', words);
}

/// `(extents):(strides)`; with `bars`, groups in both lists, of the same lengths.
template <int N>
constexpr bool read_lists(Reader& in, InlineVector<Iter, N>& list, Ends& ends, bool bars) noexcept
{
    const auto extent = [&] {
        Iter it{};
        return in.integer(it.extent, "expected an extent at character {0}") && read_item(list, it);
    };
    const auto next_extents = [&] { return read_item(ends, list.count) && bars && in.accept('|'); };
    if (!in.expect('(', "expected '(' before the extents at character {0}") ||
        !read_groups(in,
                     bars ? "expected ',', '|' or ')' in the extents at character {0}"
                          : "expected ',' or ')' in the extents at character {0}",
                     extent, next_extents) ||
        !in.expect(':', "expected ':' after the extents at character {0}") ||
        !in.expect('(', "expected '(' before the strides at character {0}"))
        return false;

    const int start = in.at;
    int count = 0;
    Ends stride_ends, starts; // of the groups of strides: counts, and characters
    read_item(starts, start);
    const auto stride = [&] {
        Iter it{};
        if (!read_stride(in, it.stride, it.axis)) return false;
        if (count < list.count && count < N) {
            list[count].stride = it.stride;
            list[count].axis = it.axis;
        }
        ++count;
        return true;
    };
    const auto next_strides = [&] { return read_item(stride_ends, count) && bars && in.accept('|') && read_item(starts, in.at); };
    if (!read_groups(in,
                     bars ? "expected ',', '|' or ')' in the strides at character {0}"
                          : "expected ',' or ')' in the strides at character {0}",
                     stride, next_strides))
        return false;

    const auto mismatch = [&](const char* words, int extents, int strides, int where) {
        in.error = Error(errc::rank_mismatch, where, words, extents, strides, where);
        return false;
    };
    if (ends.count != stride_ends.count)
        return mismatch("{0} groups of extents, but {1} groups of strides from character {2} on", ends.count, stride_ends.count,
                        start);
    for (int d = 0, extents = 0, strides = 0; d < ends.count && d < Ends::capacity; ++d) {
        extents = ends[d] - extents;
        strides = stride_ends[d] - strides;
        if (extents != strides) return mismatch("{0} extents, but {1} strides from character {2} on", extents, strides, starts[d]);
        extents = ends[d];
        strides = stride_ends[d];
    }
    return true;
}

/// `(extents):(strides)` or `extent:stride`.
template <int N>
constexpr bool read_iters(Reader& in, InlineVector<Iter, N>& list) noexcept
{
    if (in.peek() == '(') {
        Ends one_group;
        return read_lists(in, list, one_group, false);
    }
    Iter it{};
    return read_iter(in, it, "expected '(' or an extent at character {0}") && read_item(list, it);
}

/// What follows "[": iters `n:s, n:s`, or TVM's `(ns):(ss)`.
template <int N>
constexpr bool read_replica(Reader& in, InlineVector<Iter, N>& list) noexcept
{
    if (in.peek() == '(') return read_iters(in, list) && in.expect(']', "expected ']' after the replicas at character {0}");
    return read_list(in, ']', "expected ',' or ']' in the replicas at character {0}", [&] {
        Iter it{};
        return read_iter(in, it) && read_item(list, it);
    });
}

/// The same with its '['.
constexpr bool read_bracketed_replica(Reader& in, Layout& layout) noexcept
{
    return in.expect('[', "expected '[' after R at character {0}") && read_replica(in, layout.replica);
}

/// `value@axis` into a point; each axis once.
template <class P>
constexpr bool read_coordinate(Reader& in, P& point, const Axis& axis, std::int64_t value, int where) noexcept
{
    for (const auto& e : point)
        if (e.axis == axis) return in.fail(errc::bad_axis, where, "the axis at character {0} is already named");
    auto* entry = point.entry(axis);
    if (entry == nullptr)
        return in.fail(errc::capacity, where, "the axis at character {0} is one too many; at most {1} fit",
                       decltype(point.entries)::capacity);
    *entry = value;
    return true;
}

/// `value@axis`, or `value` on the axis m, into the offset.
constexpr bool read_offset(Reader& in, Layout& layout, const char* words) noexcept
{
    std::int64_t value = 0;
    in.peek();
    int where = in.at;
    Axis axis{};
    if (!in.integer(value, words)) return false;
    if (in.accept('@')) {
        in.peek();
        where = in.at;
        if (!read_axis_after_at(in, axis)) return false;
    }
    return read_coordinate(in, layout.offset, axis, value, where);
}

/// `{ "+" replica } { "+" offset }`; of TVM in any order, with `R` before the replicas, and offsets in parentheses.
constexpr bool read_replica_and_offset(Reader& in, Layout& layout) noexcept
{
    for (bool first = true; in.accept('+'); first = false) {
        const char next = in.peek();
        if ((first || in.tvm) && (next == '[' || next == 'R')) {
            if (next == 'R') ++in.at;
            if (!read_bracketed_replica(in, layout)) return false;
        } else if (in.tvm && in.accept('(')) {
            do {
                if (!read_offset(in, layout, "expected an offset at character {0}")) return false;
            } while (in.accept('+'));
            if (!in.expect(')', "expected '+' or ')' after the offset at character {0}")) return false;
        } else if (!read_offset(in, layout,
                                first ? "expected replicas or an offset at character {0}"
                                      : "expected an offset at character {0}")) {
            return false;
        }
    }
    return true;
}

/// What follows "S[": iters, or extents alone, which are row-major.
constexpr bool read_tvm_shard(Reader& in, Layout::Shard& shard) noexcept
{
    if (in.peek() == '(') return read_iters(in, shard);
    Iter it{};
    if (!in.integer(it.extent, "expected '(' or an extent at character {0}")) return false;
    if (in.accept(':')) return read_stride(in, it.stride, it.axis) && read_item(shard, it);
    read_item(shard, it);
    const int start = in.at;
    while (in.accept(',')) {
        if (!in.integer(it.extent, "expected an extent at character {0}")) return false;
        read_item(shard, it);
    }
    std::int64_t stride = 1;
    for (int i = shard.overfull() ? 0 : shard.size(); i-- > 0;) {
        shard[i].stride = stride;
        if (i > 0 && !mul(stride, shard[i].extent, stride))
            return in.fail(errc::overflow, start, "the product of the extents before character {0} overflows");
    }
    return true;
}

/// The offsets and replicas before TVM's "S[", each with its '+'.
constexpr bool read_before_shard(Reader& in, Layout& layout) noexcept
{
    do {
        if (in.accept('R')) {
            if (!read_bracketed_replica(in, layout)) return false;
        } else if (!read_offset(in, layout, "expected an offset at character {0}")) {
            return false;
        }
        if (!in.accept('+')) return false;
    } while (in.peek() != 'S');
    return true;
}
/// Are there any? A replica is nowhere else first, so that one that is wrong is reported.
constexpr bool begins_before_shard(Reader ahead) noexcept
{
    if (ahead.peek() == 'R') return true;
    if (!Reader::is_digit(ahead.peek()) && ahead.peek() != '-') return false;
    ahead.tvm = true;
    Layout ignored;
    return read_before_shard(ahead, ignored);
}

/// A layout, or TVM's `S[…]`, before which offsets and replicas may come.
constexpr bool read_layout(Reader& in, Layout& layout) noexcept
{
    const bool others_first = begins_before_shard(in);
    if (!others_first && in.peek() != 'S') return read_iters(in, layout.shard) && read_replica_and_offset(in, layout);
    in.tvm = true;
    if (others_first && !read_before_shard(in, layout))
        return in.expected("expected '+' and S[...] after replicas at character {0}");
    ++in.at;
    const bool done = in.expect('[', "expected '[' after S at character {0}") && read_tvm_shard(in, layout.shard) &&
                      in.expect(']', "expected ']' after the shard at character {0}") && read_replica_and_offset(in, layout);
    in.tvm = false;
    return done;
}

/// `swizzle<bits,base,shift>@axis/width(layout)`, or a layout.
constexpr bool read_swizzled(Reader& in, Swizzled<Layout>& out) noexcept
{
    const char first = in.peek();
    if (!Reader::is_letter(first) || first == 'S' || first == 'R')
        return read_layout(in, out.layout) && in.finish("expected '+' or the end of the text at character {0}");
    return in.word("swizzle", "expected a layout or swizzle<bits,base,shift> at character {0}") &&
           in.expect('<', "expected '<' after swizzle at character {0}") &&
           read_swizzle_bits(in, out.swizzle.bits, out.swizzle.base, out.swizzle.shift) && (!in.accept('@') || in.axis(out.axis)) &&
           (!in.accept('/') || in.integer(out.width, "expected the bytes of an element at character {0}")) &&
           in.expect('(', "expected '(' before the layout at character {0}") && read_layout(in, out.layout) &&
           in.expect(')', "expected '+' or ')' after the layout at character {0}") && in.finish();
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
