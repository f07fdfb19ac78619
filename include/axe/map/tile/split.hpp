// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SPLIT_HPP
#define AXE_MAP_TILE_SPLIT_HPP

#include <axe/map/tile/sum.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// All ways in which the digits of a span are spans that are independent of each other.
class TileSplits {
  public:
    TileSplits(IndexingMap& parameters, TileConditions& conditions, TileSums& sums)
        : pool_(parameters.pool), conditions_(conditions), sums_(sums)
    {
    }

    /// Calls `next` with the digits, and with what clips the last of them, the conditions of that way being asked for.
    template <class Next>
    void each(const TileSourceDigits& digits, const TileSpan& whole, const Next& next)
    {
        const std::size_t before = conditions_.count();
        const std::vector<std::int64_t>& cuts = digits.cuts;
        TileSpan q = whole;
        IndexInterval clip = every_integer;
        if (cuts.size() > 1 && q.is_clipped) {
            const bool is_handed_on = digits.count == 1 && cut_clip(q, digits, clip);
            if (!is_handed_on && !sums_.require_inside(q)) return conditions_.forget(before);
            q.is_clipped = false;
        }
        const std::size_t inner = conditions_.count();
        const auto attempt = [&](bool can_be, const auto& fill) {
            if (can_be && !conditions_.is_over(8 * cuts.size())) {
                std::vector<TileSpan> spans;
                for (std::size_t i = 0; i < cuts.size(); ++i) spans.push_back(point(part(q.offset, cuts, i)));
                fill(spans);
                next(spans, clip);
            }
            conditions_.forget(inner);
        };
        if (cuts.size() == 1) {
            attempt(true, [&](std::vector<TileSpan>& spans) { spans[0] = q; });
            return conditions_.forget(before);
        }
        // In one list that is "digit 0 alone moves"; with several lists each would need a separate case.
        if (digits.count > 1) attempt(conditions_.require(q.size, {1, 1}), [](const std::vector<TileSpan>&) {});
        for (std::size_t j = 0; j < cuts.size() && (j == 0 || !sums_.is_point(q)); ++j) {
            // Digit j alone moves.
            attempt(conditions_.require(pool_.mod(q.stride, cuts[j]), {0, 0}) && stays(q, cuts, j),
                    [&](std::vector<TileSpan>& spans) {
                        spans[j].size = q.size;
                        spans[j].stride = pool_.floor_div(q.stride, cuts[j]);
                    });
            // Digits i to j − 1 take all their values for each of digit j's.
            for (std::size_t i = 0; i < j; ++i) {
                attempt(conditions_.require(q.stride, {cuts[i], cuts[i]}) &&
                            conditions_.require(mod(q.offset, cuts[j]), {0, cuts[i] - 1}) &&
                            conditions_.require(pool_.mod(q.size, cuts[j] / cuts[i]), {0, 0}) && stays(q, cuts, j),
                        [&](std::vector<TileSpan>& spans) {
                            for (std::size_t k = i; k < j; ++k) {
                                spans[k].offset = pool_.constant(0);
                                spans[k].size = pool_.constant(cuts[k + 1] / cuts[k]);
                            }
                            spans[j].size = pool_.floor_div(q.size, cuts[j] / cuts[i]);
                        });
            }
            if (j > 0) skip_lower(digits, q, j, attempt);
        }
        conditions_.forget(before);
    }

  private:
    static constexpr std::int64_t most = every_integer.high;

    IndexExpr mod(IndexExpr e, std::int64_t n)
    {
        return IndexInterval{0, n - 1}.contains(conditions_.range(e)) ? e : pool_.mod(e, n);
    }
    IndexExpr part(IndexExpr e, const std::vector<std::int64_t>& cuts, std::size_t i)
    {
        return pool_.floor_div(i + 1 < cuts.size() ? mod(e, cuts[i + 1]) : e, cuts[i]);
    }
    TileSpan point(IndexExpr at) { return {at, pool_.constant(1), pool_.constant(1), false, {}, {}, {}}; }

    /// Does the span stay within one value of the digits above j?
    bool stays(const TileSpan& q, const std::vector<std::int64_t>& cuts, std::size_t j)
    {
        if (j + 1 == cuts.size()) return true;
        const IndexExpr steps = pool_.sub(sums_.last(q), q.offset);
        return conditions_.require(pool_.add(mod(q.offset, cuts[j + 1]), steps), {every_integer.low, cuts[j + 1] - 1});
    }
    /// Is the clip of a span one of its last digit, and which?
    bool cut_clip(const TileSpan& q, const TileSourceDigits& digits, IndexInterval& out) const
    {
        const std::int64_t cut = digits.cuts.back();
        if (!pool_.is_constant(q.low) || !pool_.is_constant(q.high)) return false;
        constexpr std::int64_t far = std::int64_t{1} << 61; // no sum of what is nearer overflows
        std::int64_t low = pool_[q.low].value, end = pool_[q.high].value;
        if (low < -far || end > far || end < low || cut > far) return false;
        // Of digit 0 one value alone is let through: the clip is that of the indices with it.
        const bool is_one = digits.cuts.size() == 2 && digits.clips[0].is_point();
        if (is_one) {
            const std::int64_t value = digits.clips[0].low;
            if (value < 0 || value >= cut) return false;
            low = floor_div(low + cut - 1 - value, cut) * cut;
            end = floor_div(end - value, cut) * cut + cut - 1;
        }
        ++end;
        if (low % cut != 0 || end % cut != 0) return false;
        out = {low / cut, end / cut - 1};
        return true;
    }

    /// The ways in which nothing asks for the digits below j.
    template <class Attempt>
    void skip_lower(const TileSourceDigits& digits, const TileSpan& q, std::size_t j, const Attempt& attempt)
    {
        const std::int64_t cut = digits.cuts[j];
        bool is_free = true;
        for (std::size_t i = 0; i < j; ++i)
            is_free = is_free && digits.users[i] == 0 && digits.clips[i] == every_integer && !digits.is_bounded[i];
        if (is_free) {
            attempt(conditions_.require(q.size, {1, most}) && conditions_.require(q.stride, {1, cut}) && stays(q, digits.cuts, j),
                    [&](std::vector<TileSpan>& spans) {
                        const IndexExpr end = pool_.floor_div(sums_.last(q), cut);
                        spans[j].size = pool_.add(pool_.sub(end, pool_.floor_div(q.offset, cut)), 1);
                    });
        }
        // One value of the lowest digit is let through: every cut-th index, from the first in the tile on. Of several lists the others
        // would not know of it.
        if (j == 1 && digits.count == 1 && digits.users[0] == 0 && digits.clips[0].is_point()) {
            const std::int64_t value = digits.clips[0].low;
            attempt(value >= 0 && value < cut && conditions_.require(q.size, {1, most}) && conditions_.require(q.stride, {1, 1}) &&
                        stays(q, digits.cuts, j),
                    [&](std::vector<TileSpan>& spans) {
                        const IndexExpr first = pool_.floor_div(pool_.add(q.offset, cut - 1 - value), cut);
                        const IndexExpr end = pool_.floor_div(pool_.add(sums_.last(q), -value), cut);
                        spans[0].offset = pool_.constant(value);
                        spans[1].offset = digits.cuts.size() > 2 ? mod(first, digits.cuts[2] / cut) : first;
                        spans[1].size = pool_.add(pool_.sub(end, first), 1);
                    });
        }
    }

    IndexPool& pool_;
    TileConditions& conditions_;
    TileSums& sums_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
