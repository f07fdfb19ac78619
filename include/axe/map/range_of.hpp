// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_RANGE_OF_HPP
#define AXE_MAP_RANGE_OF_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// An interval that holds all values of an expression of the map's pool while the variables are in their intervals.
AXE_DECL IndexInterval range_of(const IndexingMap& map, IndexExpr expression);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/range_of.hpp>
#endif

#endif
