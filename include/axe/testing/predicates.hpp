// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_PREDICATES_HPP
#define AXE_TESTING_PREDICATES_HPP

#include <axe/layout/swizzled_points.hpp>
#include <axe/layout/untile.hpp>
#include <axe/testing/subject.hpp>

/// The questions that tests ask of layouts, answered with what was found. Nothing here needs a test framework.
namespace axe {
inline namespace v0 {

/// A decision that keeps its reason and what was found on the way to it.
///
/// As a condition it is the yes; one that is not decided (an ill-formed question, or `errc::too_hard`) is rejected there, and never
/// a no.
template <class Found>
class [[nodiscard]] Finding : public Decision {
  public:
    constexpr Finding(const Error& undecided) : Decision(undecided) {} // NOLINT(google-explicit-constructor)
    /// @param reason why it is a no; nothing for a yes
    constexpr Finding(const Decision& decision, const Error& reason, const Found& found)
        : Decision(decision), reason_(reason), found_(found)
    {
    }

    /// Why it is not a yes: for a no, an error with `is_none()`, its position and its message; else what kept it from being decided.
    [[nodiscard]] constexpr const Error& reason() const noexcept { return this->undecided() ? this->error() : reason_; }
    /// What each question says that it finds.
    [[nodiscard]] constexpr const Found& found() const noexcept { return found_; }

    /// True; a no is rejected as well, with its reason: `static_assert(equals_map(a, b).proven())` shows the message and the index.
    [[nodiscard]] constexpr bool proven() const
    {
        detail::fail_access(reason());
        return true;
    }

  private:
    Error reason_{};
    Found found_{};
};

/// What a no of `equals_map` shows: the points of the witness on both sides. For a yes, and when the sizes differ, those of
/// index 0.
template <AnyLayout L>
struct DifferentSets {
    Swizzled<L> left{}, right{};
    typename L::integer index = 0;

    [[nodiscard]] constexpr SwizzledPoints<L> actual() const noexcept { return SwizzledPoints<L>(left, index); }
    [[nodiscard]] constexpr SwizzledPoints<L> expected() const noexcept { return SwizzledPoints<L>(right, index); }
};

/// What a no of `maps` shows: the least point that is on one side only.
template <AnyLayout L>
struct DifferentPoint {
    typename L::Point point{};
    bool missing = false; ///< asked for and not there; else it is there and was not asked for
};

namespace detail {

/// A no at an index, which is also the position as far as that reaches: what g++ shows of a failed access.
constexpr Error no_at(std::int64_t index, const char* message) noexcept
{
    return Error(errc::no_layout, index < (std::int64_t{1} << 31) ? static_cast<int>(index) : -1, message, index);
}

} // namespace detail

/// Are two layouts one map: the same size, and the same set of points at every index?
///
/// On a no, `witness` is the least index that differs (−1 when the sizes do) and `found` holds both its sets. Not decided when an
/// argument is not a layout, and where `equal` is not: `errc::too_hard`. Cost: that of `equal`.
template <LayoutLike A, LayoutLike B>
constexpr Finding<DifferentSets<detail::layout_for<A, B>>> equals_map(const A& actual, const B& expected) noexcept
{
    using L = detail::layout_for<A, B>;
    const detail::Subject<L> a(actual), b(expected);
    if (!a.error.ok()) return a.error;
    if (!b.error.ok()) return b.error;
    const Decision same = equal(a.map, b.map);
    if (same.undecided()) return same.error();
    const auto x = same.witness();
    Error reason;
    if (!same && x < 0)
        reason = Error(errc::no_layout, -1, "the layouts have {0} and {1} elements", detail::product(a.map.layout.shard),
                       detail::product(b.map.layout.shard));
    else if (!same)
        reason = detail::no_at(x, "the points of index {0} differ");
    return {same, reason, {a.map, b.map, x < 0 ? 0 : x}};
}

namespace detail {

/// The points given to `maps`: a list in braces, or anything with `data()` and `size()`. Seen, not kept.
template <class Point>
struct PointList {
    const Point* first = nullptr;
    const Point* last = nullptr;

    constexpr PointList(std::initializer_list<Point> list) noexcept
    {
        first = list.begin();
        last = list.end();
    }
    template <class List>
        requires requires(const List& list, const Point*& p) { p = list.data() + list.size(); }
    constexpr PointList(const List& list) noexcept // NOLINT(google-explicit-constructor): a view of what is passed
        : first(list.data()), last(list.data() + list.size())
    {
    }
    constexpr const Point* begin() const noexcept { return first; }
    constexpr const Point* end() const noexcept { return last; }
};

/// The extents of the iters as a shape, of a layout with no more iters than a shape has dimensions.
template <AnyLayout L>
constexpr typename L::Shape own_shape(const L& layout) noexcept
{
    typename L::Shape extents;
    for (const auto& it : layout.shard) extents.push_back(it.extent);
    return extents;
}

/// The index of a coordinate for which no shape is given: of one number, it is the index itself, not checked; of as many as the
/// layout has iters, it counts within their extents.
template <AnyLayout L>
constexpr Result<typename L::integer> own_index(const L& layout, const typename L::Coord& coord) noexcept
{
    if (coord.size() == 1) return coord[0];
    if (coord.size() != layout.shard.size())
        return Error(errc::rank_mismatch, -1,
                     "the coordinate has {0} indices; without a shape it has one, or one for each of the {1} iters", coord.size(),
                     layout.shard.size());
    return linear_index(own_shape(layout), coord);
}

/// p ∈ swizzle(L(x)), for an index in the domain:  the one-index layout R + (D(x) + O) reaches the point that is swizzled to p.
/// `errc::too_hard` as of `preimage`.
template <AnyLayout L>
constexpr Decision reaches(const Swizzled<L>& map, typename L::integer index, typename L::Point p) noexcept
{
    L one;
    one.replica = map.layout.replica;
    evaluate_into(map.layout, index, one.offset);
    if (const Status e = swizzle_point(map, p); !e.ok()) return e.error();
    const auto at = preimage(one, {}, p);
    if (!at.error().ok()) return at.error();
    return Decision(!at.empty());
}

/// Both differences of the sets are looked through: what is asked for is asked of the layout, point by point; what is there is gone
/// through in order as long as it was asked for, as the first that was not ends it.
template <AnyLayout L>
constexpr Finding<DifferentPoint<L>> maps_index(const Swizzled<L>& map, const Result<typename L::integer>& index,
                                                PointList<typename L::Point> points) noexcept
{
    if (!index) return index.error();
    const SwizzledPoints<L> there(map, *index);
    if (!there.error().ok()) return there.error();
    const auto listed = [&](const typename L::Point& p) {
        for (const auto& q : points)
            if (p == q) return true;
        return false;
    };
    DifferentPoint<L> least; // of those that are asked for and not there
    for (const auto& p : points) {
        L given;
        given.offset = p;
        if (const Status e = check(given); !e.ok()) return e.error();
        if (least.missing && !before(p, least.point)) continue;
        const auto reached = reaches(map, *index, p);
        if (reached.undecided()) return reached.error();
        if (reached.no()) least = {p, true};
    }
    for (const auto& p : there) {
        if (least.missing && before(least.point, p)) break;
        if (listed(p)) continue;
        return {Decision(false, *index), no_at(*index, "index {0} has a point that was not given"), {p, false}};
    }
    if (!least.missing) return {Decision(true), {}, {}};
    return {Decision(false, *index), no_at(*index, "index {0} does not have a point that was given"), least};
}

} // namespace detail

/// Are the points of a coordinate exactly these?      L(c) = points, as sets
///
/// The coordinate is one of the shape, row-major. On a no, `witness` is the index, with the least point that is missing or too
/// many (`found`). Not decided: `errc::size_mismatch`, `errc::rank_mismatch`, `errc::out_of_domain` of shape and coordinate; a
/// invalid point; an argument that is not a layout; `errc::too_hard` as of `preimage`. Cost: for n points given, n preimages and
/// n² comparisons, however many points there are.
template <LayoutLike A>
constexpr auto maps(const A& layout, const Shape& shape, const Coord& coord,
                    detail::PointList<typename detail::layout_in<A>::Point> points) noexcept
    -> Finding<DifferentPoint<detail::layout_in<A>>>
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    if (!s.error.ok()) return s.error;
    return detail::maps_index(s.map, detail::index_of(s.map.layout, shape, coord), points);
}

/// The same without a shape: a coordinate of one number is the index; one with a number for each iter of the layout counts within
/// their extents; `errc::rank_mismatch` otherwise.
template <LayoutLike A>
constexpr auto maps(const A& layout, const Coord& coord, detail::PointList<typename detail::layout_in<A>::Point> points) noexcept
    -> Finding<DifferentPoint<detail::layout_in<A>>>
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    if (!s.error.ok()) return s.error;
    return detail::maps_index(s.map, detail::own_index(s.map.layout, coord), points);
}

namespace detail {

/// The answer of an operation as a finding: a value is a yes, "does not exist" a no.
template <class T>
constexpr Finding<T> finding(const Result<T>& answer) noexcept
{
    if (answer) return {Decision(true), {}, *answer};
    if (!answer.error().is_none()) return answer.error();
    return {Decision(false, answer.error().position), answer.error(), {}};
}

/// The exclusive-or is applied after a layout, and is outside the algebra.
constexpr Status swizzle_outside(const Swizzle& s) noexcept
{
    if (s.bits == 0) return {};
    return Error(errc::bad_argument, -1, "swizzled layouts are neither grouped nor tiled; use the inner layout");
}

} // namespace detail

/// Does the shape cut the layout into dimension groups, one for each dimension?
///
/// On a yes, `found` holds the groups (as of `group`); on a no, `witness` is the dimension that fails. Not decided:
/// `errc::size_mismatch`, an argument that is not a layout or no shape, a swizzle. Cost: that of `group`.
template <LayoutLike A>
constexpr Finding<Grouped<detail::layout_in<A>>> groups_by(const A& layout, const Shape& shape) noexcept
{
    const detail::Subject<detail::layout_in<A>> s(layout);
    if (!s.error.ok()) return s.error;
    if (const Status e = detail::swizzle_outside(s.map.swizzle); !e.ok()) return e.error();
    return detail::finding(group(s.map.layout, shape));
}

/// Is the layout made of copies of a tile: is there a C with  C ⊗ tile = layout?
///
/// On a yes, `found` holds C (as of `untile`); on a no, `witness` is the dimension that fails (−1: the whole). Not
/// decided: `errc::size_mismatch`, `errc::rank_mismatch`, an argument that is not a layout or no shape, a swizzle, `errc::too_hard`
/// as of `untile`. Cost: that of `untile`.
template <LayoutLike A, LayoutLike B>
constexpr Finding<detail::layout_for<A, B>> tiles_by(const A& layout, const Shape& shape, const B& tile,
                                                     const Shape& tile_shape) noexcept
{
    const detail::Subject<detail::layout_for<A, B>> a(layout), b(tile);
    if (!a.error.ok()) return a.error;
    if (!b.error.ok()) return b.error;
    if (const Status e = detail::swizzle_outside(a.map.swizzle); !e.ok()) return e.error();
    if (const Status e = detail::swizzle_outside(b.map.swizzle); !e.ok()) return e.error();
    return detail::finding(untile(a.map.layout, shape, b.map.layout, tile_shape));
}

/// The same, both taken as they are indexed: in one dimension.
template <LayoutLike A, LayoutLike B>
constexpr Finding<detail::layout_for<A, B>> tiles_by(const A& layout, const B& tile) noexcept
{
    const detail::Subject<detail::layout_for<A, B>> a(layout), b(tile);
    if (!a.error.ok()) return a.error;
    if (!b.error.ok()) return b.error;
    return tiles_by(a, {detail::product(a.map.layout.shard)}, b, {detail::product(b.map.layout.shard)});
}

} // namespace v0
} // namespace axe

#endif
