// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/machine/axes.hpp>
#include <tests/laws/report.hpp>

/// split(L)(x) has ⌊p/e⌋ and p mod e where L(x) has p, there is an answer iff that map is a layout, and fuse(split(L)) = L.
namespace {

using laws::Int;
using oracle::Value;

constexpr axe::Axis thread{"thread"}, lane{"lane"}, warp{"warp"}, m{"m"};

/// A layout on `lane` and `m` with `thread` for `lane`.
axe::Layout on_thread(const axe::Layout& l)
{
    axe::Layout out;
    const auto renamed = [](axe::Iter it) {
        if (it.axis == lane) it.axis = thread;
        return it;
    };
    for (const auto& it : l.shard) out.shard.push_back(renamed(it));
    for (const auto& it : l.replica) out.replica.push_back(renamed(it));
    for (const auto& e : l.offset) *out.offset.entry(e.axis == lane ? thread : e.axis) = e.value;
    return out;
}

Int down(Int a, Int b)
{
    const Int q = a / b;
    return a % b < 0 ? q - 1 : q;
}

/// The set at every index, each point split: written out from the definition.
std::vector<std::vector<Value>> split_sets(const axe::Layout& l, Int e)
{
    struct Two {
        Int whole, other;
    };
    const auto sums = [](const auto& list) {
        std::vector<Two> out{{0, 0}};
        for (const auto& it : list) {
            std::vector<Two> next;
            for (const Two& p : out)
                for (Int i = 0; i < it.extent; ++i)
                    next.push_back(it.axis == thread ? Two{p.whole + i * it.stride, p.other}
                                                     : Two{p.whole, p.other + i * it.stride});
            out.swap(next);
        }
        return out;
    };
    const auto replicas = sums(l.replica);
    std::vector<std::vector<Value>> sets;
    for (const Two& d : sums(l.shard)) {
        std::vector<Value> set;
        for (const Two& r : replicas) {
            const Int w = d.whole + r.whole + l.offset[thread], a = down(w, e);
            set.push_back(oracle::encode(a, warp) + oracle::encode(w - a * e, lane) +
                          oracle::encode(d.other + r.other + l.offset[m], m));
        }
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        sets.push_back(set);
    }
    return sets;
}

/// The sets as one set and its translates, a product of sums of progressions of single axes; nothing when they are not.
std::optional<oracle::Table> as_table(const std::vector<std::vector<Value>>& sets)
{
    oracle::Table out;
    for (const auto& set : sets) {
        std::vector<Value> shape = set;
        for (Value& v : shape) v -= set.front();
        if (out.low.empty()) out.set = shape;
        if (shape != out.set) return std::nullopt;
        out.low.push_back(set.front());
    }
    std::size_t product = 1;
    for (int a = 0; a < oracle::axis_count; ++a) {
        auto line = oracle::on_axis(out.set, a);
        const Int least = line.front();
        for (Int& v : line) v -= least;
        product *= line.size();
        if (!oracle::is_sum_of_progressions(line)) return std::nullopt;
    }
    if (product != out.set.size()) return std::nullopt;
    return out;
}

void check_split(laws::Report& report, const axe::Layout& l, Int e)
{
    const axe::AxisSplit split{thread, warp, lane, e};
    const auto truth = as_table(split_sets(l, e));
    const auto d = truth ? oracle::recover_d(truth->low) : std::nullopt;
    const auto got = axe::split_axis(l, split);
    if (!report.exists(d.has_value(), got, l, "by", e)) return;
    report.that(oracle::same_list(got->shard, *d) && oracle::table(*got) == *truth, "wrong", l, "by", e, "got", *got);
    const auto back = axe::fuse_axes(*got, split);
    if (report.that(back.has_value(), "not fused", *got, "by", e))
        report.that(bool(axe::equal(*back, l)), "fused to another", l, "by", e, "got", *back);
}

} // namespace

TEST_CASE("split_axis: every small layout, offset and replica")
{
    laws::Report report("split_axis");
    std::vector<axe::Iter> replicas{{1, 0, lane}, {2, 3, m}};
    for (Int n = 2; n <= 4; ++n)
        for (Int s : {1, 2, 3, 4, 6, -8}) replicas.push_back({n, s, lane});
    laws::all_shards(1, 4, 8, 2, [&](const axe::Layout& l) {
        for (const axe::Iter& r : replicas)
            for (Int offset = -9; offset <= 9; ++offset)
                for (Int e = 1; e <= 9; ++e) {
                    axe::Layout moved = l;
                    moved.replica.push_back(r);
                    *moved.offset.entry(lane) = offset;
                    check_split(report, on_thread(moved), e);
                }
    });
    report.finish();
}

TEST_CASE("split_axis: every small layout of two and three iters")
{
    laws::Report report("split_axis");
    // The first axis of all_shards has both signs: it is to be the one that is split.
    const auto turned = [](const axe::Layout& l) {
        axe::Layout out = l;
        for (auto& it : out.shard) it.axis = it.axis == m ? lane : m;
        return on_thread(out);
    };
    laws::all_shards(2, 4, 8, 2, [&](const axe::Layout& l) {
        axe::Layout moved = turned(l);
        for (Int offset : {0, 1, 4, -6}) {
            *moved.offset.entry(thread) = offset;
            for (Int e : {2, 3, 4, 8}) check_split(report, moved, e);
        }
    });
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) {
        if (l.shard.size() == 3) check_split(report, turned(l), 4);
    });
    laws::all_shards(3, 3, 3, 2, [&](const axe::Layout& l) {
        if (l.shard.size() != 3) return;
        axe::Layout moved = turned(l);
        *moved.offset.entry(thread) = 3;
        for (Int e : {2, 6}) check_split(report, moved, e);
    });
    report.finish();
}

TEST_CASE("split_axis: random layouts whose carries cancel, with replica sets of any kind")
{
    laws::Report report("split_axis");
    laws::Random r(20240607);
    for (Int i = laws::cases(200'000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = static_cast<int>(r.in(1, 5));
        kind.largest_size = 200;
        kind.axes = static_cast<int>(r.in(1, 2));
        kind.offset = r.one_in(2);
        kind.replicas = r.one_in(3);
        axe::Layout l = laws::random_layout(r, kind);
        const bool turn = kind.axes == 1 || r.one_in(2);
        for (auto& it : l.shard)
            if (turn) it.axis = it.axis == m ? lane : m;
        for (auto& it : l.replica)
            if (turn) it.axis = it.axis == m ? lane : m;
        if (turn && l.offset[m] != 0) {
            const Int offset = l.offset[m];
            l.offset = {};
            *l.offset.entry(lane) = offset;
        }
        check_split(report, on_thread(l), r.one_in(2) ? Int{1} << r.in(0, 5) : r.in(1, 24));
    }
    report.finish();
}

TEST_CASE("split_axis: replica sets that have several lists, not each of which splits")
{
    // {0, 1, 2, 3} + 2·B: with B = {0, 3, 6, …} + {0, 4, 8, 12} or of strides 6 and 9, the same set.
    laws::Report report("split_axis");
    for (Int n = 2; n <= 5; ++n)
        for (Int s = 6; s <= 8; ++s)
            for (Int k = 2; k <= 5; ++k)
                for (Int t = s; t <= 14; ++t)
                    for (Int e = 2; e <= 5; ++e)
                        for (Int offset : {0, 1})
                            check_split(report, {{}, {{4, 1, thread}, {n, s, thread}, {k, t, thread}}, {{thread, offset}}}, e);
    const axe::AxisSplit halves{thread, warp, lane, 2};
    const auto one = axe::split_axis(axe::Layout{{}, {{4, 1, thread}, {4, 6, thread}, {3, 9, thread}}}, halves);
    const auto other = axe::split_axis(axe::Layout{{}, {{4, 1, thread}, {3, 6, thread}, {4, 8, thread}}}, halves);
    REQUIRE(one.has_value());
    CHECK(axe::equal(*one, *other));
    report.finish();
}

TEST_CASE("split_axis: what was fused is found again, at any size")
{
    // Of layouts too large to list: made on the parts, so that the answer is known.
    laws::Report report("split_axis");
    laws::Random r(20240608);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const Int e = r.in(2, Int{1} << r.in(2, 20));
        axe::Layout l;
        Int room = e - 1, low = 0;
        const auto inner_iter = [&] {
            const Int n = r.in(2, 9), s = r.in(0, room / (n - 1)) / r.in(1, 4);
            room -= (n - 1) * s;
            if (r.one_in(3) && s != 0) {
                low += (n - 1) * s;
                return axe::Iter{n, -s, lane};
            }
            return axe::Iter{n, s, lane};
        };
        for (Int k = r.in(1, 6); k > 0; --k) {
            if (r.one_in(2))
                l.shard.push_back(inner_iter());
            else
                l.shard.push_back({r.in(2, 1000), r.in(-1000, 1000), r.one_in(4) ? m : warp});
        }
        if (r.one_in(2)) l.replica.push_back(inner_iter());
        if (r.one_in(2)) l.replica.push_back({r.in(2, 50), r.in(1, 50), warp});
        *l.offset.entry(lane) = low + r.in(0, room);
        *l.offset.entry(warp) = r.in(-1000, 1000);
        const axe::AxisSplit split{thread, warp, lane, e};
        const auto fused = axe::fuse_axes(l, split);
        report.asked(true);
        if (!report.that(fused.has_value(), "not fused", l, "by", e)) continue;
        const auto found = axe::split_axis(*fused, split);
        if (!report.that(found.has_value(), "not found", l, "by", e, "from", *fused, found.error().message().c_str())) continue;
        report.that(bool(axe::equal(*found, l)), "another", l, "by", e, "got", *found);
    }
    report.finish(false);
}

TEST_CASE("fuse_axes: exactly where the inner coordinate stays inside")
{
    laws::Report report("fuse_axes");
    const axe::AxisSplit split{thread, warp, lane, 8};
    laws::all_shards(2, 4, 8, 1, [&](const axe::Layout& l) {
        axe::Layout parts;
        for (const auto& it : l.shard) parts.shard.push_back({it.extent, it.stride, lane});
        parts.shard.push_back({3, 2, warp});
        for (Int offset = -2; offset <= 8; ++offset) {
            *parts.offset.entry(lane) = offset;
            bool inside = true;
            for (Value v : oracle::values(oracle::model(parts).shard))
                inside = inside && oracle::decode(v, 1) + offset >= 0 && oracle::decode(v, 1) + offset < 8;
            const auto got = axe::fuse_axes(parts, split);
            report.asked(inside);
            report.that(inside ? got.has_value() : got.code() == axe::errc::out_of_domain, "wrong", parts);
        }
    });
    report.finish();
}
