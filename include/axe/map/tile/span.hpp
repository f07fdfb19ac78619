// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_SPAN_HPP
#define AXE_MAP_TILE_SPAN_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/tile/budget.hpp>

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
    IndexExpr last{}; ///< offset + stride·(size − 1) where the case's conditions hold
    friend bool operator==(const TileSpan&, const TileSpan&) = default;
};

/// Where all conditions hold, the indices that the tile needs are the box of the spans, one for each result of the map.
struct TileCase {
    std::vector<IndexConstraint> conditions{};
    std::vector<TileSpan> spans{};
    std::vector<std::int64_t> divides{}; ///< of grids: for each dimension what its size divides; 0, which all do, where it need not
};

namespace detail {

/// Is a condition said by one of these?
inline bool is_said(const std::vector<IndexConstraint>& by, const IndexConstraint& c)
{
    return std::any_of(by.begin(), by.end(),
                       [&](const IndexConstraint& a) { return a.expression == c.expression && c.interval.contains(a.interval); });
}
/// Do x's conditions imply y's, term by term?
struct TileImplication {
    TileBudget& budget;
    bool operator()(const TileCase& x, const TileCase& y) const
    {
        return std::all_of(y.conditions.begin(), y.conditions.end(), [&](const IndexConstraint& c) {
            budget.spend(1 + x.conditions.size() / 2);
            return is_said(x.conditions, c);
        });
    }
};
/// Does a case hold wherever this one does?
template <class Implies>
bool is_superfluous(const std::vector<TileCase>& cases, const TileCase& made, const Implies& implies)
{
    return std::any_of(cases.begin(), cases.end(), [&](const TileCase& other) { return implies(made, other); });
}
/// Keeps a case that is not superfluous, without those that it makes so.
/// @returns whether it is kept
template <class Implies>
bool keep_case(std::vector<TileCase>& cases, TileCase made, const Implies& implies)
{
    if (is_superfluous(cases, made, implies)) return false;
    std::erase_if(cases, [&](const TileCase& other) { return implies(other, made); });
    cases.push_back(std::move(made));
    return true;
}
} // namespace detail
} // namespace v0
} // namespace axe

#endif
