// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_TILE_HPP
#define AXE_MAP_IMPL_TILE_HPP

#include <axe/map/errors.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/tile.hpp>
#include <axe/map/tile/search.hpp>
#include <axe/support/sort.hpp>

#include <string>

namespace axe {
inline namespace v0 {
namespace detail {

/// o, z and t for each dimension of the map, within the shape; its run-time variables.
inline void add_parameters(const IndexingMap& map, const std::vector<std::int64_t>& shape, IndexingMap& out)
{
    out.dimensions = 3 * map.dimensions;
    std::int64_t largest = 1;
    for (const std::int64_t size : shape) largest = std::max(largest, size);
    for (const char* letter : {"o", "z", "t"}) {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t size = std::max<std::int64_t>(shape[d], 1);
            const IndexInterval bounds{*letter == 'o' ? 0 : 1, *letter == 'o' ? size - 1 : *letter == 'z' ? size : largest};
            out.variables.push_back({bounds, letter + std::to_string(d), IndexKind::none});
        }
    }
    out.variables.insert(out.variables.end(), map.variables.begin() + map.first_runtime(), map.variables.end());
}

/// What a tile is in each variable of the map: o, z, t in dimensions, all of it in range variables, one value in run-time variables.
inline Result<std::vector<TileSpan>> tile_variables(const IndexingMap& map, IndexingMap& parameters)
{
    const int n = map.dimensions;
    IndexPool& pool = parameters.pool;
    const IndexExpr one = pool.constant(1);
    std::vector<TileSpan> out;
    for (int v = 0; v < static_cast<int>(map.variables.size()); ++v) {
        const IndexInterval bounds = map.variables[static_cast<std::size_t>(v)].bounds;
        const IndexExpr low = pool.constant(bounds.low), high = pool.constant(bounds.high);
        if (v < n) {
            out.push_back({pool.variable(v), pool.variable(n + v), pool.variable(2 * n + v), true, low, high, {}});
        } else if (v < map.first_runtime()) {
            std::int64_t size = 0;
            if (!sub(bounds.high, bounds.low, size) || !add(size, std::int64_t{1}, size))
                return Error(errc::overflow, v - n, "the number of values of range variable {0} overflows", v - n);
            out.push_back({low, pool.constant(size), one, false, {}, {}, {}});
        } else {
            const int number = 3 * n + v - map.first_runtime();
            const bool is_narrower = !bounds.contains(parameters.variables[static_cast<std::size_t>(number)].bounds);
            out.push_back({pool.variable(number), one, one, is_narrower, low, high, {}});
        }
    }
    return out;
}

constexpr Error no_tiles() noexcept { return Error(errc::bad_argument, -1, "a map with an empty domain has no tiles"); }

} // namespace detail

AXE_DECL Result<SymbolicTile> symbolic_tile(const IndexingMap& map, std::vector<std::int64_t> shape)
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "an undefined map has no tiles");
    if (map.has_empty_interval()) return detail::no_tiles();
    if (shape.empty()) {
        for (int d = 0; d < map.dimensions; ++d) {
            const std::int64_t high = map.variables[static_cast<std::size_t>(d)].bounds.high;
            shape.push_back(std::max<std::int64_t>(high, 0) + (high < every_integer.high ? 1 : 0));
        }
    }
    if (shape.size() != static_cast<std::size_t>(map.dimensions))
        return Error(errc::rank_mismatch, -1, "the map has {0} dimensions to tile, but the shape has {1}", map.dimensions,
                     static_cast<std::int64_t>(shape.size()));

    SymbolicTile out;
    out.dimensions = map.dimensions;
    detail::add_parameters(map, shape, out.parameters);
    // Neither form is the better one: simplified, digits are those of single variables where they can be; as it is, all digits may be
    // those of one sum.
    Error error;
    const IndexingMap simple = simplify(map);
    std::vector<detail::TilePlan> plans;
    plans.reserve(2);
    std::vector<TileSpan> before;
    for (const IndexingMap* m : {&simple, &map}) {
        plans.emplace_back(*m);
        const detail::TilePlan& plan = plans.back();
        if (m->has_empty_interval() || plan.is_empty) return detail::no_tiles();
        const auto variables = detail::tile_variables(*m, out.parameters);
        if (!variables) return variables.error();
        if (!plan.error.ok()) {
            if (error.ok()) error = plan.error;
            continue;
        }
        if (plans.size() > 1 && plan == plans[0] && *variables == before) continue;
        before = *variables;
        detail::TileBudget budget;
        const detail::TileSearch search(out.parameters, plan, before, budget, out.cases);
        out.is_cut_short = out.is_cut_short || budget.is_spent();
    }
    detail::sort_stably(out.cases, [](const TileCase& x, const TileCase& y) { return x.conditions.size() < y.conditions.size(); });
    if (!out.parameters.pool.error().ok()) return out.parameters.pool.error();
    if (!out.cases.empty()) return out;
    if (!error.ok()) return error;
    if (out.is_cut_short) return Error(errc::too_hard, -1, "no tile was found, but not all ways were tried");
    return Error(errc::no_layout, -1, "no tile exists: for no size found are the elements that it needs a box with strides");
}

AXE_DECL Result<std::vector<TileRow>> tile_at(const SymbolicTile& tile, const std::vector<std::int64_t>& parameters)
{
    const auto inside = contains(tile.parameters, parameters);
    if (inside.undecided()) return inside.error();
    if (inside.no()) return Error(errc::out_of_domain, -1, "the tile's offsets, sizes and strides are not in their bounds");
    const auto n = static_cast<std::size_t>(tile.dimensions);
    for (std::size_t d = 0; d < n && tile.is_grid; ++d)
        if (parameters[d] % parameters[n + d] != 0)
            return Error(errc::out_of_domain, static_cast<int>(d), "offset {1} of dimension {0} is not a multiple of the size {2}",
                         static_cast<std::int64_t>(d), parameters[d], parameters[n + d]);
    detail::IndexEvaluator evaluate(tile.parameters.pool, parameters.data());
    for (const TileCase& c : tile.cases) {
        bool holds = true;
        for (std::size_t d = 0; d < c.divides.size(); ++d) holds = holds && c.divides[d] % parameters[n + d] == 0;
        for (const IndexConstraint& condition : c.conditions) {
            std::int64_t value = 0;
            if (!evaluate(condition.expression, value)) return detail::tile_overflows();
            holds = holds && condition.interval.contains(value);
        }
        if (!holds) continue;
        std::vector<TileRow> out;
        for (const TileSpan& s : c.spans) {
            TileRow row;
            if (!evaluate(s.offset, row.offset) || !evaluate(s.size, row.size) || !evaluate(s.stride, row.stride))
                return detail::tile_overflows();
            if (s.is_clipped && (!evaluate(s.low, row.clip.low) || !evaluate(s.high, row.clip.high)))
                return detail::tile_overflows();
            out.push_back(row);
        }
        return out;
    }
    return Error(errc::out_of_domain, -1, "no case of the tile holds for these offsets, sizes and strides");
}

} // namespace v0
} // namespace axe

#endif
