// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SEARCH_HPP
#define AXE_MAP_TILE_SEARCH_HPP

#include <axe/map/tile_sum.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// All ways in which what a tile needs is a box of spans.
///
/// Each variable is a span, given by the tile; each source, in turn, a sum of digits of those before it, and cut into digits itself.
/// On each way the digits are spans that are independent of each other, so the indices that the tile needs are their product.
class TileSearch {
  public:
    static constexpr int most_cases = 256, most_steps = 1 << 14;

    /// @param variables  what the tile is in each variable; all this outlives the search
    TileSearch(IndexingMap& parameters, const TilePlan& plan, const std::vector<TileSpan>& variables, std::vector<TileCase>& out)
        : pool_(parameters.pool),
          plan_(plan),
          variables_(variables),
          out_(out),
          conditions_(parameters),
          sums_(parameters, conditions_),
          spans_(plan.digits.size())
    {
        add_empty();
        source(0);
    }

    bool is_cut_short = false;

  private:
    static constexpr std::int64_t most = every_integer.high;

    /// A tile wholly outside the domain of one of its dimensions needs nothing.
    void add_empty()
    {
        if (plan_.results.empty()) return; // a product of no spans is a point, never nothing
        const TileSpan nothing{pool_.constant(0), pool_.constant(0), pool_.constant(1), false, {}, {}};
        for (const TileSpan& v : variables_) {
            if (!v.is_clipped) continue;
            const std::pair<IndexExpr, IndexExpr> orders[] = {{v.high, v.offset}, {sums_.last(v), v.low}};
            for (const auto& [less, greater] : orders) {
                if (conditions_.require(pool_.sub(greater, less), {1, most}))
                    keep_case(out_, {conditions_.conditions(), std::vector<TileSpan>(plan_.results.size(), nothing)});
                conditions_.forget(0);
            }
        }
    }

    void source(std::size_t s)
    {
        if (++steps_ > most_steps || static_cast<int>(out_.size()) >= most_cases) is_cut_short = true;
        if (is_cut_short) return;
        if (s == plan_.digits.size()) return result(0);
        if (plan_.is_variable(s)) return split(s, variables_[s]);
        if (!plan_.digits[s].is_needed) return source(s + 1);
        sums_.each(plan_.sums[s], spans_, [&](const TileSumSpan& sum) { split(s, sum.span); });
    }

    // Digits of a span: those of `span_` and `source_` while `split` tries one way after another.
    IndexExpr mod(IndexExpr e, std::int64_t n)
    {
        return IndexInterval{0, n - 1}.contains(conditions_.range(e)) ? e : pool_.mod(e, n);
    }
    IndexExpr part(IndexExpr e, const std::vector<std::int64_t>& cuts, std::size_t i)
    {
        return pool_.floor_div(i + 1 < cuts.size() ? mod(e, cuts[i + 1]) : e, cuts[i]);
    }
    TileSpan point(IndexExpr at) { return {at, pool_.constant(1), pool_.constant(1), false, {}, {}}; }

    /// Does the span stay within one value of the digits above j?
    bool stays(const TileSpan& q, const std::vector<std::int64_t>& cuts, std::size_t j)
    {
        if (j + 1 == cuts.size()) return true;
        return conditions_.require(pool_.add(mod(q.offset, cuts[j + 1]), pool_.mul(pool_.add(q.size, -1), q.stride)),
                                   {every_integer.low, cuts[j + 1] - 1});
    }
    /// Is the clip of a span one of its last digit, and which?
    bool cut_clip(const TileSpan& q, const TileSourceDigits& digits, IndexInterval& out) const
    {
        const std::int64_t cut = digits.cuts.back();
        if (!pool_.is_constant(q.low) || !pool_.is_constant(q.high)) return false;
        constexpr std::int64_t far = std::int64_t{1} << 61; // no sum of what is nearer leaves the integer
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

    void split(std::size_t s, const TileSpan& whole)
    {
        const std::size_t before = conditions_.count();
        const std::vector<std::int64_t>& cuts = plan_.digits[s].cuts;
        TileSpan q = whole;
        IndexInterval clip = every_integer;
        if (cuts.size() > 1 && q.is_clipped) {
            if (!cut_clip(q, plan_.digits[s], clip) && !sums_.require_inside(q)) return conditions_.forget(before);
            q.is_clipped = false;
        }
        const std::size_t inner = conditions_.count();
        const auto attempt = [&](bool can_be, const auto& fill) {
            if (can_be) {
                std::vector<TileSpan>& spans = spans_[s];
                spans.clear();
                for (std::size_t i = 0; i < cuts.size(); ++i) spans.push_back(point(part(q.offset, cuts, i)));
                fill(spans);
                settle(s, 0, clip);
            }
            conditions_.forget(inner);
        };
        if (cuts.size() == 1) {
            attempt(true, [&](std::vector<TileSpan>& spans) { spans[0] = q; });
            return conditions_.forget(before);
        }
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
            if (j > 0) skip_lower(s, q, j, attempt);
        }
        conditions_.forget(before);
    }

    /// The ways in which nobody asks for the digits below j.
    template <class Attempt>
    void skip_lower(std::size_t s, const TileSpan& q, std::size_t j, const Attempt& attempt)
    {
        const TileSourceDigits& digits = plan_.digits[s];
        const std::int64_t cut = digits.cuts[j];
        bool is_free = true;
        for (std::size_t i = 0; i < j; ++i) is_free = is_free && digits.users[i] == 0 && digits.clips[i] == every_integer;
        if (is_free) {
            attempt(conditions_.require(q.size, {1, most}) && conditions_.require(q.stride, {1, cut}) && stays(q, digits.cuts, j),
                    [&](std::vector<TileSpan>& spans) {
                        const IndexExpr end = pool_.floor_div(sums_.last(q), cut);
                        spans[j].size = pool_.add(pool_.sub(end, pool_.floor_div(q.offset, cut)), 1);
                    });
        }
        // One value of the lowest digit is let through: every cut-th index, from the first in the tile on.
        if (j == 1 && digits.users[0] == 0 && digits.clips[0].is_point()) {
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

    /// Clips the span once more.
    bool clip(TileSpan& span, const IndexInterval& interval)
    {
        if (interval.contains(conditions_.range(span.offset)) && interval.contains(conditions_.range(sums_.last(span))))
            return true;
        const IndexExpr low = pool_.constant(interval.low), high = pool_.constant(interval.high);
        if (interval.low == every_integer.low || interval.high == most) { // no number to hand on
            const TileSpan within{span.offset, span.size, span.stride, true, low, high};
            return conditions_.require(within.offset, {interval.low, most}) &&
                   conditions_.require(sums_.last(within), {every_integer.low, interval.high});
        }
        if (span.is_clipped) {
            const IndexInterval below = conditions_.range(span.low), above = conditions_.range(span.high);
            if (below.is_point() && above.is_point()) {
                span.low = pool_.constant(std::max(below.low, interval.low));
                span.high = pool_.constant(std::min(above.high, interval.high));
                return true;
            }
            if ((below.high > interval.low || above.low < interval.high) && !sums_.require_inside(span)) return false;
        }
        span.is_clipped = true;
        span.low = low;
        span.high = high;
        return true;
    }

    /// Source s is cut: what holds for its digits by themselves, from digit i on, then the next source.
    void settle(std::size_t s, std::size_t i, const IndexInterval& top)
    {
        const TileSourceDigits& digits = plan_.digits[s];
        if (i == digits.cuts.size()) return source(s + 1);
        TileSpan& span = spans_[s][i];
        if (!(digits.clips[i] == every_integer) && !clip(span, digits.clips[i])) return;
        if (i + 1 == digits.cuts.size() && !(top == every_integer) && !clip(span, top)) return;
        if (digits.users[i] == 1) return settle(s, i + 1, top);
        if (digits.users[i] > 1) {
            // What two results have in common makes a diagonal of them, not a box.
            if (!conditions_.require(span.size, {1, 1})) return;
            span.size = pool_.constant(1);
            return settle(s, i + 1, top);
        }
        // Whatever it is, there has to be one: the first; or one, as no step leads over the clip.
        const TileSpan kept = span;
        if (!conditions_.require(kept.size, {1, most})) return;
        const std::size_t before = conditions_.count();
        if (!kept.is_clipped) return settle(s, i + 1, top);
        if (conditions_.require_at_most(kept.low, kept.offset) && conditions_.require_at_most(kept.offset, kept.high))
            settle(s, i + 1, top);
        if (conditions_.count() == before) return; // always so
        conditions_.forget(before);
        if (conditions_.require_at_most(kept.offset, kept.high) && conditions_.require_at_most(kept.low, sums_.last(kept)) &&
            conditions_.require_at_most(kept.stride, pool_.add(pool_.sub(kept.high, kept.low), 1)))
            settle(s, i + 1, top);
    }

    void result(std::size_t r)
    {
        if (r == plan_.results.size()) return finish();
        sums_.each(plan_.results[r], spans_, [&](const TileSumSpan& sum) {
            TileSpan span = sum.span;
            const std::size_t before = conditions_.count();
            bool can_be = true;
            for (const TileBound& b : plan_.bounds)
                if (b.result == static_cast<int>(r)) can_be = can_be && clip(span, b.interval);
            if (sum.is_reversed && !sums_.is_point(span)) {
                span.offset = sum.offset;
                span.stride = sum.stride;
            }
            if (can_be) {
                results_.push_back(span);
                result(r + 1);
                results_.pop_back();
            }
            conditions_.forget(before);
        });
    }

    void finish()
    {
        const std::size_t before = conditions_.count();
        bool can_be = true;
        for (const TileBound& b : plan_.bounds) {
            if (b.result >= 0) continue;
            // The least and the greatest value in the tile are in the interval.
            IndexExpr least = pool_.constant(b.sum.constant), greatest = least;
            for (const TileDigit& d : b.sum.digits) {
                const TileSpan& x = spans_[static_cast<std::size_t>(d.source)][static_cast<std::size_t>(d.digit)];
                least = pool_.add(least, pool_.mul(d.coefficient > 0 ? x.offset : sums_.last(x), d.coefficient));
                greatest = pool_.add(greatest, pool_.mul(d.coefficient > 0 ? sums_.last(x) : x.offset, d.coefficient));
            }
            can_be = can_be && conditions_.require(least, {b.interval.low, most}) &&
                     conditions_.require(greatest, {every_integer.low, b.interval.high});
        }
        if (can_be) keep_case(out_, {conditions_.conditions(), results_});
        conditions_.forget(before);
    }

    IndexPool& pool_;
    const TilePlan& plan_;
    const std::vector<TileSpan>& variables_;
    std::vector<TileCase>& out_;
    TileConditions conditions_;
    TileSums sums_;
    std::vector<std::vector<TileSpan>> spans_;
    std::vector<TileSpan> results_{};
    int steps_ = 0;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
