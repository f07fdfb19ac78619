// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMPTY_HPP
#define AXE_MAP_EMPTY_HPP

#include <axe/map/presburger/emptiness.hpp>

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
inline WideInterval as_range(const IndexInterval& i)
{
    return {i.low == every_integer.low ? -wide_limit : WideInt{i.low}, i.high == every_integer.high ? wide_limit : WideInt{i.high}};
}

/// A constraint that is asked about beside those of a map.
struct AskedConstraint {
    IndexExpr expression{};
    WideInterval range{};
    bool is_outside = false;
};

/// The domain as a system, with expressions of the map's pool (or none, for the form 0) as goals, and further constraints.
inline BasicSet domain_system(const IndexingMap& map, const std::vector<IndexExpr>& goals = {},
                              const std::vector<AskedConstraint>& asked = {}, bool has_coordinates = false)
{
    BasicSetBuilder forms(map.variables.size());
    forms.use(map.pool);
    for (const IndexConstraint& c : map.constraints) forms.want(c.expression);
    for (const AskedConstraint& c : asked) forms.want(c.expression);
    for (const IndexExpr e : goals)
        if (e.id >= 0) forms.want(e);
    forms.make();
    BasicSet out = forms.system(static_cast<int>(goals.size()), has_coordinates);
    for (std::size_t i = 0; i < goals.size(); ++i)
        if (goals[i].id >= 0) forms.copy(forms.form(goals[i]), out.row(out.goal_row(static_cast<int>(i))));
    const auto add = [&](const AskedConstraint& c) {
        out.add_constraint(c.range, c.is_outside);
        forms.copy(forms.form(c.expression), out.row(out.constraint_row(out.constraint_count() - 1)));
    };
    for (const IndexConstraint& c : map.constraints) add({c.expression, as_range(c.interval)});
    for (const AskedConstraint& c : asked) add(c);
    set_box(out, box_of(map));
    return out;
}

} // namespace detail

/// The first point of the domain, in lexicographic order of the variables; none when the domain is empty.
///
/// @returns `errc::bad_argument` for an undefined map, `errc::overflow`, `errc::too_hard` (see `equal`); what the map's pool says.
inline Result<std::optional<std::vector<std::int64_t>>> find_point(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::IntegerSearch search(detail::SearchGoal::first);
    search.run(detail::domain_system(map, {}, {}, true));
    if (const Error e = search.error()) return e;
    std::optional<std::vector<std::int64_t>> out;
    if (search.is_found) out = std::move(search.point);
    return out;
}

/// Has the domain no point at all?  Errors: as `find_point`.
inline Result<bool> is_empty(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::IntegerSearch search(detail::SearchGoal::any);
    search.run(detail::domain_system(map));
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
    detail::IntegerSearch search(detail::SearchGoal::any);
    std::vector<detail::AskedConstraint> asked;
    if (!constraint.interval.is_empty()) asked.push_back({constraint.expression, detail::as_range(constraint.interval), true});
    search.run(detail::domain_system(map, {}, asked));
    if (const Error e = search.error()) return e;
    return !search.is_found;
}

} // namespace v0
} // namespace axe

#endif
