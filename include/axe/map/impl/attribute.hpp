// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_ATTRIBUTE_HPP
#define AXE_MAP_IMPL_ATTRIBUTE_HPP

#include <axe/map/attribute.hpp>
#include <axe/map/impl/parse.hpp>
#include <axe/map/impl/print.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::string_view map_attribute_names[] = {"xla.indexing_map", "xla_gpu.indexing_map", "xla_gpu.map"};

/// The text before "<".
inline bool read_attribute_name(MapReader& in)
{
    int start = 0;
    std::string_view name;
    for (const bool may_be_alias : {true, false}) { // #map = #xla.indexing_map<…>
        if (!in.expect('#', "expected '#' before the attribute at character {0}")) return false;
        in.peek();
        start = in.at;
        name = in.take_word();
        if (!may_be_alias || !in.accept('=')) break;
    }
    for (const std::string_view known : map_attribute_names)
        if (name == known) return true;
    return in.fail(errc::bad_syntax, start, "expected xla.indexing_map, xla_gpu.indexing_map or xla_gpu.map at character {0}");
}

} // namespace detail

AXE_DECL Result<IndexingMap> parse_map_attribute(std::string_view text)
{
    detail::MapReader in(text);
    if (!detail::read_attribute_name(in) || !in.expect('<', "expected '<' before the map at character {0}")) return in.error;
    const bool quoted = in.accept('"');
    IndexingMap map = detail::IndexMapReader(in).read();
    if (quoted) in.expect('"', "expected ',' or '\"' after the map at character {0}");
    in.expect('>', "expected ',' or '>' after the map at character {0}");
    if (!in.finish()) return in.error;
    return Result<IndexingMap>(std::move(map));
}

AXE_DECL std::string print_attribute(const IndexingMap& map, MapAttribute attribute, const MapSpelling& spelling)
{
    const char* const quote = attribute == MapAttribute::xla_gpu_map ? "" : "\"";
    const auto name = detail::map_attribute_names[static_cast<std::size_t>(attribute)];
    return "#" + std::string(name) + "<" + quote + print(map, spelling) + quote + ">";
}

} // namespace v0
} // namespace axe

#endif
