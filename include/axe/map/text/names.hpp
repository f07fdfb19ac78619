// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TEXT_NAMES_HPP
#define AXE_MAP_TEXT_NAMES_HPP

#include <axe/map/indexing_map.hpp>

#include <map>
#include <string_view>

/// What the variables of a map are called, where it is printed and where it is read.
namespace axe {
inline namespace v0 {

/// How a map is written. By default: as XLA writes it now.
struct MapSpelling {
    bool slash = false;   ///< `d0 / 2` for `d0 floordiv 2`
    bool generic = false; ///< d0, s0, rt0 whatever the variables are called
};

/// The name that says what a variable stands for, XLA's where it has one (`th_w` is the thread of a warp); empty for `none`.
constexpr std::string_view kind_name(IndexKind kind) noexcept
{
    constexpr std::string_view names[] = {"",     "th_x", "th_y", "th_z",        "bl_x",  "bl_y",
                                          "bl_z", "warp", "th_w", "vector_elem", "device"};
    return names[static_cast<std::size_t>(kind)];
}

/// The kind of that name; `none` for other names.
constexpr IndexKind kind_named(std::string_view name) noexcept
{
    for (int r = 1; r <= static_cast<int>(IndexKind::device); ++r)
        if (kind_name(static_cast<IndexKind>(r)) == name) return static_cast<IndexKind>(r);
    return name == "lane" ? IndexKind::lane : IndexKind::none;
}

namespace detail {

constexpr bool begins_name(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) noexcept { return begins_name(c) || (c >= '0' && c <= '9') || c == '.'; }

/// Words that mean something else in the text of a map.
constexpr bool is_map_keyword(std::string_view word) noexcept
{
    for (const std::string_view reserved : {"mod", "floordiv", "in", "domain", "is_simplified", "hlo"})
        if (word == reserved) return true;
    return false;
}

constexpr bool is_variable_name(std::string_view name) noexcept
{
    return !name.empty() && begins_name(name[0]) && !is_map_keyword(name) && std::all_of(name.begin(), name.end(), continues_name);
}

/// d0, s0 or rt0: the name that the place in the list gives to a variable.
inline std::string place_name(const IndexingMap& map, int variable)
{
    if (variable < map.dimensions) return "d" + std::to_string(variable);
    if (variable < map.first_runtime()) return "s" + std::to_string(variable - map.dimensions);
    return "rt" + std::to_string(variable - map.first_runtime());
}

/// A name for each variable, no two alike: its own, else its kind's, else its place's.
///
/// The names of places must stay with those that have no other. Who bears another's, or a name that came before, or one that
/// cannot be read, goes by its place; that may take a name from the next.
inline std::vector<std::string> variable_names(const IndexingMap& map, const MapSpelling& spelling)
{
    const int count = static_cast<int>(map.variables.size());
    std::vector<std::string> names(map.variables.size());
    std::vector<int> by_place;
    std::map<std::string, int> bearer;
    for (int v = 0; v < count; ++v) {
        const IndexVariable& variable = map.variables[static_cast<std::size_t>(v)];
        std::string& name = names[static_cast<std::size_t>(v)];
        name = variable.name.empty() ? std::string(kind_name(variable.kind)) : variable.name;
        if (spelling.generic || !is_variable_name(name) || !bearer.emplace(name, v).second) by_place.push_back(v);
    }
    while (!by_place.empty()) {
        const int v = by_place.back();
        by_place.pop_back();
        std::string& name = names[static_cast<std::size_t>(v)];
        name = place_name(map, v);
        const auto [at, is_new] = bearer.emplace(name, v);
        if (is_new || at->second == v) continue;
        by_place.push_back(at->second);
        at->second = v;
    }
    return names;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
