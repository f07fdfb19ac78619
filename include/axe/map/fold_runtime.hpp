// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FOLD_RUNTIME_HPP
#define AXE_MAP_FOLD_RUNTIME_HPP

#include <axe/map/fused_map.hpp>

namespace axe {
inline namespace v0 {

/// Replaces run-time variables by what they are, where the graph computes them of indices alone:
///     rt = e(d, s)  and  rt in [low, high]   becomes   e(d, s) in [low, high]
///
/// That is where the variable's source is an iota, a constant, or sums, differences, products and moves (reshape, broadcast,
/// transpose, slice, reverse …) of those. Its interval stays, as a constraint on the expression: where an operation clamps the
/// variable, the map does not hold for what would be clamped. A source that only moves another array's elements is replaced by that
/// array. The arithmetic is that of integers; sums that wrap around are not modeled.
/// @returns `errc::overflow` when a constant overflows, and errors of `simplify`.
/// Cost: for each run-time variable linear in the map and in the operations that compute it; and the simplification.
/// Source: XLA's OptimizeRTVar, which loses the interval.
AXE_DECL Result<FusedMap> fold_runtime(const IndexGraph& graph, const FusedMap& fused);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/fold_runtime.hpp>
#endif

#endif
