// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_HPP
#define AXE_MAP_SIMPLIFY_HPP

#include <axe/map/compose.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/range/expression_ranges.hpp>
#include <axe/map/simplify/domain.hpp>
#include <axe/map/simplify/mixed_radix.hpp>
#include <axe/map/simplify/printer.hpp>
#include <axe/map/variables_of.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The map of the same variables and number of results whose domain is empty: all intervals are, results are 0. Without a variable a
/// constraint says it, 0 in [0, −1].
inline IndexingMap empty_map(const IndexingMap& map)
{
    IndexingMap out;
    out.variables = map.variables;
    out.dimensions = map.dimensions;
    out.ranges = map.ranges;
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

/// Of two that were made in the same way: pools that hold the same are the same node by node.
inline bool same_map(const IndexingMap& x, const IndexingMap& y)
{
    if (x.pool.size() != y.pool.size() || x.results != y.results || x.variables != y.variables ||
        x.constraints.size() != y.constraints.size())
        return false;
    for (std::int32_t id = 0; id < x.pool.size(); ++id)
        if (!(x.pool[{id}] == y.pool[{id}])) return false;
    for (std::size_t i = 0; i < x.constraints.size(); ++i)
        if (x.constraints[i].expression != y.constraints[i].expression || x.constraints[i].interval != y.constraints[i].interval)
            return false;
    return true;
}

/// Are the intervals and the constraints, as texts, the same?
inline bool has_same_domain(const IndexingMap& x, const IndexingMap& y)
{
    if (x.variables != y.variables || x.constraints.size() != y.constraints.size()) return false;
    if (x.constraints.empty()) return true;
    IndexPool pool;
    std::vector<IndexExpr> variables, of_x, of_y;
    for (std::size_t v = 0; v < x.variables.size(); ++v) variables.push_back(pool.variable(static_cast<int>(v)));
    for (std::size_t i = 0; i < x.constraints.size(); ++i)
        if (x.constraints[i].interval != y.constraints[i].interval ||
            pool.substitute(x.pool, x.constraints[i].expression, variables, of_x) !=
                pool.substitute(y.pool, y.constraints[i].expression, variables, of_y))
            return false;
    return true;
}

inline bool has_lesser_nodes(const IndexPool& x, const IndexPool& y)
{
    if (x.size() != y.size()) return x.size() < y.size();
    for (std::int32_t id = 0; id < x.size(); ++id) {
        const IndexNode& a = x[{id}];
        const IndexNode& b = y[{id}];
        if (a == b) continue;
        if (a.op != b.op) return a.op < b.op;
        if (a.value != b.value) return a.value < b.value;
        return a.left.id != b.left.id ? a.left.id < b.left.id : a.right.id < b.right.id;
    }
    return false;
}

/// The nodes that results and constraints are made of; the pool may hold others.
inline std::vector<char> used_nodes(const IndexingMap& map)
{
    std::vector<char> used(static_cast<std::size_t>(map.pool.size()), 0);
    for (const IndexExpr e : map.results) used[static_cast<std::size_t>(e.id)] = 1;
    for (const IndexConstraint& c : map.constraints) used[static_cast<std::size_t>(c.expression.id)] = 1;
    mark_operands(map.pool, used);
    return used;
}
inline std::int64_t nodes_of(const IndexingMap& map)
{
    const std::vector<char> used = used_nodes(map);
    return std::count(used.begin(), used.end(), char{1});
}

/// Maps of more nodes, shared ones counted once, are large: only what lies near the results is taken apart, and what does not come
/// out with fewer nodes stays as it is.
inline constexpr std::int64_t large_map = 80;

/// Each result that is a sum of floors of variables in the one form of it, where that is no dearer than what it is; `taken` says which
/// are, and those stay. For maps without constraints.
inline void take_variable_sums(IndexingMap& map, std::vector<char>& taken)
{
    IndexingMap sums;
    sums.variables = map.variables;
    sums.dimensions = map.dimensions;
    sums.ranges = map.ranges;
    VariableSums in_one_form(map, sums);
    ExpressionCosts costs(map.pool);
    bool all = true, any = false;
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        IndexExpr e{};
        if (taken[i] == 0 && in_one_form.read(map.results[i])) e = in_one_form.write(costs(map.results[i]));
        sums.results.push_back(e);
        all = all && e.id >= 0;
        any = any || e.id >= 0;
    }
    if (!any) return;
    if (all) {
        taken.assign(taken.size(), 1);
        map = std::move(sums);
        return;
    }
    IndexingMap out;
    std::vector<IndexExpr> variables, of_sums, of_map;
    for (std::size_t v = 0; v < map.variables.size(); ++v) variables.push_back(out.pool.variable(static_cast<int>(v)));
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        const bool is_new = sums.results[i].id >= 0;
        out.results.push_back(is_new ? out.pool.substitute(sums.pool, sums.results[i], variables, of_sums)
                                     : out.pool.substitute(map.pool, map.results[i], variables, of_map));
        if (is_new) taken[i] = 1;
    }
    map.pool = std::move(out.pool);
    map.results = std::move(out.results);
    map.simplified = {};
}

/// The ranges of the divisions that lie below another one on every way from a result or constraint; every integer for other nodes.
inline std::vector<IndexInterval> deep_parts(const IndexingMap& map)
{
    const auto count = static_cast<std::size_t>(map.pool.size());
    std::vector<char> level(count, 2);
    for (const IndexExpr e : map.results) level[static_cast<std::size_t>(e.id)] = 0;
    for (const IndexConstraint& c : map.constraints) level[static_cast<std::size_t>(c.expression.id)] = 0;
    for (std::size_t id = count; id-- > 0;) {
        const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}];
        const char below = n.op == IndexOp::floor_div || n.op == IndexOp::mod ? char{1} : level[id];
        for (const IndexExpr x : {n.left, n.right})
            if (x.id >= 0) level[static_cast<std::size_t>(x.id)] = least(level[static_cast<std::size_t>(x.id)], below);
    }
    std::vector<IndexInterval> out(count, every_integer);
    ExpressionRanges range(map);
    for (std::size_t id = 0; id < count; ++id) {
        const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}];
        if (level[id] == 1 && (n.op == IndexOp::floor_div || n.op == IndexOp::mod))
            out[id] = range({static_cast<std::int32_t>(id)});
    }
    return out;
}

/// A few points of the domain, of those that are tried.
inline void sample(FormSpace& space, const IndexingMap& map)
{
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    std::vector<std::int64_t> at(map.variables.size());
    space.sample_points.assign(at.size() * FormSpace::most_samples, 0);
    const int tries = map.constraints.empty() ? FormSpace::most_samples : 2 * FormSpace::most_samples;
    for (int i = 0; i < tries && space.samples < FormSpace::most_samples; ++i) {
        for (std::size_t v = 0; v < at.size(); ++v) {
            const IndexInterval& b = map.variables[v].bounds;
            state = mix(state, v + 1);
            const std::uint64_t size = static_cast<std::uint64_t>(b.high) - static_cast<std::uint64_t>(b.low) + 1;
            at[v] = i == 0   ? b.low
                    : i == 1 ? b.high
                             : static_cast<std::int64_t>(static_cast<std::uint64_t>(b.low) + (size == 0 ? state : state % size));
        }
        if (!map.constraints.empty()) {
            const auto inside = contains(map, at);
            if (!inside || !*inside) continue;
        }
        for (std::size_t v = 0; v < at.size(); ++v)
            space.sample_points[v * FormSpace::most_samples + static_cast<std::size_t>(space.samples)] = at[v];
        ++space.samples;
    }
}

/// A hash of the intervals and the constraints, these as nodes of the pool.
inline std::uint64_t hash_of_domain(const IndexingMap& map)
{
    std::uint64_t h = map.variables.size() + 1;
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
/// Lists the results of a map that `simplify` leaves as it is. Of what was large, parts may still be taken apart now that it is smaller.
inline IndexingMap with_simplified(IndexingMap map, bool was_large)
{
    map.simplified = {};
    if (was_large || nodes_of(map) > large_map) return map;
    map.simplified.domain = hash_of_domain(map);
    for (const IndexExpr e : map.results) map.simplified.insert(e);
    return map;
}

/// @param kept  results that stay as they are
/// @param keeps_domain  the domain stays as it is
inline IndexingMap simplified_by_forms(const IndexingMap& map, const std::vector<char>& kept, bool keeps_domain)
{
    FormSpace space;
    space.bounds.reserve(map.variables.size());
    for (const IndexVariable& v : map.variables) {
        if (v.bounds.is_empty()) return empty_map(map);
        space.bounds.push_back(v.bounds);
    }
    sample(space, map);
    const std::int64_t nodes = nodes_of(map);
    space.terms_left = 1024 + 8 * nodes; // what comes to an end takes 3 to 7 a node
    std::vector<IndexInterval> whole;
    if (nodes > large_map) whole = deep_parts(map);
    NormalForms forms(space, map.pool, nodes > large_map ? &whole : nullptr);
    IndexingMap out;
    ExpressionCosts costs(map.pool);
    FormPlanner planner(space, costs);
    FormPrinter printer(planner, out.pool, map.pool, map.variables.size());
    DomainSimplifier domain(space, forms, planner, costs, map);
    if (!(keeps_domain ? domain.keep() : domain.run())) return empty_map(map);

    out.variables = map.variables;
    for (std::size_t v = 0; v < space.bounds.size(); ++v) out.variables[v].bounds = space.bounds[v];
    out.dimensions = map.dimensions;
    out.ranges = map.ranges;
    NormalForms printed(space, out.pool);
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        const IndexExpr e = map.results[i];
        if (kept[i] != 0) {
            out.results.push_back(printer.copy(e));
            continue;
        }
        const QuasiAffine* form = forms(e);
        const FormPlan* plan = &planner.plan(*form);
        if (!plan->fits || costs(e) < plan->cost) {
            out.results.push_back(printer.copy(e));
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
            if (other.cost < plan->cost || turn < 8 || form->hash < least_form->hash) least_form = form;
            plan = &other;
            if (turn == 15) form = least_form;
        }
        const IndexExpr best = printer.print(*form);
        out.results.push_back(best);
    }
    for (const DomainConstraint& c : domain.constraints) {
        if (keeps_domain) {
            out.constraints.push_back({printer.copy(c.original), c.of_original()});
            continue;
        }
        const FormPlan& plan = planner.plan(*c.form);
        if (c.original.id >= 0 && (!plan.fits || costs(c.original) < plan.cost_of_rest)) {
            out.constraints.push_back({printer.copy(c.original), c.of_original()});
            continue;
        }
        out.constraints.push_back({printer.print(*c.form, false), shifted(c.interval, -plan.constant)});
    }
    if (space.is_spent() || (nodes > large_map && nodes_of(out) >= nodes) || (nodes_of(out) > large_map && nodes_of(out) > nodes))
        return map;
    return out;
}

/// @param uses_known  are results that are listed as simple left alone?
inline IndexingMap simplified_once(const IndexingMap& map, bool uses_known)
{
    IndexingMap out = map;
    std::vector<char> taken(map.results.size(), 0);
    const bool keeps_domain = uses_known && map.simplified.domain != 0 && map.simplified.domain == hash_of_domain(map);
    if (!keeps_domain) out.simplified = {};
    for (std::size_t i = 0; i < taken.size() && keeps_domain; ++i) taken[i] = map.simplified.contains(map.results[i]) ? 1 : 0;
    const auto is_box = [&] { return out.constraints.empty() && !out.has_empty_interval(); };
    if (is_box()) take_variable_sums(out, taken);
    const auto all = [&] { return std::find(taken.begin(), taken.end(), char{0}) == taken.end(); };
    if ((out.constraints.empty() || keeps_domain) && all()) return out;
    out = simplified_by_forms(out, taken, keeps_domain);
    if (is_box() && !all()) take_variable_sums(out, taken);
    return out;
}

} // namespace detail

/// The same map on the same domain, with the fewest divisions and remainders and then the fewest nodes that are found.
inline IndexingMap simplify(const IndexingMap& map)
{
    if (map.is_undefined || map.pool.error()) return map;
    bool was_large = detail::nodes_of(map) > detail::large_map;
    IndexingMap out = detail::simplified_once(map, true);
    // Constraints with divisions, as they are printed, may have normal forms that say more; large maps go down step by step.
    if (detail::same_map(out, map) || (detail::has_same_domain(out, map) && detail::nodes_of(out) <= detail::large_map))
        return detail::with_simplified(std::move(out), was_large);
    IndexingMap last;
    for (int turn = 0; turn < 16; ++turn) {
        if ((out.constraints.empty() || !detail::has_divisions(out.pool)) && detail::nodes_of(out) <= detail::large_map) break;
        was_large = detail::nodes_of(out) > detail::large_map;
        IndexingMap next = detail::simplified_once(out, false);
        if (detail::same_map(next, out)) break;
        // Two that become each other: the smaller pool, by its nodes.
        if (turn > 0 && detail::same_map(next, last))
            return detail::with_simplified(detail::has_lesser_nodes(next.pool, out.pool) ? next : out, was_large);
        last = std::move(out);
        out = std::move(next);
    }
    return detail::with_simplified(std::move(out), was_large);
}

} // namespace v0
} // namespace axe

#endif
