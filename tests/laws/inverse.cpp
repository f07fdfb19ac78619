// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/inverse.hpp>
#include <tests/laws/report.hpp>

/// inverse(L, axes): for a single-valued bijection onto the box Π [0, span_a) over the named axes, the layout of the logical index over
/// that box, row-major in the order the axes are named.
namespace {

using laws::Int;

void check_inverse(laws::Report& report, const axe::Layout& l, const axe::Layout::Axes& named)
{
    const auto from = oracle::table(l);
    Int box = 1;
    for (const auto& axis : named) box *= oracle::span(l, oracle::axis_number(axis));
    bool bijective = box == static_cast<Int>(from.low.size());
    oracle::Table truth{{}, {0}};
    if (bijective) truth.low.assign(static_cast<std::size_t>(box), -1);
    for (std::size_t x = 0; bijective && x < from.low.size(); ++x) {
        oracle::Value rest = from.low[x];
        Int place = 0;
        for (const auto& axis : named) {
            const Int side = oracle::span(l, oracle::axis_number(axis)), c = oracle::decode(from.low[x], oracle::axis_number(axis));
            bijective = bijective && c >= 0 && c < side;
            place = place * side + c;
            rest -= oracle::encode(c, axis);
        }
        bijective = bijective && rest == 0 && truth.low[static_cast<std::size_t>(place)] < 0;
        if (bijective) truth.low[static_cast<std::size_t>(place)] = static_cast<oracle::Value>(x);
    }
    const auto got = axe::inverse(l, named);
    const bool exists = bijective && oracle::recover_d(truth.low).has_value();
    if (!report.exists(exists, got, l, named)) return;
    report.that(laws::is_map(*got, truth), "wrong", l, named, "got", *got);
}

const axe::Layout::Axes orders[] = {{oracle::axes[0]}, {oracle::axes[0], oracle::axes[1]}, {oracle::axes[1], oracle::axes[0]}};

} // namespace

TEST_CASE("inverse: every small layout")
{
    laws::Report report("inverse");
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) {
        check_inverse(report, l, orders[0]);
        axe::Layout moved = l; // negative strides are inverted once they start at 0
        Int least = 0;
        for (const auto& it : l.shard) least += it.stride < 0 ? (it.extent - 1) * it.stride : 0;
        if (least == 0) return;
        *moved.offset.entry({}) = -least;
        check_inverse(report, moved, orders[0]);
    });
    laws::all_shards(3, 4, 4, 2, [&](const axe::Layout& l) {
        check_inverse(report, l, orders[1]);
        check_inverse(report, l, orders[2]);
    });
    report.finish();
}

TEST_CASE("inverse: random permutations of mixed radices")
{
    laws::Report report("inverse");
    laws::Random r(20240611);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        axe::Layout l;
        Int reach[3] = {1, 1, 1};
        for (Int k = r.in(1, 6); k > 0; --k) { // digits of a box, in a random order, some of them turned round
            const int a = static_cast<int>(r.in(0, 2));
            const Int n = r.in(1, 4), s = reach[a] * (r.one_in(20) ? 2 : 1);
            const bool turned = r.one_in(3);
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), {n, turned ? -s : s, oracle::axes[a]});
            if (turned && n > 1) *l.offset.entry(oracle::axes[a]) += (n - 1) * s;
            reach[a] *= n;
        }
        axe::Layout::Axes named;
        for (const auto& axis : oracle::axes) named.insert(static_cast<int>(r.in(0, named.size())), axis);
        check_inverse(report, l, named);
    }
    report.finish();
}

TEST_CASE("inverse: what has more than one point for an index is not inverted")
{
    const axe::Layout twice{{{4, 1}}, {{2, 4}}};
    CHECK_FALSE(axe::inverse(twice, {axe::Axis{}}).has_value());
}
