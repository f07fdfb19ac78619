// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COUNT_HPP
#define AXE_MAP_COUNT_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>

namespace axe {
inline namespace v0 {

/// The number of points of the domain: values of all variables, run-time ones too. 1 for a map without variables.
///
/// Closed forms count boxes, constraints on one or two variables at a time, and residues, at any extents; what connects more variables
/// is cut.  @returns `errc::overflow` for more than an integer holds; otherwise errors as `find_point`.
AXE_DECL Result<std::int64_t> count_points(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/count.hpp>
#endif

#endif
