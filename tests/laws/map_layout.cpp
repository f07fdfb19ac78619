// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/map/canonical_map.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/print.hpp>
#include <axe/map/to_layout.hpp>
#include <tests/laws/map_chains.hpp>
#include <tests/laws/map_obscured.hpp>
#include <tests/laws/map_random.hpp>
#include <tests/laws/map_relation.hpp>
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
    if (!report.that(map.has_value(), "to_map", l, shape, map.error().message().c_str())) return;

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
    if (!report.that(back.has_value(), "no way back", l, shape, *map, back.error().message().c_str())) return;
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
    if (!report.that(got.has_value(), "canonical_map", map, got.error().message().c_str())) return;
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

/// Some steps that leave the relation as it is.
axe::IndexingMap obscured_often(Random& r, axe::IndexingMap map, Int steps)
{
    for (; steps > 0; --steps) map = laws::obscured(r, map, static_cast<int>(r.in(0, laws::obscurings - 1)));
    return map;
}
Int points_of(const axe::IndexingMap& map)
{
    Int n = 1;
    for (const axe::IndexVariable& v : map.variables) n *= std::max<Int>(1, v.bounds.high - v.bounds.low + 1);
    return n;
}

/// Any relation: expressions of all variables and constraints, or a layout with a mistake in it.
axe::IndexingMap random_relation(Random& r)
{
    laws::MapKind any;
    any.ranges = 3;
    any.extent = r.one_in(2) ? 3 : 6;
    any.results = r.in(1, 3);
    any.constraints = r.in(0, 2);
    if (r.one_in(2)) return laws::random_map(r, any);
    laws::Kind kind;
    kind.axes = 3;
    kind.largest_size = 24;
    kind.iters = 3;
    kind.extent = 4;
    kind.replicas = true;
    const axe::Layout l = laws::random_layout(r, kind);
    axe::IndexingMap map = obscured_often(r, *axe::to_map(l, laws::random_shape(r, oracle::size(l), 3), three), r.in(0, 2));
    if (r.one_in(2)) {
        axe::IndexExpr& e = map.results[static_cast<std::size_t>(r.in(0, 2))];
        e = map.pool.add(e, laws::random_expression(r, map, 2));
    }
    if (r.one_in(3)) axe::constrain(map, laws::random_expression(r, map, 2), laws::random_interval(r, 12));
    return map;
}

void check_relation(laws::Report& report, const axe::IndexingMap& map)
{
    const std::vector<axe::Axis> axes(oracle::axes, oracle::axes + map.results.size());
    const laws::Relation truth = laws::relation_of(map);
    const auto got = axe::from_map(map, axes);
    if (report.exists(truth.is_layout, got, map)) report.that(laws::is_relation(*got, truth), "wrong", map, "got", *got);
}

/// Iters of up to 2^20 values, powers and large primes among them, and at most 2^50 indices.
axe::Layout large_layout(Random& r)
{
    constexpr Int extents[] = {2, 3, 5, 13, 97, 128, 1009, 2187, 6561, 65536, 65537, 1000003, 1048576};
    axe::Layout l;
    Int size = 1;
    for (Int k = r.in(1, 4); k > 0; --k) {
        const Int n = r.one_in(3) ? r.in(2, 5000) : extents[r.in(0, 12)];
        if (n > (Int{1} << 50) / size) continue;
        size *= n;
        l.shard.push_back({n, r.in(-1000, 1000), laws::random_axis(r, 3)});
    }
    for (Int k = r.in(0, 2); k > 0; --k) l.replica.push_back({extents[r.in(0, 11)], r.in(-1000, 1000), laws::random_axis(r, 3)});
    *l.offset.entry(laws::random_axis(r, 3)) = r.in(1, 20);
    return l;
}
axe::Shape large_shape(Random& r, Int size)
{
    axe::Shape shape;
    for (Int k = r.in(0, 2); k > 0; --k) {
        shape.push_back(laws::pick_divisor(r, size));
        size /= shape[shape.size() - 1];
    }
    shape.push_back(size);
    return shape;
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

TEST_CASE("layout of a map: random relations, up to 2^20 points none is too hard")
{
    laws::Report report("from_map");
    Random r(44);
    for (Int i = laws::cases(3000); i > 0; --i)
        if (const axe::IndexingMap map = random_relation(r); points_of(map) <= 4000) check_relation(report, map);
    report.finish();
}

TEST_CASE("layout of a map: layouts written in other ways")
{
    laws::Report report("from_map");
    Random r(45);
    for (Int i = laws::cases(1000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = 3;
        kind.largest_size = 100;
        kind.replicas = kind.offset = kind.extent_one = true;
        const axe::Layout l = laws::random_layout(r, kind);
        const axe::IndexingMap plain = *axe::to_map(l, laws::random_shape(r, oracle::size(l), 4), three);
        const axe::IndexingMap map = obscured_often(r, plain, r.in(1, 4));
        if (points_of(map) > Int{1} << 20) continue;
        const auto back = axe::from_map(map, three);
        report.asked(true);
        if (report.that(back.has_value(), "no way back", l, map, back.error().message().c_str()))
            report.that(bool(axe::equal(*back, l)), "another layout", l, map, "got", *back);
    }
    report.finish(false);
}

TEST_CASE("layout of a map: large layouts written in other ways, hardly ever too hard")
{
    laws::Report report("from_map");
    Random r(46);
    Int hard = 0;
    for (Int i = laws::cases(300); i > 0; --i) {
        const axe::Layout l = large_layout(r);
        const axe::IndexingMap map = obscured_often(r, *axe::to_map(l, large_shape(r, *axe::size(l)), three), r.in(1, 3));
        if (!map.pool.error().ok()) continue;
        const auto back = axe::from_map(map, three);
        report.asked(true);
        hard += back.code() == axe::errc::too_hard;
        if (back.code() == axe::errc::too_hard) continue;
        if (report.that(back.has_value(), "no way back", l, map, back.error().message().c_str()))
            report.that(bool(axe::equal(*back, l)), "another layout", l, map, "got", *back);
    }
    report.finish(false);
    CHECK(hard * 50 <= report.yes());
}
