// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_HPP
#define AXE_MAP_TILE_HPP

#include <axe/map/tile/span.hpp>

#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

/// What tiles of a map's dimensions need of its results, for all tiles at once: boxes, by cases.
///
/// A tile is {o_d + t_d·k_d : 0 ≤ k_d < z_d} in each dimension d. The cases overlap, and where two hold they say the same set; where
/// none holds, nothing is said.
struct SymbolicTile {
    IndexingMap parameters{}; ///< dimensions o0…, z0…, t0… with the bounds in which the cases hold; run-time variables; no results
    int dimensions = 0;       ///< of the tiled map
    std::vector<TileCase> cases{};
    bool is_cut_short = false; ///< more ways were there than are looked at: cases may be missing, those here hold
    bool is_grid = false;      ///< the cases are for offsets that are multiples of the sizes: see `on_grid`
};

/// A span in numbers: {offset + stride·k : 0 ≤ k < size}, of these the ones in `clip`.
struct TileRow {
    std::int64_t offset = 0, size = 0, stride = 1;
    IndexInterval clip = every_integer;
    friend constexpr bool operator==(const TileRow&, const TileRow&) = default;
};

/// What a tile of the map's dimensions needs of each result, as offset, size and stride, with the conditions on the tile:
///
///   {map(d, s, rt) : d in the tile and the domain} = Π_r {offset_r + stride_r·k : 0 ≤ k < size_r} ∩ [low_r, high_r]
///
/// for every o_d in [0, shape_d − 1], z_d in [1, shape_d] and t_d in [1, max shape] that a case's conditions hold for. Range variables take all their
/// values, run-time variables are parameters. Through a chain of operations: of the composed map.
/// @param shape  of the tiled array; empty: up to the upper bound of each dimension
/// @returns `errc::no_layout` where no case was found; `errc::too_hard` for products of variables, and where not all ways were looked at
///          and none was found; `errc::bad_argument` for an undefined
///          or empty map; `errc::rank_mismatch` for a wrong shape; `errc::overflow`.
/// Cost: linear in the ways that are looked at, at most 2^22 elementary steps for each form of the map (see `is_cut_short`). Source: XLA's symbolic tiles (openxla, codegen/tiling),
/// which are for offsets that are multiples of the size.
AXE_DECL Result<SymbolicTile> symbolic_tile(const IndexingMap& map, std::vector<std::int64_t> shape = {});

/// What one tile needs: a row for each result, by the first case that holds.
///
/// @param parameters  offsets, sizes and strides of the tile, then the run-time variables
/// @returns `errc::out_of_domain` where no case holds, `errc::rank_mismatch`, `errc::overflow`. Cost: linear in the cases.
AXE_DECL Result<std::vector<TileRow>> tile_at(const SymbolicTile& tile, const std::vector<std::int64_t>& parameters);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/tile.hpp>
#endif

#endif
