// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_SAME_MAP_HPP
#define AXE_TESTS_SAME_MAP_HPP

#include <axe/map/indexing_map.hpp>

#include <utility>
#include <vector>

/// Are two maps written alike? That is less than equal as maps, and more: every node, name and interval, in their order.
namespace laws {

/// Node by node, whatever their numbers in the two pools.
inline bool same(const axe::IndexPool& p, axe::IndexExpr x, const axe::IndexPool& q, axe::IndexExpr y)
{
    // Of shared nodes one comparison: the partner of each node of p.
    std::vector<axe::IndexExpr> partners(static_cast<std::size_t>(p.size()));
    std::vector<std::pair<axe::IndexExpr, axe::IndexExpr>> open{{x, y}};
    while (!open.empty()) {
        const auto [a, b] = open.back();
        open.pop_back();
        axe::IndexExpr& partner = partners[static_cast<std::size_t>(a.id)];
        if (partner == b) continue;
        partner = b;
        const axe::IndexNode &m = p[a], &n = q[b];
        if (m.op != n.op || m.value != n.value) return false;
        if (m.left.id >= 0) open.emplace_back(m.left, n.left);
        if (m.right.id >= 0) open.emplace_back(m.right, n.right);
    }
    return true;
}

inline bool same(const axe::IndexingMap& a, const axe::IndexingMap& b)
{
    bool yes = a.variables == b.variables && a.dimensions == b.dimensions && a.ranges == b.ranges &&
               a.results.size() == b.results.size() && a.constraints.size() == b.constraints.size() &&
               a.is_undefined == b.is_undefined;
    for (std::size_t i = 0; yes && i < a.results.size(); ++i) yes = same(a.pool, a.results[i], b.pool, b.results[i]);
    for (std::size_t i = 0; yes && i < a.constraints.size(); ++i)
        yes = same(a.pool, a.constraints[i].expression, b.pool, b.constraints[i].expression) &&
              a.constraints[i].interval == b.constraints[i].interval;
    return yes;
}

} // namespace laws

#endif
