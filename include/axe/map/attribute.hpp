// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_ATTRIBUTE_HPP
#define AXE_MAP_ATTRIBUTE_HPP

#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>

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

namespace detail {

inline constexpr std::string_view map_attribute_names[] = {"xla.indexing_map", "xla_gpu.indexing_map", "xla_gpu.map"};

/// What stands before "<".
inline bool read_attribute_name(MapReader& in)
{
    if (!in.expect('#', "expected '#' before the attribute at character {0}")) return false;
    in.peek();
    int start = in.at;
    std::string_view name = in.take_word();
    if (in.accept('=')) { // #map = #xla.indexing_map<…>
        if (!in.expect('#', "expected '#' before the attribute at character {0}")) return false;
        in.peek();
        start = in.at;
        name = in.take_word();
    }
    for (const std::string_view known : map_attribute_names)
        if (name == known) return true;
    return in.fail(errc::bad_syntax, start, "expected xla.indexing_map, xla_gpu.indexing_map or xla_gpu.map at character {0}");
}

} // namespace detail

/// Reads `#xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9]">`, with or without quotes and `#map = ` before it.
///
/// @returns errors as `parse_map`, the characters counted in the whole text. Cost: linear in the text.
inline Result<IndexingMap> parse_map_attribute(std::string_view text)
{
    if (text.size() > detail::longest_map) return detail::too_long_to_read();
    detail::MapReader in(text.data(), static_cast<int>(text.size()));
    if (!detail::read_attribute_name(in) || !in.expect('<', "expected '<' before the map at character {0}")) return in.error;
    const bool quoted = in.accept('"');
    IndexingMap map = detail::IndexMapReader(in).read();
    if (quoted) in.expect('"', "expected ',' or '\"' after the map at character {0}");
    in.expect('>', "expected ',' or '>' after the map at character {0}");
    if (!in.finish()) return in.error;
    return Result<IndexingMap>(std::move(map));
}

/// The map in an attribute: `#xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9]">`. Cost: as `print`.
inline std::string print_attribute(const IndexingMap& map, MapAttribute attribute = MapAttribute::xla,
                                   const MapSpelling& spelling = {})
{
    const char* const quote = attribute == MapAttribute::xla_gpu_map ? "" : "\"";
    const auto name = detail::map_attribute_names[static_cast<std::size_t>(attribute)];
    return "#" + std::string(name) + "<" + quote + print(map, spelling) + quote + ">";
}

} // namespace v0
} // namespace axe

#endif
