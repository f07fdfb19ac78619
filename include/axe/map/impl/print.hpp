// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_PRINT_HPP
#define AXE_MAP_IMPL_PRINT_HPP

#include <axe/map/print.hpp>
#include <axe/map/text/print_expression.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Is it the map of `KNOWN EMPTY`: of nothing to nothing, and no point in its domain?
inline bool is_known_empty(const IndexingMap& map)
{
    return map.variables.empty() && map.results.empty() && map.constraints.size() == 1 &&
           map.pool.is_constant(map.constraints[0].expression, 0) && map.constraints[0].interval == IndexInterval{};
}

} // namespace detail

AXE_DECL std::int64_t printed_nodes(const IndexingMap& map)
{
    std::vector<std::int64_t> of(static_cast<std::size_t>(map.pool.size()));
    const auto sum = [](std::int64_t a, std::int64_t b) { return detail::add(a, b, a) ? a : every_integer.high; };
    const auto nodes = [&](IndexExpr e) { return e.id < 0 ? 0 : of[static_cast<std::size_t>(e.id)]; };
    for (std::int32_t i = 0; i < map.pool.size(); ++i) {
        const IndexNode& n = map.pool[{i}];
        of[static_cast<std::size_t>(i)] = sum(1, sum(nodes(n.left), nodes(n.right)));
    }
    std::int64_t count = 0;
    for (const IndexExpr e : map.results) count = sum(count, nodes(e));
    for (const IndexConstraint& c : map.constraints) count = sum(count, nodes(c.expression));
    return count;
}

AXE_DECL std::string print(const IndexingMap& map, IndexExpr expression, const MapSpelling& spelling)
{
    std::string out;
    const auto names = detail::variable_names(map, spelling);
    detail::ExpressionWriter(map.pool, names, spelling, out).write(expression);
    return out;
}

AXE_DECL std::string print(const IndexingMap& map, const MapSpelling& spelling)
{
    if (map.is_undefined) return "UNDEFINED";
    if (detail::is_known_empty(map)) return "KNOWN EMPTY";
    const auto names = detail::variable_names(map, spelling);
    std::string out;
    const auto put_names = [&](char open, int first, int last, char close) {
        out += open;
        for (int v = first; v < last; ++v) {
            if (v > first) out += ", ";
            out += names[static_cast<std::size_t>(v)];
        }
        out += close;
    };
    put_names('(', 0, map.dimensions, ')');
    if (map.ranges > 0) put_names('[', map.first_range(), map.first_runtime(), ']');
    if (map.runtimes() > 0) put_names('{', map.first_runtime(), static_cast<int>(map.variables.size()), '}');

    detail::ExpressionWriter writer(map.pool, names, spelling, out);
    out += " -> (";
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        if (i > 0) out += ", ";
        writer.write(map.results[i]);
    }
    out += ')';
    const auto is_any = [](const IndexVariable& v) { return v.bounds == every_integer; };
    if (map.constraints.empty() && std::all_of(map.variables.begin(), map.variables.end(), is_any)) return out;
    const char* before = ", domain: ";
    const auto put_interval = [&](const IndexInterval& interval) { out += " in " + detail::interval_text(interval); };
    for (std::size_t v = 0; v < names.size(); ++v) {
        out += before + names[v];
        put_interval(map.variables[v].bounds);
        before = ", ";
    }
    for (const IndexConstraint& c : map.constraints) {
        const bool is_variable = map.pool[c.expression].op == IndexOp::variable;
        out += before;
        if (is_variable) out += '(';
        writer.write(c.expression);
        if (is_variable) out += ')';
        put_interval(c.interval);
        before = ", ";
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
