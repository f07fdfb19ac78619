// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TO_LAYOUT_HPP
#define AXE_MAP_TO_LAYOUT_HPP

#include <axe/layout/layout.hpp>
#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// The layout that an indexing map is:  L(linear_index(shape, d − low)) = results(d)  for every d, result j on axis j.
///
/// The shape is that of the dimensions' smallest intervals, each counted from its lower end; within them the domain must have no gap.
/// Range variables are replicas: all values of a dimension's point together are the set there. Whatever run-time variables are, the
/// relation must be the same. Axes are `m` for a single result and r0, r1, … for several, unless named. The layout is canonical.
///
/// There is an answer iff there is a layout: from the digits of the results; or, where digits are entangled, from their values,
/// written out for those that are entangled with each other. Up to 2^20 points all is decided.
///
/// Errors: `errc::no_layout` with the digit or index that shows it; `errc::bad_argument` for an undefined map; `errc::rank_mismatch`
/// for a list of axes of another length, `errc::bad_axis` for an axis named twice; `errc::overflow`, `errc::capacity`;
/// `errc::too_hard` where more than 2^20 points are entangled and none was found that no layout has, and as for `bounds_of`.
/// Cost: linear in the nodes for chains of operations, whatever the extents; otherwise in the entangled points.
AXE_DECL Result<Layout> from_map(const IndexingMap& map, const std::vector<Axis>& axes = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/to_layout.hpp>
#endif

#endif
