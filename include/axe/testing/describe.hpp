// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_DESCRIBE_HPP
#define AXE_TESTING_DESCRIBE_HPP

#include <axe/testing/predicates.hpp>
#include <axe/text/print.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// The answers of the predicates as texts of several lines, for a person who reads why a test failed.
namespace axe {
inline namespace v0 {
namespace detail {

/// What `print` takes.
template <class T>
concept HasText = requires(const T& value) { print(value).c_str(); };
template <HasText T>
std::string text_of(const T& value)
{
    return print(value).c_str();
}
/// If no value exists, the title says why.
template <AnyLayout L>
std::string text_of(const Subject<L>& subject)
{
    if (!subject.error.ok()) return "refused";
    return subject.map.swizzle.bits == 0 ? text_of(subject.map.layout) : text_of(subject.map);
}
/// The layout as it was cut for its shape.
template <AnyStaticLayout T>
std::string text_of(const T& layout)
{
    return text_of(Subject<layout_in<T>>(layout));
}

/// A title, and below it lines with a label each, so that what is compared is in one column. No newline at the end.
class Description {
  public:
    explicit Description(std::string title) : text_(std::move(title)) {}
    explicit Description(const Error& undecided) : text_("no answer: " + text_of(undecided)) {}

    Description& title(const std::string& text)
    {
        text_ += "\n" + text;
        return *this;
    }
    /// A long value goes on below its beginning, broken after a comma or a space.
    Description& line(const std::string& label, const std::string& value)
    {
        std::vector<std::string> pieces(1);
        for (const char c : value) {
            pieces.back() += c;
            if (c == ',' || c == ' ') pieces.emplace_back();
        }
        return line(label, pieces);
    }
    /// The first 64 points, and the number of all where it is more.
    template <class Points, class Count>
    Description& points(const std::string& label, const Points& points, const Count& count)
    {
        std::vector<std::string> pieces;
        for (const auto& p : points) {
            if (pieces.size() == most_points) {
                pieces.push_back(count ? "... " + std::to_string(*count) + " points" : "... and more");
                break;
            }
            pieces.push_back(text_of(p) + " ");
        }
        if (pieces.empty()) pieces.push_back("none");
        return line(label, pieces);
    }
    template <AnyLayout L>
    Description& points(const std::string& label, const SwizzledPoints<L>& set)
    {
        return set.error().ok() ? points(label, set, set.count()) : line(label, text_of(set.error()));
    }
    const std::string& text() const { return text_; }

  private:
    // Catch indents by 2 and breaks lines after 79 characters: what is broken here stays as it is.
    static constexpr std::size_t values_column = 12, last_column = 76, most_points = 64;
    std::string text_;

    Description& line(const std::string& label, const std::vector<std::string>& pieces)
    {
        text_ += "\n  " + label + std::string(values_column - 2 - label.size(), ' ');
        std::size_t column = values_column;
        for (const std::string& piece : pieces) {
            if (column > values_column && column + piece.size() > last_column + 1) {
                end_line();
                text_ += "\n" + std::string(column = values_column, ' ');
            }
            text_ += piece;
            column += piece.size();
        }
        end_line();
        return *this;
    }
    void end_line()
    {
        if (text_.back() == ' ') text_.pop_back();
    }
};

/// An index, and the coordinate that it is of a shape.
inline std::string place(std::int64_t index) { return "index " + std::to_string(index); }
inline std::string place(std::int64_t index, const Shape& shape)
{
    return place(index) + ", coordinate " + text_of(coordinate(shape, index)) + " of " + text_of(shape);
}
/// By the extents of the iters, as far as these say more than the index.
template <AnyLayout L>
std::string place(std::int64_t index, const L& layout)
{
    const int iters = layout.shard.size();
    return iters < 2 || iters > max_rank ? place(index) : place(index, own_shape(layout));
}

/// The least point on one side only, where a single point on each does not show it directly.
template <class Actual, class Expected>
void put_odd_point(Description& out, const Actual& actual, const Expected& expected)
{
    auto p = actual.begin();
    auto q = expected.begin();
    std::int64_t shared = 0;
    for (; p != actual.end() && q != expected.end() && *p == *q && shared < search_limit; ++shared) {
        ++p;
        ++q;
    }
    const bool more = p != actual.end(), fewer = q != expected.end();
    if (shared == search_limit || (!more && !fewer)) return;
    const bool missing = !more || (fewer && before(*q, *p));
    const auto odd = missing ? *q : *p;
    if (shared == 0 && more && fewer && ++p == actual.end() && ++q == expected.end()) return;
    out.line(missing ? "missing" : "extra", text_of(odd));
}

} // namespace detail

/// The answer of `equals_map` in words: both layouts; for a no, the least index that differs, also as a coordinate of the expected
/// layout's iters, both sets of points, and the least point on one side only; or the two sizes; or why there is no answer.
template <LayoutLike A, LayoutLike B>
std::string describe_equals_map(const A& actual, const B& expected)
{
    using L = detail::layout_for<A, B>;
    const detail::Subject<L> a(actual), b(expected);
    const auto same = equals_map(a, b);
    const auto both = [&](detail::Description out) { return out.line("actual", text_of(a)).line("expected", text_of(b)); };
    if (same.undecided()) return both(detail::Description(same.error())).text();
    if (same) return both(detail::Description("one map")).text();
    if (same.witness() < 0) return both(detail::Description(same.reason().message().c_str())).text();

    auto out = both(detail::Description("different maps"));
    out.title("first at " + detail::place(same.witness(), b.map.layout));
    const auto here = same.found().actual(), there = same.found().expected();
    out.points("actual", here).points("expected", there);
    if (here.error().ok() && there.error().ok()) detail::put_odd_point(out, here, there);
    return out.text();
}

namespace detail {

/// The points asked for are put in order, each once, as those that are there: so the two lines compare by eye.
template <AnyLayout L>
std::string describe_maps_index(const Subject<L>& subject, const Result<std::int64_t>& index, const std::string& place,
                                PointList<typename L::Point> points)
{
    std::vector<typename L::Point> asked(points.begin(), points.end());
    const auto answer = !subject.error.ok() ? subject.error : maps_index(subject.map, index, points);
    if (answer.undecided()) // the points may be why
        return Description(answer.error()).line("layout", text_of(subject)).points("expected", asked, Result(asked.size())).text();
    std::sort(asked.begin(), asked.end(), before<typename L::integer, L::max_axes>);
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    const SwizzledPoints<L> there(subject.map, *index);
    Description out((answer ? "these points at " : "other points at ") + place);
    out.line("layout", text_of(subject)).points("actual", there).points("expected", asked, Result(asked.size()));
    if (!answer) put_odd_point(out, there, asked);
    return out.text();
}

} // namespace detail

/// The answer of `maps` in words: the layout, the place, both sets of points, and the least point that is missing or extra.
template <LayoutLike A>
std::string describe_maps(const A& layout, const Shape& shape, const Coord& coord,
                          detail::PointList<typename detail::layout_in<A>::Point> points)
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    const auto index = detail::index_of(s.map.layout, shape, coord);
    return detail::describe_maps_index(s, index, index ? detail::place(*index, shape) : "", points);
}
/// The same of an index, or of a coordinate with a number for each iter.
template <LayoutLike A>
std::string describe_maps(const A& layout, const Coord& coord, detail::PointList<typename detail::layout_in<A>::Point> points)
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    const auto index = detail::own_index(s.map.layout, coord);
    const std::string place = !index ? "" : coord.size() == 1 ? detail::place(*index) : detail::place(*index, s.map.layout);
    return detail::describe_maps_index(s, index, place, points);
}

/// The answer of `groups_by` in words: the layout and its dimension groups, or the dimension that fails and why.
template <LayoutLike A>
std::string describe_groups_by(const A& layout, const Shape& shape)
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    const auto answer = groups_by(s, shape);
    if (answer.undecided())
        return detail::Description(answer.error()).line("layout", text_of(s)).line("shape", detail::text_of(shape)).text();
    detail::Description out((answer ? "grouped by " : "not grouped by ") + detail::text_of(shape));
    out.line("layout", text_of(s));
    return (answer ? out.line("groups", detail::text_of(answer.found())) : out.line("reason", answer.reason().message().c_str()))
        .text();
}

/// The answer of `tiles_by` in words: layout and tile, and the C that lays the tile out, or why none exists.
template <LayoutLike A, LayoutLike B>
std::string describe_tiles_by(const A& layout, const Shape& shape, const B& tile, const Shape& tile_shape)
{
    using L = detail::layout_for<A, B>;
    const detail::Subject<L> a(layout), b(tile);
    const auto answer = tiles_by(a, shape, b, tile_shape);
    const std::string shapes = detail::text_of(shape) + " by " + detail::text_of(tile_shape);
    auto out = !answer.undecided() ? detail::Description((answer ? "tiled, " : "not tiled, ") + shapes)
                                   : detail::Description(answer.error());
    out.line("layout", text_of(a)).line("tile", text_of(b));
    if (answer.undecided()) return out.line("shapes", shapes).text();
    return (answer ? out.line("outer", detail::text_of(answer.found())) : out.line("reason", answer.reason().message().c_str()))
        .text();
}
/// The same, both taken in one dimension.
template <LayoutLike A, LayoutLike B>
std::string describe_tiles_by(const A& layout, const B& tile)
{
    using L = detail::layout_for<A, B>;
    const detail::Subject<L> a(layout), b(tile);
    const auto size = [](const detail::Subject<L>& s) { return Shape{!s.error.ok() ? 1 : detail::product(s.map.layout.shard)}; };
    return describe_tiles_by(a, size(a), b, size(b));
}

} // namespace v0
} // namespace axe

#endif
