// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_TABLE_HPP
#define AXE_TEXT_TABLE_HPP

#include <axe/layout/points.hpp>
#include <axe/layout/span.hpp>
#include <axe/layout/swizzle.hpp>
#include <axe/text/print.hpp>

#include <string>
#include <vector>

/// Tables of points, for a person at a terminal. Unlike the rest of the text forms they are made at run time, in a `std::string`.
namespace axe {
inline namespace v0 {
namespace detail {

/// A line below the table.
inline std::string note(const char* words, std::int64_t shown, std::int64_t all)
{
    return std::string("\n") + Error(errc::ok, -1, words, shown, all).message().c_str();
}

/// What the cells show of one axis: the values that the replicas reach, from the least one of the element on.
template <class Int>
struct TableAxis {
    static constexpr int most_listed = 8; // of a larger set, the first few
    static constexpr int first_few = 4;

    Axis axis{};
    Swizzle swizzle{};
    Int count = 1;
    bool is_run = false; // three or more, one after the other
    Int added[most_listed]{};

    int listed() const { return static_cast<int>(count > most_listed ? first_few : count); }

    std::string text(Int least) const
    {
        if (is_run) return "{" + std::to_string(least) + ".." + std::to_string(least + count - 1) + "}";
        Int values[most_listed]{};
        for (int i = 0; i < listed(); ++i) {
            values[i] = static_cast<Int>(swizzle(least + added[i]));
            for (int k = i; k > 0 && values[k] < values[k - 1]; --k) {
                const Int moved = values[k];
                values[k] = values[k - 1];
                values[k - 1] = moved;
            }
        }
        if (count == 1) return std::to_string(values[0]);
        std::string out = "{";
        for (int i = 0; i < listed(); ++i) out += (i > 0 ? "," : "") + std::to_string(values[i]);
        return out + (count > listed() ? ",...}" : "}");
    }
};

/// The text of any element. A replica moves on one axis, so the points of an element are a product of sets, one an axis.
template <AnyLayout L>
class TableCells {
  public:
    using Int = typename L::integer;

    Status start(const L& layout, const Axis& swizzled, const Swizzle& swizzle)
    {
        const auto first = points(layout, Int{0});
        if (!first.error().ok()) return first.error();
        single_.shard = layout.shard;
        for (const auto& entry : *first.begin()) {
            L alone; // the replicas and the offset on this axis
            for (const auto& it : layout.replica)
                if (it.axis == entry.axis) alone.replica.push_back(it);
            *alone.offset.entry(entry.axis) = layout.offset[entry.axis];
            const auto values = points(alone, Int{0});
            const auto count = values.count();
            if (!count) return count.error();

            TableAxis<Int>& axis = axes_[axis_count_++];
            axis.axis = entry.axis;
            if (entry.axis == swizzled) axis.swizzle = swizzle;
            axis.count = *count;
            axis.is_run = *count > 2 && *count == span_of(alone, entry.axis) && axis.swizzle.bits == 0;
            const Int least = (*values.begin())[entry.axis];
            auto at = values.begin();
            for (int i = 0; i < axis.listed(); ++i, ++at) axis.added[i] = (*at)[entry.axis] - least;
            *single_.offset.entry(entry.axis) = least;
        }
        return {};
    }
    std::string text(Int index) const
    {
        const typename L::Point point = *evaluate(single_, index);
        std::string out;
        for (int a = 0; a < axis_count_; ++a) out += (a > 0 ? "." : "") + axes_[a].text(point[axes_[a].axis]);
        return axis_count_ > 0 ? out : "{}";
    }
    /// The axes, in the order of the numbers in a cell.
    std::string legend() const
    {
        std::string out;
        for (int a = 0; a < axis_count_; ++a) out += (a > 0 ? " . " : "") + std::string(print(axes_[a].axis).c_str());
        return axis_count_ > 0 ? out + "\n" : "";
    }
    /// What the cells leave out.
    std::string notes() const
    {
        std::string out;
        for (int a = 0; a < axis_count_; ++a)
            if (!axes_[a].is_run && axes_[a].count > axes_[a].listed())
                out += note("{0} of the {1} values are shown", axes_[a].listed(), axes_[a].count) + " on " +
                       print(axes_[a].axis).c_str();
        return out;
    }

  private:
    L single_{}; // the layout with the least of the replicas' values
    TableAxis<Int> axes_[L::max_axes];
    int axis_count_ = 0;
};

inline std::string pad_left(const std::string& text, std::size_t width)
{
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// The cells in their grid, between headers, as far as there is room.
template <AnyLayout L>
std::string draw_table(const TableCells<L>& cells, const typename L::Shape& shape, int max_rows, int max_columns, int max_width)
{
    using Int = typename L::integer;
    if (shape.empty()) return cells.legend() + cells.text(0) + cells.notes();
    const Int rows = shape.size() == 2 ? shape[0] : 1, shown_rows = rows < max_rows ? rows : max_rows;
    const Int columns = shape[shape.size() - 1];
    Int shown_columns = columns < max_columns ? columns : max_columns;
    if (shown_columns > max_width) shown_columns = max_width;

    std::vector<std::string> texts;
    std::size_t width = std::to_string(shown_columns - 1).size();
    for (Int r = 0; r < shown_rows; ++r)
        for (Int c = 0; c < shown_columns; ++c) {
            texts.push_back(cells.text(r * columns + c));
            if (texts.back().size() > width) width = texts.back().size();
        }
    const auto stride = static_cast<std::size_t>(shown_columns);
    const std::size_t head = shape.size() == 2 ? std::to_string(shown_rows - 1).size() : 0;
    const Int room = max_width - static_cast<Int>(head > 0 ? head + 2 : 0), column = static_cast<Int>(width + 1);
    if (shown_columns < columns || shown_columns * column > room) { // leave room for the mark
        const Int fit = (room - 4) / column;
        shown_columns = fit < 1 ? 1 : fit < shown_columns ? fit : shown_columns;
    }
    const std::string mark = shown_columns < columns ? " ..." : "";

    const auto line = [&](const std::string& header, auto text) {
        std::string out = head > 0 ? pad_left(header, head) + " |" : "";
        for (Int c = 0; c < shown_columns; ++c) out += " " + pad_left(text(c), width);
        return out + mark;
    };
    std::string out = cells.legend() + line("", [](Int c) { return std::to_string(c); }) + "\n";
    if (head > 0) out += std::string(head + 1, '-') + "+";
    out += std::string(static_cast<std::size_t>(shown_columns * column) + mark.size(), '-');
    for (Int r = 0; r < shown_rows; ++r) {
        const auto cell = [&](Int c) { return texts[static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c)]; };
        out += "\n" + line(shape.size() == 2 ? std::to_string(r) : "", cell);
    }
    if (shown_rows < rows) out += "\n" + pad_left("...", head) + note("{0} of the {1} rows are shown", shown_rows, rows);
    if (shown_columns < columns)
        out += note(head > 0 ? "{0} of the {1} columns are shown" : "{0} of the {1} elements are shown", shown_columns, columns);
    return out + cells.notes();
}

template <AnyLayout L>
Result<std::string> make_table(const L& layout, const Axis& swizzled, const Swizzle& swizzle, const typename L::Shape& shape,
                               int max_rows, int max_columns, int max_width)
{
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    if (shape.size() > 2) return Error(errc::bad_argument, -1, "a table has at most 2 dimensions, the shape has {0}", shape.size());
    if (max_rows < 1 || max_columns < 1 || max_width < 1)
        return Error(errc::bad_argument, -1, "a table needs room: {0} rows, {1} columns and a width of {2}", max_rows, max_columns,
                     max_width);
    TableCells<L> cells;
    if (const Status e = cells.start(layout, swizzled, swizzle); !e.ok()) return e;
    return draw_table(cells, shape, max_rows, max_columns, max_width);
}

} // namespace detail

/// The points of every element of a shape of rank 1 or 2, in a grid with the coordinates at its head; of rank 0, the one cell.
///
///   lane . reg . warp
///     |         0         1
///   --+--------------------
///   0 | 0.0.{5,9} 0.1.{5,9}
///
/// A cell holds one number for each axis of the first line, `{5,9}` where replicas reach several, `{0..31}` where three or more
/// follow one another, and the first four of more than eight. At most `max_rows` rows and `max_columns` columns are drawn, and no
/// more columns than fit in `max_width` characters (one always); `...` and a line below tell what is left out. There is no newline
/// at the end.
///
/// Errors: those of `group` for a shape that does not fit, `errc::bad_argument` for more than 2 dimensions or no room, and
/// `errc::too_hard` as for `points(…).count()`. Cost: linear in the cells drawn.
template <AnyLayout L>
Result<std::string> table(const L& layout, const detail::same<typename L::Shape>& shape, int max_rows = 32, int max_columns = 32,
                          int max_width = 200)
{
    return detail::make_table(layout, Axis{}, Swizzle{}, shape, max_rows, max_columns, max_width);
}

/// The same of a swizzled layout.
template <AnyLayout L>
Result<std::string> table(const Swizzled<L>& s, const detail::same<typename L::Shape>& shape, int max_rows = 32,
                          int max_columns = 32, int max_width = 200)
{
    if (const Status e = check(s); !e.ok()) return e;
    return detail::make_table(s.layout, s.axis, in_elements(s), shape, max_rows, max_columns, max_width);
}

} // namespace v0
} // namespace axe

#endif
