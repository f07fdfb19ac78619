// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/slice.hpp>
#include <tests/laws/report.hpp>

/// L'(u) = L(lo + u) as sets, and there is an answer iff the restricted map has a canonical D.
namespace {

using laws::Int;

void check_slice(laws::Report& report, const axe::Layout& l, const axe::Shape& shape, const axe::Region& region)
{
    const auto from = oracle::model(l);
    oracle::Table truth = oracle::table(axe::Layout{{}, l.replica, l.offset});
    const oracle::Value origin = truth.low[0];
    truth.low.clear();
    for (Int x : oracle::region_indices(shape, region)) truth.low.push_back(oracle::at(from, x) + origin);

    const auto d = oracle::recover_d(truth.low);
    const auto got = axe::slice(l, shape, region);
    if (!report.exists(d.has_value(), got, l, shape, region)) return;
    report.that(oracle::same_list(got->shard, *d) && oracle::table(*got) == truth, "wrong", l, shape, region, "got", *got);
}

} // namespace

TEST_CASE("slice: every window of every small layout, flat")
{
    laws::Report report("slice");
    const auto all_windows = [&](const axe::Layout& l) {
        const Int n = oracle::size(l);
        for (Int lo = 0; lo < n; ++lo)
            for (Int hi = lo + 1; hi <= n; ++hi) check_slice(report, l, {n}, {{lo, hi}});
    };
    laws::all_shards(2, 4, 8, 2, all_windows);
    laws::all_shards(3, 4, 3, 1, all_windows);
    report.finish();
}

TEST_CASE("slice: every region of every small layout on two dimensions")
{
    laws::Report report("slice");
    const auto all_regions = [&](const axe::Layout& l) {
        const Int n = oracle::size(l);
        for (Int rows = 2; rows < n; ++rows) {
            if (n % rows != 0) continue;
            const Int columns = n / rows;
            for (Int a = 0; a < rows; ++a)
                for (Int b = a + 1; b <= rows; ++b)
                    for (Int c = 0; c < columns; ++c)
                        for (Int d = c + 1; d <= columns; ++d) check_slice(report, l, {rows, columns}, {{a, b}, {c, d}});
        }
    };
    laws::all_shards(2, 4, 5, 2, all_regions);
    laws::all_shards(3, 3, 2, 1, all_regions);
    report.finish();
}

TEST_CASE("slice: a million random layouts whose carries cancel")
{
    laws::Report report("slice");
    laws::Random r(20240601);
    for (Int i = laws::cases(1'000'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = static_cast<int>(r.in(2, 5));
        kind.axes = r.one_in(3) ? static_cast<int>(r.in(2, 3)) : 1;
        kind.extent_one = r.one_in(8);
        kind.offset = true;
        kind.replicas = r.one_in(16);
        const axe::Layout l = laws::random_layout(r, kind);
        const axe::Shape shape = laws::random_shape(r, oracle::size(l), 3);
        check_slice(report, l, shape, laws::random_region(r, shape));
    }
    report.finish();
}

TEST_CASE("slice: where distant levels step alike, and where one dimension wraps")
{
    // Each of these was missed by a decision that looks at neighboring levels only.
    laws::Report report("slice");
    const axe::Layout far{{{8, -1}, {3, -1}}};
    check_slice(report, far, {3, 4, 2}, {{1, 3}, {1, 4}, {0, 1}});
    check_slice(report, {{{7, 4}, {8, 0}}}, {8, 7}, {{2, 7}, {2, 6}});
    check_slice(report, {{{2, -3}, {3, 1, "lane"}, {3, -1, "lane"}}}, {18}, {{8, 10}});
    check_slice(report, {{{5, 1, "lane"}, {2, 5, "lane"}}}, {10}, {{3, 7}});
    report.finish(false);
    CHECK(report.no() == 0);
}
