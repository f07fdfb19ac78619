// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_CANONICAL_MAP_HPP
#define AXE_MAP_CANONICAL_MAP_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// The map with every result and constraint written anew from its digits: a function that is a layout's of one axis has one form,
/// whatever chain of operations it came from.
///
/// Holds over the box of the variables' intervals, so it holds on the domain, whatever the constraints. Dimensions are taken
/// together as one row-major index; range and run-time variables are separate indices. The variables and the intervals of the
/// constraints stay as they are, and implied constraints stay.
///
/// Errors: `errc::bad_argument` for an undefined map or an empty interval; `errc::too_hard` with the result (or −1 for a
/// constraint) for products of variables, and sums whose numbers overflow on the way.
/// Cost: linear in the nodes for chains of operations.
AXE_DECL Result<IndexingMap> canonical_map(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/canonical_map.hpp>
#endif

#endif
