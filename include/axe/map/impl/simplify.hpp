// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_SIMPLIFY_HPP
#define AXE_MAP_IMPL_SIMPLIFY_HPP

#include <axe/map/compose.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/simplify/domain.hpp>
#include <axe/map/simplify/map_size.hpp>
#include <axe/map/simplify/mixed_radix.hpp>
#include <axe/map/simplify/printer.hpp>

#include <tuple>

namespace axe {
inline namespace v0 {
namespace detail {

/// The map of the same variables and number of results whose domain is empty: all intervals are, results are 0. Without a variable a
/// constraint says it, 0 in [0, −1].
inline IndexingMap empty_map(const IndexingMap& map)
{
    IndexingMap out = IndexingMap::of_variables(map);
    for (IndexVariable& v : out.variables) v.bounds = {0, -1};
    for (std::size_t i = 0; i < map.results.size(); ++i) out.results.push_back(out.pool.constant(0));
    if (out.variables.empty()) out.constraints.push_back({out.pool.constant(0), {0, -1}});
    return out;
}

inline bool has_divisions(const IndexPool& pool) noexcept
{
    for (std::int32_t id = 0; id < pool.size(); ++id)
        if (pool[{id}].op == IndexOp::floor_div || pool[{id}].op == IndexOp::mod) return true;
    return false;
}

/// Are the intervals and the constraints, as texts, the same?
inline bool has_same_domain(const IndexingMap& x, const IndexingMap& y)
{
    if (x.variables != y.variables || x.constraints.size() != y.constraints.size()) return false;
    if (x.constraints.empty()) return true;
    IndexPool pool;
    PoolCopy of_x(pool, x.pool, pool.variables(x.variables.size())), of_y(pool, y.pool, pool.variables(y.variables.size()));
    for (std::size_t i = 0; i < x.constraints.size(); ++i)
        if (x.constraints[i].interval != y.constraints[i].interval ||
            of_x(x.constraints[i].expression) != of_y(y.constraints[i].expression))
            return false;
    return true;
}

inline bool has_lesser_nodes(const IndexPool& x, const IndexPool& y)
{
    if (x.size() != y.size()) return x.size() < y.size();
    for (std::int32_t id = 0; id < x.size(); ++id) {
        const IndexNode &a = x[{id}], &b = y[{id}];
        if (!(a == b)) return std::tie(a.op, a.value, a.left.id, a.right.id) < std::tie(b.op, b.value, b.left.id, b.right.id);
    }
    return false;
}

/// The results that have a node in them that is known to be no sum of digits.
inline SmallVector<char, 8> known_others(const IndexingMap& map)
{
    SmallVector<char, 8> out;
    out.resize(map.results.size());
    if (map.simplified.others == IndexNodeSet{}) return out;
    SmallVector<char, 256> of;
    of.resize(static_cast<std::size_t>(map.pool.size()));
    for (std::size_t id = 0; id < of.size(); ++id) { // operands come first
        const IndexExpr e{static_cast<std::int32_t>(id)};
        const IndexNode& n = map.pool[e];
        const bool is_part = (n.left.id >= 0 && of[static_cast<std::size_t>(n.left.id)] != 0) ||
                             (n.right.id >= 0 && of[static_cast<std::size_t>(n.right.id)] != 0);
        of[id] = is_part || map.simplified.others.contains(e) ? 1 : 0;
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = of[static_cast<std::size_t>(map.results[i].id)];
    return out;
}

/// Each result that is a sum of floors of variables in the one form of it, where that is no dearer than what it is; `taken` says which
/// are, and those stay. For maps without constraints.
inline void take_variable_sums(IndexingMap& map, std::vector<char>& taken)
{
    if (std::find(taken.begin(), taken.end(), char{0}) == taken.end()) return;
    SmallVector<char, 8> is_other = known_others(map);
    bool none = true;
    for (std::size_t i = 0; i < taken.size(); ++i) none = none && (taken[i] != 0 || is_other[i] != 0);
    if (none) return;
    IndexingMap sums = IndexingMap::of_variables(map);
    VariableSums in_one_form(map, sums);
    ExpressionCosts costs(map.pool);
    bool all = true, any = false;
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        IndexExpr e{};
        if (taken[i] == 0 && is_other[i] == 0) {
            is_other[i] = in_one_form.read(map.results[i]) ? 0 : 1;
            if (is_other[i] == 0) e = in_one_form.write(costs(map.results[i]));
        }
        sums.results.push_back(e);
        all = all && e.id >= 0;
        any = any || e.id >= 0;
    }
    if (all) {
        taken.assign(taken.size(), 1);
        map = std::move(sums);
        return;
    }
    if (any) {
        IndexingMap out;
        const std::vector<IndexExpr> variables = out.pool.variables(map.variables.size());
        PoolCopy of_sums(out.pool, sums.pool, variables), of_map(out.pool, map.pool, variables);
        for (std::size_t i = 0; i < map.results.size(); ++i) {
            const bool is_new = sums.results[i].id >= 0;
            out.results.push_back(is_new ? of_sums(sums.results[i]) : of_map(map.results[i]));
            if (is_new) taken[i] = 1;
        }
        map.pool = std::move(out.pool);
        map.results = std::move(out.results);
        map.simplified = {};
    }
    for (std::size_t i = 0; i < map.results.size(); ++i)
        if (is_other[i] != 0) map.simplified.others.insert(map.results[i]);
}

/// A few points of the domain, of those that are tried.
///
/// @param known  `SimplifiedResults::samples` of this domain, or 0; it is set
inline void sample(FormSpace& space, const IndexingMap& map, std::uint32_t& known)
{
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    SmallVector<std::int64_t, 8> at;
    at.resize(map.variables.size());
    IndexEvaluator evaluate(map.pool, at.data());
    const auto is_inside = [&](std::uint32_t bit) {
        if (known >> 31 != 0) return (known & bit) != 0;
        evaluate.at(at.data());
        for (const IndexConstraint& c : map.constraints)
            if (std::int64_t value = 0; !evaluate(c.expression, value) || !c.interval.contains(value)) return false;
        return true;
    };
    std::uint32_t found = 0;
    space.sample_points.assign(at.size() * FormSpace::most_samples, 0);
    // Forms of large maps have parts without values; of smaller ones a few points more cost less than the ranges that they spare.
    const int tries = map.constraints.empty() || is_large(map) ? FormSpace::most_samples : 30;
    for (int i = 0; i < tries && space.samples < FormSpace::most_samples; ++i) {
        for (std::size_t v = 0; v < at.size(); ++v) {
            const IndexInterval& b = map.variables[v].bounds;
            state = mix(state, v + 1);
            const std::uint64_t size = static_cast<std::uint64_t>(b.high) - static_cast<std::uint64_t>(b.low) + 1;
            at[v] = i == 0   ? b.low
                    : i == 1 ? b.high
                             : static_cast<std::int64_t>(static_cast<std::uint64_t>(b.low) + (size == 0 ? state : state % size));
        }
        if (!map.constraints.empty() && !is_inside(1u << i)) continue;
        found |= 1u << i;
        for (std::size_t v = 0; v < at.size(); ++v)
            space.sample_points[v * FormSpace::most_samples + static_cast<std::size_t>(space.samples)] = at[v];
        ++space.samples;
    }
    known = found | 1u << 31;
}

/// A hash of the intervals and the constraints, these as nodes of the pool.
inline std::uint64_t hash_of_domain(const IndexingMap& map)
{
    std::uint64_t h = mix(map.variables.size() + 1, static_cast<std::uint64_t>(map.dimensions));
    const auto add = [&](const IndexInterval& i) {
        h = mix(mix(h, static_cast<std::uint64_t>(i.low)), static_cast<std::uint64_t>(i.high));
    };
    for (const IndexVariable& v : map.variables) add(v.bounds);
    for (const IndexConstraint& c : map.constraints) {
        h = mix(h, static_cast<std::uint64_t>(c.expression.id));
        add(c.interval);
    }
    return h;
}

inline std::uint64_t hash_of_results(const IndexingMap& map)
{
    std::uint64_t h = map.results.size();
    for (const IndexExpr e : map.results) h = mix(h, static_cast<std::uint64_t>(e.id));
    return h;
}

/// Lists what is known of a map that `simplify` leaves as it is. Of what was large, parts may still be taken apart now that it is smaller.
/// @param is_settled  does nothing change when all of it is simplified again?
inline IndexingMap with_simplified(IndexingMap map, bool was_large, bool is_settled)
{
    map.simplified.seen = hash_of_domain(map);
    map.simplified.domain = 0;
    map.simplified.results = {};
    map.simplified.large = 0;
    if (is_settled ? was_large : is_large(map)) { // what is settled is what it was
        if (is_settled) map.simplified.large = hash_of_results(map);
    } else if (!was_large) {
        map.simplified.domain = map.simplified.seen;
        for (const IndexExpr e : map.results) map.simplified.results.insert(e);
    }
    return map;
}

/// @param kept  results that stay as they are
/// @param keeps_domain  the domain stays as it is
inline void simplify_by_forms(IndexingMap& map, const std::vector<char>& kept, bool keeps_domain)
{
    FormSpace space;
    if (!space.set_bounds(map)) {
        map = empty_map(map);
        return;
    }
    sample(space, map, map.simplified.samples);
    const std::int64_t nodes = nodes_of(map);
    space.terms_left = 1024 + 8 * nodes; // what comes to an end takes 3 to 7 a node
    std::vector<IndexInterval> whole;
    if (nodes > large_map) whole = deep_parts(map);
    NormalForms forms(space, map.pool, nodes > large_map ? &whole : nullptr);
    IndexingMap out = IndexingMap::of_variables(map);
    out.pool.reserve(static_cast<std::int32_t>(std::min(nodes, large_map)));
    ExpressionCosts costs(map.pool);
    FormPlanner planner(space, costs);
    FormPrinter printer(planner, out.pool, map.pool, map.variables.size());
    DomainSimplifier domain(space, forms, planner, costs, map);
    if (!(keeps_domain ? domain.keep() : domain.run())) {
        map = empty_map(map);
        return;
    }

    for (std::size_t v = 0; v < space.bounds.size(); ++v) out.variables[v].bounds = space.bounds[v];
    NormalForms printed(space, out.pool);
    const std::int64_t most_nodes = nodes > large_map ? nodes - 1 : large_map;
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        // What would come out with too many nodes is not looked at to its end.
        if (i > 0 && (space.is_spent() || has_more_nodes(out, most_nodes))) return;
        const IndexExpr e = map.results[i];
        const QuasiAffine* form = kept[i] != 0 ? nullptr : forms(e);
        const FormPlan* plan = form == nullptr ? nullptr : &planner.plan(*form);
        if (plan == nullptr || !plan->fits || costs(e) < plan->cost) {
            out.results.push_back(printer.copy(e));
            if (map.simplified.others.contains(e)) out.simplified.others.insert(out.results.back());
            continue;
        }
        // What is printed may have a normal form that is no dearer: that one then, until one has itself. Should they go in a circle,
        // the one of the least hash.
        const QuasiAffine* least_form = form;
        for (int turn = 0; turn < 16 && form->has_divisions() && !form->has_opaque(); ++turn) {
            const QuasiAffine* const next = printed(printer.print(*form));
            if (next == form || next->has_opaque()) break;
            const FormPlan& other = planner.plan(*next);
            if (!other.fits || plan->cost < other.cost) break;
            form = next;
            if (other.cost < plan->cost || turn < 8 || hash_of(*form) < hash_of(*least_form)) least_form = form;
            plan = &other;
            if (turn == 15) form = least_form;
        }
        const IndexExpr best = printer.print(*form);
        out.results.push_back(best);
    }
    if (space.is_spent() || has_more_nodes(out, most_nodes)) return;
    for (const DomainConstraint& c : domain.constraints) {
        const FormPlan* const plan = keeps_domain ? nullptr : &planner.plan(*c.form);
        if (plan == nullptr || (c.original.id >= 0 && (!plan->fits || costs(c.original) < plan->cost_of_rest)))
            out.constraints.push_back({printer.copy(c.original), c.of_original()});
        else
            out.constraints.push_back({printer.print(*c.form, false), shifted(c.interval, -plan->constant)});
        if (space.is_spent() || has_more_nodes(out, most_nodes)) return;
    }
    if (has_same_bounds(out, map)) out.simplified.samples = map.simplified.samples;
    map = std::move(out);
}

/// @param uses_known  are results that are listed as simple left alone?
inline IndexingMap simplified_once(IndexingMap map, bool uses_known)
{
    std::vector<char> taken(map.results.size(), 0);
    const bool keeps_domain = uses_known && map.simplified.domain != 0;
    for (std::size_t i = 0; i < taken.size() && keeps_domain; ++i)
        taken[i] = map.simplified.results.contains(map.results[i]) ? 1 : 0;
    const auto is_box = [&] { return map.constraints.empty() && !map.has_empty_interval(); };
    if (is_box()) take_variable_sums(map, taken);
    const auto all = [&] { return std::find(taken.begin(), taken.end(), char{0}) == taken.end(); };
    if ((map.constraints.empty() || keeps_domain) && all()) return map;
    simplify_by_forms(map, taken, keeps_domain);
    if (is_box() && !all()) take_variable_sums(map, taken);
    return map;
}

} // namespace detail

AXE_DECL IndexingMap simplify(const IndexingMap& map)
{
    if (map.is_undefined || !map.pool.error().ok()) return map;
    bool was_large = detail::is_large(map);
    IndexingMap out = map;
    if (map.simplified.seen != detail::hash_of_domain(map))
        out.simplified = {};
    else if (was_large && map.simplified.large == detail::hash_of_results(map))
        return map;
    out = detail::simplified_once(std::move(out), true);
    // Constraints with divisions, as they are printed, may have normal forms that say more; large maps go down step by step.
    bool is_settled = detail::is_written_alike(out, map);
    if (is_settled || (detail::has_same_domain(out, map) && !detail::is_large(out)))
        return detail::with_simplified(std::move(out), was_large, is_settled && map.simplified.domain == 0);
    IndexingMap last;
    for (int turn = 0; turn < 16; ++turn) {
        if ((out.constraints.empty() || !detail::has_divisions(out.pool)) && !detail::is_large(out)) break;
        was_large = detail::is_large(out);
        IndexingMap next = detail::simplified_once(out, false);
        is_settled = detail::is_written_alike(next, out);
        if (is_settled) break;
        // Two that become each other: the smaller pool, by its nodes.
        if (turn > 0 && detail::is_written_alike(next, last))
            return detail::with_simplified(detail::has_lesser_nodes(next.pool, out.pool) ? next : out, was_large, false);
        last = std::move(out);
        out = std::move(next);
    }
    return detail::with_simplified(std::move(out), was_large, is_settled);
}

} // namespace v0
} // namespace axe

#endif
