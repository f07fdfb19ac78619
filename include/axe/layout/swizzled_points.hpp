// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SWIZZLED_POINTS_HPP
#define AXE_LAYOUT_SWIZZLED_POINTS_HPP

#include <axe/layout/points.hpp>
#include <axe/layout/swizzle.hpp>

namespace axe {
inline namespace v0 {
/// The points of one index of a layout under a swizzle, ascending, each once:  { swizzle(p) : p ∈ L(x) }.
///
/// What `Points` is for a layout alone, which this is when the swizzle has no bits. `error()` says why there is no such set; then
/// iterating is rejected. A swizzle that acts on replicas puts them out of order: then each step goes through all of them, and more
/// than 2^12 are rejected with `errc::too_hard`.
template <AnyLayout L>
class SwizzledPoints {
  public:
    using Int = typename L::integer;
    using Point = typename L::Point;

    constexpr SwizzledPoints(const Error& error) noexcept : error_(error), points_(error) {} // NOLINT(google-explicit-constructor)
    constexpr SwizzledPoints(const Swizzled<L>& map, Int index) noexcept
        : error_(check(map).error()), swizzle_(in_elements(map)), axis_(map.axis), points_(map.layout, index)
    {
        if (error_.ok()) error_ = points_.error();
        if (!error_.ok() || swizzle_.bits == 0) return;
        for (const auto& it : map.layout.replica) scrambled_ = scrambled_ || it.axis == axis_;
        if (!scrambled_) return;
        const auto n = points_.count();
        if (!n) error_ = n.error();
        if (n && *n > most_out_of_order)
            error_ = Error(errc::too_hard, -1, "a swizzle reorders {0} points of one index; at most {1} can be sorted", *n,
                           most_out_of_order);
    }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }

    /// The number of points: a swizzle is a bijection, so those of the layout. `errc::too_hard` as there.
    [[nodiscard]] constexpr Result<Int> count() const noexcept { return !error_.ok() ? Result<Int>(error_) : points_.count(); }

    class iterator {
      public:
        constexpr iterator() = default;
        constexpr explicit iterator(const SwizzledPoints& set) noexcept : set_(&set), inside_(set.points_.begin()), done_(false)
        {
            find();
        }
        constexpr Point operator*() const noexcept { return point_; }
        constexpr iterator& operator++() noexcept
        {
            if (!set_->scrambled_) ++inside_;
            find();
            return *this;
        }
        /// Against the end only: two places of one range are not compared.
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.done_ == b.done_; }

      private:
        const SwizzledPoints* set_ = nullptr;
        typename Points<L>::iterator inside_{};
        Point point_{};
        bool started_ = false, done_ = true;

        /// The next point: that of `inside_`, or the least beyond the present one.
        constexpr void find() noexcept
        {
            if (!set_->scrambled_) {
                done_ = inside_ == set_->points_.end();
                if (!done_) point_ = set_->moved(*inside_);
                return;
            }
            const Point last = point_;
            done_ = true;
            for (const Point& p : set_->points_) {
                const Point q = set_->moved(p);
                if ((started_ && !before(last, q)) || (!done_ && !before(q, point_))) continue;
                point_ = q;
                done_ = false;
            }
            started_ = true;
        }
    };
    [[nodiscard]] constexpr iterator begin() const
    {
        detail::fail_access(error_);
        return iterator(*this);
    }
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(); }

  private:
    static constexpr Int most_out_of_order = 1 << 12;

    Error error_;
    Swizzle swizzle_{};
    Axis axis_{};
    Points<L> points_;
    bool scrambled_ = false;

    constexpr Point moved(Point p) const noexcept
    {
        // a swizzle leaves 0 where it is, so what it moves has an entry
        for (auto& e : p.entries)
            if (e.axis == axis_) e.value = static_cast<Int>(swizzle_(e.value));
        return p;
    }
};

/// The points of a logical index of a swizzled layout.
template <AnyLayout L>
constexpr SwizzledPoints<L> points(const Swizzled<L>& s, typename L::integer index) noexcept
{
    return SwizzledPoints<L>(s, index);
}

/// The points of a coordinate of an admitted shape, row-major.
template <AnyLayout L>
constexpr SwizzledPoints<L> points(const Swizzled<L>& s, const typename L::Shape& shape, const typename L::Coord& coord) noexcept
{
    const auto index = detail::index_of(s.layout, shape, coord);
    return index ? SwizzledPoints<L>(s, *index) : SwizzledPoints<L>(index.error());
}

} // namespace v0
} // namespace axe

#endif
