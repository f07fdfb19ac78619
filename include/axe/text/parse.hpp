// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PARSE_HPP
#define AXE_TEXT_PARSE_HPP

#include <axe/layout/permute.hpp>
#include <axe/text/read_layout.hpp>

/// The written form of layouts, shapes, regions and points, read.
///
///   layout  := shard [ "+" replica ] { "+" offset }
///   shard   := "(" ints ")" ":" "(" strides ")" | int ":" stride      "():()" has no iter
///   replica := "[" int ":" stride { "," int ":" stride } "]"
///   stride  := int [ "@" axis ]                                       no axis means m
///   offset  := int "@" axis
///   grouped := as layout, with parentheses and "|" between dimension groups in both lists
///   swizzled := "swizzle<" bits "," base "," shift ">" [ "@" axis ] [ "/" width ] "(" layout ")" | layout
///   shape, coordinate := "(" ints ")" | ints                          of a shape also int { "x" int }
///   region  := "[" lo ":" hi { "," lo ":" hi } "]"                    of a shape that is known either end may be left out
///   point   := "{" axis ":" int { "," axis ":" int } "}"
///
/// TVM's spelling `S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid` is read as well. Spaces are allowed between any two tokens.
/// A text is read whole. `errc::bad_syntax` carries the offset of the offending character; `errc::overflow` that of a number that
/// overflows 64 bits, `errc::bad_axis` that of a name that is too long or comes twice. What reads well but is not a layout is rejected as
/// `check` rejects it.
namespace axe {
inline namespace v0 {
/// Reads a layout: `(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp`.
///
/// `errc::rank_mismatch` when the lists of a shard differ in length; else the errors above, and those of `check`.
constexpr Result<Layout> parse_layout(TextView text) noexcept
{
    Result<Layout> result;
    detail::Reader in(text);
    if (!detail::read_layout(in, *result) || !in.finish("expected '+' or the end of the text at character {0}")) return in.error;
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// Reads a grouped layout, `(8|2,4,2):(4@lane|1@warp,1@lane,1@reg)`: one group more than there are bars; `():()` has none.
///
/// `errc::rank_mismatch` when the groups of the two lists differ, in number or in length, `errc::capacity` when there are more than
/// `max_rank`; else as for `parse_layout`. TVM's spelling has no groups and is not read here.
constexpr Result<Grouped<Layout>> parse_grouped(TextView text) noexcept
{
    Result<Grouped<Layout>> result;
    detail::Reader in(text);
    Grouped<Layout>& out = *result;
    if (!detail::read_lists(in, out.layout.shard, out.ends, true) || !detail::read_replica_and_offset(in, out.layout) ||
        !in.finish("expected '+' or the end of the text at character {0}"))
        return in.error;
    if (out.rank() == 1 && out.layout.shard.empty()) out.ends.clear();
    if (const Status e = detail::list_capacity(out.ends); !e.ok()) return e;
    if (const Status e = check(out.layout); !e.ok()) return e;
    return result;
}

/// Reads a swizzled layout, `swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem))`: bits, base and shift as in CuTe, then the axis (m
/// unless named) and the bytes of an element (1 unless written). A plain layout is one whose swizzle moves nothing.
///
/// Errors: those of `parse_layout`, and those of `check` for a swizzled layout.
constexpr Result<Swizzled<Layout>> parse_swizzled(TextView text) noexcept
{
    Result<Swizzled<Layout>> result;
    detail::Reader in(text);
    if (!detail::read_swizzled(in, *result)) return in.error;
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// Reads a shape, `(64,128)` or `64`; `64,128` and `64x128` as well. Errors: those above, and those of `volume`.
constexpr Result<Shape> parse_shape(TextView text) noexcept
{
    Result<Shape> result;
    detail::Reader in(text);
    if (!detail::read_numbers(in, *result, "expected an extent at character {0}", true)) return in.error;
    if (const auto v = volume(*result); !v) return v.error();
    return result;
}

/// Reads a coordinate, `(2,9)` or `2`; `2,9` as well.
constexpr Result<Coord> parse_coord(TextView text) noexcept
{
    Result<Coord> result;
    detail::Reader in(text);
    if (!detail::read_numbers(in, *result, "expected an index at character {0}")) return in.error;
    if (const Status e = detail::list_capacity(*result); !e.ok()) return e;
    return result;
}

/// Reads an order of dimensions, `(1,0,2)` or `1,0,2`, as `permute` takes it, which also asks whether it names each dimension of its shape
/// once. `errc::out_of_domain` with the place of a number that is not one of a dimension.
constexpr Result<Order> parse_order(TextView text) noexcept
{
    const auto numbers = parse_coord(text);
    if (!numbers) return numbers.error();
    for (int d = 0; d < numbers->size(); ++d)
        if ((*numbers)[d] < 0 || (*numbers)[d] >= max_rank)
            return Error(errc::out_of_domain, d, "place {0} of the order is {1}; dimensions count from 0 to {2}", d, (*numbers)[d],
                         max_rank - 1);
    return Order(*numbers);
}

namespace detail {

/// A region; of a shape that is known, an interval may lack either end: it is then 0, or the extent of the shape.
constexpr Result<Region> read_region(TextView text, const Shape& shape, bool known) noexcept
{
    Result<Region> result;
    Reader in(text);
    const auto interval = [&] {
        const int d = result->count;
        Range range;
        in.peek();
        const int where = in.at;
        const bool whole = known && in.peek() == ':';
        if (!whole && !in.integer(range.lo, "expected the first index of an interval at character {0}")) return false;
        if (!in.expect(':', "expected ':' after the first index at character {0}")) return false;
        const char next = in.peek();
        if (!known || (next != ',' && next != ']'))
            return in.integer(range.hi, "expected the end of an interval at character {0}") && read_item(*result, range);
        if (d >= shape.size())
            return in.fail(errc::rank_mismatch, where,
                           "the interval at character {0} has no end: the shape has no dimension {1} to end it", d);
        range.hi = shape[d];
        return read_item(*result, range);
    };
    const bool read = in.open_bracket() && read_list(in, ']', "expected ',' or ']' in the region at character {0}", interval);
    if (!read || !in.finish()) return in.error;
    if (const Status e = list_capacity(*result); !e.ok()) return e;
    return result;
}

} // namespace detail

/// Reads a region, `[0:32, 64:128]`.
constexpr Result<Region> parse_region(TextView text) noexcept { return detail::read_region(text, {}, false); }

/// Reads a region of a shape, whose intervals may lack an end: on `(64,128)`, `[:, 64:]` is `[0:64, 64:128]`.
///
/// `errc::rank_mismatch` with the character of an interval without an end where the shape has no such dimension. Whether the region is
/// within the shape is asked by `slice`.
constexpr Result<Region> parse_region_of(TextView text, const Shape& shape) noexcept
{
    return detail::read_region(text, shape, true);
}

/// Reads a point, `{lane:8, warp:6}`, its axes in any order.
constexpr Result<Point> parse_point(TextView text) noexcept
{
    Result<Point> result;
    detail::Reader in(text);
    const bool read = in.open_brace() && detail::read_list(in, '}', "expected ',' or '}' in the point at character {0}", [&] {
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
constexpr Result<Axis> parse_axis(TextView text) noexcept
{
    Result<Axis> result;
    detail::Reader in(text);
    if (!in.axis(*result) || !in.finish()) return in.error;
    return result;
}

/// Reads a list of axes, `lane,reg`: one at least.
constexpr Result<Layout::Axes> parse_axes(TextView text) noexcept
{
    Result<Layout::Axes> result;
    detail::Reader in(text);
    do {
        Axis axis{};
        if (!in.axis(axis)) return in.error;
        detail::read_item(*result, axis);
    } while (in.accept(','));
    if (!in.finish("expected ',' or the end of the text at character {0}")) return in.error;
    if (const Status e = detail::list_capacity(*result); !e.ok()) return e;
    return result;
}

/// Reads one iter, `8:1@lane`. Errors: those above, and those of `check` for a layout of this one iter.
constexpr Result<Iter> parse_iter(TextView text) noexcept
{
    Result<Iter> result;
    detail::Reader in(text);
    if (!detail::read_iter(in, *result) || !in.finish()) return in.error;
    Layout alone;
    alone.shard.push_back(*result);
    if (const Status e = check(alone); !e.ok()) return e;
    return result;
}

/// Reads a number of 64 bits.
constexpr Result<std::int64_t> parse_integer(TextView text) noexcept
{
    Result<std::int64_t> result;
    detail::Reader in(text);
    if (!in.integer(*result, "expected a number at character {0}") || !in.finish()) return in.error;
    return result;
}

} // namespace v0
} // namespace axe

#endif
