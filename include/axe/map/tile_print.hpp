// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_PRINT_HPP
#define AXE_MAP_TILE_PRINT_HPP

#include <axe/map/print.hpp>
#include <axe/map/tile.hpp>

namespace axe {
inline namespace v0 {

/// Writes a symbolic tile, a line a case: `offset + [0, size) * stride` for each result, `in [low, high]` where it is clipped, and the
/// conditions; in o, z and t, the tile's offsets, sizes and strides.
inline std::string print(const SymbolicTile& tile, const MapSpelling& spelling = {})
{
    std::string out;
    const auto text = [&](IndexExpr e) { return print(tile.parameters, e, spelling); };
    for (const TileCase& c : tile.cases) {
        std::string line = "(";
        for (const TileSpan& s : c.spans) {
            if (line.size() > 1) line += ", ";
            line += text(s.offset) + " + [0, " + text(s.size) + ") * ";
            const IndexOp op = tile.parameters.pool[s.stride].op;
            const bool is_name = op == IndexOp::constant || op == IndexOp::variable;
            line += is_name ? text(s.stride) : "(" + text(s.stride) + ")";
            if (s.is_clipped) line += " in [" + text(s.low) + ", " + text(s.high) + "]";
        }
        line += ")";
        for (std::size_t i = 0; i < c.conditions.size(); ++i)
            line += (i == 0 ? " if " : ", ") + text(c.conditions[i].expression) + " in " +
                    detail::interval_text(c.conditions[i].interval);
        out += line + "\n";
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
