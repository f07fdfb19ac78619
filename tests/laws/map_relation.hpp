// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_RELATION_HPP
#define AXE_TESTS_LAWS_MAP_RELATION_HPP

#include <axe/map/indexing_map.hpp>
#include <tests/laws/map_chains.hpp>

#include <map>
#include <set>

/// The truth about maps as layouts: every point is visited, every set written out.
namespace laws {
using Point = std::vector<Int>;
/// Is a set of numbers from 0 the subset sums of some list? Summands in increasing order, one by one.
inline bool is_sum(const std::set<Int>& all, const std::set<Int>& sums, Int last)
{
    if (sums == all) return true;
    Int open = 0;
    for (Int v : all)
        if (sums.count(v) == 0) {
            open = v;
            break;
        }
    for (Int g : all) {
        if (g == 0 || g < last || g > open) continue;
        std::set<Int> next = sums;
        bool inside = true;
        for (Int v : sums) {
            inside = inside && all.count(v + g) > 0;
            next.insert(v + g);
        }
        if (!inside || (next == sums)) continue;
        if (is_sum(all, next, g)) return true;
    }
    return false;
}
/// Points of up to three results as numbers, in their order.
template <class List>
std::vector<oracle::Value> numbers(const List& points)
{
    std::vector<oracle::Value> out;
    for (const Point& p : points) {
        out.push_back(0);
        for (std::size_t j = 0; j < p.size(); ++j) out.back() += oracle::encode(p[j], oracle::axes[j]);
    }
    return out;
}

/// What a map is, if it is a layout's: the least values at each index, and the set that is added to them.
struct Relation {
    bool is_layout = false;
    std::vector<Point> corners{};
    std::set<Point> set{};
};
inline Relation relation_of(const axe::IndexingMap& m)
{
    // dimensions -> results, for each value of the run-time variables
    std::map<Point, std::map<Point, std::set<Point>>> all;
    std::vector<Int> at(m.variables.size());
    for (const auto& v : m.variables)
        if (v.bounds.is_empty()) return {};
    for_each_point(m, at, 0, at.size(), [&] {
        for (const auto& c : m.constraints)
            if (!c.interval.contains(value_of(m.pool, c.expression, at))) return;
        Point d(at.begin(), at.begin() + m.dimensions), rt(at.begin() + m.first_runtime(), at.end()), out;
        for (const auto e : m.results) out.push_back(value_of(m.pool, e, at));
        all[rt][d].insert(out);
    });
    if (all.empty()) return {};
    const auto& first = all.begin()->second;
    for (const auto& [rt, map] : all)
        if (map != first) return {};
    // a box?
    Point low = first.begin()->first, high = low;
    for (const auto& [d, set] : first)
        for (std::size_t i = 0; i < d.size(); ++i) {
            low[i] = std::min(low[i], d[i]);
            high[i] = std::max(high[i], d[i]);
        }
    Int n = 1;
    for (std::size_t i = 0; i < low.size(); ++i) n *= high[i] - low[i] + 1;
    if (n != static_cast<Int>(first.size())) return {};
    Relation r;
    for (const auto& [d, set] : first) { // row-major, as lexicographic
        Point corner = *set.begin();
        for (const auto& p : set)
            for (std::size_t j = 0; j < p.size(); ++j) corner[j] = std::min(corner[j], p[j]);
        std::set<Point> moved;
        for (Point p : set) {
            for (std::size_t j = 0; j < p.size(); ++j) p[j] -= corner[j];
            moved.insert(p);
        }
        if (r.corners.empty()) r.set = moved;
        if (moved != r.set) return {};
        r.corners.push_back(corner);
    }
    std::size_t product = 1;
    for (std::size_t j = 0; j < m.results.size(); ++j) {
        std::set<Int> values;
        for (const auto& p : r.set) values.insert(p[j]);
        product *= values.size();
        if (!is_sum(values, {0}, 1)) return {};
    }
    if (product != r.set.size()) return {};
    r.is_layout = oracle::recover_d(numbers(r.corners)).has_value();
    return r;
}
/// Does the layout have these points?
inline bool is_relation(const axe::Layout& l, const Relation& r)
{
    std::vector<oracle::Value> set = numbers(r.set);
    std::sort(set.begin(), set.end());
    return oracle::table(l) == oracle::Table{numbers(r.corners), set};
}

} // namespace laws

#endif
