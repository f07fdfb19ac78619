// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_ON_GRID_HPP
#define AXE_MAP_ON_GRID_HPP

#include <axe/map/tile.hpp>

namespace axe {
inline namespace v0 {

/// The tiles of a grid: offsets are multiples of the sizes, strides are 1. Conditions are on sizes and run-time variables alone.
///
/// Each case holds for all tiles of the grid at once, those at the edge too: a size is a multiple of k (`z mod k` is 0), at most k, or
/// divides k (`TileCase::divides`). Of a symbolic tile's conditions those on offsets become such of sizes: `o mod 4 + (z − 1)·t ≤ 3` is
/// that z divides 4.
/// @returns `errc::no_layout` where no case holds for all tiles of any grid, `errc::too_hard` where not all ways were looked at, `errc::overflow`. Cost: as in `symbolic_tile`.
/// Source: XLA's symbolic tiles (openxla, codegen/tiling), whose constraints are such.
AXE_DECL Result<SymbolicTile> on_grid(const SymbolicTile& tile);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/on_grid.hpp>
#endif

#endif
