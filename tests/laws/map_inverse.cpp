// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/inverse.hpp>
#include <axe/map/print.hpp>
#include <tests/laws/map_chains.hpp>
#include <tests/laws/report.hpp>

#include <map>

/// inverse(f)(f(d)) = d on the domain, and the domain of the inverse is the image, point by point.
namespace {

using laws::Int;
using laws::Random;
using List = std::vector<Int>;

bool in_domain(const axe::IndexingMap& map, const List& at)
{
    for (std::size_t v = 0; v < at.size(); ++v)
        if (!map.variables[v].bounds.contains(at[v])) return false;
    for (const axe::IndexConstraint& c : map.constraints)
        if (!c.interval.contains(laws::value_of(map.pool, c.expression, at))) return false;
    return true;
}
List results_at(const axe::IndexingMap& map, const List& at)
{
    List out;
    for (const axe::IndexExpr e : map.results) out.push_back(laws::value_of(map.pool, e, at));
    return out;
}

constexpr Int few = 20000;

/// What became of the maps.
struct Tally {
    int inverses = 0, collisions = 0, empty = 0;
};

void check_inverse(laws::Report& report, const axe::IndexingMap& map, Tally& tally)
{
    std::map<List, List> image; // results → dimensions
    std::vector<std::pair<Int, List>> numbered;
    bool injective = true;
    Int number = -1;
    std::map<Int, List> by_number;
    laws::for_each_point(map, [&](const List& at) {
        ++number;
        if (!in_domain(map, at)) return;
        const List r = results_at(map, at), d(at.begin(), at.begin() + map.dimensions);
        const auto [there, is_new] = image.emplace(r, d);
        injective = injective && (is_new || there->second == d);
        by_number[number] = at;
    });
    const auto got = axe::inverse(map);
    report.asked(injective);
    if (!got) {
        if (got.code() == axe::errc::not_single_valued) {
            ++tally.collisions;
            const List a = by_number[got.error().numbers[0]], b = by_number[got.error().numbers[1]];
            report.that(!injective && !a.empty() && !b.empty() && a != b && results_at(map, a) == results_at(map, b),
                        "no collision", map, got.error().message().c_str());
        } else {
            ++tally.empty;
            report.that(got.code() == axe::errc::bad_argument && image.empty(), "another error", map,
                        got.error().message().c_str());
        }
        return;
    }
    ++tally.inverses;
    if (!report.that(injective, "an inverse of a map that is not injective", map, "got", *got)) return;
    bool there = true, same = true;
    for (const auto& [r, d] : image) {
        there = there && in_domain(*got, r);
        same = same && results_at(*got, r) == d;
    }
    report.that(there, "a point of the image is outside the domain", map, "got", *got);
    report.that(same, "not the inverse", map, "got", *got);
    Int volume = 1, points = 0;
    for (const axe::IndexVariable& v : got->variables)
        volume = std::min(few, volume * std::min(few, v.bounds.high - v.bounds.low + 1));
    if (volume < few) {
        laws::for_each_point(*got, [&](const List& at) { points += in_domain(*got, at); });
    } else { // those beside the image
        points = static_cast<Int>(image.size());
        for (const auto& [r, d] : image)
            for (std::size_t j = 0; j < r.size(); ++j)
                for (const Int by : {-2, -1, 1, 2}) {
                    List at = r;
                    at[j] += by;
                    points += image.count(at) == 0 && in_domain(*got, at);
                }
    }
    report.that(points == static_cast<Int>(image.size()), "a domain larger than the image", map, "got", *got);
}

/// Constraints, range variables, a box that does not start at 0.
void dress(Random& r, axe::IndexingMap& map)
{
    if (r.one_in(3)) {
        axe::IndexExpr e = map.variable(static_cast<int>(r.in(0, static_cast<Int>(map.variables.size()) - 1)));
        if (r.one_in(2)) e = map.pool.add(e, map.variable(0));
        if (r.one_in(3)) e = map.pool.mod(e, r.in(2, 4));
        map.constraints.push_back({e, {r.in(0, 1), r.in(1, 8)}});
    }
    if (map.dimensions > 1 && r.one_in(4)) { // the last one becomes a loop
        --map.dimensions;
        ++map.ranges;
    }
}

} // namespace

TEST_CASE("inverse of a map: random chains of operations")
{
    laws::Report report("inverse");
    Random r(51);
    Tally tally;
    for (Int i = laws::cases(3000); i > 0; --i) {
        axe::IndexingMap map = laws::random_chain(r, static_cast<int>(r.in(1, 5)), 200, r.one_in(2));
        dress(r, map);
        check_inverse(report, map, tally);
    }
    INFO(tally.inverses << " inverses, " << tally.collisions << " collisions, " << tally.empty << " empty");
    CHECK(tally.inverses > 20 * tally.empty);
    report.finish();
}

TEST_CASE("inverse of a map: digits of variables, shuffled into results")
{
    laws::Report report("inverse");
    Random r(52);
    Tally tally;
    for (Int i = laws::cases(4000); i > 0; --i) {
        axe::IndexingMap map = laws::random_map(r, 0, 200, 1);
        map.results.clear();
        std::vector<axe::IndexExpr> parts;
        std::vector<Int> extent;
        for (int v = 0; v < map.dimensions; ++v) {
            const auto& b = map.variables[static_cast<std::size_t>(v)].bounds;
            const Int n = b.high - b.low + 1, k = r.in(1, 4);
            const axe::IndexExpr d = map.pool.add(map.variable(v), r.one_in(2) ? -b.low : 0);
            if (k == 1) {
                parts.push_back(d);
                extent.push_back(n);
            } else {
                parts.push_back(map.pool.floor_div(d, k));
                extent.push_back((n + k - 1) / k + 1);
                parts.push_back(map.pool.mod(d, k));
                extent.push_back(k);
            }
        }
        for (std::size_t k = parts.size(); k > 1; --k) {
            const auto other = static_cast<std::size_t>(r.in(0, static_cast<Int>(k) - 1));
            std::swap(parts[k - 1], parts[other]);
            std::swap(extent[k - 1], extent[other]);
        }
        axe::IndexExpr sum = map.pool.constant(r.in(-9, 9));
        Int stride = r.in(1, 3);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            sum = map.pool.add(sum, map.pool.mul(parts[k], r.one_in(3) ? -stride : stride));
            stride *= extent[k];
            if (r.one_in(3)) stride += r.in(0, 3);
            if (k + 1 < parts.size() && !r.one_in(3)) continue;
            map.results.push_back(sum);
            // rows that take up what another one holds
            sum = r.one_in(3) ? parts[static_cast<std::size_t>(r.in(0, static_cast<Int>(k)))] : map.pool.constant(0);
            stride = r.in(1, 3);
        }
        dress(r, map);
        check_inverse(report, map, tally);
    }
    INFO(tally.inverses << " inverses, " << tally.collisions << " collisions, " << tally.empty << " empty");
    CHECK(tally.inverses > 20 * tally.empty);
    report.finish(false);
}

TEST_CASE("inverse of a map: random expressions")
{
    laws::Report report("inverse");
    Random r(53);
    Tally tally;
    for (Int i = laws::cases(2500); i > 0; --i) {
        axe::IndexingMap map = laws::random_map(r, static_cast<int>(r.in(0, 2)), 60, 4);
        dress(r, map);
        check_inverse(report, map, tally);
    }
    INFO(tally.inverses << " inverses, " << tally.collisions << " collisions, " << tally.empty << " empty");
    CHECK(tally.inverses > 2 * tally.empty);
    report.finish();
}

TEST_CASE("inverse of a map: products, residues of multiples, gaps, which no digits give")
{
    laws::Report report("inverse");
    Random r(54);
    Tally tally;
    for (Int i = laws::cases(300); i > 0; --i) {
        const Int n = r.in(1, 40), k = r.in(1, 60), low = r.in(-20, 20);
        axe::IndexingMap map = axe::IndexingMap::over({n, r.in(1, 5)});
        map.variables[0].bounds = {low, low + n - 1};
        const axe::IndexExpr x = map.dimension(0), y = map.dimension(1);
        axe::IndexPool& p = map.pool;
        const axe::IndexExpr square = p.mul(x, p.add(x, r.in(-3, 3)));
        const axe::IndexExpr ways[] = {p.add(square, p.mul(y, r.in(1, 50))),
                                       p.mod(p.add(p.mul(x, k), y), r.in(2, 90)),
                                       p.add(p.mul(p.floor_div(x, r.in(2, 5)), r.in(7, 9)), p.mod(x, r.in(2, 5))),
                                       p.mul(x, y),
                                       y,
                                       p.mul(p.add(p.mul(x, r.in(1, 9)), p.mul(y, r.in(1, 9))), 1000000007)};
        for (Int results = r.in(1, 3); results > 0; --results) map.results.push_back(ways[r.in(0, 5)]);
        if (r.one_in(3)) map.constraints.push_back({p.mod(p.add(x, y), 7), {1, 4}});
        check_inverse(report, map, tally);
    }
    INFO(tally.inverses << " inverses, " << tally.collisions << " collisions, " << tally.empty << " empty");
    CHECK(tally.inverses > 10 * tally.empty);
    report.finish();
}
