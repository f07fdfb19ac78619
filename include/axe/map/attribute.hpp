// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_ATTRIBUTE_HPP
#define AXE_MAP_ATTRIBUTE_HPP

#include <axe/map/text/names.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// Maps as MLIR holds them, in attributes of XLA's dialects.
///
///   attribute := [ "#" name "=" ] "#" dialect "<" ( '"' map '"' | map ) ">"
///   dialect   := "xla.indexing_map" | "xla_gpu.indexing_map" | "xla_gpu.map"

namespace axe {
inline namespace v0 {

/// Which of XLA's attributes, the newest first.
enum class MapAttribute : std::uint8_t {
    xla,         ///< `#xla.indexing_map<"…">`
    xla_gpu,     ///< `#xla_gpu.indexing_map<"…">`
    xla_gpu_map, ///< `#xla_gpu.map<…>`, without quotes
};

/// Reads `#xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9]">`, with or without quotes and `#map = ` before it.
///
/// @returns errors as `parse_map`, the characters counted in the whole text. Cost: linear in the text.
AXE_DECL Result<IndexingMap> parse_map_attribute(std::string_view text);

/// The map in an attribute: `#xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9]">`. Cost: as `print`.
AXE_DECL std::string print_attribute(const IndexingMap& map, MapAttribute attribute = MapAttribute::xla,
                                     const MapSpelling& spelling = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/attribute.hpp>
#endif

#endif
