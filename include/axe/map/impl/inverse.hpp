// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_INVERSE_HPP
#define AXE_MAP_IMPL_INVERSE_HPP

#include <axe/map/canonical_map.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/errors.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/presburger/domain_system.hpp>
#include <axe/map/presburger/inverse.hpp>
#include <axe/map/presburger/pointwise_inverse.hpp>
#include <axe/map/presburger/redundancy.hpp>
#include <axe/map/range/expression_ranges.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/simplify/map_size.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Error collision_of_dimension(int d, std::int64_t x, std::int64_t y)
{
    return Error(errc::not_single_valued, d, "two points have the same image: dimension {0} is {1} at one and {2} at the other", d,
                 std::max(x, y), std::min(x, y));
}

/// Two points x and y of the domain of one image with x_d > y_d for a dimension d, as one point of pairs.
inline Status find_collision_in_pairs(const IndexingMap& map)
{
    const auto count = map.variables.size();
    IndexingMap pairs;
    pairs.variables = map.variables;
    pairs.variables.insert(pairs.variables.end(), map.variables.begin(), map.variables.end());
    pairs.dimensions = static_cast<int>(2 * count);
    std::vector<IndexExpr> images[2];
    for (int side = 0; side < 2; ++side) {
        std::vector<IndexExpr> there;
        for (std::size_t v = 0; v < count; ++v)
            there.push_back(pairs.pool.variable(static_cast<int>(v + static_cast<std::size_t>(side) * count)));
        PoolCopy copy(pairs.pool, map.pool, std::move(there));
        copy.append(images[side], map.results);
        for (const IndexConstraint& c : map.constraints) pairs.constraints.push_back(copy(c));
    }
    for (std::size_t j = 0; j < map.results.size(); ++j)
        pairs.constraints.push_back({pairs.pool.sub(images[0][j], images[1][j]), {0, 0}});
    pairs.constraints.push_back({});
    for (int d = 0; d < map.dimensions; ++d) {
        const int other = d + static_cast<int>(count);
        pairs.constraints.back() = {pairs.pool.sub(pairs.pool.variable(d), pairs.pool.variable(other)), {1, every_integer.high}};
        const auto found = find_point(pairs);
        if (!found) return found.error();
        if (*found)
            return collision_of_dimension(d, (**found)[static_cast<std::size_t>(d)], (**found)[static_cast<std::size_t>(other)]);
    }
    return Error(errc::too_hard, -1,
                 "no two points have the same image, but the points were not recognized as digits of the results");
}

/// What repeats with a dimension has a second point one period from the one that is given.
inline Status find_collision_in_periods(const IndexingMap& map, const std::vector<std::int64_t>& point)
{
    const BasicSet s = domain_system(map, map.results);
    for (int d = 0; d < map.dimensions; ++d) {
        const Period p(s, d, s.dim(d).last);
        bool repeats = p.period != 0;
        for (int r = s.goal_row(0); r < s.rows() && repeats; ++r) repeats = p.drift(s.row(r)) == 0;
        const auto v = static_cast<std::size_t>(d);
        for (const WideInt there : {point[v] + p.period, point[v] - p.period})
            if (repeats && map.variables[v].bounds.low <= there && there <= map.variables[v].bounds.high)
                return collision_of_dimension(d, point[v], static_cast<std::int64_t>(there));
    }
    return {};
}

/// Is the map known wherever its variables are: does no value on the way overflow?
inline bool stays_within(const IndexingMap& map)
{
    ExpressionRanges range(map);
    const UsedNodes used(map);
    for (std::int32_t id = 0; id < map.pool.size(); ++id)
        if (used.marked[static_cast<std::size_t>(id)] != 0 && !is_bounded(range({id}))) return false;
    return true;
}

/// The same at the images in a table: at all of them, or at some where that would take more than 2^26 steps.
inline bool stays_within(const IndexingMap& back, const PointTable& table)
{
    if (stays_within(back)) return true;
    const std::size_t steps = static_cast<std::size_t>(back.pool.size()) * table.size(), stride = (steps >> 26) + 1;
    std::vector<std::int64_t> at(static_cast<std::size_t>(back.dimensions));
    IndexEvaluator evaluate(back.pool, nullptr);
    for (std::size_t i = 0; i < table.size() + stride - 1; i += stride) {
        const std::size_t row = std::min(i, table.size() - 1);
        for (std::size_t j = 0; j < at.size(); ++j) at[j] = table.result(row, j);
        evaluate.at(at.data());
        std::int64_t value = 0;
        for (const IndexExpr e : back.results)
            if (!evaluate(e, value)) return false;
        for (const IndexConstraint& c : back.constraints)
            if (!evaluate(c.expression, value)) return false;
    }
    return true;
}

/// What the digits of the results say of the variables, if they do.
inline bool solve_by_digits(const IndexingMap& map, Result<IndexingMap>& out)
{
    for (const auto& [joined, constrained] : {std::pair{false, false}, std::pair{true, false}, std::pair{false, true}}) {
        IndexingMap solved;
        if (!DigitwiseInverse(map, joined, constrained).solve(solved)) continue;
        out = canonical_map(solved);
        if (!out || !stays_within(*out)) out = simplify(solved); // products, and numbers near the end of the integer
        remove_redundant(*out);
        if (!stays_within(*out)) continue;
        for (std::size_t c = 0; out && c < out->constraints.size(); ++c)
            if (const IndexNode& n = out->pool[out->constraints[c].expression]; n.op == IndexOp::constant)
                if (!out->constraints[c].interval.contains(n.value)) out = empty_domain();
        return true;
    }
    return false;
}

/// The first few values of each variable: no more than 4096 points.
inline std::vector<IndexInterval> small_corner(const std::vector<IndexInterval>& box)
{
    std::vector<IndexInterval> out = box;
    std::int64_t points = 1;
    for (IndexInterval& b : out) {
        const std::uint64_t footprint = static_cast<std::uint64_t>(b.high) - static_cast<std::uint64_t>(b.low);
        std::int64_t size = 1;
        while (size < 16 && points * (size + 1) <= 4096 && static_cast<std::uint64_t>(size) <= footprint) ++size;
        b.high = b.low + size - 1;
        points *= size;
    }
    return out;
}

inline Status collision_of_dimension(const PointTable& table)
{
    const auto& [row, other, number] = *table.collision;
    std::size_t d = 0;
    while (table.variable(row, d) == other[d]) ++d;
    return collision_of_dimension(static_cast<int>(d), table.variable(row, d), other[d]);
}

/// By the points, where they are few; otherwise by a few of them, by periods, and by pairs of all, none of which finds more than a no.
/// @param tight  the map with the tightest intervals that are known
inline Result<IndexingMap> inverse_by_points(const IndexingMap& map, const IndexingMap& tight)
{
    const bool is_small = points_of_box(map.variables) <= search_limit;
    const IndexingMap& used = is_small ? map : tight;
    PointTable table(used);
    if (points_of_box(used.variables) > search_limit) {
        table.fill(small_corner(box_of(used)));
        if (table.collision) return collision_of_dimension(table);
        const auto first = find_point(used);
        if (!first) return first.error();
        if (!*first) return empty_domain();
        const Status e = find_collision_in_periods(used, **first);
        return !e.ok() ? e : find_collision_in_pairs(used);
    }
    table.fill(box_of(used));
    if (!table.fits) return value_overflows();
    if (table.collision && !is_small) return collision_of_dimension(table);
    if (table.collision)
        return Error(errc::not_single_valued, -1, "the points of row-major numbers {0} and {1} have the same image",
                     table.number(table.collision->row), table.collision->number);
    if (table.size() == 0) return empty_domain();
    Result<IndexingMap> out = PointwiseInverse(used, table).run();
    if (!out) return out;
    if (out->pool.size() <= 256) {
        remove_redundant(*out);
        if (Result<IndexingMap> canonical = canonical_map(*out); canonical && canonical->pool.size() <= out->pool.size()) {
            remove_redundant(*canonical);
            if (stays_within(*canonical, table)) return canonical;
        }
    }
    if (!stays_within(*out, table)) return Error(errc::overflow, -1, "an intermediate value of the inverse overflows");
    return out;
}

} // namespace detail

AXE_DECL Result<IndexingMap> inverse(const IndexingMap& map)
{
    if (map.is_undefined) return detail::undefined_map();
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    if (map.has_empty_interval()) return detail::empty_domain();
    Result<IndexingMap> out{IndexingMap{}};
    if (detail::solve_by_digits(map, out)) return out;
    IndexingMap tight = map;
    detail::remove_redundant(tight);
    if (tight.has_empty_interval()) return detail::empty_domain();
    if (Result<IndexingMap> canonical = canonical_map(tight)) tight = std::move(*canonical);
    if (detail::solve_by_digits(tight, out)) return out;
    return detail::inverse_by_points(map, tight);
}

} // namespace v0
} // namespace axe

#endif
