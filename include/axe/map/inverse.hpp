// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_INVERSE_HPP
#define AXE_MAP_INVERSE_HPP

#include <axe/map/canonical_map.hpp>
#include <axe/map/implied.hpp>
#include <axe/map/inverter.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Error no_digits()
{
    return Error(errc::too_hard, -1, "no two points have one image, and no digits of the results are seen to give the points");
}

/// Two points x and y of the domain of one image with x_d > y_d for a dimension d, as one point of pairs.
inline Error find_collision_in_pairs(const IndexingMap& map)
{
    const auto count = map.variables.size();
    IndexingMap pairs;
    pairs.variables = map.variables;
    pairs.variables.insert(pairs.variables.end(), map.variables.begin(), map.variables.end());
    pairs.dimensions = static_cast<int>(2 * count);
    std::vector<IndexExpr> images[2];
    for (int side = 0; side < 2; ++side) {
        std::vector<IndexExpr> there, copies;
        for (std::size_t v = 0; v < count; ++v)
            there.push_back(pairs.pool.variable(static_cast<int>(v + static_cast<std::size_t>(side) * count)));
        for (const IndexExpr e : map.results) images[side].push_back(pairs.pool.substitute(map.pool, e, there, copies));
        for (const IndexConstraint& c : map.constraints)
            pairs.constraints.push_back({pairs.pool.substitute(map.pool, c.expression, there, copies), c.interval});
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
            return Error(errc::not_single_valued, d, "two points have one image: dimension {0} is {1} at one and {2} at the other",
                         d, (**found)[static_cast<std::size_t>(d)], (**found)[static_cast<std::size_t>(other)]);
    }
    return no_digits();
}

/// Two points of the domain whose dimensions differ and whose results do not, by their row-major numbers among those of the box.
inline Error find_collision(const IndexingMap& map)
{
    struct Image {
        std::vector<std::int64_t> results, dimensions;
        std::int64_t number;
    };
    std::vector<Image> images;
    IndexEvaluator evaluate(map.pool, nullptr);
    std::int64_t number = -1;
    bool fits = points_of_box(map.variables) <= search_limit;
    if (fits)
        visit_box(map.variables, [&](const std::vector<std::int64_t>& at) {
            ++number;
            evaluate.at(at.data());
            std::int64_t value = 0;
            for (const IndexConstraint& c : map.constraints) {
                fits = fits && evaluate(c.expression, value);
                if (!c.interval.contains(value)) return fits;
            }
            Image image{{}, {at.begin(), at.begin() + map.dimensions}, number};
            for (const IndexExpr e : map.results) {
                fits = fits && evaluate(e, value);
                image.results.push_back(value);
            }
            images.push_back(image);
            return fits;
        });
    if (!fits) return find_collision_in_pairs(map);
    std::sort(images.begin(), images.end(),
              [](const Image& a, const Image& b) { return a.results != b.results ? a.results < b.results : a.number < b.number; });
    for (std::size_t i = 1; i < images.size(); ++i)
        if (images[i].results == images[i - 1].results && images[i].dimensions != images[i - 1].dimensions)
            return Error(errc::not_single_valued, -1, "the points of row-major numbers {0} and {1} have one image",
                         images[i - 1].number, images[i].number);
    return no_digits();
}

} // namespace detail

/// The inverse of a map: dimensions are its results, results its dimensions, on a domain that is exactly its image.
///
/// inverse(f)(f(d)) = d  on the domain, and r is in the domain of the inverse iff r = f(d) for a d in the domain. Range and run-time
/// variables are solved for and left out: the inverse of the relation. The results are found where each variable is made of digits
/// that can be read off the results: ±k·v + c, sums of several variables in mixed radix, with gaps and with negative strides, both
/// halves of a division, triangular systems of those. Expressions are canonical, constraints that the intervals imply are dropped.
///
/// Errors: `errc::not_single_valued` with two points of one image; `errc::bad_argument` for an undefined map or an empty interval;
/// `errc::too_hard` when no two points have one image and yet no digits are seen to give the variables, and as for `find_point`.
/// Cost: linear in the nodes, quadratic in the digits; a look at the points only before an error.
inline Result<IndexingMap> inverse(const IndexingMap& map)
{
    if (map.is_undefined) return Error(errc::bad_argument, -1, "nothing is known of the map: it is undefined");
    if (map.pool.error()) return map.pool.error();
    if (map.has_empty_interval()) return Error(errc::bad_argument, -1, "the map has an empty domain");
    for (const auto& [joined, constrained] : {std::pair{false, false}, std::pair{true, false}, std::pair{false, true}}) {
        IndexingMap solved;
        if (!detail::MapInverter(map, joined, constrained).solve(solved)) continue;
        Result<IndexingMap> out = canonical_map(solved);
        if (out) detail::drop_implied(*out);
        return out;
    }
    return detail::find_collision(map);
}

} // namespace v0
} // namespace axe

#endif
