// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/evaluate.hpp>
#include <axe/layout/evaluator.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/preimage.hpp>
#include <tests/laws/report.hpp>

/// The forward and the backward map: points, evaluate and the evaluator go from indices to points, preimage from points to coordinates.
namespace {

using laws::Int;
using oracle::Value;

Value encode(const axe::Point& p)
{
    Value v = 0;
    for (const auto& e : p) v += oracle::encode(e.value, e.axis);
    return v;
}
axe::Point decode(Value v)
{
    axe::Point out;
    for (int a = 0; a < oracle::axis_count; ++a)
        if (const Int c = oracle::decode(v, a); c != 0) *out.entry(oracle::axes[a]) = c;
    return out;
}

/// In the order of points: axis by axis, alphabetically.
bool before(Value v, Value w)
{
    for (int a : {1, 0, 2}) // lane, m, warp
        if (const Int x = oracle::decode(v, a), y = oracle::decode(w, a); x != y) return x < y;
    return false;
}

void check_forward(laws::Report& report, const axe::Layout& l)
{
    const auto truth = oracle::table(l);
    for (Int x = 0; x < oracle::size(l); ++x) {
        std::vector<Value> want, got;
        for (Value v : truth.set) want.push_back(truth.low[static_cast<std::size_t>(x)] + v);
        std::sort(want.begin(), want.end(), before);
        const auto range = axe::points(l, x);
        report.asked(true);
        if (!report.that(range.error().ok(), "no points", l, x)) return;
        for (const auto& p : range) {
            got.push_back(encode(p));
            if (got.size() > want.size()) break;
        }
        if (!report.that(got == want, "other points, or another order", l, x)) return;
        const auto count = range.count();
        if (!report.that(count && *count == static_cast<Int>(want.size()), "another count", l, x)) return;
        const auto one = axe::evaluate(l, x);
        bool moves = false;
        for (const auto& it : l.replica) moves = moves || (it.extent > 1 && it.stride != 0);
        if (!report.that(one.has_value() != moves, "evaluated, or not", l, x)) return;
        if (one && !report.that(encode(*one) == want[0], "evaluated to another point", l, x)) return;
        if (!one && !report.that(one.code() == axe::errc::not_single_valued, "another error", l, x)) return;
    }
    report.that(axe::points(l, oracle::size(l)).error().code == axe::errc::out_of_domain, "outside the domain", l);
    report.that(axe::points(l, -1).error().code == axe::errc::out_of_domain, "outside the domain", l);
    for (int a = 0; a < oracle::axis_count; ++a) {
        const auto ev = axe::make_evaluator(l, oracle::axes[a]);
        bool moves = false;
        for (const auto& it : l.replica) moves = moves || (it.extent > 1 && it.stride != 0 && it.axis == oracle::axes[a]);
        if (!report.that(ev.has_value() != moves, "an evaluator, or none", l, oracle::axes[a]) || !ev) continue;
        const auto plain = oracle::model(l);
        for (Int x = 0; x < oracle::size(l); ++x)
            if (!report.that((*ev)(x) == oracle::decode(oracle::at(plain, x) + plain.offset, a), "evaluator", l, oracle::axes[a],
                             x))
                break;
    }
}

void check_backward(laws::Report& report, const axe::Layout& l, const axe::Shape& shape, const axe::Point& point)
{
    const auto truth = oracle::table(l);
    const Value p = encode(point);
    std::vector<axe::Coord> want;
    for (std::size_t x = 0; x < truth.low.size(); ++x) {
        if (!std::binary_search(truth.set.begin(), truth.set.end(), p - truth.low[x])) continue;
        axe::Coord c;
        for (Int i : oracle::coordinate(oracle::list(shape), static_cast<Int>(x))) c.push_back(i);
        want.push_back(c);
    }
    const auto got = axe::preimage(l, shape, point);
    report.asked(!want.empty());
    if (!report.that(got.error().ok(), "an error", l, shape, point)) return;
    report.that(got.empty() == want.empty(), "empty, or not", l, shape, point);
    const auto count = got.count();
    report.that(count && *count == static_cast<Int>(want.size()), "another count", l, shape, point, "not",
                static_cast<Int>(want.size()));
    std::size_t n = 0;
    for (const auto& c : got) {
        if (n == want.size() || !(want[n] == c)) return report.wrong("another coordinate", l, shape, point, "got", c);
        ++n;
    }
    report.that(n == want.size(), "too few coordinates", l, shape, point);
}

axe::Layout random_layout(laws::Random& r)
{
    laws::Kind kind;
    kind.largest_size = 60;
    kind.axes = static_cast<int>(r.in(1, 3));
    kind.extent_one = r.one_in(4);
    kind.extent = 6;
    kind.offset = true;
    kind.replicas = r.one_in(2);
    return laws::random_layout(r, kind);
}

} // namespace

TEST_CASE("points: every index of every small layout")
{
    laws::Report report("points");
    laws::all_shards(2, 4, 6, 1, [&](const axe::Layout& l) { check_forward(report, l); });
    laws::all_shards(3, 3, 4, 1, [&](const axe::Layout& list) { // the same lists as replicas, with and without gaps
        axe::Layout l{{{2, 5}}};
        for (const auto& it : list.shard) l.replica.push_back(it);
        check_forward(report, l);
    });
    report.finish(false);
}

TEST_CASE("points: random layouts")
{
    laws::Report report("points");
    laws::Random r(20240623);
    for (Int i = laws::cases(100'000); i > 0; --i) check_forward(report, random_layout(r));
    report.finish(false);
}

TEST_CASE("preimage: every value near every small layout")
{
    laws::Report report("preimage");
    laws::all_shards(3, 3, 4, 1, [&](const axe::Layout& l) {
        for (Int v = -6; v <= 8; ++v) check_backward(report, l, {oracle::size(l)}, {{axe::Axis{}, v}});
    });
    report.finish();
}

TEST_CASE("preimage: random layouts, points of theirs and others")
{
    laws::Report report("preimage");
    laws::Random r(20240624);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        const auto table = oracle::table(l);
        Value p = table.low[static_cast<std::size_t>(r.in(0, oracle::size(l) - 1))] +
                  table.set[static_cast<std::size_t>(r.in(0, static_cast<Int>(table.set.size()) - 1))];
        if (r.one_in(3)) p += oracle::encode(r.in(-2, 2), laws::random_axis(r, 3));
        check_backward(report, l, laws::random_shape(r, oracle::size(l), 3), decode(p));
    }
    report.finish();
}

TEST_CASE("axes that occur without moving leave room for those that move")
{
    // Nine axes, of which eight move: a point has room for eight.
    axe::Layout l;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) l.shard.push_back({2, 1, *axe::Axis::make(name, 1)});
    l.shard.push_back({1, 1, "z"});
    l.replica.push_back({2, 1, "h"});
    REQUIRE(axe::check(l).ok());
    std::vector<axe::Point> places;
    for (const auto& p : axe::points(l, 127)) places.push_back(p);
    REQUIRE(places.size() == 2);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) CHECK(places[0][*axe::Axis::make(name, 1)] == 1);
    CHECK(places[0]["h"] == 0);
    CHECK(places[1]["h"] == 1);

    l.replica.clear();
    l.shard.insert(0, {2, 1, "h"});
    REQUIRE(axe::evaluate(l, 255));
    CHECK((*axe::evaluate(l, 128))["h"] == 1);
    CHECK((*axe::evaluate(l, 127))["a"] == 1);
}

TEST_CASE("preimage: a sum that is too hard to find is refused within bounds")
{
    axe::Layout l; // is there a sum of six numbers, each out of a thousand multiples?
    const axe::Shape shape{1000, 1000, 1000, 1000, 1000, 1000};
    for (const Int stride : {1000003, 1000033, 1000037, 1000039, 1000081, 1000099}) l.shard.push_back({1000, stride, {}});
    REQUIRE(axe::check(l).ok());
    CHECK(axe::preimage(l, shape, {{axe::Axis{}, 3000123456}}).error().code == axe::errc::too_hard);
    // What is easy among the same numbers is answered.
    CHECK(axe::preimage(l, shape, {{axe::Axis{}, 1000003 + 2 * Int{1000099}}}).empty() == false);
    CHECK(axe::preimage(l, shape, {{axe::Axis{}, 1000002}}).empty());
}
