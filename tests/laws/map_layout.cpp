// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/map/canonical_map.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/print.hpp>
#include <axe/map/to_layout.hpp>
#include <tests/laws/map_chains.hpp>
#include <tests/laws/report.hpp>

/// to_map(L, S) has the sets of L; from_map gives L back; and from_map answers iff the values are a layout's.
namespace {

using laws::Int;
using laws::Random;

const std::vector<axe::Axis> three(oracle::axes, oracle::axes + 3);

/// The values of the results at every point of the dimensions, as numbers; of the first of the ranges only.
std::vector<oracle::Value> low_values(const axe::IndexingMap& map)
{
    std::vector<oracle::Value> out;
    std::vector<Int> at;
    for (const axe::IndexVariable& v : map.variables) at.push_back(v.bounds.low);
    laws::for_each_point(map, at, 0, static_cast<std::size_t>(map.dimensions), [&] {
        oracle::Value sum = 0;
        for (std::size_t j = 0; j < map.results.size(); ++j)
            sum += oracle::encode(laws::value_of(map.pool, map.results[j], at), oracle::axes[j]);
        out.push_back(sum);
    });
    return out;
}

void check_layout(laws::Report& report, const axe::Layout& l, const axe::Shape& shape)
{
    const auto map = axe::to_map(l, shape, three);
    report.asked(true);
    if (!report.that(map.has_value(), "to_map", l, shape, map.error().sentence().c_str())) return;

    // The set of each point, written out.
    const oracle::Model model = oracle::model(l);
    const std::vector<oracle::Value> sums = oracle::sums(model.replica);
    std::vector<Int> at(map->variables.size());
    Int x = 0;
    bool same = true;
    laws::for_each_point(*map, at, 0, static_cast<std::size_t>(map->dimensions), [&] {
        std::vector<oracle::Value> got;
        laws::for_each_point(*map, at, static_cast<std::size_t>(map->dimensions), at.size(), [&] {
            oracle::Value sum = 0;
            for (std::size_t j = 0; j < 3; ++j)
                sum += oracle::encode(laws::value_of(map->pool, map->results[j], at), oracle::axes[j]);
            got.push_back(sum);
        });
        std::sort(got.begin(), got.end());
        got.erase(std::unique(got.begin(), got.end()), got.end());
        for (oracle::Value& v : got) v -= oracle::at(model, x) + model.offset;
        same = same && got == sums;
        ++x;
    });
    if (!report.that(same, "other sets", l, shape, "got", *map)) return;

    const auto back = axe::from_map(*map, three);
    if (!report.that(back.has_value(), "no way back", l, shape, *map, back.error().sentence().c_str())) return;
    report.that(bool(axe::equal(*back, l)) && *back == *axe::canonicalize(*back), "another layout", l, shape, *map, "got", *back);
}

void check_map(laws::Report& report, const axe::IndexingMap& map)
{
    const std::vector<axe::Axis> axes(oracle::axes, oracle::axes + map.results.size());
    const auto values = low_values(map);
    const auto truth = oracle::recover_d(values);
    const auto got = axe::from_map(map, axes);
    if (report.exists(truth.has_value(), got, map))
        report.that(oracle::same_list(got->shard, *truth) && oracle::table(*got).low == values, "wrong", map, "got", *got);
}

void check_canonical(laws::Report& report, const axe::IndexingMap& map)
{
    const auto got = axe::canonical_map(map);
    report.asked(true);
    if (!report.that(got.has_value(), "canonical_map", map, got.error().sentence().c_str())) return;
    bool same = true;
    laws::for_each_point(map, [&](const std::vector<Int>& at) {
        for (std::size_t j = 0; j < map.results.size(); ++j)
            same = same && laws::value_of(map.pool, map.results[j], at) == laws::value_of(got->pool, got->results[j], at);
    });
    if (!report.that(same, "another map", map, "got", *got)) return;
    // Where every result is a layout of its own, the form is that of the layouts.
    axe::Shape shape;
    for (const axe::IndexVariable& v : map.variables) shape.push_back(v.bounds.high - v.bounds.low + 1);
    int simplest = 0;
    for (std::size_t j = 0; j < map.results.size(); ++j) {
        axe::IndexingMap one = map;
        one.results = {map.results[j]};
        const auto values = low_values(one);
        const auto truth = oracle::recover_d(values);
        if (!truth) return;
        axe::Layout l;
        for (const axe::Iter& it : *truth) l.shard.push_back(it);
        if (values[0] != 0) *l.offset.entry({}) = values[0];
        simplest += laws::divisions(*axe::to_map(l, shape));
    }
    report.that(laws::divisions(*got) <= simplest, "not the simplest form", map, "got", *got);
    const auto again = axe::canonical_map(*got);
    report.that(again && axe::print(*again) == axe::print(*got), "not the last word", map, "got", *got, "then", *again);
}

/// Every shape of rank 2, the flat one, and one with extents of 1.
template <class F>
void all_shapes(Int n, F&& f)
{
    f(axe::Shape{n});
    f(axe::Shape{1, n, 1});
    for (Int rows = 2; rows < n; ++rows)
        if (n % rows == 0) f(axe::Shape{rows, n / rows});
}

} // namespace

TEST_CASE("map of a layout and back: every small layout, every shape")
{
    laws::Report report("to_map");
    const auto every = [&](const axe::Layout& l) {
        all_shapes(oracle::size(l), [&](const axe::Shape& shape) { check_layout(report, l, shape); });
    };
    laws::all_shards(2, 4, 8, 2, every);
    laws::all_shards(3, 4, 2, 1, every);
    report.finish(false);
}

TEST_CASE("map of a layout and back: random layouts with replicas and offsets")
{
    laws::Report report("to_map");
    Random r(41);
    for (Int i = laws::cases(3000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = 3;
        kind.largest_size = 200;
        kind.replicas = r.one_in(2);
        kind.offset = true;
        kind.extent_one = true;
        const axe::Layout l = laws::random_layout(r, kind);
        check_layout(report, l, laws::random_shape(r, oracle::size(l), 4));
    }
    report.finish(false);
}

TEST_CASE("layout of a map: random chains of operations")
{
    laws::Report report("from_map");
    Random r(42);
    for (Int i = laws::cases(6000); i > 0;) {
        const axe::IndexingMap map = laws::random_chain(r, static_cast<int>(r.in(1, 6)), 300, r.one_in(2));
        if (map.results.empty() || map.results.size() > 3) continue;
        --i;
        check_map(report, map);
        check_canonical(report, map);
    }
    report.finish();
}

TEST_CASE("layout of a map: random expressions")
{
    laws::Report report("from_map");
    Random r(43);
    for (Int i = laws::cases(20000); i > 0; --i) {
        const axe::IndexingMap map = laws::random_map(r, static_cast<int>(r.in(1, 4)), 300, 3);
        check_map(report, map);
        check_canonical(report, map);
    }
    report.finish();
}
