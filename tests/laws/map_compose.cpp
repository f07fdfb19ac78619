// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/rescale.hpp>
#include <axe/map/to_dimensions.hpp>
#include <tests/laws/map_random.hpp>

/// Composition, and what renames or removes variables, against evaluation at every point.
namespace {

using laws::Int;
using laws::Numbers;

Numbers part(const Numbers& from, int begin, int end) { return {from.begin() + begin, from.begin() + end}; }
Numbers joined(std::initializer_list<Numbers> parts)
{
    Numbers out;
    for (const Numbers& p : parts) out.insert(out.end(), p.begin(), p.end());
    return out;
}

/// All (dimensions, results) that belong together.
std::set<Numbers> relation(const axe::IndexingMap& m, const std::vector<bool>& without = {})
{
    std::set<Numbers> out;
    laws::every_value(m, [&](const Numbers& point, const Numbers& results) {
        Numbers both;
        for (int d = 0; d < m.dimensions; ++d)
            if (without.empty() || !without[static_cast<std::size_t>(d)]) both.push_back(point[static_cast<std::size_t>(d)]);
        both.insert(both.end(), results.begin(), results.end());
        out.insert(both);
    });
    return out;
}

Int points(const axe::IndexingMap& m)
{
    Int out = 0;
    laws::every_value(m, [&](const Numbers&, const Numbers&) { ++out; });
    return out;
}

bool same_everywhere(const axe::IndexingMap& x, const axe::IndexingMap& y)
{
    if (x.dimensions != y.dimensions || x.ranges != y.ranges || x.variables.size() != y.variables.size()) return false;
    std::vector<axe::IndexInterval> both;
    for (std::size_t v = 0; v < x.variables.size(); ++v)
        both.push_back({std::min(x.variables[v].bounds.low, y.variables[v].bounds.low),
                        std::max(x.variables[v].bounds.high, y.variables[v].bounds.high)});
    bool same = true;
    laws::every_point(both, [&](const Numbers& p) {
        const bool inside = axe::contains(x, p).yes();
        same = same && inside == axe::contains(y, p).yes() &&
               (!inside || *axe::evaluate_anywhere(x, p) == *axe::evaluate_anywhere(y, p));
    });
    return same;
}

} // namespace

TEST_CASE("map compose: second(first(x)), where first(x) is in the second's domain")
{
    laws::Random r(20261122);
    Int inside = 0;
    for (Int i = laws::cases(10'000); i > 0; --i) {
        laws::MapKind kind;
        kind.results = r.in(0, 2);
        const auto first = laws::random_map(r, kind);
        kind.extent = 7;
        const auto second = laws::random_map(r, kind, kind.results);
        const auto c = axe::compose(first, second);
        INFO(axe::print(first) << "\nthen " << axe::print(second));
        REQUIRE(c.has_value());
        INFO("is " << axe::print(*c));
        REQUIRE(c->dimensions == first.dimensions);
        REQUIRE(c->ranges == second.ranges + first.ranges);
        REQUIRE(c->runtimes() == second.runtimes() + first.runtimes());
        REQUIRE(c->constraints.size() <= first.constraints.size() + second.constraints.size() + first.results.size());

        auto box = laws::box(first);
        for (int v = second.dimensions; v < static_cast<int>(second.variables.size()); ++v)
            box.push_back(second.variables[static_cast<std::size_t>(v)].bounds);
        bool same = true;
        laws::every_point(box, [&](const Numbers& p) {
            const int n = static_cast<int>(first.variables.size());
            const Numbers of_first = part(p, 0, n), between = *axe::evaluate_anywhere(first, of_first);
            const Numbers ranges = part(p, n, n + second.ranges), runtimes = part(p, n + second.ranges, static_cast<int>(p.size()));
            const Numbers of_second = joined({between, ranges, runtimes});
            const Numbers of_both =
                joined({part(p, 0, first.dimensions), ranges, part(p, first.first_range(), first.first_runtime()), runtimes,
                        part(p, first.first_runtime(), n)});
            const bool truth = axe::contains(first, of_first).yes() && axe::contains(second, of_second).yes();
            same = same && axe::contains(*c, of_both).yes() == truth;
            if (!truth) return;
            ++inside;
            same = same && *axe::evaluate(*c, of_both) == *axe::evaluate(second, of_second);
        });
        REQUIRE(same);
    }
    CHECK(inside > 10'000 * (laws::cases(10'000) / 10'000));
}

TEST_CASE("map compose: associative, with the same variables")
{
    laws::Random r(7);
    for (Int i = laws::cases(3'000); i > 0; --i) {
        laws::MapKind kind;
        kind.constraints = 1;
        const auto f = laws::random_map(r, kind);
        kind.extent = 6;
        const auto g = laws::random_map(r, kind, 2), h = laws::random_map(r, kind, 2);
        const auto left = axe::compose(axe::compose(f, g).value(), h), right = axe::compose(f, axe::compose(g, h).value());
        INFO(axe::print(f) << "\nthen " << axe::print(g) << "\nthen " << axe::print(h));
        REQUIRE(left.has_value());
        REQUIRE(right.has_value());
        REQUIRE(same_everywhere(*left, *right));
    }
}

TEST_CASE("remove_unused: the relation without the variables that are gone")
{
    laws::Random r(8);
    Int removed = 0, emptied = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        laws::MapKind kind;
        kind.dimensions = 3;
        kind.ranges = 2;
        kind.results = 1;
        const auto m = laws::random_map(r, kind);
        const auto which = static_cast<axe::UnusedKind>(r.in(0, 2));
        const auto unused = axe::remove_unused(m, which);
        INFO(axe::print(m) << "\nis " << axe::print(unused.map));
        REQUIRE(relation(unused.map) == relation(m, unused.removed));
        for (std::size_t v = 0; v < unused.removed.size(); ++v) {
            if (!unused.removed[v]) continue;
            ++removed;
            const bool is_dimension = static_cast<int>(v) < m.dimensions;
            REQUIRE((which == axe::UnusedKind::every || is_dimension == (which == axe::UnusedKind::dimensions)));
        }
        emptied += unused.map.has_empty_interval() && !m.has_empty_interval() ? 1 : 0;
        // Nothing is left to remove.
        const auto again = axe::remove_unused(unused.map, which);
        REQUIRE(std::count(again.removed.begin(), again.removed.end(), true) == 0);
    }
    CHECK(removed > 0);
    CHECK(emptied > 0);
}

TEST_CASE("rescale: the same relation, point for point")
{
    laws::Random r(9);
    Int rescaled = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        laws::MapKind kind;
        kind.constraints = 1;
        auto m = laws::random_map(r, kind);
        if (m.ranges == 0) continue;
        m.variables[static_cast<std::size_t>(m.first_range())].bounds = {r.in(-25, 5), r.in(0, 25)};
        for (Int k = r.in(1, 2); k > 0; --k) {
            const Int modulus = r.one_in(3) ? -r.in(2, 9) : r.in(2, 9), residue = r.in(0, std::abs(modulus) - 1);
            const auto s = m.pool.add(m.pool.mul(m.range(0), r.one_in(2) ? 1 : r.in(-5, 5)), r.one_in(2) ? 0 : r.in(-9, 9));
            const Int at = modulus < 0 ? -residue : residue;
            axe::constrain(m, m.pool.mod(s, modulus), {at, at});
        }
        const auto out = axe::rescale(m);
        INFO(axe::print(m) << "\nis " << axe::print(out));
        REQUIRE(relation(out) == relation(m));
        REQUIRE(points(out) == points(m));
        rescaled += axe::print(out) == axe::print(m) ? 0 : 1;
    }
    CHECK(rescaled > laws::cases(20'000) / 5);
}

TEST_CASE("ranges_to_dimensions, symbols_to_dimensions: the same points, renumbered")
{
    laws::Random r(10);
    for (Int i = laws::cases(5'000); i > 0; --i) {
        laws::MapKind kind;
        kind.ranges = 3;
        const auto m = laws::random_map(r, kind);
        INFO(axe::print(m));
        const auto all = axe::symbols_to_dimensions(m);
        REQUIRE(all.dimensions == static_cast<int>(m.variables.size()));
        std::vector<int> listed;
        for (int s = m.ranges - 1; s >= 0; --s)
            if (r.one_in(2)) listed.push_back(s);
        const auto some = axe::ranges_to_dimensions(m, listed);
        REQUIRE(some.has_value());
        bool same = true;
        laws::every_point(laws::box(m), [&](const Numbers& p) {
            Numbers moved = part(p, 0, m.dimensions);
            for (const int s : listed) moved.push_back(p[static_cast<std::size_t>(m.first_range() + s)]);
            for (int s = 0; s < m.ranges; ++s)
                if (std::find(listed.begin(), listed.end(), s) == listed.end())
                    moved.push_back(p[static_cast<std::size_t>(m.first_range() + s)]);
            for (int v = m.first_runtime(); v < static_cast<int>(p.size()); ++v) moved.push_back(p[static_cast<std::size_t>(v)]);
            const bool inside = axe::contains(m, p).yes();
            same = same && axe::contains(all, p).yes() == inside && axe::contains(*some, moved).yes() == inside;
            if (inside)
                same =
                    same && *axe::evaluate(all, p) == *axe::evaluate(m, p) && *axe::evaluate(*some, moved) == *axe::evaluate(m, p);
        });
        REQUIRE(same);
    }
}
