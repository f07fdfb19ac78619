// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_CANONICAL_MAP_IMPL_HPP
#define AXE_MAP_IMPL_CANONICAL_MAP_IMPL_HPP

#include <axe/map/canonical_map.hpp>
#include <axe/map/errors.hpp>
#include <axe/map/layout/probe.hpp>
#include <axe/map/mixed_radix/writer.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The form of one axis that an expression of the dimensions is in digits, where it is not seen to be one but its values are;
/// unknown when they are not, or there are more of them than are compared in a moment.
inline DigitForm form_of_values(const IndexingMap& map, IndexExpr e, DigitVariables& variables, const DigitForm& seen)
{
    static constexpr std::int64_t few = 4096;
    DigitForms& forms = variables.forms;
    if (!variables.is_flat || variables.flat_size > few || map.variables.size() != variables.dimensions.size()) return {};
    // The form of a layout, or of a map that is not a layout: no other form exists.
    const auto divides = [](const DigitTerm& t) { return t.index == 0 && t.shift == 0; };
    if (seen.is_known() && std::all_of(forms.begin(seen), forms.end(seen), divides)) return {};
    const std::vector<IndexExpr> one{e};
    std::vector<ProbedDigit> digits;
    std::vector<std::int64_t> origin;
    if (!probe_layout(map.pool, one, map.variables, variables, digits, origin).ok()) return {};
    return form_of_digits(forms, digits, origin, 0);
}

} // namespace detail

AXE_DECL Result<IndexingMap> canonical_map(const IndexingMap& map)
{
    if (map.is_undefined) return detail::undefined_map();
    if (!map.pool.error().ok()) return map.pool.error();
    if (map.has_empty_interval()) return detail::empty_domain();
    detail::DigitVariables variables(map.variables, map.dimensions);
    detail::DigitReader read(variables, map.pool);
    Result<IndexingMap> made{IndexingMap::of_variables(map)};
    IndexingMap& out = *made;
    detail::DigitWriter write(variables, out.pool);
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        detail::DigitForm f = read(map.results[i]);
        if (const detail::DigitForm g = detail::form_of_values(map, map.results[i], variables, f); g.is_known()) f = g;
        if (!f.is_known())
            return Error(errc::too_hard, static_cast<int>(i), "result {0} was not recognized as a sum of digits",
                         static_cast<std::int64_t>(i));
        out.results.push_back(write(f));
    }
    for (const IndexConstraint& c : map.constraints) {
        const detail::DigitForm f = read(c.expression);
        if (!f.is_known()) return Error(errc::too_hard, -1, "a constraint was not recognized as a sum of digits");
        out.constraints.push_back({write(f), c.interval});
    }
    if (!out.pool.error().ok()) return out.pool.error();
    return made;
}

} // namespace v0
} // namespace axe

#endif
