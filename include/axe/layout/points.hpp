// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_POINTS_HPP
#define AXE_LAYOUT_POINTS_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/layout/exact/replica_set.hpp>

namespace axe {
inline namespace v0 {
/// The points of one index, ascending (axis by axis in alphabetical order), each once:  L(x) = { D(x) + r + O : r ∈ ⊕ R }.
///
/// A range that holds what it needs and allocates nothing. Every axis that occurs in the layout has an entry in each point (those that
/// move nothing, where there is room). When the index is outside the domain, or the layout is not valid, `error()` is set and iterating is
/// rejected.
template <AnyLayout L>
class Points {
  public:
    using Int = typename L::integer;
    using Point = typename L::Point;

    constexpr Points(const L& layout, Int index) noexcept { start(layout, index); }
    constexpr Points(const Error& error) noexcept : error_(error) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }

    /// The number of points; `errc::too_hard` for replica sets that break the gap condition and are too large to enumerate.
    [[nodiscard]] constexpr Result<Int> count() const noexcept
    {
        if (!error_.ok()) return error_;
        Int total = 1;
        std::int64_t steps = detail::search_limit;
        for (int a = 0; a < axes_; ++a) {
            const Int one = sums_[a].cardinality(steps);
            if (steps <= 0) return detail::replicas_too_hard();
            if (!detail::mul(total, one, total)) return detail::result_overflow();
        }
        return total;
    }

    class iterator {
      public:
        constexpr iterator() = default;
        constexpr explicit iterator(const Points& points) noexcept : points_(&points), done_(false) {}
        constexpr Point operator*() const noexcept
        {
            Point p = points_->base_;
            for (int a = 0; a < points_->axes_; ++a) *p.entry(points_->axis_[a]) += at_[a];
            return p;
        }
        constexpr iterator& operator++() noexcept
        {
            int a = points_->axes_ - 1;
            for (; a >= 0; --a) {
                const auto& sums = points_->sums_[a];
                if (at_[a] != sums.footprint[sums.count]) {
                    std::int64_t steps = most_steps;
                    at_[a] = static_cast<Int>(sums.at_least(wider_t<Int>(at_[a]) + 1, steps));
                    break;
                }
                at_[a] = 0;
            }
            done_ = a < 0;
            return *this;
        }
        /// Against the end only: two places of one range are not compared.
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.done_ == b.done_; }

      private:
        static constexpr std::int64_t most_steps = std::int64_t{1} << 62; // the next point is exact, however long it takes
        const Points* points_ = nullptr;
        bool done_ = true;
        Int at_[L::max_replica]{};
    };
    [[nodiscard]] constexpr iterator begin() const
    {
        detail::fail_access(error_);
        return iterator(*this);
    }
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(); }

  private:
    Error error_{};
    Point base_{};
    int axes_ = 0;
    Axis axis_[L::max_replica];
    detail::BoundedSum<Int, L::max_replica> sums_[L::max_replica];

    constexpr void start(const L& layout, Int index) noexcept
    {
        error_ = check(layout).error();
        if (error_.ok()) error_ = detail::in_domain(index, detail::product(layout.shard)).error();
        if (!error_.ok()) return;
        detail::evaluate_into(layout, index, base_);
        if (layout.replica.empty()) return;
        auto replica = layout.replica;
        error_ = detail::canonical_replica(replica, base_).error();
        for (const auto& it : replica)
            if (axes_ == 0 || !(axis_[axes_ - 1] == it.axis)) {
                axis_[axes_] = it.axis;
                detail::replica_sums(replica, it.axis, sums_[axes_++]);
            }
    }
};

/// The points of a logical index.      [Axe 2.3]
template <AnyLayout L>
constexpr Points<L> points(const L& layout, typename L::integer index) noexcept
{
    return Points<L>(layout, index);
}

/// The points of a coordinate of an admitted shape, row-major.
template <AnyLayout L>
constexpr Points<L> points(const L& layout, const typename L::Shape& shape, const typename L::Coord& coord) noexcept
{
    const auto index = detail::index_of(layout, shape, coord);
    return index ? Points<L>(layout, *index) : Points<L>(index.error());
}

} // namespace v0
} // namespace axe

#endif
