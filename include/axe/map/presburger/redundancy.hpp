// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_REDUNDANCY_HPP
#define AXE_MAP_PRESBURGER_REDUNDANCY_HPP

#include <axe/map/mixed_radix/box.hpp>

/// Constraints that say what the intervals say already.
namespace axe {
inline namespace v0 {
namespace detail {

/// factor·e + constant in [low, high] as e in a separate interval.
inline void strip_constants(const IndexPool& pool, IndexConstraint& c)
{
    for (;;) {
        const IndexNode& n = pool[c.expression];
        if ((n.op != IndexOp::add && n.op != IndexOp::mul) || !pool.is_constant(n.right)) return;
        const std::int64_t k = pool[n.right].value;
        c.interval =
            n.op == IndexOp::add ? solved_for(1, k, c.interval) : solved_for(k, 0, c.interval); // k ≠ 0: products by 0 fold
        c.expression = n.left;
    }
}

/// Intervals of variables that are a summand, from what the other summands leave of the constraint's interval.
inline void tighten(const DigitVariables& variables, const DigitForm& f, const IndexInterval& interval,
                    std::vector<IndexVariable>& bounds)
{
    FloorDigits d;
    DigitForms::Wide low = 0, high = 0;
    if (!digits_of(variables.forms, f, d) || !digit_range(d, low, high)) return;
    for (const DigitItem& z : d) {
        if (z.index >= variables.variable_indices() || z.step != 1 || z.extent != 0) continue;
        DigitForms::Wide from = low, to = high; // of the others
        from -= DigitForms::Wide(z.factor) * (z.factor > 0 ? z.low : z.high);
        to -= DigitForms::Wide(z.factor) * (z.factor > 0 ? z.high : z.low);
        std::int64_t least_other = 0, most_other = 0;
        IndexInterval left = every_integer;
        if (!narrow(from, least_other) || !narrow(to, most_other) || !sub(interval.high, least_other, left.high) ||
            !sub(interval.low, most_other, left.low))
            continue;
        IndexInterval& b = bounds[static_cast<std::size_t>(variables.variable_of(z.index))].bounds;
        b = intersection(b, solved_for(z.factor, 0, left));
    }
}

/// Takes constraints on one variable into its interval, leaves out those that hold everywhere in the box, and joins those on one
/// expression.
inline void remove_redundant(IndexingMap& map)
{
    std::vector<IndexConstraint> joined;
    for (IndexConstraint c : map.constraints) {
        strip_constants(map.pool, c);
        const IndexNode& n = map.pool[c.expression];
        const auto same =
            std::find_if(joined.begin(), joined.end(), [&](const IndexConstraint& k) { return k.expression == c.expression; });
        if (n.op == IndexOp::variable) {
            IndexInterval& bounds = map.variables[static_cast<std::size_t>(n.value)].bounds;
            bounds = intersection(bounds, c.interval);
        } else if (same != joined.end()) {
            same->interval = intersection(same->interval, c.interval);
        } else {
            joined.push_back(c);
        }
    }
    map.constraints = joined;
    for (int pass = 0; pass < 2; ++pass) {
        if (map.has_empty_interval()) return;
        DigitVariables singles(map.variables, map.dimensions, false);
        DigitReader read(singles, map.pool);
        for (const IndexConstraint& c : map.constraints) tighten(singles, read(c.expression), c.interval, map.variables);
    }
    if (map.has_empty_interval()) return;
    DigitVariables variables(map.variables, map.dimensions);
    DigitReader read(variables, map.pool);
    const auto is_implied = [&](const IndexConstraint& c) { return holds(variables.forms, read(c.expression), c.interval); };
    map.constraints.erase(std::remove_if(map.constraints.begin(), map.constraints.end(), is_implied), map.constraints.end());
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
