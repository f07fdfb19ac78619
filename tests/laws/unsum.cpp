// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/sum.hpp>
#include <axe/layout/unsum.hpp>
#include <tests/laws/report.hpp>

/// unsum_left(A, S_A; B, S_B) is an X with X + B = A, unsum_right one with B + X = A; of the replica sets that serve, one with the
/// fewest points; each exists iff some layout does that.
namespace {

using laws::Int;
using oracle::Value;

struct Truth {
    bool exists = false;
    std::size_t fewest = 1; ///< points of X's set
};

/// @param left is X the left term?
Truth unsum_truth(const axe::Layout& a, const axe::Layout& b, const axe::Shape& bs, const axe::Shape& xs, bool left)
{
    const auto whole = oracle::table(a), part = oracle::table(b);
    if (!oracle::groups(part.low, bs)) return {};
    std::vector<Value> x_low(static_cast<std::size_t>(oracle::volume(xs)));
    std::vector<bool> known(x_low.size());
    const auto pairs = left ? oracle::interleaved(xs, bs) : oracle::interleaved(bs, xs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto x = static_cast<std::size_t>(left ? pairs[i].first : pairs[i].second);
        const auto y = static_cast<std::size_t>(left ? pairs[i].second : pairs[i].first);
        const Value v = whole.low[i] - part.low[y];
        if (known[x] && x_low[x] != v) return {};
        known[x] = true;
        x_low[x] = v;
    }
    if (!oracle::recover_d(x_low) || !oracle::groups(x_low, xs)) return {};
    Truth out{true, 1};
    for (int axis = 0; axis < oracle::axis_count; ++axis) {
        const auto n = oracle::fewest_quotient(oracle::on_axis(whole.set, axis), oracle::on_axis(part.set, axis));
        if (n == 0) return {};
        out.fewest *= n;
    }
    return out;
}

void check_unsum(laws::Report& report, const axe::Layout& a, const axe::Shape& as, const axe::Layout& b, const axe::Shape& bs)
{
    axe::Shape xs;
    bool divides = true;
    for (int d = 0; d < as.size(); ++d) {
        divides = divides && as[d] % bs[d] == 0;
        xs.push_back(as[d] / bs[d]);
    }
    for (const bool left : {true, false}) {
        const Truth truth = divides ? unsum_truth(a, b, bs, xs, left) : Truth{};
        const auto got = left ? axe::unsum_left(a, as, b, bs) : axe::unsum_right(a, as, b, bs);
        if (!report.exists(truth.exists, got, left ? "left" : "right", a, as, b, bs)) continue;
        const auto back = left ? axe::sum(*got, xs, b, bs) : axe::sum(b, bs, *got, xs);
        report.that(back && oracle::table(*back) == oracle::table(a), "summed back it is another", a, as, b, bs, "got", *got);
        report.that(oracle::sums(oracle::model(*got).replica).size() == truth.fewest, "not the fewest points", a, as, b, bs, "got",
                    *got, static_cast<Int>(truth.fewest));
    }
}

} // namespace

TEST_CASE("unsum: every small layout by every smaller one")
{
    laws::Report report("unsum");
    std::vector<axe::Layout> parts;
    laws::all_shards(2, 3, 2, 1, [&](const axe::Layout& l) { parts.push_back(l); });
    laws::all_shards(2, 4, 6, 2, [&](const axe::Layout& a) {
        for (const auto& part : parts) {
            const Int n = oracle::size(a), m = oracle::size(part);
            if (n % m == 0) check_unsum(report, a, {n}, part, {m});
        }
    });
    report.finish();
}

TEST_CASE("unsum: every small replica set by every smaller one")
{
    laws::Report report("unsum");
    std::vector<axe::Layout> parts;
    laws::all_shards(2, 4, 4, 1, [&](const axe::Layout& l) {
        axe::Layout part;
        Int reach = 0;
        for (const auto& it : l.shard) {
            if (it.stride < 1) return;
            part.replica.push_back(it);
            reach += (it.extent - 1) * it.stride;
        }
        if (reach <= 10) parts.push_back(part);
    });
    laws::all_shards(3, 4, 6, 1, [&](const axe::Layout& l) {
        axe::Layout a;
        Int reach = 0;
        for (const auto& it : l.shard) {
            if (it.stride < 1 || (!a.replica.empty() && it.stride < a.replica.back().stride)) return;
            a.replica.push_back(it);
            reach += (it.extent - 1) * it.stride;
        }
        if (reach > 18) return;
        for (const auto& part : parts) check_unsum(report, a, {1}, part, {1});
    });
    report.finish();
}

TEST_CASE("unsum: random sums taken apart, and changed by a little")
{
    laws::Report report("unsum");
    laws::Random r(20240610);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 24;
        kind.iters = 3;
        kind.extent = 4;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.offset = true;
        const bool replicas = r.one_in(2);
        axe::Layout c = laws::random_layout(r, kind), b = laws::random_layout(r, kind);
        for (axe::Layout* l : {&c, &b})
            for (Int k = replicas ? r.in(0, 2) : 0; k > 0; --k)
                l->replica.push_back({r.in(1, 3), r.in(-3, 3), laws::random_axis(r, kind.axes)});
        axe::Shape cs = laws::random_shape(r, oracle::size(c), 2), bs = laws::random_shape(r, oracle::size(b), 2), as;
        while (cs.size() < bs.size()) cs.push_back(1);
        while (bs.size() < cs.size()) bs.push_back(1);
        for (int d = 0; d < cs.size(); ++d) as.push_back(cs[d] * bs[d]);
        const auto summed = axe::sum(c, cs, b, bs);
        if (!summed) continue;
        axe::Layout a = *summed;
        if (r.one_in(3)) {
            if (!a.shard.empty() && r.one_in(2))
                a.shard[static_cast<int>(r.in(0, a.shard.size() - 1))].stride += r.in(-2, 2);
            else if (!a.replica.empty())
                a.replica[static_cast<int>(r.in(0, a.replica.size() - 1))].extent += r.in(0, 1);
            else
                *a.offset.entry({}) += r.in(-2, 2);
        }
        if (r.one_in(2))
            check_unsum(report, a, as, b, bs);
        else
            check_unsum(report, a, as, c, cs);
    }
    report.finish();
}
