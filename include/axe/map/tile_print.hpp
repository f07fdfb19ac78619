// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_PRINT_HPP
#define AXE_MAP_TILE_PRINT_HPP

#include <axe/map/text/names.hpp>
#include <axe/map/tile.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// Writes a symbolic tile, a line a case: `offset + [0, size) * stride` for each result, `in [low, high]` where it is clipped, and the
/// conditions; in o, z and t, the tile's offsets, sizes and strides.
AXE_DECL std::string print(const SymbolicTile& tile, const MapSpelling& spelling = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/tile_print.hpp>
#endif

#endif
