// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_RANDOM_HPP
#define AXE_TESTS_LAWS_MAP_RANDOM_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <set>

/// Seeded random maps, and the truth about maps by enumeration.
namespace laws {

using Numbers = std::vector<Int>;

inline Int elements(const Numbers& shape)
{
    Int out = 1;
    for (const Int n : shape) out *= n;
    return out;
}
/// A shape of up to three dimensions with so many elements.
inline Numbers random_index_shape(Random& r, Int n)
{
    Numbers out(static_cast<std::size_t>(r.in(1, 3)), 1);
    for (Int p = 2; n > 1; ++p)
        for (; n % p == 0; n /= p) out[static_cast<std::size_t>(r.in(0, static_cast<Int>(out.size()) - 1))] *= p;
    return out;
}

/// An expression of some of the variables: sums, constant multiples, floor divisions and remainders, by negative numbers too.
inline axe::IndexExpr random_expression(Random& r, axe::IndexingMap& m, int depth)
{
    axe::IndexPool& pool = m.pool;
    if (depth == 0 || r.one_in(5)) {
        if (m.variables.empty() || r.one_in(5)) return pool.constant(r.in(-6, 6));
        return pool.variable(static_cast<int>(r.in(0, static_cast<Int>(m.variables.size()) - 1)));
    }
    const auto divisor = [&r] { return r.one_in(4) ? -r.in(1, 5) : r.in(1, 6); };
    switch (r.in(0, 6)) {
    case 0:
    case 1: return pool.mul(random_expression(r, m, depth - 1), r.in(-4, 4));
    case 2: return pool.floor_div(random_expression(r, m, depth - 1), divisor());
    case 3: return pool.mod(random_expression(r, m, depth - 1), divisor());
    default: {
        const axe::IndexExpr left = random_expression(r, m, depth - 1); // evaluated in this order everywhere
        return pool.add(left, random_expression(r, m, depth - 1));
    }
    }
}

struct MapKind {
    Int dimensions = 2, ranges = 1, runtimes = 1, results = 2; ///< at most, but so many results
    Int extent = 4;
    Int constraints = 2;
};

inline axe::IndexInterval random_interval(Random& r, Int extent)
{
    const Int low = r.one_in(3) ? r.in(-3, 3) : 0;
    return {low, low + r.in(r.one_in(20) ? -1 : 0, extent - 1)};
}

inline axe::IndexingMap random_map(Random& r, const MapKind& kind, Int dimensions)
{
    axe::IndexingMap m;
    m.dimensions = static_cast<int>(dimensions);
    m.ranges = static_cast<int>(r.in(0, kind.ranges));
    const Int count = dimensions + m.ranges + r.in(0, kind.runtimes);
    for (Int v = 0; v < count; ++v) m.variables.push_back({random_interval(r, kind.extent), {}, axe::IndexKind::none});
    for (Int i = 0; i < kind.results; ++i) m.results.push_back(random_expression(r, m, static_cast<int>(r.in(0, 3))));
    for (Int i = r.in(0, kind.constraints); i > 0; --i) {
        const axe::IndexExpr e = random_expression(r, m, static_cast<int>(r.in(1, 3)));
        axe::constrain(m, e, random_interval(r, 8));
    }
    return m;
}
inline axe::IndexingMap random_map(Random& r, const MapKind& kind = {}) { return random_map(r, kind, r.in(0, kind.dimensions)); }

/// Calls `see` with every point of the box that the intervals are.
template <class See>
void every_point(const std::vector<axe::IndexInterval>& box, See see)
{
    Numbers point;
    for (const axe::IndexInterval& i : box) {
        if (i.is_empty()) return;
        point.push_back(i.low);
    }
    while (true) {
        see(static_cast<const Numbers&>(point));
        std::size_t digit = 0;
        for (; digit < point.size(); ++digit) {
            if (point[digit]++ < box[digit].high) break;
            point[digit] = box[digit].low;
        }
        if (digit == point.size()) return;
    }
}
inline std::vector<axe::IndexInterval> box(const axe::IndexingMap& m)
{
    std::vector<axe::IndexInterval> out;
    for (const auto& v : m.variables) out.push_back(v.bounds);
    return out;
}

/// Calls `see` with every point of the domain, and the results there.
template <class See>
void every_value(const axe::IndexingMap& m, See see)
{
    if (m.is_undefined) return;
    every_point(box(m), [&](const Numbers& point) {
        const auto inside = axe::contains(m, point);
        if (inside.yes()) see(point, *axe::evaluate_anywhere(m, point));
    });
}

} // namespace laws

#endif
