// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/tile.hpp>
#include <axe/layout/untile.hpp>
#include <tests/laws/report.hpp>

/// untile(A, S_A; B, S_B) is the C with C ⊗ B = A, untile_outer(A, S_A; C, S_C) the B; each exists iff some layout does that.
namespace {

using laws::Int;
using oracle::Value;

/// Does S divide into outer and inner parts? The other factor's shape if so.
bool divided(const axe::Shape& whole, const axe::Shape& part, axe::Shape& rest)
{
    rest = {};
    for (int d = 0; d < whole.size(); ++d) {
        if (whole[d] % part[d] != 0) return false;
        rest.push_back(whole[d] / part[d]);
    }
    return true;
}

/// The value of each coordinate divided by its axis's factor, or false when one does not divide.
bool divide(Value v, const Int* factor, Value& out)
{
    out = 0;
    for (int a = 0; a < oracle::axis_count; ++a) {
        const Int c = oracle::decode(v, a);
        if (c % factor[a] != 0) return false;
        out += oracle::encode(c / factor[a], oracle::axes[a]);
    }
    return true;
}

/// Is there a C with C ⊗ B = A?
bool untile_exists(const axe::Layout& a, const axe::Shape& as, const axe::Layout& b, const axe::Shape& bs)
{
    axe::Shape cs;
    const auto whole = oracle::table(a), part = oracle::table(b);
    if (!divided(as, bs, cs) || !oracle::groups(part.low, bs)) return false;
    const Int span[] = {oracle::span(b, 0), oracle::span(b, 1), oracle::span(b, 2)};

    std::vector<Value> outer(static_cast<std::size_t>(oracle::volume(cs)));
    const auto pairs = oracle::interleaved(cs, bs);
    for (std::size_t x = 0; x < pairs.size(); ++x) {
        const auto [z, y] = pairs[x];
        Value c;
        if (!divide(whole.low[x] - part.low[static_cast<std::size_t>(y)], span, c)) return false;
        if (y == 0)
            outer[static_cast<std::size_t>(z)] = c;
        else if (outer[static_cast<std::size_t>(z)] != c)
            return false;
    }
    if (!oracle::recover_d(outer) || !oracle::groups(outer, cs)) return false;

    for (int axis = 0; axis < oracle::axis_count; ++axis) {
        // The span exceeds the diameter of B's set, so the quotient of each value is that of C's.
        const auto all = oracle::on_axis(whole.set, axis), inner = oracle::on_axis(part.set, axis);
        std::vector<Int> quotients, again;
        for (Int v : all) quotients.push_back(v / span[axis]);
        quotients.erase(std::unique(quotients.begin(), quotients.end()), quotients.end());
        for (Int q : quotients)
            for (Int w : inner) again.push_back(q * span[axis] + w);
        if (again != all || !oracle::is_sum_of_progressions(quotients)) return false;
    }
    return true;
}

/// Is there a B, of shape S_A / S_C, with C ⊗ B = A? Its span is found by trying every one, axis by axis.
bool untile_outer_exists(const axe::Layout& a, const axe::Shape& as, const axe::Layout& c, const axe::Shape& cs)
{
    axe::Shape bs;
    const auto whole = oracle::table(a), part = oracle::table(c);
    if (!divided(as, cs, bs) || !oracle::groups(part.low, cs)) return false;
    const auto pairs = oracle::interleaved(cs, bs);
    std::vector<Value> inner(static_cast<std::size_t>(oracle::volume(bs)));
    for (std::size_t x = 0; x < pairs.size(); ++x)
        if (pairs[x].first == 0) inner[static_cast<std::size_t>(pairs[x].second)] = whole.low[x];
    const auto d = oracle::recover_d(inner);
    if (!d || !oracle::groups(inner, bs)) return false;
    axe::Layout block;
    for (const auto& it : *d) block.shard.push_back(it);

    Int span[oracle::axis_count];
    for (int axis = 0; axis < oracle::axis_count; ++axis) {
        const auto all = oracle::on_axis(whole.set, axis), outer = oracle::on_axis(part.set, axis);
        bool found = false;
        for (Int s = oracle::span(block, axis); s <= oracle::span(block, axis) + all.back() && !found; ++s) {
            std::vector<Int> rest, again; // what the inner set must be: the members below the span
            for (Int v : all)
                if (v < s) rest.push_back(v);
            if (oracle::span(block, axis) + rest.back() != s) continue;
            for (Int o : outer)
                for (Int w : rest) again.push_back(o * s + w);
            std::sort(again.begin(), again.end());
            again.erase(std::unique(again.begin(), again.end()), again.end());
            if (again != all || !oracle::is_sum_of_progressions(rest)) continue;
            found = true;
            span[axis] = s;
        }
        if (!found) return false;
    }
    const oracle::Scale scale = {span[0], span[1], span[2]};
    const auto scaled = oracle::table(oracle::model(c, scale));
    for (std::size_t x = 0; x < pairs.size(); ++x) {
        const auto z = static_cast<std::size_t>(pairs[x].first), y = static_cast<std::size_t>(pairs[x].second);
        if (whole.low[x] - inner[y] != scaled.low[z] - scaled.low[0]) return false;
    }
    return true;
}

void check_untile(laws::Report& report, const axe::Layout& a, const axe::Shape& as, const axe::Layout& b, const axe::Shape& bs)
{
    const auto got = axe::untile(a, as, b, bs);
    if (!report.exists(untile_exists(a, as, b, bs), got, "inner", a, as, b, bs)) return;
    axe::Shape cs;
    divided(as, bs, cs);
    const auto back = axe::tile(*got, cs, b, bs);
    report.that(back && oracle::table(*back) == oracle::table(a), "tiled back it is another", a, as, b, bs, "got", *got);
}

void check_untile_outer(laws::Report& report, const axe::Layout& a, const axe::Shape& as, const axe::Layout& c,
                        const axe::Shape& cs)
{
    const auto got = axe::untile_outer(a, as, c, cs);
    if (!report.exists(untile_outer_exists(a, as, c, cs), got, "outer", a, as, c, cs)) return;
    axe::Shape bs;
    divided(as, cs, bs);
    const auto back = axe::tile(c, cs, *got, bs);
    report.that(back && oracle::table(*back) == oracle::table(a), "tiled back it is another", a, as, c, cs, "got", *got);
}

} // namespace

TEST_CASE("untile: every small layout by every smaller one")
{
    laws::Report report("untile");
    std::vector<axe::Layout> parts;
    laws::all_shards(2, 3, 2, 1, [&](const axe::Layout& l) { parts.push_back(l); });
    laws::all_shards(2, 4, 8, 1, [&](const axe::Layout& a) {
        for (const auto& part : parts) {
            const Int n = oracle::size(a), m = oracle::size(part);
            if (n % m != 0) continue;
            check_untile(report, a, {n}, part, {m});
            check_untile_outer(report, a, {n}, part, {m});
        }
    });
    report.finish();
}

TEST_CASE("untile: every small replica set by every smaller one")
{
    laws::Report report("untile");
    std::vector<axe::Layout> parts;
    laws::all_shards(1, 4, 4, 1, [&](const axe::Layout& l) {
        axe::Layout part;
        for (const auto& it : l.shard) part.replica.push_back(it);
        parts.push_back(part);
        part.shard.push_back({2, 3});
        parts.push_back(part);
    });
    laws::all_shards(2, 4, 8, 1, [&](const axe::Layout& l) {
        axe::Layout a;
        for (const auto& it : l.shard) a.replica.push_back(it);
        for (Int stride : {1, 3, 6}) {
            a.shard = {{2, stride}};
            for (const auto& part : parts) {
                const Int m = oracle::size(part);
                check_untile(report, a, {2}, part, {m});
                check_untile_outer(report, a, {2}, part, {m});
            }
        }
    });
    report.finish();
}

TEST_CASE("untile: random tilings taken apart, and changed by a little")
{
    laws::Report report("untile");
    laws::Random r(20240609);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 24;
        kind.iters = 3;
        kind.extent = 4;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.offset = true;
        kind.replicas = r.one_in(2);
        const axe::Layout c = laws::random_layout(r, kind), b = laws::random_layout(r, kind);
        axe::Shape cs = laws::random_shape(r, oracle::size(c), 2), bs = laws::random_shape(r, oracle::size(b), 2), as;
        while (cs.size() < bs.size()) cs.push_back(1);
        while (bs.size() < cs.size()) bs.push_back(1);
        for (int d = 0; d < cs.size(); ++d) as.push_back(cs[d] * bs[d]);
        const auto tiled = axe::tile(c, cs, b, bs);
        if (!tiled) continue;
        axe::Layout a = *tiled;
        if (r.one_in(2)) {
            if (!a.shard.empty() && r.one_in(2))
                a.shard[static_cast<int>(r.in(0, a.shard.size() - 1))].stride += r.in(-2, 2);
            else if (!a.replica.empty())
                a.replica[static_cast<int>(r.in(0, a.replica.size() - 1))].extent += r.in(0, 1);
            else
                *a.offset.entry({}) += r.in(-2, 2);
        }
        bool small = true;
        for (int axis = 0; axis < oracle::axis_count; ++axis) {
            Int reach = 0;
            for (const auto& it : a.replica)
                if (it.axis == oracle::axes[axis]) reach += (it.extent - 1) * it.stride;
            small = small && reach < 300;
        }
        if (!small) continue;
        check_untile(report, a, as, b, bs);
        check_untile_outer(report, a, as, c, cs);
    }
    report.finish();
}
