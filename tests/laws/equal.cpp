// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/canonicalize.hpp>
#include <axe/layout/equal.hpp>
#include <tests/laws/report.hpp>
#include <tests/laws/respelling.hpp>

/// equal(L, M): the same size, and L(x) = M(x) as sets for every x; the witness of a no is the least x that differs.
namespace {

using laws::Int;

void check_equal(laws::Report& report, const axe::Layout& l, const axe::Layout& m)
{
    const auto a = oracle::table(l), b = oracle::table(m);
    const axe::Decision got = axe::equal(l, m);
    report.asked(a == b);
    if (!report.that(!got.undecided(), "undecided", l, m)) return;
    if (!report.that(static_cast<bool>(got) == (a == b), a == b ? "said no" : "said yes", l, m)) return;
    if (a == b) return;
    Int witness = -1;
    if (a.low.size() == b.low.size()) {
        witness = 0;
        if (a.set == b.set)
            while (a.low[static_cast<std::size_t>(witness)] == b.low[static_cast<std::size_t>(witness)]) ++witness;
    }
    report.that(got.witness() == witness, "not the least witness", l, m, got.witness());
}

} // namespace

TEST_CASE("equal: all pairs of small layouts of one size")
{
    laws::Report report("equal");
    std::vector<axe::Layout> list;
    laws::all_shards(3, 4, 2, 2, [&](const axe::Layout& l) {
        if (oracle::size(l) == 8 || oracle::size(l) == 12) list.push_back(l);
    });
    for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = i % 7; k < list.size(); k += 7) check_equal(report, list[i], list[k]);
    report.finish();
}

TEST_CASE("equal: all pairs of small replica lists, gaps or none")
{
    laws::Report report("equal");
    std::vector<axe::Layout> list;
    laws::all_shards(2, 4, 6, 1, [&](const axe::Layout& l) {
        axe::Layout with;
        for (const auto& it : l.shard)
            if (it.stride > 0) with.replica.push_back(it);
        if (with.replica.size() == l.shard.size()) list.push_back(with);
    });
    for (const auto& l : list)
        for (const auto& m : list) check_equal(report, l, m);
    report.finish();
}

TEST_CASE("equal: all triples of progressions with one reach")
{
    laws::Report report("equal");
    std::vector<std::vector<axe::Layout>> by_reach(40);
    laws::all_shards(3, 4, 7, 1, [&](const axe::Layout& l) {
        axe::Layout with;
        std::size_t reach = 0;
        for (const auto& it : l.shard) {
            if (it.stride < 1 || (!with.replica.empty() && it.stride < with.replica.back().stride)) return;
            with.replica.push_back(it);
            reach += static_cast<std::size_t>((it.extent - 1) * it.stride);
        }
        if (reach < by_reach.size()) by_reach[reach].push_back(with);
    });
    for (const auto& list : by_reach)
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t k = i; k < list.size(); ++k) check_equal(report, list[i], list[k]);
    report.finish();
}

TEST_CASE("equal: sets that break the gap condition")
{
    const axe::Layout a{{}, {{4, 3}, {3, 2}}}, b{{}, {{2, 3}, {6, 2}}};
    CHECK(static_cast<bool>(axe::equal(a, b)));
    const axe::Layout c{{}, {{3, 2}, {2, 3}, {2, 6}}};
    laws::Report report("equal");
    check_equal(report, a, b);
    check_equal(report, c, a);
    check_equal(report, c, axe::Layout{{}, {{6, 2}, {2, 3}}});
    report.finish(false);
    CHECK(report.no() == 0);
}

TEST_CASE("equal: random layouts, rewritten and changed by a little")
{
    laws::Report report("equal");
    laws::Random r(20240604);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = 5;
        kind.extent = 6;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.replicas = r.one_in(2);
        kind.offset = true;
        const axe::Layout l = laws::random_layout(r, kind);
        axe::Layout m = laws::respelled(r, l);
        if (r.one_in(2)) { // one number changed
            if (!m.shard.empty() && r.one_in(2))
                m.shard[static_cast<int>(r.in(0, m.shard.size() - 1))].stride += r.in(-1, 1);
            else if (!m.replica.empty())
                m.replica[static_cast<int>(r.in(0, m.replica.size() - 1))].stride += r.in(-2, 2);
            else
                *m.offset.entry(laws::random_axis(r, 3)) += r.in(-1, 1);
        }
        check_equal(report, l, m);
        check_equal(report, m, l);
    }
    report.finish();
}

TEST_CASE("equal: layouts with gaps are equal iff their canonical forms are one text")
{
    laws::Report report("equal");
    laws::Random r(20240605);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.extent = 4;
        axe::Layout l = laws::random_layout(r, kind);
        Int reach = 0;
        for (Int k = r.in(0, 3); k > 0; --k) { // each stride beyond the footprint of the smaller ones
            l.replica.push_back({r.in(2, 4), reach + r.in(1, 3)});
            reach += (l.replica.back().extent - 1) * l.replica.back().stride;
        }
        const axe::Layout m = laws::respelled(r, l);
        const auto a = axe::canonicalize(l), b = axe::canonicalize(m);
        report.asked(true);
        report.that(a && b && *a == *b, "two canonical forms of one map", l, m);
    }
    report.finish(false);
}

TEST_CASE("equal: replica sets of up to 2^12 points are always decided")
{
    laws::Report report("equal");
    laws::Random r(20240627);
    // strides around the footprint so far: with gaps, without, and just at the edge
    const auto random_set = [&] {
        axe::Layout l;
        Int size = 1, reach = 1;
        for (Int k = r.in(1, 8); k > 0; --k) {
            const Int n = r.one_in(4) ? r.in(2, 60) : r.in(2, 6), s = r.one_in(2) ? r.in(1, reach + 3) : r.in(1, 40);
            if (size * n > 4096) break;
            l.replica.push_back({n, s});
            size *= n;
            reach += (n - 1) * s;
        }
        return l;
    };
    for (Int i = laws::cases(3'000); i > 0; --i) {
        const axe::Layout l = random_set();
        check_equal(report, l, random_set());
        axe::Layout m = l; // one progression split in two that overlap or not
        axe::Iter& it = m.replica[0];
        if (it.extent < 3 || m.replica.size() == 8) continue;
        const Int part = r.in(2, it.extent - 1), rest = it.extent - part + 1;
        it.extent = part;
        m.replica.push_back({rest, it.stride});
        check_equal(report, l, m);
        m.replica.back().stride += 1;
        check_equal(report, l, m);
    }
    report.finish();
}
