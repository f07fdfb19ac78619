// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PEEL_HPP
#define AXE_MAP_PEEL_HPP

#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// Splits the domain along a variable, so that in one part as many constraints as can be are implied and gone: the iterations before it,
/// it, and those after it, in this order, each simplified, without empty ones. The parts are disjoint, and together the domain:
///
///   ⋃ domain(part) = domain(map),   and each part is the map there
///
/// A constraint counts where it is c·v + rest (of v alone `simplify` makes bounds). One part, the map, where nothing is gained.
/// Errors: `errc::bad_argument` for a variable that does not exist, or an undefined map. Cost: that of `simplify`, three times.
AXE_DECL Result<std::vector<IndexingMap>> peel(const IndexingMap& map, int variable);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/peel.hpp>
#endif

#endif
