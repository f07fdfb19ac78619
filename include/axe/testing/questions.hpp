// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_QUESTIONS_HPP
#define AXE_TESTING_QUESTIONS_HPP

#include <axe/testing/describe.hpp>

/// The questions as values, for the matchers of test frameworks.
namespace axe {
inline namespace v0 {
namespace detail {

/// What a matcher asks of the layout that it is given.
template <AnyLayout L, class Ask, class Describe>
struct Question {
    using layout_type = L;

    std::string claim;  ///< what a yes says of the layout
    std::string denial; ///< what a no says of the layout
    Ask ask;            ///< of the layout: a finding
    Describe describe;  ///< of the layout: the text of the answer
};

/// Names the types of the two functions. A yes says that the layout "equals the map …", where the verb is "equal".
template <AnyLayout L, class Ask, class Describe>
Question<L, Ask, Describe> question(const std::string& verb, const std::string& rest, Ask ask, Describe describe)
{
    return {verb + "s " + rest, "does not " + verb + " " + rest, std::move(ask), std::move(describe)};
}

template <LayoutLike B>
auto question_of_map(const B& expected)
{
    using L = layout_in<B>;
    const Subject<L> e(expected);
    return question<L>(
        "equal", "the map " + text_of(e), [e](const auto& layout) { return equals_map(layout, e); },
        [e](const auto& layout) { return describe_equals_map(layout, e); });
}
template <AnyLayout L>
auto question_of_points(const Shape& shape, const Coord& coord, PointList<typename L::Point> points)
{
    const std::vector<typename L::Point> list(points.begin(), points.end());
    return question<L>(
        "map", text_of(coord) + " of " + text_of(shape) + " to these points",
        [=](const auto& layout) { return maps(layout, shape, coord, list); },
        [=](const auto& layout) { return describe_maps(layout, shape, coord, list); });
}
template <AnyLayout L>
auto question_of_points(const Coord& coord, PointList<typename L::Point> points)
{
    const std::vector<typename L::Point> list(points.begin(), points.end());
    return question<L>(
        "map", text_of(coord) + " to these points", [=](const auto& layout) { return maps(layout, coord, list); },
        [=](const auto& layout) { return describe_maps(layout, coord, list); });
}
template <AnyLayout L>
auto question_of_groups(const Shape& shape)
{
    return question<L>(
        "group", "by " + text_of(shape), [=](const auto& layout) { return groups_by(layout, shape); },
        [=](const auto& layout) { return describe_groups_by(layout, shape); });
}
template <LayoutLike B>
auto question_of_tiles(const B& tile, const Shape& shape, const Shape& tile_shape)
{
    using L = layout_in<B>;
    const Subject<L> t(tile);
    return question<L>(
        "tile", "by " + text_of(t) + ", " + text_of(shape) + " by " + text_of(tile_shape),
        [=](const auto& layout) { return tiles_by(layout, shape, t, tile_shape); },
        [=](const auto& layout) { return describe_tiles_by(layout, shape, t, tile_shape); });
}
template <LayoutLike B>
auto question_of_tiles(const B& tile)
{
    using L = layout_in<B>;
    const Subject<L> t(tile);
    return question<L>(
        "tile", "by " + text_of(t), [=](const auto& layout) { return tiles_by(layout, t); },
        [=](const auto& layout) { return describe_tiles_by(layout, t); });
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
