// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_TILE_PRINT_HPP
#define AXE_MAP_IMPL_TILE_PRINT_HPP

#include <axe/map/impl/print.hpp>
#include <axe/map/tile.hpp>
#include <axe/map/tile_print.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// `z0 - 1 <= 3`, `z0 mod 4 = 0`, `z0 in [2, 3]`: without an end that the variables' bounds give by themselves.
inline std::string condition_text(const IndexingMap& map, const IndexConstraint& c, const MapSpelling& spelling)
{
    const IndexInterval all = ExpressionRanges(map)(c.expression);
    const std::string text = print(map, c.expression, spelling);
    if (c.interval.is_point()) return text + " = " + std::to_string(c.interval.low);
    if (c.interval.low <= all.low) return text + " <= " + std::to_string(c.interval.high);
    if (c.interval.high >= all.high) return text + " >= " + std::to_string(c.interval.low);
    return text + " in " + interval_text(c.interval);
}

/// `offset + [0, size) * stride`, without what says nothing: a size or a stride of 1. `in [low, high]` where it is clipped.
inline std::string span_text(const IndexingMap& map, const TileSpan& s, const MapSpelling& spelling)
{
    const auto text = [&](IndexExpr e) { return print(map, e, spelling); };
    std::string out = text(s.offset);
    if (!map.pool.is_constant(s.size, 1)) {
        out = (map.pool.is_constant(s.offset, 0) ? "" : out + " + ") + "[0, " + text(s.size) + ")";
        const IndexOp op = map.pool[s.stride].op;
        const bool is_name = op == IndexOp::constant || op == IndexOp::variable;
        if (!map.pool.is_constant(s.stride, 1)) out += " * " + (is_name ? text(s.stride) : "(" + text(s.stride) + ")");
    }
    if (s.is_clipped) out += " in [" + text(s.low) + ", " + text(s.high) + "]";
    return out;
}

/// `(spans) if conditions`, a line.
inline std::string case_text(const IndexingMap& map, const TileCase& c, const MapSpelling& spelling)
{
    std::string out = "(";
    for (std::size_t i = 0; i < c.spans.size(); ++i) out += (i == 0 ? "" : ", ") + span_text(map, c.spans[i], spelling);
    out += ")";
    std::vector<std::string> conditions;
    for (std::size_t d = 0; d < c.divides.size(); ++d)
        if (c.divides[d] != 0)
            conditions.push_back(map.variables[c.divides.size() + d].name + " divides " + std::to_string(c.divides[d]));
    for (const IndexConstraint& k : c.conditions) conditions.push_back(condition_text(map, k, spelling));
    for (std::size_t i = 0; i < conditions.size(); ++i) out += (i == 0 ? " if " : ", ") + conditions[i];
    return out;
}

} // namespace detail

AXE_DECL std::string print(const SymbolicTile& tile, const MapSpelling& spelling)
{
    std::string out;
    for (const TileCase& c : tile.cases) out += detail::case_text(tile.parameters, c, spelling) + "\n";
    return out;
}

} // namespace v0
} // namespace axe

#endif
