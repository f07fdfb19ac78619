// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMPTY_HPP
#define AXE_MAP_EMPTY_HPP

#include <axe/map/decide_search.hpp>

#include <optional>

namespace axe {
inline namespace v0 {
namespace detail {

inline std::vector<IndexInterval> box_of(const IndexingMap& map)
{
    std::vector<IndexInterval> out;
    out.reserve(map.variables.size());
    for (const IndexVariable& v : map.variables) out.push_back(v.bounds);
    return out;
}
/// An end of the type is no bound.
inline MapRange as_range(const IndexInterval& i)
{
    return {i.low == every_integer.low ? -map_limit : MapInt{i.low}, i.high == every_integer.high ? map_limit : MapInt{i.high}};
}

/// The domain as a system; `add(builder)` sets goals and adds conditions, before the variables get their intervals.
template <class F>
MapSystem domain_system(const IndexingMap& map, int goals, F&& add, bool has_coordinates = false)
{
    MapSystemBuilder build(map, nullptr, goals, has_coordinates);
    build.use(map.pool);
    for (const IndexConstraint& c : map.constraints) build.system.add_condition(build.form(c.expression), as_range(c.interval));
    add(build);
    build.set_box(box_of(map));
    return std::move(build.system);
}

} // namespace detail

/// The first point of the domain, in lexicographic order of the variables; none when the domain is empty.
///
/// @returns `errc::bad_argument` for an undefined map, `errc::overflow`, `errc::too_hard` (see `equal`); what the map's pool says.
inline Result<std::optional<std::vector<std::int64_t>>> find_point(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::MapSearch search(detail::MapAim::first);
    search.run(detail::domain_system(map, 0, [](auto&) {}, true));
    if (const Error e = search.error()) return e;
    std::optional<std::vector<std::int64_t>> out;
    if (search.is_found) out = std::move(search.point);
    return out;
}

/// Has the domain no point at all?  Errors: as `find_point`.
inline Result<bool> is_empty(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::MapSearch search(detail::MapAim::any);
    search.run(detail::domain_system(map, 0, [](auto&) {}));
    if (const Error e = search.error()) return e;
    return !search.is_found;
}

/// Does `constraint`, an expression of the map's pool, hold at every point of the domain?
///
/// What is implied can be dropped from a map, and tells a loop that needs no guard. In an empty domain everything holds.
/// Errors: as `find_point`.
inline Result<bool> is_always(const IndexingMap& map, const IndexConstraint& constraint)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::MapSearch search(detail::MapAim::any);
    search.run(detail::domain_system(map, 0, [&](detail::MapSystemBuilder& build) {
        if (!constraint.interval.is_empty())
            build.system.add_condition(build.form(constraint.expression), detail::as_range(constraint.interval), true);
    }));
    if (const Error e = search.error()) return e;
    return !search.is_found;
}

} // namespace v0
} // namespace axe

#endif
