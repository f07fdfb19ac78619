// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_PEEL_HPP
#define AXE_MAP_IMPL_PEEL_HPP

#include <axe/map/peel.hpp>
#include <axe/map/quasi_affine/normal_form.hpp>
#include <axe/map/simplify.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// c, for an expression that is c·v + rest, v in no division or product; 0 where it is not, or does not mention v. `rest` is between
/// which bounds the rest is.
inline std::int64_t slope(const IndexingMap& map, IndexExpr expression, int variable, IndexInterval* rest = nullptr)
{
    FormSpace space;
    if (!space.set_bounds(map)) return 0;
    NormalForms forms(space, map.pool);
    std::int64_t c = 0;
    const QuasiAffine* const form = forms(expression);
    for (const FormTerm& t : *form) {
        if (t.atom->kind == AtomKind::variable && t.atom->value == variable)
            c = t.coefficient;
        else if (t.atom->kind != AtomKind::variable && t.atom->lowest <= variable && variable <= t.atom->highest)
            return 0;
    }
    if (rest == nullptr || c == 0) return c;
    // v is independent of the rest: the bounds of the sum are the sums of the bounds.
    const IndexInterval sum = range(space, *form), v = space.bounds[static_cast<std::size_t>(variable)];
    std::int64_t least = 0, most = 0;
    if (!mul(c, c > 0 ? v.low : v.high, least) || !mul(c, c > 0 ? v.high : v.low, most) || !sub(sum.low, least, rest->low) ||
        !sub(sum.high, most, rest->high))
        return 0;
    return c;
}

/// Where a constraint holds whatever the other variables are, for one that is c·v + rest: an interval of v, empty if none exists.
inline IndexInterval implied_interval(const IndexingMap& map, const IndexConstraint& constraint, int variable)
{
    IndexInterval rest;
    const std::int64_t c = slope(map, constraint.expression, variable, &rest);
    std::int64_t low = 0, high = 0;
    if (c == 0 || c == every_integer.low || !sub(constraint.interval.low, rest.low, low) ||
        !sub(constraint.interval.high, rest.high, high) || low > high || low == every_integer.low)
        return {};
    return intersection(map.variables[static_cast<std::size_t>(variable)].bounds, solved_for(c, 0, {low, high}));
}

/// The parts of all these maps.
inline Result<std::vector<IndexingMap>> peel_each(const std::vector<IndexingMap>& maps, int variable)
{
    std::vector<IndexingMap> out;
    for (const IndexingMap& map : maps) {
        const auto parts = peel(map, variable);
        if (!parts) return parts.error();
        out.insert(out.end(), parts->begin(), parts->end());
    }
    return Result<std::vector<IndexingMap>>(std::move(out));
}

} // namespace detail

AXE_DECL Result<std::vector<IndexingMap>> peel(const IndexingMap& map, int variable)
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "an undefined map has no loops to peel");
    if (variable < 0 || variable >= static_cast<int>(map.variables.size()))
        return Error(errc::bad_argument, variable, "no variable {0} to peel; the map has {1} variables", variable,
                     static_cast<std::int64_t>(map.variables.size()));
    const IndexInterval whole = map.variables[static_cast<std::size_t>(variable)].bounds;
    IndexInterval middle = whole;
    for (const IndexConstraint& c : map.constraints) {
        const IndexInterval implied = detail::implied_interval(map, c, variable);
        const IndexInterval both = intersection(middle, implied);
        if (implied.is_empty() || both.is_empty()) continue;
        middle = both;
    }
    std::vector<IndexingMap> parts;
    const auto add = [&](const IndexInterval& bounds) {
        if (bounds.is_empty()) return;
        IndexingMap part = map;
        part.variables[static_cast<std::size_t>(variable)].bounds = bounds;
        part = simplify(part);
        if (!part.has_empty_interval()) parts.push_back(std::move(part));
    };
    if (middle.low > whole.low) add({whole.low, middle.low - 1});
    add(middle);
    if (middle.high < whole.high) add({middle.high + 1, whole.high});
    return parts;
}

} // namespace v0
} // namespace axe

#endif
