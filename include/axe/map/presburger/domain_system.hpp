// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_DOMAIN_SYSTEM_HPP
#define AXE_MAP_PRESBURGER_DOMAIN_SYSTEM_HPP

#include <axe/map/presburger/emptiness.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// An end of the type is not a bound.
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
    std::vector<AskedConstraint> all;
    for (const IndexConstraint& c : map.constraints) all.push_back({c.expression, as_range(c.interval)});
    all.insert(all.end(), asked.begin(), asked.end());
    BasicSetBuilder forms(map.variables.size());
    forms.use(map.pool);
    for (const AskedConstraint& c : all) forms.want(c.expression);
    for (const IndexExpr e : goals)
        if (e.id >= 0) forms.want(e);
    forms.make();
    BasicSet out = forms.system(static_cast<int>(goals.size()), has_coordinates);
    for (std::size_t i = 0; i < goals.size(); ++i)
        if (goals[i].id >= 0) forms.copy(forms.form(goals[i]), out.row(out.goal_row(static_cast<int>(i))));
    for (const AskedConstraint& c : all) forms.copy(forms.form(c.expression), out.add_constraint(c.range, c.is_outside));
    set_box(out, box_of(map));
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
