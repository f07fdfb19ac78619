// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_INVERSE_HPP
#define AXE_MAP_INVERSE_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// The inverse of a map: dimensions are its results, results its dimensions, on a domain that is exactly its image.
///
/// inverse(f)(f(d)) = d  on the domain, and r is in the domain of the inverse iff r = f(d) for a d in the domain. Range and run-time
/// variables are solved for and left out: the inverse of the relation. Where each variable is made of digits that can be read off the
/// results (±k·v + c, sums of several variables in mixed radix, with gaps and with negative strides, both halves of a division,
/// triangular systems of those), expressions are canonical, unless these overflow on the way and others do not, and constraints
/// that the intervals imply are dropped. Otherwise the inverse is interpolated from the table of the points, where the variables' box has no more
/// than 2^20.
///
/// Errors: `errc::not_single_valued` with two points of one image; `errc::bad_argument` for an undefined map, or where the domain is seen to
/// be empty; `errc::capacity` for a table of more than 2^16 steps; `errc::overflow`; `errc::too_hard` beyond 2^20 points, when no two have
/// one image and yet no digits are seen to give the variables, and as for `find_point`.
/// Cost: linear in the nodes, quadratic in the digits; of a table n·log n in its points, for each variable and result.
AXE_DECL Result<IndexingMap> inverse(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/inverse.hpp>
#endif

#endif
