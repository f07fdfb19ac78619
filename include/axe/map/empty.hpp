// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMPTY_HPP
#define AXE_MAP_EMPTY_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace axe {
inline namespace v0 {

/// The first point of the domain, in lexicographic order of the variables; none when the domain is empty.
///
/// @returns `errc::bad_argument` for an undefined map, `errc::overflow`, `errc::too_hard` (see `equal`); what the map's pool says.
AXE_DECL Result<std::optional<std::vector<std::int64_t>>> find_point(const IndexingMap& map);

/// Has the domain no point at all?  Errors: as `find_point`.
AXE_DECL Decision is_empty(const IndexingMap& map);

/// Does `constraint`, an expression of the map's pool, hold at every point of the domain?
///
/// What is implied can be dropped from a map, and tells a loop that needs no guard. In an empty domain everything holds.
/// Errors: as `find_point`.
AXE_DECL Decision is_always(const IndexingMap& map, const IndexConstraint& constraint);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/empty.hpp>
#endif

#endif
