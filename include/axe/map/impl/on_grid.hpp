// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_ON_GRID_HPP
#define AXE_MAP_IMPL_ON_GRID_HPP

#include <axe/map/on_grid.hpp>
#include <axe/map/tile.hpp>
#include <axe/map/tile/grid.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<SymbolicTile> on_grid(const SymbolicTile& tile)
{
    SymbolicTile out{tile.parameters, tile.dimensions, {}, tile.is_cut_short, true};
    const int n = tile.dimensions;
    for (int d = 0; d < n; ++d) out.parameters.variables[static_cast<std::size_t>(2 * n + d)].bounds = {1, 1};
    detail::TileBudget budget;
    detail::TileRelations relations(out.parameters, budget);
    detail::GridCases cases(relations, out.cases);
    for (const TileCase& c : tile.cases) {
        const detail::GridSearch search(relations, c, cases);
        if (budget.is_spent()) break;
    }
    out.is_cut_short = out.is_cut_short || budget.is_spent();
    if (!out.parameters.pool.error().ok()) return out.parameters.pool.error();
    if (!out.cases.empty()) return out;
    if (out.is_cut_short)
        return Error(errc::too_hard, -1, "no case was found for all tiles of a grid, but not all ways were tried");
    return Error(errc::no_layout, -1, "no case of the tile holds for all tiles of a grid");
}

} // namespace v0
} // namespace axe

#endif
