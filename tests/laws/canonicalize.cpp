// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/canonicalize.hpp>
#include <tests/laws/report.hpp>

/// canonicalize(L)(x) = L(x) for every x; D is the one of the table; the replicas are absorbed and positive; once more changes nothing.
namespace {

using laws::Int;

/// Increasing by axis, then stride; positive; nothing left that absorbs.
bool replicas_absorbed(const axe::Layout::Replica& list)
{
    for (int i = 0; i < list.size(); ++i) {
        if (list[i].extent < 2 || list[i].stride < 1) return false;
        for (int k = i + 1; k < list.size(); ++k) {
            if (list[k].axis < list[i].axis) return false;
            if (!(list[k].axis == list[i].axis)) continue;
            if (list[k].stride < list[i].stride) return false;
            if (list[k].stride % list[i].stride == 0 && list[k].stride / list[i].stride <= list[i].extent) return false;
        }
    }
    return true;
}

void check_canonical(laws::Report& report, const axe::Layout& l)
{
    const auto truth = oracle::table(l);
    const auto got = axe::canonicalize(l);
    if (!report.exists(true, got, l)) return;
    report.that(laws::is_map(*got, truth), "wrong", l, "got", *got);
    report.that(replicas_absorbed(got->replica), "replicas not absorbed", l, "got", *got);
    for (const auto& e : got->offset) report.that(e.value != 0, "an offset of 0", l, "got", *got);
    const auto twice = axe::canonicalize(*got);
    report.that(twice && *twice == *got, "not idempotent", l, "got", *got);
}

} // namespace

TEST_CASE("canonicalize: every small shard")
{
    laws::Report report("canonicalize");
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) { check_canonical(report, l); });
    laws::all_shards(3, 4, 2, 3, [&](const axe::Layout& l) { check_canonical(report, l); });
    report.finish(false);
}

TEST_CASE("canonicalize: every small replica list")
{
    laws::Report report("canonicalize");
    laws::all_shards(3, 4, 6, 1, [&](const axe::Layout& list) {
        axe::Layout l{{{3, 2}}};
        for (const auto& it : list.shard) l.replica.push_back(it);
        check_canonical(report, l);
    });
    report.finish(false);
}

TEST_CASE("canonicalize: random layouts")
{
    laws::Report report("canonicalize");
    laws::Random r(20240603);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = 6;
        kind.extent = 5;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.extent_one = kind.offset = kind.replicas = true;
        check_canonical(report, laws::random_layout(r, kind));
    }
    report.finish(false);
}
