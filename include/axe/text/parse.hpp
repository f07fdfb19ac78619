// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PARSE_HPP
#define AXE_TEXT_PARSE_HPP

#include <axe/text/reader.hpp>

/// The written form of layouts, shapes, regions and points, read.
///
///   layout  := shard [ "+" replica ] { "+" offset }
///   shard   := "(" ints ")" ":" "(" strides ")" | int ":" stride      "():()" has no iter
///   replica := "[" int ":" stride { "," int ":" stride } "]"
///   stride  := int [ "@" axis ]                                       no axis means m
///   offset  := int "@" axis
///   shape, coordinate := "(" ints ")" | int
///   region  := "[" lo ":" hi { "," lo ":" hi } "]"
///   point   := "{" axis ":" int { "," axis ":" int } "}"
///
/// TVM's spelling `S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid` is read as well. Spaces may stand between any two tokens.
/// A text is read whole. `errc::bad_syntax` carries the offset of the offending character; `errc::overflow` that of a number that
/// leaves 64 bits, `errc::bad_axis` that of a name that is too long or comes twice. What reads well but is no layout is refused as
/// `check` refuses it.
namespace axe {
inline namespace v0 {
namespace detail {

constexpr bool read_stride(Reader& in, std::int64_t& stride, Axis& axis) noexcept
{
    return in.integer(stride, "expected a stride at character {0}") && (!in.accept('@') || in.axis(axis));
}

constexpr bool read_iter(Reader& in, Iter& it) noexcept
{
    it = Iter{};
    return in.integer(it.extent, "expected an extent at character {0}") &&
           in.expect(':', "expected ':' after the extent at character {0}") && read_stride(in, it.stride, it.axis);
}

/// `(ints):(strides)` or `int:stride`.
template <int N>
constexpr bool read_iters(Reader& in, InlineVector<Iter, N>& list) noexcept
{
    if (!in.accept('(')) {
        Iter it{};
        return in.integer(it.extent, "expected '(' or an extent at character {0}") &&
               in.expect(':', "expected ':' after the extent at character {0}") && read_stride(in, it.stride, it.axis) &&
               read_item(list, it);
    }
    const bool extents = read_list(in, ')', "expected ',' or ')' in the extents at character {0}", [&] {
        Iter it{};
        return in.integer(it.extent, "expected an extent at character {0}") && read_item(list, it);
    });
    if (!extents || !in.expect(':', "expected ':' after the extents at character {0}") ||
        !in.expect('(', "expected '(' before the strides at character {0}"))
        return false;
    const int start = in.at;
    int count = 0;
    const bool strides = read_list(in, ')', "expected ',' or ')' in the strides at character {0}", [&] {
        Iter it{};
        if (!read_stride(in, it.stride, it.axis)) return false;
        if (count < list.count && count < N) {
            list[count].stride = it.stride;
            list[count].axis = it.axis;
        }
        ++count;
        return true;
    });
    if (!strides) return false;
    if (count != list.count) {
        in.error =
            Error(errc::rank_mismatch, start, "{0} extents, but {1} strides from character {2} on", list.count, count, start);
        return false;
    }
    return true;
}

/// What follows "[": iters `n:s, n:s`, or TVM's `(ns):(ss)`.
template <int N>
constexpr bool read_replica(Reader& in, InlineVector<Iter, N>& list) noexcept
{
    if (in.peek() == '(') return read_iters(in, list) && in.expect(']', "expected ']' after the replicas at character {0}");
    return read_list(in, ']', "expected ',' or ']' in the replicas at character {0}", [&] {
        Iter it;
        return read_iter(in, it) && read_item(list, it);
    });
}

/// `value@axis` into a point; each axis once.
template <class P>
constexpr bool read_coordinate(Reader& in, P& point, const Axis& axis, std::int64_t value, int where) noexcept
{
    for (const auto& e : point)
        if (e.axis == axis) return in.fail(errc::bad_axis, where, "the axis at character {0} is named before");
    auto* entry = point.entry(axis);
    if (entry == nullptr)
        return in.fail(errc::capacity, where, "the axis at character {0} is one more than the {1} there is room for",
                       decltype(point.entries)::capacity);
    *entry = value;
    return true;
}

constexpr bool read_layout(Reader& in, Layout& layout) noexcept
{
    if (in.peek() == 'S') { // TVM
        ++in.at;
        if (!in.expect('[', "expected '[' after S at character {0}") || !read_iters(in, layout.shard) ||
            !in.expect(']', "expected ']' after the shard at character {0}"))
            return false;
    } else if (!read_iters(in, layout.shard)) {
        return false;
    }
    bool first = true;
    for (; in.accept('+'); first = false) {
        const char next = in.peek();
        if (first && (next == '[' || next == 'R')) {
            if (next == 'R') ++in.at;
            if (!in.expect('[', "expected '[' after R at character {0}") || !read_replica(in, layout.replica)) return false;
            continue;
        }
        std::int64_t value = 0;
        if (!in.integer(value, first ? "expected replicas or an offset at character {0}" : "expected an offset at character {0}") ||
            !in.expect('@', "expected '@' and an axis after the offset at character {0}"))
            return false;
        in.peek();
        const int where = in.at;
        Axis axis{};
        if (!in.axis(axis) || !read_coordinate(in, layout.offset, axis, value, where)) return false;
    }
    return in.finish("expected '+' or the end of the text at character {0}");
}

} // namespace detail

/// Reads a layout: `(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp`.
///
/// `errc::rank_mismatch` when the lists of a shard differ in length; else the errors above, and those of `check`.
constexpr Result<Layout> parse_layout(const char* text, int length) noexcept
{
    Result<Layout> result;
    detail::Reader in(text, length);
    if (!detail::read_layout(in, *result)) return in.error;
    if (const Error e = check(*result)) return e;
    return result;
}

/// Reads a shape, `(64,128)` or `64`. Errors: those above, and those of `volume`.
constexpr Result<Shape> parse_shape(const char* text, int length) noexcept
{
    Result<Shape> result;
    detail::Reader in(text, length);
    if (!detail::read_numbers(in, *result, "expected an extent at character {0}")) return in.error;
    if (const auto v = volume(*result); !v) return v.error();
    return result;
}

/// Reads a coordinate, `(2,9)` or `2`.
constexpr Result<Coord> parse_coord(const char* text, int length) noexcept
{
    Result<Coord> result;
    detail::Reader in(text, length);
    if (!detail::read_numbers(in, *result, "expected an index at character {0}")) return in.error;
    if (const Error e = detail::list_capacity(*result)) return e;
    return result;
}

/// Reads a region, `[0:32, 64:128]`.
constexpr Result<Region> parse_region(const char* text, int length) noexcept
{
    Result<Region> result;
    detail::Reader in(text, length);
    const bool read = in.expect('[', "expected '[' at character {0}") &&
                      detail::read_list(in, ']', "expected ',' or ']' in the region at character {0}", [&] {
                          Range range;
                          return in.integer(range.lo, "expected the first index of an interval at character {0}") &&
                                 in.expect(':', "expected ':' after the first index at character {0}") &&
                                 in.integer(range.hi, "expected the end of an interval at character {0}") &&
                                 detail::read_item(*result, range);
                      });
    if (!read || !in.finish()) return in.error;
    if (const Error e = detail::list_capacity(*result)) return e;
    return result;
}

/// Reads a point, `{lane:8, warp:6}`, its axes in any order.
constexpr Result<Point> parse_point(const char* text, int length) noexcept
{
    Result<Point> result;
    detail::Reader in(text, length);
    const bool read = in.expect('{', "expected '{' at character {0}") &&
                      detail::read_list(in, '}', "expected ',' or '}' in the point at character {0}", [&] {
                          Axis axis{};
                          std::int64_t value = 0;
                          in.peek();
                          const int where = in.at;
                          return in.axis(axis) && in.expect(':', "expected ':' after the axis at character {0}") &&
                                 in.integer(value, "expected a coordinate at character {0}") &&
                                 detail::read_coordinate(in, *result, axis, value, where);
                      });
    if (!read || !in.finish()) return in.error;
    return result;
}

/// Reads the name of an axis.
constexpr Result<Axis> parse_axis(const char* text, int length) noexcept
{
    Result<Axis> result;
    detail::Reader in(text, length);
    if (!in.axis(*result) || !in.finish()) return in.error;
    return result;
}

/// Reads a list of axes, `lane,reg`: one at least.
constexpr Result<Layout::Axes> parse_axes(const char* text, int length) noexcept
{
    Result<Layout::Axes> result;
    detail::Reader in(text, length);
    do {
        Axis axis{};
        if (!in.axis(axis)) return in.error;
        detail::read_item(*result, axis);
    } while (in.accept(','));
    if (!in.finish("expected ',' or the end of the text at character {0}")) return in.error;
    if (const Error e = detail::list_capacity(*result)) return e;
    return result;
}

/// Reads one iter, `8:1@lane`. Errors: those above, and those of `check` for a layout of this one iter.
constexpr Result<Iter> parse_iter(const char* text, int length) noexcept
{
    Result<Iter> result;
    detail::Reader in(text, length);
    if (!detail::read_iter(in, *result) || !in.finish()) return in.error;
    Layout alone;
    alone.shard.push_back(*result);
    if (const Error e = check(alone)) return e;
    return result;
}

/// Reads a number of 64 bits.
constexpr Result<std::int64_t> parse_integer(const char* text, int length) noexcept
{
    Result<std::int64_t> result;
    detail::Reader in(text, length);
    if (!in.integer(*result, "expected a number at character {0}") || !in.finish()) return in.error;
    return result;
}

} // namespace v0
} // namespace axe

#endif
