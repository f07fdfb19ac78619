// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/group.hpp>
#include <axe/layout/group_many.hpp>
#include <tests/laws/report.hpp>

/// group(L, S): the same map, its iters cut into one block a dimension, with the fewest iters; exists iff f(qx+y) = f(qx) + f(y) at
/// every suffix product q of S.
namespace {

using laws::Int;

/// Do the extents of the iters [begin, end) multiply to this?
bool multiplies_to(const axe::Layout::Shard& shard, int begin, int end, Int extent)
{
    if (begin > end || end > shard.size()) return false;
    for (int i = begin; i < end; ++i) extent = extent % shard[i].extent == 0 ? extent / shard[i].extent : 0;
    return extent == 1;
}

void check_group(laws::Report& report, const axe::Layout& l, const axe::Shape& shape)
{
    const auto truth = oracle::table(l);
    const auto got = axe::group(l, shape);
    report.asked(oracle::groups(truth.low, shape));
    if (static_cast<bool>(got) != oracle::groups(truth.low, shape))
        return report.wrong(got ? "grouped wrongly" : "not grouped", l, shape);
    if (!got) {
        report.that(got.code() == axe::errc::not_grouped, "not called not_grouped", l, shape);
        return;
    }
    report.that(oracle::table(got->layout) == truth, "another map", l, shape, *got);
    report.that(got->rank() == shape.size() && got->end(shape.size() - 1) == got->layout.shard.size(), "groups", l, shape, *got);
    Int pitch = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
        report.that(multiplies_to(got->layout.shard, got->begin(d), got->end(d), shape[d]), "a block of another extent", l, shape,
                    *got);
        const auto fewest = static_cast<int>(oracle::fewest_iters(truth.low, pitch, shape[d]));
        report.that(got->end(d) - got->begin(d) == fewest, "not the fewest iters", l, shape, *got);
        pitch *= shape[d];
    }
}

/// Boundaries of all shapes, ascending.
std::vector<Int> boundaries(const axe::Shape& s, const axe::Shape& t)
{
    std::vector<Int> out{1};
    for (const axe::Shape* shape : {&s, &t}) {
        Int q = 1;
        for (int d = shape->size() - 1; d >= 0; --d) out.push_back(q *= (*shape)[d]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// The fewest iters whose suffix products include every one of `cuts`: found among all chains of divisors that the map splits at.
int fewest_refinement(const std::vector<oracle::Value>& f, const std::vector<Int>& cuts)
{
    const Int n = static_cast<Int>(f.size());
    std::vector<Int> splits;
    for (Int q = 1; q <= n; ++q)
        if (n % q == 0 && oracle::splits_at(f, q)) splits.push_back(q);
    // best[q]: the fewest iters of the part inside q, a cut at each of `cuts` up to there
    std::vector<int> best(static_cast<std::size_t>(n) + 1, -1);
    best[1] = 0;
    for (Int q : splits)
        for (Int p : splits) {
            if (p >= q || q % p != 0 || best[static_cast<std::size_t>(p)] < 0) continue;
            const bool skips = std::any_of(cuts.begin(), cuts.end(), [&](Int c) { return p < c && c < q; });
            if (skips) continue;
            bool linear = oracle::single_axis(f[static_cast<std::size_t>(p)] - f[0]).has_value();
            for (Int i = 0; i < q / p && linear; ++i)
                linear = f[static_cast<std::size_t>(i * p)] - f[0] == i * (f[static_cast<std::size_t>(p % n)] - f[0]);
            if (!linear) continue;
            const int iters = best[static_cast<std::size_t>(p)] + 1;
            int& b = best[static_cast<std::size_t>(q)];
            if (b < 0 || iters < b) b = iters;
        }
    return best[static_cast<std::size_t>(n)];
}

void check_group_many(laws::Report& report, const axe::Layout& l, const axe::Shape& s, const axe::Shape& t)
{
    const auto truth = oracle::table(l);
    const auto got = axe::group_many(l, s, t);
    const int fewest = fewest_refinement(truth.low, boundaries(s, t));
    report.asked(fewest >= 0);
    if (static_cast<bool>(got) != (fewest >= 0)) return report.wrong(got ? "grouped wrongly" : "not grouped", l, s, t);
    if (!got) {
        report.that(got.error().is_none(), "an error, not none", l, s, t);
        return;
    }
    report.that(oracle::table(got->layout) == truth, "another map", l, s, t, got->layout);
    report.that(got->layout.shard.size() == fewest, "not the coarsest", l, s, t, got->layout);
    for (int d = 0; d < s.size(); ++d)
        report.that(multiplies_to(got->layout.shard, got->begin(0, d), got->end(0, d), s[d]), "a block of the first shape", l, s,
                    t);
    for (int d = 0; d < t.size(); ++d)
        report.that(multiplies_to(got->layout.shard, got->begin(1, d), got->end(1, d), t[d]), "a block of the second shape", l, s,
                    t);
}

/// Every shape of at most three dimensions.
template <class F>
void all_shapes(Int n, F f)
{
    f(axe::Shape{n});
    for (Int a = 1; a <= n; ++a) {
        if (n % a != 0) continue;
        f(axe::Shape{a, n / a});
        for (Int b = 1; b <= n / a; ++b)
            if (n / a % b == 0) f(axe::Shape{a, b, n / a / b});
    }
}

} // namespace

TEST_CASE("group: every small layout, every shape")
{
    laws::Report report("group");
    laws::all_shards(3, 4, 3, 2, [&](const axe::Layout& l) {
        all_shapes(oracle::size(l), [&](const axe::Shape& shape) { check_group(report, l, shape); });
    });
    report.finish();
}

TEST_CASE("group: random layouts")
{
    laws::Report report("group");
    laws::Random r(20240606);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = 5;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.extent = 12;
        kind.extent_one = kind.offset = true;
        kind.replicas = r.one_in(8);
        const axe::Layout l = laws::random_layout(r, kind);
        check_group(report, l, laws::random_shape(r, oracle::size(l), 4));
    }
    report.finish();
}

TEST_CASE("group: the size must be that of the shape")
{
    const axe::Layout l{{{4, 1}}};
    CHECK(axe::group(l, {5}).code() == axe::errc::size_mismatch);
    CHECK(axe::group(l, {4, 2}).code() == axe::errc::size_mismatch);
    CHECK(axe::group(l, {4, 0}).code() == axe::errc::bad_extent);
}

TEST_CASE("group_many: every small layout, pairs of shapes")
{
    laws::Report report("group_many");
    Int turn = 0;
    laws::all_shards(3, 4, 1, 2, [&](const axe::Layout& l) {
        all_shapes(oracle::size(l), [&](const axe::Shape& s) {
            all_shapes(oracle::size(l), [&](const axe::Shape& t) {
                if (++turn % 11 == 0) check_group_many(report, l, s, t);
            });
        });
    });
    report.finish();
}

TEST_CASE("group_many: random layouts")
{
    laws::Report report("group_many");
    laws::Random r(20240607);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 240;
        kind.axes = 2;
        kind.extent = 24;
        const axe::Layout l = laws::random_layout(r, kind);
        const Int n = oracle::size(l);
        check_group_many(report, l, laws::random_shape(r, n, 3), laws::random_shape(r, n, 3));
    }
    report.finish();
}
