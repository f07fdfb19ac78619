// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SEARCH_HPP
#define AXE_MAP_TILE_SEARCH_HPP

#include <axe/map/tile/split.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// All ways in which what a tile needs is a box of spans.
///
/// Each variable is a span, given by the tile; each source, in turn, a sum of digits of those before it, and cut into digits itself.
/// On each way the digits are spans that are independent of each other, so the indices that the tile needs are their product.
class TileSearch {
  public:
    /// @param variables  what the tile is in each variable; all this outlives the search
    /// @param budget     where it is spent at the end, there are more ways
    TileSearch(IndexingMap& parameters, const TilePlan& plan, const std::vector<TileSpan>& variables, TileBudget& budget,
               std::vector<TileCase>& out)
        : pool_(parameters.pool),
          plan_(plan),
          variables_(variables),
          budget_(budget),
          out_(out),
          relations_(parameters, budget),
          conditions_(relations_),
          sums_(parameters, conditions_),
          splits_(parameters, conditions_, sums_),
          wholes_(plan.digits.size()),
          spans_(plan.digits.size())
    {
        add_empty();
        source(0);
    }

  private:
    static constexpr std::int64_t most = every_integer.high;

    /// A tile wholly outside the domain of one of its dimensions needs nothing.
    void add_empty()
    {
        if (plan_.results.empty()) return; // a product of no spans is a point, never nothing
        const TileSpan nothing{pool_.constant(0), pool_.constant(0), pool_.constant(1), false, {}, {}, {}};
        for (const TileSpan& v : variables_) {
            if (!v.is_clipped) continue;
            const std::pair<IndexExpr, IndexExpr> orders[] = {{v.high, v.offset}, {sums_.last(v), v.low}};
            for (const auto& [less, greater] : orders) {
                TileCase made{{}, std::vector<TileSpan>(plan_.results.size(), nothing)};
                if (conditions_.require(pool_.sub(greater, less), {1, most}) && conditions_.take(made.conditions))
                    keep_case(out_, made, implied_);
                conditions_.forget(0);
            }
        }
    }

    void source(std::size_t s)
    {
        if (budget_.is_spent()) return;
        budget_.spend(8);
        if (s == plan_.digits.size()) return result(0);
        const TileSourceDigits& d = plan_.digits[s];
        if (static_cast<int>(s) > d.first) return split(s, TileSpan(wholes_[static_cast<std::size_t>(d.first)]));
        const auto cut = [&](const TileSpan& whole) {
            wholes_[s] = whole;
            split(s, whole);
        };
        if (plan_.is_variable(d.source)) return cut(variables_[static_cast<std::size_t>(d.source)]);
        if (!plan_.is_needed(d.source)) return source(s + 1);
        sums_.each(plan_.sums[s], spans_, [&](const TileSumSpan& sum) { cut(sum.span); });
    }

    void split(std::size_t s, const TileSpan& whole)
    {
        const TileSourceDigits& d = plan_.digits[s];
        splits_.each(d, whole, [&](const std::vector<TileSpan>& digits, const IndexInterval& top) {
            spans_[s] = digits;
            assign(s, 0, top);
        });
    }

    /// Clips the span once more.
    bool clip(TileSpan& span, const IndexInterval& interval)
    {
        if (interval.contains(conditions_.range(span.offset)) && interval.contains(conditions_.range(sums_.last(span))))
            return true;
        const IndexExpr low = pool_.constant(interval.low), high = pool_.constant(interval.high);
        if (interval.low == every_integer.low || interval.high == most) { // no number to hand on
            const TileSpan within{span.offset, span.size, span.stride, true, low, high, span.last};
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
    void assign(std::size_t s, std::size_t i, const IndexInterval& top)
    {
        if (i == plan_.digits[s].cuts.size()) return keep_apart(s);
        const TileSpan before = spans_[s][i];
        assign_digit(s, i, top);
        spans_[s][i] = before; // for the other ways of the digits before it
    }
    void assign_digit(std::size_t s, std::size_t i, const IndexInterval& top)
    {
        const TileSourceDigits& digits = plan_.digits[s];
        TileSpan& span = spans_[s][i];
        if (!(digits.clips[i] == every_integer) && !clip(span, digits.clips[i])) return;
        if (i + 1 == digits.cuts.size() && !(top == every_integer) && !clip(span, top)) return;
        if (digits.users[i] == 1) return assign(s, i + 1, top);
        if (digits.users[i] > 1) {
            // What two results have in common makes a diagonal of them, not a box.
            if (!conditions_.require(span.size, {1, 1})) return;
            span.size = pool_.constant(1);
            return assign(s, i + 1, top);
        }
        // Whatever it is, there has to be one: the first; or one, as no step leads over the clip.
        const TileSpan kept = span;
        if (!conditions_.require(kept.size, {1, most})) return;
        const std::size_t before = conditions_.count();
        if (!kept.is_clipped) return assign(s, i + 1, top);
        if (conditions_.require_at_most(kept.low, kept.offset) && conditions_.require_at_most(kept.offset, kept.high))
            assign(s, i + 1, top);
        if (conditions_.count() == before) return; // always so
        conditions_.forget(before);
        if (conditions_.require_at_most(kept.offset, kept.high) && conditions_.require_at_most(kept.low, sums_.last(kept)) &&
            conditions_.require_at_most(kept.stride, pool_.add(pool_.sub(kept.high, kept.low), 1)))
            assign(s, i + 1, top);
    }

    /// Digits of one source in different lists hang together: those of one list alone may move.
    void keep_apart(std::size_t s)
    {
        const auto first = static_cast<std::size_t>(plan_.digits[s].first);
        if (s == first) return source(s + 1);
        const std::size_t before = conditions_.count();
        if (stands_still(s)) source(s + 1);
        if (conditions_.count() == before) return; // always so
        conditions_.forget(before);
        bool can_be = true;
        for (std::size_t other = first; other < s; ++other) can_be = can_be && stands_still(other);
        if (can_be) source(s + 1);
        conditions_.forget(before);
    }
    bool stands_still(std::size_t s)
    {
        const TileSourceDigits& d = plan_.digits[s];
        for (std::size_t i = 0; i < d.cuts.size(); ++i)
            if ((d.users[i] > 0 || !(d.clips[i] == every_integer)) && !conditions_.require(spans_[s][i].size, {1, 1})) return false;
        return true;
    }

    void result(std::size_t r)
    {
        if (r == plan_.results.size()) return finish();
        budget_.spend(8 * plan_.results[r].digits.size());
        sums_.each(plan_.results[r], spans_, [&](const TileSumSpan& sum) {
            TileSpan span = sum.span;
            const std::size_t before = conditions_.count();
            bool can_be = true;
            for (const TileBound& b : plan_.bounds)
                if (b.result == static_cast<int>(r)) can_be = can_be && clip(span, b.interval);
            if (sum.is_reversed && !sums_.is_point(span)) {
                std::swap(span.offset, span.last);
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
                const TileSpan& x = spans_[static_cast<std::size_t>(d.list)][static_cast<std::size_t>(d.digit)];
                budget_.spend(8);
                least = pool_.add(least, pool_.mul(d.coefficient > 0 ? x.offset : sums_.last(x), d.coefficient));
                greatest = pool_.add(greatest, pool_.mul(d.coefficient > 0 ? sums_.last(x) : x.offset, d.coefficient));
            }
            can_be = can_be && conditions_.require(least, {b.interval.low, most}) &&
                     conditions_.require(greatest, {every_integer.low, b.interval.high});
        }
        TileCase made{conditions_.held(), results_};
        if (can_be && !is_superfluous(out_, made, implied_) && conditions_.take(made.conditions) &&
            !is_superfluous(out_, made, implied_)) {
            budget_.spend(32 * made.spans.size());
            for (TileSpan& x : made.spans) {
                x.last = sums_.last(x);
                for (IndexExpr* e : {&x.offset, &x.size, &x.stride, &x.low, &x.high, &x.last})
                    if (e->id >= 0) *e = relations_.algebra().shortest(relations_.algebra().with_values(*e));
                if (x.is_clipped && pool_.is_constant(x.low, every_integer.low) && pool_.is_constant(x.high, most)) {
                    x.is_clipped = false; // lets through whatever it is
                    x.low = x.high = {};
                }
            }
            keep_case(out_, made, implied_);
        }
        conditions_.forget(before);
    }

    IndexPool& pool_;
    const TilePlan& plan_;
    const std::vector<TileSpan>& variables_;
    TileBudget& budget_;
    TileImplication implied_{budget_};
    std::vector<TileCase>& out_;
    TileRelations relations_;
    TileConditions conditions_;
    TileSums sums_;
    TileSplits splits_;
    std::vector<TileSpan> wholes_;             ///< for the first list of each source: what it is before it is cut
    std::vector<std::vector<TileSpan>> spans_; ///< for each list: its digits
    std::vector<TileSpan> results_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
