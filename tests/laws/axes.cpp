// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/local.hpp>
#include <axe/layout/pack.hpp>
#include <axe/layout/project.hpp>
#include <axe/layout/rename.hpp>
#include <axe/layout/shift.hpp>
#include <axe/layout/span.hpp>
#include <tests/laws/report.hpp>

/// The operations on coordinates: project, local, rename, shift, unpack, pack and span.
namespace {

using laws::Int;
using oracle::Value;

bool named(const axe::Layout::Axes& axes, const axe::Axis& axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// f applied to every point; the set is made anew from the images of the first index's points.
template <class F>
oracle::Table mapped(const oracle::Table& from, F f)
{
    oracle::Table out;
    std::vector<Value> set;
    for (Value v : from.set) set.push_back(f(from.low[0] + v));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    const Value least = set.front();
    for (Value v : set) out.set.push_back(v - least);
    // linear in the coordinates, so every index moves as the least member does
    for (Value v : from.low) out.low.push_back(least + f(v) - f(from.low[0]));
    return out;
}

axe::Layout random_layout(laws::Random& r)
{
    laws::Kind kind;
    kind.largest_size = 120;
    kind.axes = static_cast<int>(r.in(1, 3));
    kind.extent_one = r.one_in(4);
    kind.offset = true;
    kind.replicas = r.one_in(2);
    return laws::random_layout(r, kind);
}
axe::Layout::Axes random_axes(laws::Random& r)
{
    axe::Layout::Axes out;
    for (const auto& axis : oracle::axes)
        if (r.one_in(2)) out.push_back(axis);
    return out;
}

/// Is there an M with unpack(M, n, a) = L? M(x) is L(x·n), its coordinate on a divided by n.
bool pack_exists(const oracle::Table& l, Int n, int a)
{
    const auto size = static_cast<Int>(l.low.size());
    if (size % n != 0) return false;
    const Value one = oracle::encode(1, oracle::axes[a]);
    for (Int x = 0; x < size; ++x) {
        const Value first = l.low[static_cast<std::size_t>(x / n * n)];
        if (l.low[static_cast<std::size_t>(x)] != first + x % n * one) return false;
        if (oracle::decode(first, a) % n != 0) return false;
    }
    for (Value v : l.set)
        if (oracle::decode(v, a) % n != 0) return false;
    return true;
}

} // namespace

TEST_CASE("project keeps the coordinates on the axes named and forgets the others")
{
    laws::Report report("project");
    laws::Random r(20240616);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        const auto axes = random_axes(r);
        const auto truth = mapped(oracle::table(l), [&](Value v) {
            Value out = 0;
            for (int a = 0; a < oracle::axis_count; ++a)
                if (named(axes, oracle::axes[a])) out += oracle::encode(oracle::decode(v, a), oracle::axes[a]);
            return out;
        });
        const auto got = axe::project(l, axes);
        if (report.exists(true, got, l, axes)) report.that(laws::is_map(*got, truth), "wrong", l, axes, "got", *got);
    }
    report.finish(false);
}

TEST_CASE("local keeps the iters, replicas and offsets of the other axes")
{
    laws::Report report("local");
    laws::Random r(20240617);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        const auto axes = random_axes(r);
        axe::Layout kept; // an iter of stride 0 belongs to no axis
        for (const auto& it : l.shard)
            if (it.stride == 0 || !named(axes, it.axis)) kept.shard.push_back(it);
        for (const auto& it : l.replica)
            if (!named(axes, it.axis)) kept.replica.push_back(it);
        for (const auto& e : l.offset)
            if (!named(axes, e.axis)) *kept.offset.entry(e.axis) = e.value;
        const auto got = axe::local(l, axes);
        if (report.exists(true, got, l, axes)) report.that(laws::is_map(*got, oracle::table(kept)), "wrong", l, axes, "got", *got);
    }
    report.finish(false);
}

TEST_CASE("local: the tensor that one device holds")
{
    const axe::Axis gpu{"gpuid"};
    const axe::Layout sharded{{{2, 1, gpu}, {32, 64}, {2, 2, gpu}, {64, 1}}};
    const auto got = axe::local(sharded, {gpu});
    REQUIRE(got);
    CHECK(*got == axe::Layout{{{2048, 1}}});
}

TEST_CASE("rename gives an axis another name, and joins no two")
{
    laws::Report report("rename");
    laws::Random r(20240618);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        const int from = static_cast<int>(r.in(0, 2)), to = static_cast<int>(r.in(0, 2));
        const auto table = oracle::table(l);
        const bool has_from = oracle::has_axis(table, from), has_to = oracle::has_axis(table, to);
        const auto got = axe::rename(l, oracle::axes[from], oracle::axes[to]);
        const bool possible = has_from && (!has_to || from == to);
        report.asked(possible);
        if (!report.that(static_cast<bool>(got) == possible, "should not be", l, oracle::axes[from], oracle::axes[to]) || !got)
            continue;
        const auto truth = mapped(table, [&](Value v) {
            const Int c = oracle::decode(v, from);
            return v - oracle::encode(c, oracle::axes[from]) + oracle::encode(c, oracle::axes[to]);
        });
        report.that(laws::is_map(*got, truth), "wrong", l, oracle::axes[from], oracle::axes[to], "got", *got);
    }
    report.finish();
}

TEST_CASE("shift adds a point")
{
    laws::Report report("shift");
    laws::Random r(20240619);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        axe::Point by;
        Value moved = 0;
        for (const auto& axis : oracle::axes)
            if (r.one_in(2)) moved += oracle::encode(*by.entry(axis) = r.in(-30, 30), axis);
        auto truth = oracle::table(l);
        for (Value& v : truth.low) v += moved;
        const auto got = axe::shift(l, by);
        if (report.exists(true, got, l, by)) report.that(laws::is_map(*got, truth), "wrong", l, by, "got", *got);
    }
    report.finish(false);
}

TEST_CASE("unpack: each element becomes n neighbors")
{
    laws::Report report("unpack");
    laws::Random r(20240620);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        const int a = static_cast<int>(r.in(0, 2));
        const Int n = r.in(1, 5);
        const auto words =
            mapped(oracle::table(l), [&](Value v) { return v + (n - 1) * oracle::encode(oracle::decode(v, a), oracle::axes[a]); });
        oracle::Table truth{{}, words.set};
        for (Value v : words.low)
            for (Int k = 0; k < n; ++k) truth.low.push_back(v + oracle::encode(k, oracle::axes[a]));
        const auto got = axe::unpack(l, n, oracle::axes[a]);
        if (report.exists(true, got, l, n, oracle::axes[a]))
            report.that(laws::is_map(*got, truth), "wrong", l, n, oracle::axes[a], "got", *got);
    }
    report.finish(false);
}

TEST_CASE("pack undoes unpack, or nothing does")
{
    laws::Report report("pack");
    const auto check_pack = [&](const axe::Layout& l, Int n, int a) {
        const auto truth = oracle::table(l);
        const auto got = axe::pack(l, n, oracle::axes[a]);
        if (!report.exists(pack_exists(truth, n, a), got, l, n, oracle::axes[a])) return;
        const auto back = axe::unpack(*got, n, oracle::axes[a]);
        report.that(back && oracle::table(*back) == truth, "unpacked it is another", l, n, oracle::axes[a], "got", *got);
    };
    laws::all_shards(3, 4, 4, 1, [&](const axe::Layout& l) {
        for (Int n = 1; n <= 4; ++n) check_pack(l, n, 0);
    });
    laws::Random r(20240621);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const int a = static_cast<int>(r.in(0, 2));
        axe::Layout l = random_layout(r);
        if (r.one_in(2))
            if (const auto parts = axe::unpack(l, r.in(1, 6), oracle::axes[a])) l = *parts;
        check_pack(l, r.in(1, 6), a);
    }
    report.finish();
}

TEST_CASE("span counts D and R, not the offset")
{
    laws::Report report("span");
    laws::Random r(20240622);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        const axe::Layout l = random_layout(r);
        for (int a = 0; a < oracle::axis_count; ++a) {
            const auto got = axe::span(l, oracle::axes[a]);
            if (report.exists(true, got, l)) report.that(*got == oracle::span(l, a), "wrong", l, oracle::axes[a], "got", *got);
        }
    }
    report.finish(false);
}
