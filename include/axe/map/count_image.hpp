// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COUNT_IMAGE_HPP
#define AXE_MAP_COUNT_IMAGE_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>

namespace axe {
inline namespace v0 {

/// The number of different results: of the tuples that the map takes over its domain.
///
/// In closed form where the results fall into independent ones, tell their point, or add up strides of digits (as a layout's map does);
/// otherwise by going through up to 2^20 points.
/// Errors: as `count_points`.
AXE_DECL Result<std::int64_t> count_image(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/count_image.hpp>
#endif

#endif
