// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/intersect.hpp>
#include <axe/layout/max_vector.hpp>
#include <axe/layout/properties.hpp>
#include <tests/laws/report.hpp>

#include <map>

/// The questions: injective, surjective, bijective, contiguous, the longest vector, the common values of two iters.
namespace {

using laws::Int;
using oracle::Value;

/// The image as a count of indices for each point.
std::map<Value, int> image(const oracle::Table& t)
{
    std::map<Value, int> out;
    for (Value low : t.low)
        for (Value v : t.set) ++out[low + v];
    return out;
}

/// The points of a box, row-major with its axes in alphabetical order: lane, m, warp.
std::vector<Value> points_of(const axe::Point& box)
{
    std::vector<Value> out{0};
    for (const auto& side : box) {
        std::vector<Value> next;
        for (Value v : out)
            for (Int c = 0; c < side.value; ++c) next.push_back(v + oracle::encode(c, side.axis));
        out.swap(next);
    }
    return out;
}

void check_properties(laws::Report& report, const axe::Layout& l, const axe::Point& box)
{
    const auto t = oracle::table(l);
    const auto points = image(t);
    const auto shares = [&](Int x) {
        for (Value v : t.set)
            if (points.at(t.low[static_cast<std::size_t>(x)] + v) > 1) return true;
        return false;
    };
    bool injective = true;
    for (const auto& [p, count] : points) injective = injective && count == 1;

    const auto inj = axe::is_injective(l);
    report.asked(injective);
    if (!report.that(!inj.undecided(), "injective: undecided", l)) return;
    report.that(static_cast<bool>(inj) == injective, "injective, or not", l);
    if (!inj && !injective) {
        const bool inside = inj.witness() >= 0 && inj.witness() < oracle::size(l);
        report.that(inside && shares(inj.witness()), "injective: no witness", l, inj.witness());
    }

    const auto places = points_of(box);
    Int missing = -1;
    for (std::size_t i = 0; i < places.size() && missing < 0; ++i)
        if (points.count(places[i]) == 0) missing = static_cast<Int>(i);
    const auto sur = axe::is_surjective(l, box);
    report.asked(missing < 0);
    if (!report.that(!sur.undecided(), "surjective: undecided", l, box)) return;
    report.that(static_cast<bool>(sur) == (missing < 0), "surjective, or not", l, box);
    report.that(sur.witness() == missing, "surjective: not the least that is missed", l, box, sur.witness(), missing);

    const bool bijective = injective && missing < 0 && points.size() == places.size();
    const auto bi = axe::is_bijective(l, box);
    if (!report.that(!bi.undecided(), "bijective: undecided", l, box)) return;
    report.that(static_cast<bool>(bi) == bijective, "bijective, or not", l, box);
    if (injective && missing < 0 && !bijective && !bi) { // an index with a point outside
        bool outside = false;
        if (bi.witness() >= 0 && bi.witness() < oracle::size(l))
            for (Value v : t.set)
                outside = outside || std::find(places.begin(), places.end(), t.low[static_cast<std::size_t>(bi.witness())] + v) ==
                                         places.end();
        report.that(outside, "bijective: no witness", l, box, bi.witness());
    }
}

void check_contiguous(laws::Report& report, const axe::Layout& l)
{
    const auto low = oracle::table(l).low;
    Int witness = -1;
    if (low.size() > 1) {
        const auto step = oracle::single_axis(low[1] - low[0]);
        if (!step || step->first != 1) witness = 1;
        for (std::size_t x = 1; x < low.size() && witness < 0; ++x)
            if (low[x] - low[0] != static_cast<Int>(x) * (low[1] - low[0])) witness = static_cast<Int>(x);
    }
    const auto got = axe::is_contiguous(l);
    report.asked(witness < 0);
    report.that(!got.undecided() && static_cast<bool>(got) == (witness < 0), "contiguous, or not", l);
    report.that(got.witness() == witness, "contiguous: not the least witness", l, got.witness(), witness);
}

/// The largest v dividing S_dim such that, for every coordinate with c_dim a multiple of v, the next v elements follow one another
/// on the axis from a multiple of v on, nothing else changing.
Int longest_vector(const oracle::Table& t, const axe::Shape& shape, int dim, int a)
{
    Int pitch = 1, best = 1;
    for (int d = dim + 1; d < shape.size(); ++d) pitch *= shape[d];
    const Value one = oracle::encode(1, oracle::axes[a]);
    for (Int v = 2; v <= shape[dim]; ++v) {
        if (shape[dim] % v != 0) continue;
        bool fits = true;
        for (std::size_t x = 0; x < t.low.size() && fits; ++x) {
            const Int place = static_cast<Int>(x) / pitch % shape[dim] % v;
            if (place != 0) {
                fits = t.low[x] - t.low[x - static_cast<std::size_t>(place * pitch)] == place * one;
                continue;
            }
            for (Value r : t.set) fits = fits && oracle::decode(t.low[x] + r, a) % v == 0;
        }
        if (fits) best = v;
    }
    return best;
}

void check_max_vector(laws::Report& report, const axe::Layout& l, const axe::Shape& shape, int dim, int a)
{
    const auto truth = oracle::table(l);
    const auto got = axe::max_vector(l, shape, dim, oracle::axes[a]);
    if (!oracle::has_axis(truth, a)) {
        report.that(got.code() == axe::errc::unknown_axis, "max_vector: an axis that the map does not have", l, shape, dim,
                    oracle::axes[a]);
        return;
    }
    const Int want = longest_vector(truth, shape, dim, a);
    report.asked(want > 1);
    if (!report.that(got.has_value(), "max_vector: an error", l, shape, dim, oracle::axes[a])) return;
    report.that(*got == want, "max_vector", l, shape, dim, oracle::axes[a], "got", *got, "not", want);
}

axe::Point span_box(const axe::Layout& l)
{
    axe::Point box;
    for (int a = 0; a < oracle::axis_count; ++a)
        if (const Int n = oracle::span(l, a); n > 1) *box.entry(oracle::axes[a]) = n;
    return box;
}

} // namespace

TEST_CASE("injective, surjective, bijective: every small layout")
{
    laws::Report report("properties");
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) { check_properties(report, l, {{axe::Axis{}, oracle::size(l)}}); });
    laws::all_shards(3, 3, 3, 2, [&](const axe::Layout& l) { check_properties(report, l, span_box(l)); });
    report.finish();
}

TEST_CASE("injective, surjective, bijective: every small layout with replicas")
{
    laws::Report report("properties");
    laws::all_shards(3, 3, 5, 1, [&](const axe::Layout& list) {
        for (int shard = 0; shard < list.shard.size(); ++shard) {
            axe::Layout l;
            for (int i = 0; i < list.shard.size(); ++i)
                if (i < shard)
                    l.shard.push_back(list.shard[i]);
                else
                    l.replica.push_back(list.shard[i]);
            check_properties(report, l, {{axe::Axis{}, 6}});
        }
    });
    report.finish();
}

TEST_CASE("injective, surjective, bijective: random layouts, most of them nearly onto a box")
{
    laws::Report report("properties");
    laws::Random r(20240625);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        axe::Layout l;
        Int reach[3] = {1, 1, 1};
        for (Int k = r.in(1, 5); k > 0; --k) {
            const int a = static_cast<int>(r.in(0, 2));
            const Int n = r.in(1, 4), s = reach[a] + (r.one_in(10) ? r.in(-2, 1) : 0);
            if (reach[0] * reach[1] * reach[2] * n > 300) break;
            const bool turned = r.one_in(4);
            const axe::Iter it{n, turned ? -s : s, oracle::axes[a]};
            if (r.one_in(6))
                l.replica.push_back(it);
            else
                l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), it);
            if (turned && n > 1) *l.offset.entry(oracle::axes[a]) += (n - 1) * s;
            reach[a] *= n;
        }
        if (r.one_in(10)) *l.offset.entry(laws::random_axis(r, 3)) += r.in(-2, 2);
        axe::Point box;
        for (int a = 0; a < 3; ++a)
            if (const Int n = reach[a] + (r.one_in(10) ? r.in(-1, 1) : 0); n > 0 && (n > 1 || r.one_in(2)))
                *box.entry(oracle::axes[a]) = n;
        check_properties(report, l, box);
    }
    report.finish();
}

TEST_CASE("contiguous: every small layout")
{
    laws::Report report("contiguous");
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) { check_contiguous(report, l); });
    laws::all_shards(3, 4, 3, 2, [&](const axe::Layout& l) { check_contiguous(report, l); });
    report.finish();
}

TEST_CASE("max_vector: every small layout, shape and dimension")
{
    laws::Report report("max_vector");
    const auto every_shape = [&](const axe::Layout& l) {
        const Int n = oracle::size(l);
        for (Int p = 1; p <= n; ++p) {
            if (n % p != 0) continue;
            for (int dim : {0, 1}) check_max_vector(report, l, {p, n / p}, dim, 0);
        }
    };
    laws::all_shards(3, 4, 6, 1, every_shape);
    laws::all_shards(3, 4, 2, 2, every_shape);
    report.finish();
}

TEST_CASE("max_vector: random layouts")
{
    laws::Report report("max_vector");
    laws::Random r(20240626);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 128;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.replicas = r.one_in(4);
        axe::Layout l = laws::random_layout(r, kind);
        const Int v = Int{1} << r.in(1, 3);
        const int a = static_cast<int>(r.in(0, 2));
        if (r.one_in(2)) { // rows of vectors, aligned
            for (auto& it : l.shard) it.stride *= v;
            for (auto& it : l.replica) it.stride *= v;
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), {v, 1, oracle::axes[a]});
        }
        if (r.one_in(4)) *l.offset.entry(oracle::axes[a]) = r.in(-8, 8);
        const axe::Shape shape = laws::random_shape(r, oracle::size(l), 3);
        check_max_vector(report, l, shape, static_cast<int>(r.in(0, shape.size() - 1)), a);
    }
    report.finish();
}

TEST_CASE("intersect: the common values of every two small iters")
{
    laws::Report report("intersect");
    for (Int n = 1; n <= 9; ++n)
        for (Int m = 1; m <= 9; ++m)
            for (Int s = -9; s <= 9; ++s)
                for (Int t = -9; t <= 9; ++t) {
                    const axe::Iter a{n, s}, b{m, t};
                    const auto x = oracle::sums({{n, s}}), y = oracle::sums({{m, t}});
                    std::vector<Value> common;
                    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
                    const auto got = axe::intersect(a, b);
                    if (!report.exists(true, got, a, b)) continue;
                    report.that(oracle::sums({{got->extent, got->stride}}) == common, "wrong", a, b, "got", *got);
                }
    const auto apart = axe::intersect(axe::Iter{4, 1, "lane"}, axe::Iter{4, 1, "warp"});
    CHECK((!apart && apart.error().is_none()));
    report.finish(false);
}
