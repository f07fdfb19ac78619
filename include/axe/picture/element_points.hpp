// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_ELEMENT_POINTS_HPP
#define AXE_PICTURE_ELEMENT_POINTS_HPP

#include <axe/layout/points.hpp>
#include <axe/picture/cells.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// The points of all elements of a layout, as `points` has them: an entry for every axis that occurs. What the replicas add is worked
/// out once, together and axis by axis; the swizzle comes last.
class ElementPoints {
  public:
    /// @param most the points of an element to hold at most; `errc::too_hard` for replica sets that cannot be counted
    static Result<ElementPoints> make(const Swizzled<Layout>& tile, std::int64_t most)
    {
        Result<ElementPoints> result;
        if (const Status e = result->start(tile, most); !e.ok()) return e;
        return result;
    }

    /// The points of each element, and how many of them are held.
    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::size_t held() const { return steps_.size(); }

    /// The first point of an element, not yet swizzled: what the functions below take.
    [[nodiscard]] Result<Point> base(std::int64_t index) const
    {
        const auto every = points(tile_.layout, index);
        if (!every.error().ok()) return every.error();
        return *every.begin();
    }

    /// Point number i of those held.
    [[nodiscard]] Point point(Point base, std::size_t i) const
    {
        for (auto& e : base.entries) e.value = moved(e.axis, e.value + steps_[i][e.axis]);
        return base;
    }

    /// Some coordinates of an element on one axis, ascending: all up to `most_shown`, else the first.
    struct Values {
        std::vector<std::int64_t> some{};
        std::int64_t count = 1;
    };
    [[nodiscard]] Values on_axis(const Point& base, const Axis& axis) const
    {
        Values out{{0}, 1};
        for (const auto& a : axes_)
            if (a.axis == axis) out = a.steps;
        for (auto& v : out.some) v = moved(axis, base[axis] + v);
        std::sort(out.some.begin(), out.some.end());
        return out;
    }

    [[nodiscard]] const Swizzled<Layout>& tile() const { return tile_; }

  private:
    struct OnAxis {
        Axis axis;
        Values steps;
    };
    Swizzled<Layout> tile_{};
    Swizzle swizzle_{}; ///< of element numbers
    std::int64_t count_ = 1;
    std::vector<Point> steps_{}; ///< from the first point of an element to the others
    std::vector<OnAxis> axes_{};

    [[nodiscard]] std::int64_t moved(const Axis& axis, std::int64_t value) const
    {
        return axis == tile_.axis ? swizzle_(value) : value;
    }

    Status start(const Swizzled<Layout>& tile, std::int64_t most)
    {
        if (const Status e = check(tile); !e.ok()) return e;
        tile_ = tile;
        swizzle_ = in_elements(tile);
        const auto every = points(tile.layout, 0);
        const auto count = every.count();
        if (!count) return count.error();
        count_ = *count;
        const Point first = *every.begin();
        for (Point p : every) {
            if (static_cast<std::int64_t>(steps_.size()) == most) break;
            for (auto& e : p.entries) e.value -= first[e.axis];
            steps_.push_back(p);
        }
        // R is a sum of sets on one axis each, so that the points of an element are the product of its coordinates axis by axis
        for (const auto& it : tile.layout.replica)
            if (std::none_of(axes_.begin(), axes_.end(), [&](const OnAxis& a) { return a.axis == it.axis; }))
                axes_.push_back({it.axis, steps_on(it.axis)});
        return {};
    }

    [[nodiscard]] Values steps_on(const Axis& axis) const
    {
        Layout replicas;
        for (const auto& it : tile_.layout.replica)
            if (it.axis == axis) replicas.replica.push_back(it);
        const auto every = points(replicas, 0);
        const std::int64_t first = (*every.begin())[axis];
        Values out{{}, *every.count()}; // it can be counted, as all axes together can
        for (const auto& p : every) {
            out.some.push_back(p[axis] - first);
            if (out.count > most_shown) break;
        }
        return out;
    }
};

/// The coordinates on the axes that do not move, where not 0.
inline void note_constants(Picture& picture, const ElementPoints& points)
{
    const auto base = points.base(0);
    if (!base) return;
    std::string every;
    const auto moving = moving_axes(points.tile().layout);
    for (const auto& e : points.point(*base, 0))
        if (e.value != 0 && !has(moving, e.axis)) every += (every.empty() ? "" : ", ") + text_of(e.axis) + " " + text_of(e.value);
    if (!every.empty()) picture.notes.push_back("Everywhere: " + every + ".");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
