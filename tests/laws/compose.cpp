// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/compose.hpp>
#include <tests/laws/report.hpp>

/// compose(A, B)(x) = A(B(x)), and there is an answer iff that map has a canonical D; a value outside A's domain is an error.
namespace {

using laws::Int;

void check_compose(laws::Report& report, const axe::Layout& a, const axe::Layout& b, const axe::Axis& axis = {})
{
    const auto from = oracle::model(a);
    const Int n = oracle::size(a);
    oracle::Table truth = oracle::table(axe::Layout{{}, a.replica, a.offset});
    const oracle::Value origin = truth.low[0];
    truth.low.clear();
    axe::Layout walk; // B's numbers on its one axis
    for (const auto& it : b.shard) walk.shard.push_back({it.extent, it.stride});
    bool inside = true;
    for (oracle::Value y : oracle::values(oracle::model(walk).shard)) {
        y += b.offset[axis];
        inside = inside && y >= 0 && y < n;
        if (inside) truth.low.push_back(oracle::at(from, y) + origin);
    }
    const auto got = axe::compose(a, b, axis);
    if (!inside) {
        report.that(!got && got.code() == axe::errc::out_of_domain, "outside, but not said so", a, b);
        return;
    }
    const auto d = oracle::recover_d(truth.low);
    if (!report.exists(d.has_value(), got, a, b)) return;
    report.that(oracle::same_list(got->shard, *d) && oracle::table(*got) == truth, "wrong", a, b, "got", *got);
}

/// A single-valued layout on one axis with values in [0, n), sometimes not quite.
axe::Layout random_walk(laws::Random& r, Int n, const axe::Axis& axis)
{
    for (int attempt = 0; attempt < 40; ++attempt) {
        laws::Kind kind;
        kind.largest_size = 200;
        kind.iters = 4;
        kind.extent = 6;
        axe::Layout b = laws::random_layout(r, kind);
        Int lo = 0, hi = 0;
        for (auto& it : b.shard) {
            it.axis = axis;
            (it.stride < 0 ? lo : hi) += (it.extent - 1) * it.stride;
        }
        if (hi - lo >= n) continue;
        const Int shift = r.one_in(64) ? r.in(-3, n + 3) : r.in(-lo, n - 1 - hi);
        if (shift != 0) *b.offset.entry(axis) = shift;
        return b;
    }
    return {};
}

} // namespace

TEST_CASE("compose: every small layout after every small walk")
{
    laws::Report report("compose");
    std::vector<axe::Layout> walks;
    laws::all_shards(2, 4, 6, 1, [&](const axe::Layout& b) {
        if (b.shard.empty()) return;
        Int lo = 0, hi = 0;
        for (const auto& it : b.shard) (it.stride < 0 ? lo : hi) += (it.extent - 1) * it.stride;
        if (hi - lo >= 16) return;
        for (Int start = 0; start < 3; ++start) {
            axe::Layout moved = b;
            if (start - lo != 0) *moved.offset.entry({}) = start - lo;
            walks.push_back(moved);
        }
    });
    laws::all_shards(2, 4, 4, 1, [&](const axe::Layout& a) {
        for (const auto& b : walks) check_compose(report, a, b);
    });
    laws::all_shards(3, 3, 1, 1, [&](const axe::Layout& a) {
        for (const auto& b : walks) check_compose(report, a, b);
    });
    report.finish();
}

TEST_CASE("compose: a million random pairs whose carries cancel")
{
    laws::Report report("compose");
    laws::Random r(20240602);
    for (Int i = laws::cases(1'000'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = static_cast<int>(r.in(2, 5));
        kind.axes = r.one_in(3) ? static_cast<int>(r.in(2, 3)) : 1;
        kind.offset = r.one_in(4);
        kind.replicas = r.one_in(16);
        const axe::Layout a = laws::random_layout(r, kind);
        const axe::Axis axis = r.one_in(8) ? axe::Axis{"lane"} : axe::Axis{};
        check_compose(report, a, random_walk(r, oracle::size(a), axis), axis);
    }
    report.finish();
}

TEST_CASE("compose: walks that cross the digits of the layout")
{
    // Extents of the answer that share no divisor chain with the walk's, and carries of one digit into another.
    laws::Report report("compose");
    check_compose(report, {{{6, -1}, {5, 2}}}, {{{4, 2}, {3, 8}}, {}, {{axe::Axis{}, 1}}});
    check_compose(report, {{{3, 2}, {4, 16, "warp"}, {4, 2}}}, {{{6, -1}}, {}, {{axe::Axis{}, 18}}});
    check_compose(report, {{{7, 1}, {5, 0}, {2, 0}}}, {{{9, 3}, {3, 1}}});
    report.finish(false);
}

TEST_CASE("compose: what is ill-formed is an error")
{
    const axe::Layout a{{{8, 1}}};
    CHECK(axe::compose(a, axe::Layout{{{4, 1}}, {{2, 1}}}).code() == axe::errc::not_single_valued);
    CHECK(axe::compose(a, axe::Layout{{{9, 1}}}).code() == axe::errc::out_of_domain);
    CHECK(axe::compose(a, axe::Layout{{{4, -1}}}).code() == axe::errc::out_of_domain);
    const auto other = axe::compose(a, axe::Layout{{{4, 1, "lane"}}});
    CHECK_FALSE(other.has_value());
    CHECK_FALSE(other.error().is_none());
}
