// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/evaluate.hpp>
#include <axe/map/box.hpp>
#include <axe/map/compose.hpp>
#include <axe/map/count.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/tile.hpp>
#include <axe/map/to_layout.hpp>
#include <tests/fuzz/map_laws.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fuzz {
namespace {

using axe::errc;
using axe::IndexingMap;
using Numbers = std::vector<Int>;
using Table = std::vector<std::pair<Numbers, Numbers>>; ///< points of the domain, in order, and their results

constexpr Int most_points = 4096;

/// How many points the intervals hold, `most_points + 1` for more.
Int box_size(const IndexingMap& map)
{
    Int size = 1;
    for (const axe::IndexVariable& v : map.variables) {
        if (v.bounds.is_empty()) return 0;
        Int extent = 0;
        if (!axe::detail::sub(v.bounds.high, v.bounds.low, extent) || extent >= most_points) return most_points + 1;
        size = std::min(size * (extent + 1), most_points + 1);
    }
    return size;
}

/// False when a value on the way overflows: then the map is none that has to be known exactly.
/// @param may_divide  by 0, at points outside the domain: a divisor may be known from the domain alone
bool enumerate(const IndexingMap& map, Table& out, bool may_divide = false)
{
    const auto may_fail = [&](const axe::Error& e) { return may_divide && e.code == errc::bad_argument; };
    if (box_size(map) == 0) return true;
    Numbers point;
    for (const axe::IndexVariable& v : map.variables) point.push_back(v.bounds.low);
    for (;;) {
        const auto inside = axe::contains(map, point);
        const auto results = axe::evaluate_anywhere(map, point);
        if (inside.undecided() && !may_fail(inside.error())) return false;
        if (!results && (inside.yes() || !may_fail(results.error()))) return false;
        if (inside.yes()) out.emplace_back(point, *results);
        std::size_t v = point.size();
        while (v > 0 && point[v - 1] == map.variables[v - 1].bounds.high) {
            --v;
            point[v] = map.variables[v].bounds.low;
        }
        if (v == 0) return true;
        ++point[v - 1];
    }
}

/// A decision may be declined, and a number may overflow.
bool declined(const axe::Error& error) { return error.code == errc::too_hard || error.code == errc::overflow; }

void check_simplify(const Input& in, const IndexingMap& map, const Table& table)
{
    const IndexingMap simple = axe::simplify(map);
    for (const auto& [point, results] : table) {
        const auto again = axe::evaluate(simple, point);
        in.that(again.has_value() && *again == results, "a simplified map has other values");
    }
    Table other;
    in.that(box_size(simple) <= most_points && enumerate(simple, other, true), "a simplified map overflows");
    in.that(other.size() == table.size(), "a simplified map has another domain");
    axe::IndexingMap afresh = simple;
    afresh.simplified = {};
    in.that(axe::print(axe::simplify(afresh)) == axe::print(simple), "a simplified map is simplified");
    const auto same = axe::equal(map, simple);
    in.that(same.undecided() ? declined(same.error()) : same.yes(), "a simplified map is not equal");
}

void check_decisions(const Input& in, const IndexingMap& map, const Table& table)
{
    const auto first = axe::find_point(map);
    if (first)
        in.that(first->has_value() ? !table.empty() && **first == table[0].first : table.empty(), "another first point");
    else
        in.that(declined(first.error()), "no answer to where the first point is");

    const auto count = axe::count_points(map);
    if (count)
        in.that(*count == static_cast<Int>(table.size()), "another count");
    else
        in.that(declined(count.error()), "no answer to how many points there are");

    const auto box = axe::image_box(map);
    if (!box) return in.that(declined(box.error()), "no answer to where the results lie");
    for (std::size_t i = 0; i < map.results.size(); ++i) {
        axe::IndexInterval real;
        for (const auto& [point, results] : table)
            real = real.is_empty() ? axe::IndexInterval{results[i], results[i]}
                                   : axe::IndexInterval{std::min(real.low, results[i]), std::max(real.high, results[i])};
        in.that(real.is_empty() ? (*box)[i].is_empty() : (*box)[i] == real, "another box of the image");
    }
}

void check_inverse(const Input& in, const IndexingMap& map, const Table& table)
{
    std::map<Numbers, Numbers> back; // from results to dimensions
    bool is_single = true;
    for (const auto& [point, results] : table) {
        const Numbers dimensions(point.begin(), point.begin() + map.dimensions);
        is_single = back.emplace(results, dimensions).first->second == dimensions && is_single;
    }
    const auto inverse = axe::inverse(map);
    if (!inverse) {
        in.that(inverse.code() != errc::not_single_valued || !is_single, "no inverse where there is one");
        return;
    }
    in.that(is_single || table.empty(), "an inverse where there is none");
    // One that is a table takes a step at each point for all others.
    const Int most = std::min(most_points, (Int{1} << 20) / (inverse->pool.size() + 1) + 1);
    Int left = most;
    for (const auto& [results, dimensions] : back) {
        if (left-- == 0) break;
        const auto there = axe::evaluate(*inverse, results);
        in.that(there.has_value() && *there == dimensions, "the inverse leads elsewhere");
    }
    Table all;
    if (box_size(*inverse) <= most && enumerate(*inverse, all))
        in.that(all.size() == back.size(), "the inverse has another domain");
}

void check_layout(const Input& in, const IndexingMap& map, const Table& table)
{
    if (map.ranges > 0 || map.runtimes() > 0 || map.dimensions > axe::max_rank) return;
    const auto layout = axe::from_map(map);
    if (!layout) return;
    in.that(axe::size(*layout).value_or(0) == static_cast<Int>(table.size()), "a layout of another size");
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto point = axe::evaluate(*layout, static_cast<Int>(i));
        in.that(point.has_value(), "a layout that is not a map");
        for (std::size_t r = 0; r < map.results.size(); ++r) {
            const string name = map.results.size() == 1 ? "m" : "r" + std::to_string(r);
            in.that((*point)[axe::Axis::make(name.data(), static_cast<int>(name.size())).value()] == table[i].second[r],
                    "the layout leads elsewhere");
        }
    }
}

/// The indices of a box of rows, in order.
std::set<Numbers> indices(const std::vector<axe::TileRow>& rows)
{
    std::set<Numbers> out{{}};
    for (const axe::TileRow& r : rows) {
        std::set<Numbers> longer;
        for (const Numbers& first : out) {
            for (Int k = 0; k < r.size; ++k) {
                Numbers next = first;
                Int index = 0;
                if (!axe::detail::mul(k, r.stride, index) || !axe::detail::add(index, r.offset, index))
                    break; // none of the integers
                next.push_back(index);
                if (r.clip.contains(index)) longer.insert(next);
            }
        }
        out = std::move(longer);
    }
    return out;
}

bool is_in(Int x, Int offset, Int size, Int stride)
{
    return x >= offset && (x - offset) % stride == 0 && (x - offset) / stride < size;
}

/// What is said of a few tiles of the dimensions, every case that holds for one, against the points in it. Of a quarter of the texts:
/// this takes longer than all else.
void check_tiles(const Input& in, const IndexingMap& map, const Table& table)
{
    const auto n = static_cast<std::size_t>(map.dimensions);
    if (table.empty() || map.pool.size() > 24 || map.runtimes() > 0 || n == 0 || n > 2) return;
    const auto tile = axe::symbolic_tile(map);
    if (!tile) return in.that(declined(tile.error()) || tile.code() == errc::no_layout, "no answer to what tiles need");
    Int state = 1; // sizes and strides are small, as few tiles of others hold a case
    const auto below = [&](Int most) { return (state = (state * 1103515245 + 12345) % 2147483648) / 65536 % most; };
    for (int i = 0; i < 32; ++i) {
        Numbers at(3 * n);
        for (std::size_t d = 0; d < n; ++d) {
            const Int size = map.variables[d].bounds.high + 1;
            at[d] = below(size);
            at[n + d] = 1 + below(below(2) == 0 ? std::min(size, Int{3}) : size);
            at[2 * n + d] = 1 + below(std::min(size, Int{3}));
        }
        std::set<Numbers> needed;
        for (const auto& [point, results] : table) {
            bool inside = true;
            for (std::size_t d = 0; d < n; ++d) inside = inside && is_in(point[d], at[d], at[n + d], at[2 * n + d]);
            if (inside) needed.insert(results);
        }
        axe::SymbolicTile one = *tile;
        for (const axe::TileCase& c : tile->cases) {
            one.cases.assign(1, c);
            const auto rows = axe::tile_at(one, at);
            if (!rows && (rows.code() == errc::out_of_domain || rows.code() == errc::overflow)) continue;
            in.that(rows.has_value() && indices(*rows) == needed, "a tile needs something else");
        }
    }
}

/// A map that leads from its dimensions to its dimensions, after itself.
void check_compose(const Input& in, const IndexingMap& map, const Table& table)
{
    const bool is_plain = map.ranges + map.runtimes() == 0;
    const auto twice = axe::compose(map, map);
    if (!twice) {
        if (twice.code() == errc::overflow) return;
        in.that(twice.code() == errc::bad_argument && map.pool.has_variable_divisors(), "maps that do not compose");
        // A division by 0 is one of a point.
        const auto goes_on = [&](const auto& line) { return !axe::contains(map, line.second).no(); };
        in.that(!is_plain || std::any_of(table.begin(), table.end(), goes_on), "no point at which maps do not compose");
        return;
    }
    Table composed;
    if (box_size(*twice) <= most_points && enumerate(*twice, composed) && is_plain)
        for (const auto& [point, results] : composed)
            in.that(*axe::evaluate(map, *axe::evaluate(map, point)) == results, "a composed map leads elsewhere");
}

} // namespace

void check_laws(const Input& in, const IndexingMap& map)
{
    if (map.is_undefined || map.pool.size() > 64 || map.variables.size() > 6 || map.constraints.size() > 6) return;
    Table table;
    if (box_size(map) > most_points || !enumerate(map, table)) return;
    check_simplify(in, map, table);
    check_decisions(in, map, table);
    check_inverse(in, map, table);
    check_layout(in, map, table);
    if (in.length % 4 == 0) check_tiles(in, map, table);
    if (static_cast<int>(map.results.size()) != map.dimensions) return;
    check_compose(in, map, table);
}

} // namespace fuzz
