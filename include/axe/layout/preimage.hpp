// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_PREIMAGE_HPP
#define AXE_LAYOUT_PREIMAGE_HPP

#include <axe/layout/exact/canonical.hpp>
#include <axe/layout/points.hpp>

namespace axe {
inline namespace v0 {
/// The coordinates that reach a hardware point, ascending: the backward map.
///
/// The axes are independent, and on each the digits of D and R must sum to what is asked: digits are solved from the outermost in,
/// each the least for which the rest can still make up the difference. A lazy range that allocates nothing: there may be 2^60.
template <AnyLayout L>
class Preimages {
  public:
    using Int = typename L::integer;
    using Wide = wider_t<Int>;
    using Coord = typename L::Coord;

    constexpr Preimages(const Error& error) noexcept : error_(error), reachable_(false) {} // NOLINT(google-explicit-constructor)
    constexpr Preimages(const L& layout, const typename L::Shape& shape, const typename L::Point& point) noexcept : shape_(shape)
    {
        error_ = start(layout, point).error();
    }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }

    /// Does nothing map there?
    [[nodiscard]] constexpr bool empty() const
    {
        detail::fail_access(error_);
        return !reachable_;
    }

    /// How many coordinates there are, exactly; `errc::too_hard` when the sums on an axis overlap too much to be counted.
    [[nodiscard]] constexpr Result<Int> count() const noexcept
    {
        if (!error_.ok()) return error_;
        if (!reachable_) return Int{0};
        Int total = free_;
        std::int64_t steps = detail::search_limit;
        for (int k = 0; k < digits_.size(); ++k) {
            if (!first_on_axis(k)) continue;
            // Pairs of digits and replicas are counted once for each value of the replicas: gaps make that value's digits unique.
            detail::BoundedSum<Int, L::max_shard + L::max_replica> sums;
            detail::BoundedSum<Int, L::max_replica> replicas;
            detail::replica_sums(layout_.replica, digits_[k].axis, replicas);
            for (int i = k; i < digits_.size(); ++i)
                if (digits_[i].axis == digits_[k].axis) sums.insert(digits_[i].extent, detail::magnitude(digits_[i].stride));
            Int ways = 0;
            if (replicas.has_gaps()) {
                for (int i = 0; i < replicas.count; ++i) sums.insert(replicas.extent[i], replicas.stride[i]);
                sums.prepare();
                ways = sums.ways(asked(k), steps);
            } else {
                sums.prepare();
                for (Wide r = 0;; r = replicas.at_least(r + 1, steps)) {
                    ways += sums.ways(asked(k) - r, steps);
                    if (r == replicas.footprint[replicas.count] || --steps <= 0) break;
                }
            }
            if (steps <= 0) return detail::sums_too_hard();
            total *= ways;
        }
        return total;
    }

    class iterator {
      public:
        constexpr iterator() = default;
        constexpr explicit iterator(const Preimages& range) noexcept : range_(&range), done_(!range.reachable_)
        {
            if (!done_) range.fill(digit_, 0);
        }
        constexpr Coord operator*() const noexcept
        {
            Int index = 0;
            for (int k = 0; k < range_->digits_.size(); ++k) index = index * range_->digits_[k].extent + digit_[k];
            return coordinate(range_->shape_, index);
        }
        constexpr iterator& operator++() noexcept
        {
            for (int k = range_->digits_.size() - 1; k >= 0; --k) {
                if (!range_->next(digit_, k, Wide(digit_[k]) + 1)) continue;
                range_->fill(digit_, k + 1);
                return *this;
            }
            done_ = true;
            return *this;
        }
        /// Against the end only: two places of one range are not compared.
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.done_ == b.done_; }

      private:
        const Preimages* range_ = nullptr;
        bool done_ = true;
        Int digit_[L::max_shard]{};
    };
    [[nodiscard]] constexpr iterator begin() const
    {
        detail::fail_access(error_);
        return iterator(*this);
    }
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(); }

  private:
    Error error_{};
    bool reachable_ = false;
    Int free_ = 1; ///< the product of the extents of the digits that move nothing
    typename L::Shape shape_{};
    L layout_{};                 ///< canonical
    typename L::Shard digits_{}; ///< its D
    Int target_[L::max_shard]{}; ///< for digit k: what all digits and replicas of its axis must sum to

    using Rest = detail::BoundedSum<Int, L::max_shard + L::max_replica>;

    [[nodiscard]] constexpr bool first_on_axis(int k) const noexcept
    {
        if (digits_[k].stride == 0) return false;
        for (int i = 0; i < k; ++i)
            if (digits_[i].stride != 0 && digits_[i].axis == digits_[k].axis) return false;
        return true;
    }

    /// What the digits from k on and the replicas must make up when the negative strides among them count down from their end.
    [[nodiscard]] constexpr Wide asked(int k) const noexcept
    {
        Wide t = target_[k];
        for (int i = k; i < digits_.size(); ++i)
            if (digits_[i].axis == digits_[k].axis && digits_[i].stride < 0) t -= Wide(digits_[i].extent - 1) * digits_[i].stride;
        return t;
    }

    constexpr void rest(int k, Rest& sums) const noexcept
    {
        for (int i = k + 1; i < digits_.size(); ++i)
            if (digits_[i].axis == digits_[k].axis) sums.insert(digits_[i].extent, detail::magnitude(digits_[i].stride));
        for (const auto& it : layout_.replica)
            if (it.axis == digits_[k].axis) sums.insert(it.extent, it.stride);
        sums.prepare();
    }

    /// Sets digit k to its least value ≥ from that the inner digits can complete, given the outer ones.
    constexpr bool next(Int* digit, int k, Wide from) const noexcept
    {
        const auto& it = digits_[k];
        if (from >= it.extent) return false;
        if (it.stride == 0) {
            digit[k] = static_cast<Int>(from);
            return true;
        }
        Rest sums;
        rest(k, sums);
        Wide open = target_[k]; // = d_k·s_k + (inner digits counted from their least end) + replicas
        for (int i = 0; i < digits_.size(); ++i) {
            if (!(digits_[i].axis == it.axis)) continue;
            if (i < k) open -= Wide(digit[i]) * digits_[i].stride;
            if (i > k && digits_[i].stride < 0) open -= Wide(digits_[i].extent - 1) * digits_[i].stride;
        }
        // 0 ≤ open − d·s ≤ reach, and a multiple of the common divisor of the rest
        const Wide s = it.stride, size = s < 0 ? -s : s, footprint = sums.footprint[sums.count];
        Wide lo = s > 0 ? open - footprint : -open, hi = s > 0 ? open : footprint - open;
        if (hi < 0) return false;
        lo = lo <= 0 ? 0 : (lo + size - 1) / size;
        lo = detail::greatest(lo, from);
        hi = detail::least<Wide>(hi / size, it.extent - 1);
        Wide step = 1;
        if (const Int common = sums.common[sums.count]; common > 1) {
            const Int d = detail::gcd<Int>(common, static_cast<Int>(size));
            if (open % d != 0) return false;
            step = common / d;
            if (step > 1) {
                const Int m = static_cast<Int>(step);
                const Wide e = detail::floor_mod<Wide>(open / d, m) * detail::inverse_mod(Int(it.stride / d), m) % m;
                lo += detail::floor_mod<Wide>(e - lo, step);
            }
        }
        std::int64_t steps = std::int64_t{1} << 62; // the next coordinate is exact, however long it takes
        if ((hi - lo) / step < 4) {
            for (Wide d = lo; d <= hi; d += step)
                if (sums.contains(open - d * s, steps)) {
                    digit[k] = static_cast<Int>(d);
                    return true;
                }
            return false;
        }
        // Many candidates: is there one in [first, last]? With this digit as one more term that is one question; then halve.
        const auto any = [&](Wide first, Wide last) {
            Rest with_digit;
            for (int i = 0; i < sums.count; ++i) with_digit.insert(sums.extent[i], sums.stride[i]);
            with_digit.insert(static_cast<Int>(last - first + 1), static_cast<Int>(size));
            with_digit.prepare();
            return with_digit.contains(s > 0 ? open - first * size : open + last * size, steps);
        };
        if (!any(lo, hi)) return false;
        while (lo < hi) {
            const Wide middle = lo + (hi - lo) / 2;
            if (any(lo, middle))
                hi = middle;
            else
                lo = middle + 1;
        }
        digit[k] = static_cast<Int>(lo);
        return true;
    }

    /// The least inner digits; they exist, as each outer one was chosen so that they do.
    constexpr void fill(Int* digit, int k) const noexcept
    {
        for (; k < digits_.size(); ++k) next(digit, k, 0);
    }

    constexpr Status start(const L& layout, const typename L::Point& point) noexcept
    {
        if (const Status e = detail::check_admission(layout, shape_); !e.ok()) return e;
        L given;
        given.offset = point;
        if (const Status e = check(given); !e.ok()) return e;
        if (const Status e = detail::canonicalize_into(layout, layout_); !e.ok()) return e;
        digits_ = layout_.shard;
        reachable_ = true;
        constexpr std::int64_t most_steps = 16 * detail::search_limit;
        std::int64_t steps = most_steps;
        for (int k = 0; k < digits_.size(); ++k) {
            if (digits_[k].stride == 0) {
                free_ *= digits_[k].extent;
                continue;
            }
            if (!detail::sub(point[digits_[k].axis], layout_.offset[digits_[k].axis], target_[k])) {
                reachable_ = false; // farther away than any coordinate of the layout
                return {};
            }
            Rest sums;
            if (!first_on_axis(k)) continue;
            rest(k, sums);
            sums.insert(digits_[k].extent, detail::magnitude(digits_[k].stride));
            sums.prepare();
            reachable_ = reachable_ && sums.contains(asked(k), steps);
        }
        // axes on which no digit moves: the replicas alone reach what is asked, or nothing does
        const auto fixed = [&](const Axis& axis) {
            for (const auto& it : digits_)
                if (it.stride != 0 && it.axis == axis) return;
            detail::BoundedSum<Int, L::max_replica> sums;
            detail::replica_sums(layout_.replica, axis, sums);
            reachable_ = reachable_ && sums.contains(Wide(point[axis]) - layout_.offset[axis], steps);
        };
        for (const auto& e : point) fixed(e.axis);
        for (const auto& e : layout_.offset) fixed(e.axis);
        for (const auto& it : layout_.replica) fixed(it.axis);
        if (steps <= 0) return detail::sums_too_hard(most_steps);
        return {};
    }
};

/// The coordinates c of the shape with  point ∈ L(c).      [the backward map]
///
/// `errc::size_mismatch` when the shape is not admitted; `errc::too_hard` when the strides of an axis overlap so much that 2^24 steps
/// do not tell whether anything maps there. An axis that the point does not name is asked to be 0. That nothing maps there is no
/// error: the range is empty. Cost: a few divisions an iter for each coordinate.
template <AnyLayout L>
constexpr Preimages<L> preimage(const L& layout, const typename L::Shape& shape, const typename L::Point& point) noexcept
{
    return Preimages<L>(layout, shape, point);
}

} // namespace v0
} // namespace axe

#endif
