// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_PART_HPP
#define AXE_MAP_LAYOUT_PART_HPP

#include <axe/layout/exact/bounded_sum.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/layout/errors.hpp>
#include <axe/map/layout/split_map.hpp>

#include <numeric>

/// What some digits of a map add to its results, written out.
namespace axe {
inline namespace v0 {
namespace detail {

/// A no that is one only where no other part adds a set: A ⊕ X may be what A is not.
struct PartDecision {
    Error no{};
    bool is_certain = true;
};

/// The digits that are entangled with each other. With all others at 0, the values at t, a value for each digit of the dimensions,
/// are  corner(t) ⊕ set : the least value of each result, and one set everywhere, from 0.
class MapPart {
  public:
    std::vector<int> dimensions{}, ranges{}, runtimes{}; ///< numbers of digits
    std::vector<std::size_t> results{};                  ///< those in which a digit occurs, in order
    std::vector<IndexConstraint> constraints{};
    std::vector<std::int64_t> corners{}; ///< of t, row-major, at t·(number of results) + place of the result
    std::vector<std::int64_t> set{};     ///< points, lexicographic, in the same way
    std::size_t set_size = 1;

    [[nodiscard]] bool has_set() const noexcept { return set_size > 1; }
    /// At most 2^20 + 1.
    [[nodiscard]] std::int64_t points(const SplitMap& cut) const
    {
        std::int64_t n = 1;
        for (const auto* list : {&dimensions, &ranges, &runtimes})
            for (const int digit : *list)
                if (!mul(n, cut.digits[static_cast<std::size_t>(digit)].extent, n) || n > search_limit) return search_limit + 1;
        return n;
    }

    /// Goes through the points, for each value of the run-time digits that has any.
    PartDecision enumerate(const SplitMap& cut)
    {
        cut_ = &cut;
        results_ = results.size();
        at_.assign(cut.digits.size(), 0);
        IndexEvaluator evaluate(cut.map.pool, at_.data());
        bool is_first = true;
        std::vector<std::int64_t> first_runtime;
        do {
            corners_here_.clear();
            std::size_t empty = 0, count = 0;
            Status differs;
            do {
                if (const Status e = collect(evaluate); !e.ok()) return {e.error()};
                ++count;
                empty += values_.empty() && found_ == 0;
                if (found_ > 0 && empty == 0 && differs.ok()) differs = reduce(is_first && count == 1);
            } while (next(dimensions, at_));
            if (empty == count) continue; // no program has such run-time values
            if (empty > 0) return {domain_has_gaps()};
            if (!is_first && corners_here_ != corners) return {moved_by(first_runtime)};
            if (!differs.ok()) return {differs.error(), false};
            if (is_first) corners = corners_here_;
            if (is_first)
                for (const int digit : runtimes) first_runtime.push_back(value(digit));
            is_first = false;
        } while (next(runtimes, at_));
        if (is_first) return {domain_is_empty()};
        return product();
    }

    /// The values of the result of place j in the set, ascending.
    [[nodiscard]] std::vector<std::int64_t> column(std::size_t j) const
    {
        if (results_ == 1) return set;
        std::vector<std::int64_t> out;
        for (std::size_t i = 0; i < set_size; ++i) out.push_back(set[i * results_ + j]);
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    /// Calls f(row-major number, index in the whole map) for each t, the digits' values, 0 at first, in `at`, until f says to stop.
    template <class F>
    void for_each_corner(std::vector<std::int64_t>& at, F&& f) const
    {
        std::size_t t = 0;
        while (f(t++) && next(dimensions, at)) {}
    }
    /// Where the corner of the digits' values is.
    [[nodiscard]] std::size_t number_of(const std::vector<std::int64_t>& at) const
    {
        std::int64_t t = 0;
        for (const int digit : dimensions) t = t * of(digit).extent + at[static_cast<std::size_t>(digit)];
        return static_cast<std::size_t>(t);
    }

  private:
    const SplitMap* cut_ = nullptr;
    std::size_t results_ = 0, found_ = 0;
    std::vector<std::int64_t> at_{}, values_{}, corners_here_{}, relative_{};
    std::vector<std::uint32_t> order_{};

    [[nodiscard]] const SplitVariable& of(int digit) const { return cut_->digits[static_cast<std::size_t>(digit)]; }
    [[nodiscard]] std::int64_t& value(int digit) { return at_[static_cast<std::size_t>(digit)]; }
    bool next(const std::vector<int>& list, std::vector<std::int64_t>& at) const
    {
        for (std::size_t k = list.size(); k-- > 0; at[static_cast<std::size_t>(list[k])] = 0)
            if (++at[static_cast<std::size_t>(list[k])] < of(list[k]).extent) return true;
        return false;
    }
    /// The values of the points that the constraints leave here.
    Status collect(IndexEvaluator& evaluate)
    {
        values_.clear();
        found_ = 0;
        do {
            evaluate.at(at_.data());
            std::int64_t v = 0;
            bool fits = true, holds = true;
            for (const IndexConstraint& c : constraints) {
                fits = fits && evaluate(c.expression, v);
                holds = holds && fits && c.interval.contains(v);
            }
            if (holds || !fits) {
                for (std::size_t j = 0; j < results_ && fits; ++j) {
                    fits = evaluate(cut_->map.results[results[j]], v);
                    values_.push_back(v);
                }
                if (!fits) return value_overflows();
                ++found_;
            }
        } while (next(ranges, at_));
        return {};
    }
    /// Keeps the corner, and compares the set with the first one.
    Status reduce(bool is_first)
    {
        const std::size_t corner = corners_here_.size();
        corners_here_.insert(corners_here_.end(), values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(results_));
        for (std::size_t i = 1; i < found_; ++i)
            for (std::size_t j = 0; j < results_; ++j)
                corners_here_[corner + j] = std::min(corners_here_[corner + j], values_[i * results_ + j]);
        for (std::size_t i = 0; i < found_; ++i)
            for (std::size_t j = 0; j < results_; ++j)
                if (!sub(values_[i * results_ + j], corners_here_[corner + j], values_[i * results_ + j])) return result_overflow();
        sort_points();
        if (is_first) {
            set = relative_;
            set_size = found_;
        }
        if (set == relative_ && set_size == found_) return {};
        std::int64_t index = 0;
        for (const int digit : dimensions) index += value(digit) * of(digit).weight;
        return no_translate(index);
    }
    /// The points that were found, each once and in order.
    void sort_points()
    {
        if (results_ <= 1) {
            relative_ = values_;
            std::sort(relative_.begin(), relative_.end());
            relative_.erase(std::unique(relative_.begin(), relative_.end()), relative_.end());
            found_ = results_ == 0 ? 1 : relative_.size();
            return;
        }
        const auto row = [&](std::uint32_t i) { return values_.begin() + static_cast<std::ptrdiff_t>(i * results_); };
        const auto width = static_cast<std::ptrdiff_t>(results_);
        order_.resize(found_);
        std::iota(order_.begin(), order_.end(), 0u);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
        });
        const auto same = [&](std::uint32_t a, std::uint32_t b) { return std::equal(row(a), row(a) + width, row(b)); };
        order_.erase(std::unique(order_.begin(), order_.end(), same), order_.end());
        relative_.clear();
        for (const std::uint32_t i : order_) relative_.insert(relative_.end(), row(i), row(i) + width);
        found_ = order_.size();
    }
    [[nodiscard]] Error moved_by(const std::vector<std::int64_t>& first) const
    {
        std::size_t k = 0;
        while (k + 1 < first.size() && at_[static_cast<std::size_t>(runtimes[k])] == first[k]) ++k;
        return moved_at_run_time(of(runtimes[k]).number);
    }
    /// Is the set a product of sets of single results? Summands of a box are boxes: without the corners of one it is in no sum.
    [[nodiscard]] PartDecision product() const
    {
        std::size_t size = 1;
        std::vector<std::int64_t> far;
        for (std::size_t j = 0; j < results_; ++j) {
            const std::vector<std::int64_t> values = column(j);
            far.push_back(values.back());
            size *= size > set_size ? 1 : values.size();
        }
        if (size == set_size) return {};
        const auto has = [&](const std::vector<std::int64_t>& point) {
            std::size_t lo = 0, hi = set_size;
            const auto row = [&](std::size_t i) { return set.begin() + static_cast<std::ptrdiff_t>(i * results_); };
            while (lo < hi) {
                const std::size_t mid = (lo + hi) / 2;
                if (std::lexicographical_compare(row(mid), row(mid) + static_cast<std::ptrdiff_t>(results_), point.begin(),
                                                 point.end()))
                    lo = mid + 1;
                else
                    hi = mid;
            }
            return lo < set_size && std::equal(point.begin(), point.end(), row(lo));
        };
        std::vector<std::size_t> moved;
        for (std::size_t j = 0; j < results_; ++j)
            if (far[j] != 0) moved.push_back(j);
        for (std::size_t corner = 0; moved.size() < 16 && corner < std::size_t{1} << moved.size(); ++corner) {
            std::vector<std::int64_t> point(results_);
            for (std::size_t k = 0; k < moved.size(); ++k)
                if ((corner >> k & 1) != 0) point[moved[k]] = far[moved[k]];
            if (!has(point)) return {no_product(), true};
        }
        return {no_product(), false};
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
