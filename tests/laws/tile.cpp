// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/sum.hpp>
#include <axe/layout/tile.hpp>
#include <tests/laws/report.hpp>

/// tile: T(z‖y) = span(B) ⊙ C(z) + B(y);  sum: (A+B)(z‖y) = A(z) ⊕ B(y). Both exist iff both shapes group.
namespace {

using laws::Int;

/// The map that the equation gives, each axis of the outer layout scaled.
oracle::Table combined(const axe::Layout& outer, const axe::Shape& outer_shape, const axe::Layout& inner,
                       const axe::Shape& inner_shape, const oracle::Scale& scale)
{
    const auto c = oracle::table(oracle::model(outer, scale)), b = oracle::table(inner);
    oracle::Table out;
    out.set = oracle::minkowski(c.set, b.set);
    for (const auto& [z, y] : oracle::interleaved(outer_shape, inner_shape))
        out.low.push_back(c.low[static_cast<std::size_t>(z)] + b.low[static_cast<std::size_t>(y)]);
    return out;
}

void check_tile(laws::Report& report, const axe::Layout& c, const axe::Shape& cs, const axe::Layout& b, const axe::Shape& bs)
{
    const bool exists = oracle::groups(oracle::table(c).low, cs) && oracle::groups(oracle::table(b).low, bs);
    const oracle::Scale scale = {oracle::span(b, 0), oracle::span(b, 1), oracle::span(b, 2)};
    const auto tiled = axe::tile(c, cs, b, bs);
    if (report.exists(exists, tiled, c, cs, b, bs))
        report.that(laws::is_map(*tiled, combined(c, cs, b, bs, scale)), "tile is wrong", c, cs, b, bs, "got", *tiled);
    const auto summed = axe::sum(c, cs, b, bs);
    if (report.exists(exists, summed, c, cs, b, bs))
        report.that(laws::is_map(*summed, combined(c, cs, b, bs, oracle::unscaled)), "sum is wrong", c, cs, b, bs, "got", *summed);
}

} // namespace

TEST_CASE("tile and sum: pairs of small layouts")
{
    laws::Report report("tile, sum");
    std::vector<axe::Layout> list;
    laws::all_shards(2, 4, 2, 2, [&](const axe::Layout& l) { list.push_back(l); });
    for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = i % 3; k < list.size(); k += 3) {
            const Int n = oracle::size(list[i]), m = oracle::size(list[k]);
            check_tile(report, list[i], {n}, list[k], {m});
            check_tile(report, list[i], {1, n}, list[k], {m, 1});
            if (n % 2 == 0 && m % 2 == 0) check_tile(report, list[i], {2, n / 2}, list[k], {m / 2, 2});
        }
    report.finish();
}

TEST_CASE("tile and sum: random layouts with replicas and offsets")
{
    laws::Report report("tile, sum");
    laws::Random r(20240608);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 36;
        kind.iters = 3;
        kind.extent = 6;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.offset = true;
        kind.replicas = r.one_in(2);
        kind.extent_one = r.one_in(4);
        const axe::Layout c = laws::random_layout(r, kind), b = laws::random_layout(r, kind);
        axe::Shape cs = laws::random_shape(r, oracle::size(c), 3), bs = laws::random_shape(r, oracle::size(b), 3);
        while (cs.size() < bs.size()) cs.insert(static_cast<int>(r.in(0, cs.size())), 1);
        while (bs.size() < cs.size()) bs.insert(static_cast<int>(r.in(0, bs.size())), 1);
        check_tile(report, c, cs, b, bs);
    }
    report.finish();
}

TEST_CASE("sum: the quadrants of a block, which no tiling gives")
{
    const axe::Layout quadrants{{{2, 8}, {2, 2}}}, block{{{2, 4}, {2, 1}}};
    const auto got = axe::sum(quadrants, {2, 2}, block, {2, 2});
    REQUIRE(got);
    CHECK(*got == axe::Layout{{{16, 1}}});
}
