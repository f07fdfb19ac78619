// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_RESCALE_HPP
#define AXE_MAP_RESCALE_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// Lets a range variable that may only take every k-th value count those:  `s mod k in [c, c]`  becomes  s = k·t + c
///
/// t is the variable in the place of s, and its interval is that of the t whose k·t + c are in the interval of s. So for every
/// constraint `(a·s + b) mod k in [c, c]` of a range variable alone, a second one of the same variable included. One that no s
/// satisfies empties the map, one that every s satisfies goes; one with |k| above 2^31 stays. Dimensions and run-time variables are
/// the caller's and keep their meaning. The relation of dimensions to results is the same, and so is the number of points.
/// Cost: linear in the map for each constraint that goes.
/// Source: XLA's RescaleSymbols; its own rule for two constraints drops points when the interval has negative numbers.
AXE_DECL IndexingMap rescale(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/rescale.hpp>
#endif

#endif
