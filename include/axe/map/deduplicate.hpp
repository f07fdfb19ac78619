// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DEDUPLICATE_HPP
#define AXE_MAP_DEDUPLICATE_HPP

#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// The different ones of the maps, simplified, in the order in which each comes first.
///
/// Two maps are one when they are written alike after `simplify`; that maps written differently are equal is `equal`'s to find.
/// @returns errors of `simplify`.
/// Cost: that of `simplify` for each map, and a comparison for each pair.
AXE_DECL Result<std::vector<IndexingMap>> deduplicate(const std::vector<IndexingMap>& maps);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/deduplicate.hpp>
#endif

#endif
