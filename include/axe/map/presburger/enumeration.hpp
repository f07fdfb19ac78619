// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_ENUMERATION_HPP
#define AXE_MAP_PRESBURGER_ENUMERATION_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/presburger/emptiness.hpp>

#include <optional>

/// A map point by point.
namespace axe {
inline namespace v0 {
namespace detail {

/// The different results of a map on a box, and for each the first point that has it.
class PointTable {
  public:
    explicit PointTable(const IndexingMap& map) : map_(&map), results_(map.results.size()), width_(results_ + map.variables.size())
    {
    }

    /// Two points of one image whose dimensions differ, one of them as its place in the list of rows.
    struct Collision {
        std::size_t row;
        std::vector<std::int64_t> other;
        std::int64_t number; ///< of the other, among the points of the box in row-major order
    };
    std::optional<Collision> collision{};
    bool fits = true; ///< no value overflows

    /// Goes through a box of no more than 2^20 points, until two have one image.
    void fill(const std::vector<IndexInterval>& box)
    {
        std::vector<std::int64_t> at;
        for (const IndexInterval& b : box) {
            if (b.is_empty()) return;
            at.push_back(b.low);
        }
        IndexEvaluator evaluate(map_->pool, nullptr);
        slots_.assign(64, -1);
        for (std::int64_t number = 0;; ++number) {
            evaluate.at(at.data());
            if (!add(evaluate, at, number)) return;
            std::size_t v = at.size();
            for (; v > 0 && at[v - 1] == box[v - 1].high; --v) at[v - 1] = box[v - 1].low;
            if (v == 0) return;
            ++at[v - 1];
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
    [[nodiscard]] std::int64_t result(std::size_t row, std::size_t j) const noexcept { return entries_[row * width_ + j]; }
    [[nodiscard]] std::int64_t variable(std::size_t row, std::size_t v) const noexcept
    {
        return entries_[row * width_ + results_ + v];
    }
    [[nodiscard]] std::int64_t number(std::size_t row) const noexcept { return numbers_[row]; }

  private:
    const IndexingMap* map_;
    std::size_t results_, width_;
    std::vector<std::int64_t> entries_{}, numbers_{};
    std::vector<std::int32_t> slots_{}; ///< rows by the hash of their results: open addressing, at most half full

    /// False when there is no use in going on.
    bool add(IndexEvaluator& evaluate, const std::vector<std::int64_t>& at, std::int64_t number)
    {
        std::int64_t value = 0;
        for (const IndexConstraint& c : map_->constraints) {
            if (!evaluate(c.expression, value)) return fits = false;
            if (!c.interval.contains(value)) return true;
        }
        const std::size_t begin = entries_.size();
        for (const IndexExpr e : map_->results) {
            if (!evaluate(e, value)) return fits = false;
            entries_.push_back(value);
        }
        std::int32_t& slot = slot_of(begin);
        if (slot < 0) {
            slot = static_cast<std::int32_t>(size());
            entries_.insert(entries_.end(), at.begin(), at.end());
            numbers_.push_back(number);
            if (2 * size() > slots_.size()) grow();
            return true;
        }
        entries_.resize(begin);
        const auto row = static_cast<std::size_t>(slot);
        const std::int64_t* known = entries_.data() + row * width_ + results_;
        if (std::equal(known, known + map_->dimensions, at.begin())) return true;
        collision = Collision{row, at, number};
        return false;
    }
    /// Where the row that begins at a entry is, or belongs.
    std::int32_t& slot_of(std::size_t begin)
    {
        std::uint64_t h = 0;
        for (std::size_t j = 0; j < results_; ++j) {
            h = (h ^ static_cast<std::uint64_t>(entries_[begin + j])) * 0x9E3779B97F4A7C15u;
            h ^= h >> 29;
        }
        const auto mask = slots_.size() - 1;
        for (auto s = static_cast<std::size_t>(h) & mask;; s = (s + 1) & mask) {
            if (slots_[s] < 0) return slots_[s];
            const std::size_t other = static_cast<std::size_t>(slots_[s]) * width_;
            if (std::equal(entries_.data() + begin, entries_.data() + begin + results_, entries_.data() + other)) return slots_[s];
        }
    }
    void grow()
    {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t row = 0; row < size(); ++row) slot_of(row * width_) = static_cast<std::int32_t>(row);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
