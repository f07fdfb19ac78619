// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_HPP
#define AXE_MAP_SIMPLIFY_HPP

#include <axe/map/form_print.hpp>
#include <axe/map/simplify_domain.hpp>

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
inline std::int64_t nodes_of(const IndexingMap& map)
{
    std::vector<char> used(static_cast<std::size_t>(map.pool.size()), 0);
    for (const IndexExpr e : map.results) used[static_cast<std::size_t>(e.id)] = 1;
    for (const IndexConstraint& c : map.constraints) used[static_cast<std::size_t>(c.expression.id)] = 1;
    std::int64_t count = 0;
    for (std::int32_t id = map.pool.size() - 1; id >= 0; --id) {
        if (used[static_cast<std::size_t>(id)] == 0) continue;
        ++count;
        const IndexNode& n = map.pool[{id}];
        if (n.left.id >= 0) used[static_cast<std::size_t>(n.left.id)] = 1;
        if (n.right.id >= 0) used[static_cast<std::size_t>(n.right.id)] = 1;
    }
    return count;
}

/// Shared nodes count once here: a map of more than this many whose shorter text shares less, and so needs more nodes, stays as it is.
inline constexpr std::int64_t large_map = 96;

inline IndexingMap simplified_once(const IndexingMap& map)
{
    FormSpace space;
    space.bounds.reserve(map.variables.size());
    for (const IndexVariable& v : map.variables) {
        if (v.bounds.is_empty()) return empty_map(map);
        space.bounds.push_back(v.bounds);
    }
    const std::int64_t nodes = nodes_of(map);
    space.terms_left = 1024 + 8 * nodes; // what comes to an end takes 3 to 7 a node
    NormalForms forms(space, map.pool);
    IndexingMap out;
    ExpressionCosts costs(map.pool);
    FormPlanner planner(space, costs);
    FormPrinter printer(planner, out.pool, map.pool, map.variables.size());
    DomainSimplifier domain(space, forms, planner, costs, map);
    if (!domain.run()) return empty_map(map);

    out.variables = map.variables;
    for (std::size_t v = 0; v < space.bounds.size(); ++v) out.variables[v].bounds = space.bounds[v];
    out.dimensions = map.dimensions;
    out.ranges = map.ranges;
    NormalForms printed(space, out.pool);
    for (const IndexExpr e : map.results) {
        const LinearForm* form = forms(e);
        const FormPlan* plan = &planner.plan(*form);
        if (!plan->fits || costs(e) < plan->cost) {
            out.results.push_back(printer.copy(e));
            continue;
        }
        // What is printed may have a normal form that is no dearer: that one then, until one has itself. Should they go in a circle,
        // the one of the least hash.
        const LinearForm* least_form = form;
        for (int turn = 0; turn < 16 && form->has_divisions() && !form->has_opaque(); ++turn) {
            const LinearForm* const next = printed(printer.print(*form));
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
        const FormPlan& plan = planner.plan(*c.form);
        if (c.original.id >= 0 && (!plan.fits || costs(c.original) < plan.cost_of_rest)) {
            out.constraints.push_back({printer.copy(c.original), c.of_original()});
            continue;
        }
        out.constraints.push_back({printer.print(*c.form, false), shifted(c.interval, -plan.constant)});
    }
    if (space.is_spent() || (out.pool.size() > large_map && nodes_of(out) > nodes)) return map;
    return out;
}

} // namespace detail

/// The same map on the same domain, with the fewest divisions and remainders and then the fewest nodes that are found.
inline IndexingMap simplify(const IndexingMap& map)
{
    if (map.is_undefined || map.pool.error()) return map;
    IndexingMap out = detail::simplified_once(map);
    // Constraints with divisions, as they are printed, may have normal forms that say more.
    IndexingMap last;
    for (int turn = 0; turn < 16 && !out.constraints.empty() && detail::has_divisions(out.pool); ++turn) {
        IndexingMap next = detail::simplified_once(out);
        if (detail::same_map(next, out)) break;
        // Two that become each other: the smaller pool, by its nodes.
        if (turn > 0 && detail::same_map(next, last)) return detail::has_lesser_nodes(next.pool, out.pool) ? next : out;
        last = std::move(out);
        out = std::move(next);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
