// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_POINT_SET_HPP
#define AXE_TESTING_POINT_SET_HPP

#include <axe/layout/points.hpp>
#include <axe/layout/swizzle.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The order of points: axis by axis in alphabetical order, an axis that is not named counting as 0.
template <class Int, int MaxAxes>
constexpr bool before(const BasicPoint<Int, MaxAxes>& a, const BasicPoint<Int, MaxAxes>& b) noexcept
{
    for (int i = 0, k = 0; i < a.size() || k < b.size();) {
        const auto* p = i < a.size() ? &a.entries[i] : nullptr;
        const auto* q = k < b.size() ? &b.entries[k] : nullptr;
        if (p != nullptr && q != nullptr && p->axis < q->axis) q = nullptr;
        if (p != nullptr && q != nullptr && q->axis < p->axis) p = nullptr;
        const Int x = p != nullptr ? p->value : 0, y = q != nullptr ? q->value : 0;
        if (x != y) return x < y;
        i += p != nullptr;
        k += q != nullptr;
    }
    return false;
}

} // namespace detail

/// The points of one index of a layout under a swizzle, ascending, each once:  { swizzle(p) : p ∈ L(x) }.
///
/// What `Points` is for a layout alone, which this is when the swizzle has no bits. `error()` says why there is no such set; then
/// iterating is refused. A swizzle that acts on replicas puts them out of order: then each step goes through all of them, and more
/// than 2^12 are refused with `errc::too_hard`.
template <AnyLayout L>
class PointSet {
  public:
    using Int = typename L::integer;
    using Point = typename L::Point;

    constexpr PointSet(const Swizzled<L>& map, Int index) noexcept
        : error_(check(map)), swizzle_(detail::in_elements(map)), axis_(map.axis), points_(map.layout, index)
    {
        if (!error_) error_ = points_.error();
        if (error_ || swizzle_.bits == 0) return;
        for (const auto& it : map.layout.replica) scrambled_ = scrambled_ || it.axis == axis_;
        if (!scrambled_) return;
        const auto n = points_.count();
        if (!n) error_ = n.error();
        if (n && *n > most_out_of_order)
            error_ = Error(errc::too_hard, -1, "a swizzle puts {0} points of one index out of order; up to {1} are put back", *n,
                           most_out_of_order);
    }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }

    /// The number of points: a swizzle is a bijection, so those of the layout. `errc::too_hard` as there.
    [[nodiscard]] constexpr Result<Int> count() const noexcept { return error_ ? Result<Int>(error_) : points_.count(); }

    class iterator {
      public:
        constexpr iterator() = default;
        constexpr explicit iterator(const PointSet& set) noexcept : set_(&set), inside_(set.points_.begin()), done_(false)
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
        const PointSet* set_ = nullptr;
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
                if ((started_ && !detail::before(last, q)) || (!done_ && !detail::before(q, point_))) continue;
                point_ = q;
                done_ = false;
            }
            started_ = true;
        }
    };
    [[nodiscard]] constexpr iterator begin() const
    {
        detail::refuse(error_);
        return iterator(*this);
    }
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(); }

  private:
    static constexpr Int most_out_of_order = 1 << 12;

    Error error_;
    Swizzle swizzle_;
    Axis axis_;
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

namespace detail {

/// p ∈ swizzle(L(x)), for an index in the domain:  the one-index layout R + (D(x) + O) reaches the point that is swizzled to p.
/// `errc::too_hard` as of `preimage`.
template <AnyLayout L>
constexpr Result<bool> reaches(const Swizzled<L>& map, typename L::integer index, typename L::Point p) noexcept
{
    L one;
    one.replica = map.layout.replica;
    evaluate_into(map.layout, index, one.offset);
    if (const Error e = swizzle_point(map, p)) return e;
    const auto at = preimage(one, {}, p);
    if (at.error()) return at.error();
    return !at.empty();
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
