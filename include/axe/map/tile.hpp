// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_HPP
#define AXE_MAP_TILE_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/tile/search.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// What tiles of a map's dimensions need of its results, for all tiles at once: boxes, by cases.
///
/// A tile is {o_d + t_d·k_d : 0 ≤ k_d < z_d} in each dimension d. The cases overlap, and where two hold they say the same set; where
/// none holds, nothing is said.
struct SymbolicTile {
    IndexingMap parameters{}; ///< dimensions o0…, z0…, t0… with the bounds in which the cases hold; run-time variables; no results
    int dimensions = 0;       ///< of the tiled map
    std::vector<TileCase> cases{};
    bool is_cut_short = false; ///< more ways were there than are looked at: cases may be missing, those here hold
    bool is_grid = false;      ///< the cases are for offsets that are multiples of the sizes: see `on_grid`
};

/// A span in numbers: {offset + stride·k : 0 ≤ k < size}, of these the ones in `clip`.
struct TileRow {
    std::int64_t offset = 0, size = 0, stride = 1;
    IndexInterval clip = every_integer;
    friend constexpr bool operator==(const TileRow&, const TileRow&) = default;
};

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
            out.variables.push_back({bounds, letter + std::to_string(d), IndexRole::none});
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
                return Error(errc::overflow, v - n, "the values of range variable {0} are too many for the integer", v - n);
            out.push_back({low, pool.constant(size), one, false, {}, {}, {}});
        } else {
            const int number = 3 * n + v - map.first_runtime();
            const bool is_narrower = !bounds.contains(parameters.variables[static_cast<std::size_t>(number)].bounds);
            out.push_back({pool.variable(number), one, one, is_narrower, low, high, {}});
        }
    }
    return out;
}

} // namespace detail

/// What a tile of the map's dimensions needs of each result, as offset, size and stride, with the conditions on the tile:
///
///   {map(d, s, rt) : d in the tile and the domain} = Π_r {offset_r + stride_r·k : 0 ≤ k < size_r} ∩ [low_r, high_r]
///
/// for every o_d in [0, shape_d − 1], z_d in [1, shape_d] and t_d in [1, max shape] that a case's conditions hold for. Range variables take all their
/// values, run-time variables are parameters. Through a chain of operations: of the composed map.
/// @param shape  of the tiled array; empty: up to the upper bound of each dimension
/// @returns `errc::no_layout` where no case was found; `errc::too_hard` for products of variables, and where not all ways were looked at
///          and none was found; `errc::bad_argument` for an undefined
///          or empty map; `errc::rank_mismatch` for a wrong shape; `errc::overflow`.
/// Cost: linear in the ways that are looked at, at most 2^22 elementary steps for each form of the map (see `is_cut_short`). Source: XLA's symbolic tiles (openxla, codegen/tiling),
/// which are for offsets that are multiples of the size.
inline Result<SymbolicTile> symbolic_tile(const IndexingMap& map, std::vector<std::int64_t> shape = {})
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "an undefined map has no tiles");
    if (map.has_empty_interval()) return Error(errc::bad_argument, -1, "a map with an empty domain has no tiles");
    if (shape.empty()) {
        for (int d = 0; d < map.dimensions; ++d) {
            const std::int64_t high = map.variables[static_cast<std::size_t>(d)].bounds.high;
            shape.push_back(std::max<std::int64_t>(high, 0) + (high < every_integer.high ? 1 : 0));
        }
    }
    if (shape.size() != static_cast<std::size_t>(map.dimensions))
        return Error(errc::rank_mismatch, -1, "the map has {0} dimensions to tile, and the shape has {1}", map.dimensions,
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
        if (m->has_empty_interval() || plan.is_empty)
            return Error(errc::bad_argument, -1, "a map with an empty domain has no tiles");
        const auto variables = detail::tile_variables(*m, out.parameters);
        if (!variables) return variables.error();
        if (plan.error) {
            if (!error) error = plan.error;
            continue;
        }
        if (plans.size() > 1 && plan == plans[0] && *variables == before) continue;
        before = *variables;
        detail::TileBudget budget;
        const detail::TileSearch search(out.parameters, plan, before, budget, out.cases);
        out.is_cut_short = out.is_cut_short || budget.is_spent();
    }
    detail::sort_in_order(out.cases,
                          [](const TileCase& x, const TileCase& y) { return x.conditions.size() < y.conditions.size(); });
    if (out.parameters.pool.error()) return out.parameters.pool.error();
    if (!out.cases.empty()) return out;
    if (error) return error;
    if (out.is_cut_short)
        return Error(errc::too_hard, -1, "no tile was found among the ways that were looked at, and there are more");
    return Error(errc::no_layout, -1, "no tile: of no size found is what it needs a box with strides");
}

/// What one tile needs: a row for each result, by the first case that holds.
///
/// @param parameters  offsets, sizes and strides of the tile, then the run-time variables
/// @returns `errc::out_of_domain` where no case holds, `errc::rank_mismatch`, `errc::overflow`. Cost: linear in the cases.
inline Result<std::vector<TileRow>> tile_at(const SymbolicTile& tile, const std::vector<std::int64_t>& parameters)
{
    const auto inside = contains(tile.parameters, parameters);
    if (!inside) return inside.error();
    if (!*inside) return Error(errc::out_of_domain, -1, "the tile's offsets, sizes and strides are not in their bounds");
    const auto n = static_cast<std::size_t>(tile.dimensions);
    for (std::size_t d = 0; d < n && tile.is_grid; ++d)
        if (parameters[d] % parameters[n + d] != 0)
            return Error(errc::out_of_domain, static_cast<int>(d), "offset {1} of dimension {0} is no multiple of the size {2}",
                         static_cast<std::int64_t>(d), parameters[d], parameters[n + d]);
    detail::IndexEvaluator evaluate(tile.parameters.pool, parameters.data());
    const auto overflow = [] { return Error(errc::overflow, -1, "a number of the tile leaves the integer"); };
    for (const TileCase& c : tile.cases) {
        bool holds = true;
        for (std::size_t d = 0; d < c.divides.size(); ++d) holds = holds && c.divides[d] % parameters[n + d] == 0;
        for (const IndexConstraint& condition : c.conditions) {
            std::int64_t value = 0;
            if (!evaluate(condition.expression, value)) return overflow();
            holds = holds && condition.interval.contains(value);
        }
        if (!holds) continue;
        std::vector<TileRow> out;
        for (const TileSpan& s : c.spans) {
            TileRow row;
            if (!evaluate(s.offset, row.offset) || !evaluate(s.size, row.size) || !evaluate(s.stride, row.stride))
                return overflow();
            if (s.is_clipped && (!evaluate(s.low, row.clip.low) || !evaluate(s.high, row.clip.high))) return overflow();
            out.push_back(row);
        }
        return out;
    }
    return Error(errc::out_of_domain, -1, "no case of the tile holds for these offsets, sizes and strides");
}

} // namespace v0
} // namespace axe

#endif
