// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SUM_HPP
#define AXE_MAP_TILE_SUM_HPP

#include <axe/map/tile/conditions.hpp>
#include <axe/map/tile/digits.hpp>
#include <axe/map/tile/span.hpp>
#include <axe/support/sort.hpp>

#include <functional>

namespace axe {
inline namespace v0 {
namespace detail {

/// A span whose stride is not negative, and how it reads when it may be.
struct TileSumSpan {
    TileSpan span{};
    bool is_reversed = false; ///< then `offset` and `stride` are the same indices the other way round
    IndexExpr offset{}, stride{};
    std::int64_t unit = 0; ///< the stride is unit·step
    IndexExpr step{};
    bool is_joined = false; ///< of several spans, by conditions on their sizes and strides
};

/// All ways in which a sum of spans, each on its own, is a span.
class TileSums {
  public:
    using Next = std::function<void(const TileSumSpan&)>;

    TileSums(IndexingMap& parameters, TileConditions& conditions) : pool_(parameters.pool), conditions_(conditions) {}

    /// Where the span is clipped: is it inside for all tiles that hold the conditions?
    bool require_inside(const TileSpan& s)
    {
        return !s.is_clipped || (conditions_.require_at_most(s.low, s.offset) && conditions_.require_at_most(last(s), s.high));
    }
    IndexExpr last(const TileSpan& s)
    {
        return s.last.id >= 0 ? s.last : pool_.add(s.offset, pool_.mul(pool_.add(s.size, -1), s.stride));
    }
    [[nodiscard]] bool is_point(const TileSpan& s) const { return pool_.is_constant(s.size, 1); }

    /// Calls `next` with the span of constant + Σ coefficient·span, the conditions of that way being asked for.
    void each(const TileSum& sum, const std::vector<std::vector<TileSpan>>& spans, const Next& next)
    {
        const std::size_t before = conditions_.count();
        IndexExpr rest = pool_.constant(sum.constant);
        std::vector<TileSumSpan> moving, points;
        for (const TileDigit& d : sum.digits) {
            const TileSpan& s = spans[static_cast<std::size_t>(d.list)][static_cast<std::size_t>(d.digit)];
            (is_point(s) ? points : moving).push_back(scaled(s, d.coefficient));
        }
        // One clip can be handed on; without anything that moves, that of a point.
        if (moving.empty()) {
            const auto clipped = std::find_if(points.begin(), points.end(), [](const TileSumSpan& s) { return s.span.is_clipped; });
            const auto first = clipped == points.end() ? points.begin() : clipped;
            if (first != points.end()) {
                moving.push_back(*first);
                points.erase(first);
            }
        }
        bool can_be = true;
        for (const TileSumSpan& p : points) {
            can_be = can_be && require_inside(p.span);
            rest = pool_.add(rest, p.span.offset);
        }
        sort_stably(moving, [&](const TileSumSpan& x, const TileSumSpan& y) {
            return x.unit != y.unit ? x.unit < y.unit : pool_.is_constant(x.step) && !pool_.is_constant(y.step);
        });
        if (!can_be) {
        } else if (moving.empty()) {
            const IndexExpr one = pool_.constant(1);
            next({{rest, one, one, false, {}, {}, rest}, false, {}, {}, 1, one, false});
        } else {
            join(moving, 1, moving[0], rest, next);
        }
        conditions_.forget(before);
    }

  private:
    TileSumSpan scaled(const TileSpan& s, std::int64_t c)
    {
        TileSumSpan out;
        const IndexExpr first = pool_.mul(c > 0 ? s.offset : last(s), c);
        out.unit = c > 0 ? c : -c;
        out.step = s.stride;
        out.span = {first, s.size, pool_.mul(s.stride, out.unit), s.is_clipped, {}, {}, pool_.mul(c > 0 ? last(s) : s.offset, c)};
        if (s.is_clipped) {
            out.span.low = pool_.mul(c > 0 ? s.low : s.high, c);
            out.span.high = pool_.mul(c > 0 ? s.high : s.low, c);
        }
        out.is_reversed = c < 0;
        out.offset = pool_.mul(s.offset, c);
        out.stride = pool_.mul(s.stride, c);
        return out;
    }
    TileSumSpan shifted(TileSumSpan s, IndexExpr by)
    {
        s.span.offset = pool_.add(s.span.offset, by);
        s.span.last = pool_.add(s.span.last, by);
        if (s.is_reversed) s.offset = pool_.add(s.offset, by);
        if (s.span.is_clipped) {
            s.span.low = pool_.add(s.span.low, by);
            s.span.high = pool_.add(s.span.high, by);
        }
        return s;
    }

    /// `all` from the i-th on to what is joined already; strides grow along the list.
    void join(const std::vector<TileSumSpan>& all, std::size_t i, const TileSumSpan& inner, IndexExpr rest, const Next& next)
    {
        if (conditions_.is_over()) return;
        if (i == all.size()) return next(shifted(inner, rest));
        const std::size_t before = conditions_.count();
        const TileSumSpan& outer = all[i];
        const TileSpan &a = inner.span, &b = outer.span;
        // One of the two is a point. (What was joined is one where its parts are, which is among the ways.)
        if (conditions_.require(b.size, {1, 1}) && require_inside(b)) join(all, i + 1, inner, pool_.add(rest, b.offset), next);
        conditions_.forget(before);
        if (!inner.is_joined && conditions_.require(a.size, {1, 1}) && require_inside(a))
            join(all, i + 1, outer, pool_.add(rest, a.offset), next);
        conditions_.forget(before);

        // What the outer clip lets through, each with all of the inner span.
        const auto hand_on = [&](TileSpan& to) {
            to.is_clipped = true;
            to.low = pool_.add(a.offset, b.low);
            to.high = pool_.add(last(a), b.high);
        };
        const IndexExpr length = pool_.mul(a.stride, a.size);
        const TileSpan sum{pool_.add(a.offset, b.offset), {}, a.stride, false, {}, {}, pool_.add(a.last, b.last)};
        TileSumSpan both{sum, false, {}, {}, inner.unit, inner.step, true};
        // Side by side: the outer stride is as long as all of the inner span.  {a·i} + {a·S·k} = {a·n : n < S·m}. A clip is handed on
        // where the outer steps are 1: what is let through ends where the next one would begin, and not within it.
        for (const bool hands_on : {true, false}) {
            if (hands_on && (!b.is_clipped || !conditions_.require(outer.step, {1, 1}))) continue;
            if (conditions_.require_equal(b.stride, length) && require_inside(a) && (hands_on || require_inside(b))) {
                TileSumSpan joined = both;
                joined.span.size = pool_.mul(a.size, b.size);
                if (hands_on) hand_on(joined.span);
                join(all, i + 1, joined, rest, next);
            }
            conditions_.forget(before);
        }
        // Over each other, as windows are: a multiple of the inner stride, shorter than the span. Where the outer steps are 1, those
        // that a clip leaves are without a gap, and the clip is handed on.
        for (const bool hands_on : {true, false}) {
            if (hands_on && (!b.is_clipped || !conditions_.require(outer.step, {1, 1}))) continue;
            const IndexInterval slack = conditions_.range(pool_.sub(length, b.stride));
            if (outer.unit % inner.unit == 0 && slack.high > 0 && conditions_.require(inner.step, {1, 1}) &&
                both_inside(a, b, hands_on)) {
                const IndexExpr unit = pool_.constant(inner.unit);
                if (conditions_.require_at_most(b.stride, pool_.mul(a.size, unit))) {
                    TileSumSpan joined = both;
                    joined.span.stride = unit;
                    joined.step = pool_.constant(1);
                    const IndexExpr steps = pool_.mul(outer.step, outer.unit / inner.unit);
                    joined.span.size = pool_.add(a.size, pool_.mul(steps, pool_.add(b.size, -1)));
                    if (hands_on) hand_on(joined.span);
                    join(all, i + 1, joined, rest, next);
                }
            }
            conditions_.forget(before);
        }
        if (conditions_.require_equal(a.stride, b.stride) && both_inside(a, b, false)) {
            both.span.size = pool_.add(pool_.add(a.size, b.size), -1);
            join(all, i + 1, both, rest, next);
        }
        conditions_.forget(before);
    }
    /// @param hands_on  of the outer span something has to be inside
    bool both_inside(const TileSpan& a, const TileSpan& b, bool hands_on)
    {
        constexpr std::int64_t most = every_integer.high;
        if (!conditions_.require(a.size, {1, most}) || !conditions_.require(b.size, {1, most}) || !require_inside(a)) return false;
        if (!hands_on) return require_inside(b);
        return conditions_.require_at_most(b.offset, b.high) && conditions_.require_at_most(b.low, last(b));
    }

    IndexPool& pool_;
    TileConditions& conditions_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
