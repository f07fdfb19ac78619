// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_GRID_CASES_HPP
#define AXE_MAP_TILE_GRID_CASES_HPP

#include <axe/map/tile/relation.hpp>
#include <axe/map/tile/span.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The cases of a grid: conditions on sizes, each said once, and no case that another one covers.
class GridCases {
  public:
    /// @param relations  of o, z, t for each dimension, in their bounds; all this outlives the cases
    GridCases(TileRelations& relations, std::vector<TileCase>& out)
        : map_(relations.parameters()),
          pool_(map_.pool),
          dimensions_(map_.dimensions / 3),
          algebra_(relations.algebra()),
          relations_(relations),
          all_(map_.variables),
          cases_(out)
    {
    }
    /// @param spans  of the case, as they are for any stride; variables with one value left are replaced by it
    void keep(TileCase made, const std::vector<TileSpan>& spans)
    {
        for (int d = 0; d < dimensions_; ++d)
            if (!resolve(d, made)) return;
        if (!keep_case(cases_, made, [this](const TileCase& x, const TileCase& y) { return is_within(x, y); })) return;
        for (const TileSpan& of : spans) {
            TileSpan x = of;
            for (IndexExpr* e : {&x.offset, &x.size, &x.stride, &x.low, &x.high, &x.last})
                if (e->id >= 0) *e = algebra_.shortest(algebra_.with_values(*e));
            cases_.back().spans.push_back(x);
        }
    }

  private:
    IndexExpr size(int d) { return pool_.variable(dimensions_ + d); }

    /// Does y take all sizes that x takes, term by term?
    bool is_within(const TileCase& x, const TileCase& y)
    {
        // Under x's conditions on single sizes.
        std::vector<IndexInterval> kept;
        for (const IndexVariable& v : map_.variables) kept.push_back(v.bounds);
        const auto bounds = [&](std::size_t v) -> IndexInterval& { return map_.variables[v].bounds; };
        for (std::size_t v = 0; v < kept.size(); ++v) bounds(v) = all_[v].bounds;
        for (const IndexConstraint& c : x.conditions)
            if (const IndexNode n = pool_[c.expression]; n.op == IndexOp::variable)
                bounds(static_cast<std::size_t>(n.value)) = c.interval;
        bool out = true;
        for (int d = 0; d < dimensions_; ++d) {
            const std::int64_t divides = y.divides[static_cast<std::size_t>(d)], by_x = x.divides[static_cast<std::size_t>(d)];
            const IndexInterval z = relations_.range(size(d));
            out = out && (divides == 0 || (by_x != 0 && divides % by_x == 0) || (z.is_point() && divides % z.low == 0));
        }
        for (const IndexConstraint& c : y.conditions) {
            out = out && (is_said(x.conditions, c) || c.interval.contains(relations_.range(algebra_.with_values(c.expression))));
        }
        for (std::size_t v = 0; v < kept.size(); ++v) bounds(v) = kept[v];
        return out;
    }
    /// What is said twice of a size is said once; false when no size is left.
    bool resolve(int d, TileCase& made)
    {
        const IndexExpr z = size(d);
        IndexInterval interval = all_[static_cast<std::size_t>(dimensions_ + d)].bounds;
        const IndexInterval all = interval;
        std::int64_t multiple = 1;
        std::vector<IndexConstraint> others;
        for (const IndexConstraint& c : made.conditions) {
            const IndexNode n = pool_[c.expression];
            if (c.expression == z)
                interval = intersection(interval, c.interval);
            else if (n.op != IndexOp::mod || !(n.left == z) || !(c.interval == IndexInterval{0, 0}))
                others.push_back(c);
            else if (!mul(n.value / std::gcd(n.value, multiple), multiple, multiple) || multiple > all.high)
                return false;
        }
        std::int64_t& divides = made.divides[static_cast<std::size_t>(d)];
        if (divides % multiple != 0) return false;
        interval = {-floor_div(-interval.low, multiple) * multiple, floor_div(interval.high, multiple) * multiple};
        if (interval.is_empty()) return false;
        if (interval.is_point()) {
            if (divides % interval.low != 0) return false;
            divides = 0;
            if (!all.is_point()) others.insert(others.begin(), {z, interval});
        } else {
            const bool is_low = interval.low > multiple;
            const bool is_high = interval.high < (divides != 0 ? divides : floor_div(all.high, multiple) * multiple);
            if (is_low || is_high)
                others.insert(others.begin(), {z, {is_low ? interval.low : 1, is_high ? interval.high : all.high}});
            if (multiple > 1) others.insert(others.begin(), {pool_.mod(z, multiple), {0, 0}});
        }
        made.conditions = others;
        return true;
    }

    IndexingMap& map_;
    IndexPool& pool_;
    int dimensions_;
    TileAlgebra& algebra_;
    TileRelations& relations_;
    std::vector<IndexVariable> all_;
    std::vector<TileCase>& cases_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
