// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COMPOSE_HPP
#define AXE_MAP_COMPOSE_HPP

#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// One map after another:  compose(first, second)(x) = second(first(x)),  on {x in first's domain : first(x) in second's}
///
/// The dimensions are the first's. The range variables are the second's and then the first's, and so are the run-time variables.
/// Every result of the first is constrained to the interval of the dimension it becomes, unless its range says so. A name that two
/// variables would have stays with the one that comes first. An undefined map makes the result undefined; one with an empty
/// interval makes it empty, whatever the ranks, and so does a number of the first outside the second's interval. Nothing is simplified.
/// @param known  if not empty, intervals in which the results of the first are known to be on its domain: that an index is one of
///               the array in between is not to be seen from long expressions, and a constraint for it would stay in every later map.
/// @returns `errc::rank_mismatch` when the first has more or fewer results than the second has dimensions, `errc::overflow`,
/// `errc::bad_argument` when what the first puts in place of a divisor is the number 0.
/// Cost: linear in the nodes of both, and quadratic in their constraints.
/// Source: XLA's ComposeIndexingMaps, the order of the variables.
AXE_DECL Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second,
                                     const std::vector<IndexInterval>& known = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/compose.hpp>
#endif

#endif
