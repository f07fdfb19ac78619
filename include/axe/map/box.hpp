// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_BOX_HPP
#define AXE_MAP_BOX_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// The least and the greatest value of an expression of the map's pool over the domain; empty where the domain is.
///
/// Both are attained. Errors: as `find_point`, and `errc::overflow` for values beyond the integer.
AXE_DECL Result<IndexInterval> bounds_of(const IndexingMap& map, IndexExpr expression);

/// For each result the least and the greatest value over the domain: the smallest box that holds the image.
///
/// All are empty where the domain is. Errors: as `bounds_of`, with the number of the result.
AXE_DECL Result<std::vector<IndexInterval>> image_box(const IndexingMap& map);

/// For each variable the least and the greatest value among the points of the domain whose results are in the box.
///
/// All are empty if no such point exists. Errors: as `find_point`, with the number of the variable; `errc::rank_mismatch` for a box
/// that has not one interval for each result.
AXE_DECL Result<std::vector<IndexInterval>> preimage_box(const IndexingMap& map, const std::vector<IndexInterval>& box);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/box.hpp>
#endif

#endif
