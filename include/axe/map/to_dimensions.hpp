// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TO_DIMENSIONS_HPP
#define AXE_MAP_TO_DIMENSIONS_HPP

#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// Makes dimensions of the range variables named by number, after the dimensions that there are and in the order of the list.
/// @returns `errc::bad_argument` with the place in the list of a number that is not a range variable's, or that comes twice.
/// Cost: linear in the map.
AXE_DECL Result<IndexingMap> ranges_to_dimensions(const IndexingMap& map, const std::vector<int>& indices);

/// Makes dimensions of all range variables and all run-time variables; their order stays.
/// Cost: linear in the map.
AXE_DECL IndexingMap symbols_to_dimensions(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/to_dimensions.hpp>
#endif

#endif
