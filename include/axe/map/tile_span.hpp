// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SPAN_HPP
#define AXE_MAP_TILE_SPAN_HPP

#include <axe/map/indexing_map.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// {offset + stride·k : 0 ≤ k < size}, of these the ones in [low, high] where it is clipped.
struct TileSpan {
    IndexExpr offset{}, size{}, stride{};
    bool is_clipped = false;
    IndexExpr low{}, high{};
    friend bool operator==(const TileSpan&, const TileSpan&) = default;
};

/// Where all conditions hold, the indices that the tile needs are the box of the spans, one for each result of the map.
struct TileCase {
    std::vector<IndexConstraint> conditions{};
    std::vector<TileSpan> spans{};
};

namespace detail {

/// What an expression of the pool lies between over the variables' intervals, each operand taken for itself; saturates.
class TileRange {
  public:
    explicit TileRange(const IndexingMap& map) : map_(&map) {}

    IndexInterval operator()(IndexExpr e)
    {
        left_ = 4096;
        return of(e);
    }

  private:
    static constexpr std::int64_t least = every_integer.low, most = every_integer.high;

    static std::int64_t sum(std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 0;
        return add(x, y, out) ? out : x < 0 ? least : most;
    }
    static std::int64_t product(std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 0;
        return mul(x, y, out) ? out : (x < 0) != (y < 0) ? least : most;
    }
    IndexInterval of(IndexExpr e)
    {
        if (--left_ < 0) return every_integer; // a deep one: nothing is said of it
        const IndexNode& n = map_->pool[e];
        if (n.op == IndexOp::constant) return {n.value, n.value};
        if (n.op == IndexOp::variable) return map_->variables[static_cast<std::size_t>(n.value)].bounds;
        const IndexInterval x = of(n.left);
        if (n.op == IndexOp::add) {
            const IndexInterval y = of(n.right);
            return {sum(x.low, y.low), sum(x.high, y.high)};
        }
        if (n.op == IndexOp::mul) {
            const IndexInterval y = of(n.right);
            const auto corners = {product(x.low, y.low), product(x.low, y.high), product(x.high, y.low), product(x.high, y.high)};
            return {std::min(corners), std::max(corners)};
        }
        // All divisors of a tile are positive.
        if (n.value < 1 || x.low == least || x.high == most) return every_integer;
        if (n.op == IndexOp::floor_div) return {floor_div(x.low, n.value), floor_div(x.high, n.value)};
        if (floor_div(x.low, n.value) == floor_div(x.high, n.value))
            return {floor_remainder(x.low, n.value), floor_remainder(x.high, n.value)};
        return {0, n.value - 1};
    }

    const IndexingMap* map_;
    int left_ = 0;
};

/// The conditions on a way through the cases of a tile; what is always so is not kept, what never is ends the way.
class TileConditions {
  public:
    /// @param parameters  outlives this; a condition on a variable narrows its interval while it stands
    explicit TileConditions(IndexingMap& parameters) : map_(&parameters), range_(parameters) {}

    [[nodiscard]] IndexInterval range(IndexExpr e) { return range_(e); }
    [[nodiscard]] std::size_t count() const noexcept { return list_.size(); }

    /// Asks for one more; false when it cannot be.
    bool require(IndexExpr e, IndexInterval interval)
    {
        const IndexInterval r = range(e);
        if (interval.contains(r)) return true;
        interval = intersection(interval, r);
        for (const Held& h : list_)
            if (h.condition.expression == e) interval = intersection(interval, h.condition.interval);
        if (interval.is_empty()) return false;
        Held h{{e, interval}, {}};
        const IndexNode& n = map_->pool[e];
        if (n.op == IndexOp::variable) {
            h.before = map_->variables[static_cast<std::size_t>(n.value)].bounds;
            map_->variables[static_cast<std::size_t>(n.value)].bounds = interval;
        }
        list_.push_back(h);
        return true;
    }
    bool require_equal(IndexExpr x, IndexExpr y) { return x == y || require(map_->pool.sub(x, y), {0, 0}); }
    bool require_at_most(IndexExpr x, IndexExpr y) { return x == y || require(map_->pool.sub(y, x), {0, every_integer.high}); }

    void forget(std::size_t count)
    {
        for (; list_.size() > count; list_.pop_back()) {
            const IndexNode& n = map_->pool[list_.back().condition.expression];
            if (n.op == IndexOp::variable) map_->variables[static_cast<std::size_t>(n.value)].bounds = list_.back().before;
        }
    }
    /// Each expression once, with what is left of its interval.
    [[nodiscard]] std::vector<IndexConstraint> conditions() const
    {
        std::vector<IndexConstraint> out;
        for (const Held& h : list_) {
            bool is_new = true;
            for (IndexConstraint& c : out) {
                if (!(c.expression == h.condition.expression)) continue;
                c.interval = h.condition.interval; // the later one is within the earlier
                is_new = false;
            }
            if (is_new) out.push_back(h.condition);
        }
        return out;
    }

  private:
    struct Held {
        IndexConstraint condition{};
        IndexInterval before{};
    };
    IndexingMap* map_;
    TileRange range_;
    std::vector<Held> list_{};
};

/// Do x's conditions imply y's, term by term?
inline bool implies(const TileCase& x, const TileCase& y)
{
    return std::all_of(y.conditions.begin(), y.conditions.end(), [&](const IndexConstraint& c) {
        return std::any_of(x.conditions.begin(), x.conditions.end(), [&](const IndexConstraint& a) {
            return a.expression == c.expression && c.interval.contains(a.interval);
        });
    });
}

/// Keeps a case that no other makes superfluous.
inline void keep_case(std::vector<TileCase>& cases, TileCase made)
{
    for (const TileCase& other : cases)
        if (implies(made, other)) return;
    const auto is_superfluous = [&](const TileCase& other) { return implies(other, made); };
    cases.erase(std::remove_if(cases.begin(), cases.end(), is_superfluous), cases.end());
    cases.push_back(std::move(made));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
