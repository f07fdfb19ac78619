// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <tests/laws/respelling.hpp>

#include <algorithm>

/// f(L) = f(L') where L and L' are one map: the answer of every operation depends on the map alone, and not on how it is written.
namespace {

using axe::Layout;
using laws::Int;
using laws::listed;
using laws::same;

} // namespace

TEST_CASE("respelling: every operation gives the same answer for two spellings of a map")
{
    laws::Report report("respelling");
    laws::Random r(1897);
    const laws::Kind kinds[] = {{.largest_size = 60, .axes = 1},
                                {.largest_size = 60, .axes = 3, .replicas = true, .offset = true},
                                {.largest_size = 24, .axes = 2, .extent_one = true, .offset = true},
                                {.largest_size = 24, .axes = 1, .replicas = true}};
    for (Int i = laws::cases(20000); i > 0; --i) {
        const laws::Kind& kind = kinds[r.in(0, 3)];
        const Layout l = laws::random_layout(r, kind), m = laws::random_layout(r, kind);
        const Layout k = laws::respelled(r, l), n = laws::respelled(r, m);
        const Int size = oracle::size(l), of_m = oracle::size(m);
        const axe::Shape s = laws::random_shape(r, size, 3), t = laws::random_shape(r, of_m, 3);
        const axe::Axis a = laws::random_axis(r, 3), b = laws::random_axis(r, 3);
        const auto ask = [&](const char* name, const auto& x, const auto& y) {
            report.asked(x.code() == axe::errc::ok);
            report.that(same(x, y), name, l, k, m, n, s, t);
        };
        const auto one = [&](const char* name, const auto& f) { ask(name, f(l), f(k)); };
        const auto two = [&](const char* name, const auto& f) { ask(name, f(l, m), f(k, n)); };

        one("check", [](const Layout& x) { return axe::check(x); });
        one("size", [](const Layout& x) { return axe::size(x); });
        one("admits", [&](const Layout& x) { return axe::admits(x, t); });
        one("canonicalize", [](const Layout& x) { return axe::canonicalize(x); });
        two("equal", [](const Layout& x, const Layout& y) { return axe::equal(x, y); });
        one("group", [&](const Layout& x) { return axe::group(x, s); });
        one("group_many", [&](const Layout& x) { return axe::group_many(x, s, axe::Shape{size}); });
        one("reshape", [&](const Layout& x) { return axe::reshape(x, s); });
        axe::Order order;
        for (int d = 0; d < s.size(); ++d) order.insert(static_cast<int>(r.in(0, order.size())), d);
        one("permute", [&](const Layout& x) { return axe::permute(x, s, order); });
        const axe::Region region = laws::random_region(r, s);
        one("slice", [&](const Layout& x) { return axe::slice(x, s, region); });
        const int dim = static_cast<int>(r.in(0, s.size() - 1));
        one("broadcast", [&](const Layout& x) { return axe::broadcast(x, s, dim, 3); });
        one("max_vector", [&](const Layout& x) { return axe::max_vector(x, s, dim, a); });
        one("span", [&](const Layout& x) { return axe::span(x, a); });
        one("rename", [&](const Layout& x) { return axe::rename(x, a, b); });
        one("project", [&](const Layout& x) { return axe::project(x, {a}); });
        one("local", [&](const Layout& x) { return axe::local(x, {a}); });
        axe::Point by;
        *by.entry(a) = r.in(-5, 5);
        one("shift", [&](const Layout& x) { return axe::shift(x, by); });
        const Int factor = r.in(1, 4);
        one("pack", [&](const Layout& x) { return axe::pack(x, factor, a); });
        one("unpack", [&](const Layout& x) { return axe::unpack(x, factor, a); });
        const Int index = r.in(0, size - 1);
        const axe::Coord coord = axe::coordinate(s, index);
        one("evaluate", [&](const Layout& x) { return axe::evaluate(x, index); });
        report.that(listed(axe::points(l, index)) == listed(axe::points(k, index)), "points", l, k, index);
        if (const auto points = listed(axe::points(l, index)); !points.empty()) {
            const axe::Point& p = points[static_cast<std::size_t>(r.in(0, static_cast<Int>(points.size()) - 1))];
            const auto x = axe::preimage(l, s, p), y = axe::preimage(k, s, p);
            report.that(x.error().code == y.error().code && listed(x) == listed(y), "preimage", l, k, s, p);
        }
        one("evaluate at a coordinate", [&](const Layout& x) { return axe::evaluate(x, s, coord); });
        one("make_evaluator",
            [&](const Layout& x) { return axe::make_evaluator(x).transform([&](const auto& e) { return e(index); }); });
        one("make_evaluator on an axis",
            [&](const Layout& x) { return axe::make_evaluator(x, a).transform([&](const auto& e) { return e(index); }); });
        report.that(same(axe::points(l, index).count(), axe::points(k, index).count()), "count of points", l, k, index);
        report.that(listed(axe::points(l, s, coord)) == listed(axe::points(k, s, coord)), "points at a coordinate", l, k, s, index);
        one("is_injective", [](const Layout& x) { return axe::is_injective(x); });
        one("is_contiguous", [](const Layout& x) { return axe::is_contiguous(x); });
        axe::Point box;
        *box.entry(a) = r.in(1, 20);
        one("is_surjective", [&](const Layout& x) { return axe::is_surjective(x, box); });
        one("is_bijective", [&](const Layout& x) { return axe::is_bijective(x, box); });
        one("inverse", [&](const Layout& x) { return axe::inverse(x, {a, b}); });
        one("left_inverse", [](const Layout& x) { return axe::left_inverse(x); });
        one("right_inverse", [](const Layout& x) { return axe::right_inverse(x); });
        one("complement", [&](const Layout& x) { return axe::complement(x, 4 * size); });
        two("compose", [&](const Layout& x, const Layout& y) { return axe::compose(x, y, a); });
        const auto swizzled = [&](const Layout& x) { return axe::Swizzled<Layout>{{1, 1, i % 2 == 0 ? 1 : -2}, b, 1, x}; };
        one("check, swizzled", [&](const Layout& x) { return axe::check(swizzled(x)); });
        one("size, swizzled", [&](const Layout& x) { return axe::size(swizzled(x)); });
        one("evaluate, swizzled", [&](const Layout& x) { return axe::evaluate(swizzled(x), index); });
        one("evaluate at a coordinate, swizzled", [&](const Layout& x) { return axe::evaluate(swizzled(x), s, coord); });
        const auto swizzled_points = listed(axe::points(swizzled(l), index));
        report.that(swizzled_points == listed(axe::points(swizzled(k), index)), "points, swizzled", l, k, index);
        report.that(listed(axe::points(swizzled(l), s, coord)) == listed(axe::points(swizzled(k), s, coord)),
                    "points at a coordinate, swizzled", l, k, s, index);
        if (!swizzled_points.empty()) {
            const auto x = axe::preimage(swizzled(l), s, swizzled_points[0]), y = axe::preimage(swizzled(k), s, swizzled_points[0]);
            report.that(x.error().code == y.error().code && listed(x) == listed(y), "preimage, swizzled", l, k, s);
        }
        one("slice, swizzled", [&](const Layout& x) { return axe::slice(swizzled(x), s, region); });
        two("equal, swizzled", [&](const Layout& x, const Layout& y) { return axe::equal(swizzled(x), swizzled(y)); });
        one("with_width", [&](const Layout& x) { return axe::with_width(swizzled(x), Int{i % 4 < 2 ? 1 : 2}); });
        report.that(axe::is_aligned(swizzled(l)) == axe::is_aligned(swizzled(k)), "is_aligned", l, k);
        one("is_contiguous, swizzled", [&](const Layout& x) { return axe::is_contiguous(swizzled(x)); });
        one("max_vector, swizzled", [&](const Layout& x) { return axe::max_vector(swizzled(x), s, dim, a); });
        one("canonicalize, swizzled", [&](const Layout& x) { return axe::canonicalize(swizzled(x)); });
        one("reshape, swizzled", [&](const Layout& x) { return axe::reshape(swizzled(x), s); });
        one("permute, swizzled", [&](const Layout& x) { return axe::permute(swizzled(x), s, order); });
        one("broadcast, swizzled", [&](const Layout& x) { return axe::broadcast(swizzled(x), s, dim, 3); });
        one("span, swizzled", [&](const Layout& x) { return axe::span(swizzled(x), a); });
        one("rename, swizzled", [&](const Layout& x) { return axe::rename(swizzled(x), a, b); });
        one("project, swizzled", [&](const Layout& x) { return axe::project(swizzled(x), {a}); });
        one("local, swizzled", [&](const Layout& x) { return axe::local(swizzled(x), {a}); });
        one("shift, swizzled", [&](const Layout& x) { return axe::shift(swizzled(x), by); });
        one("pack, swizzled", [&](const Layout& x) { return axe::pack(swizzled(x), factor, a); });
        one("unpack, swizzled", [&](const Layout& x) { return axe::unpack(swizzled(x), factor, a); });
        two("compose, swizzled", [&](const Layout& x, const Layout& y) { return axe::compose(swizzled(x), y); });
        if (s.size() == t.size()) {
            const auto plain = [](const Layout& x) { return axe::Swizzled<Layout>{{}, {}, 1, x}; };
            two("sum, swizzled", [&](const Layout& x, const Layout& y) { return axe::sum(swizzled(x), s, plain(y), t); });
            two("tile, swizzled", [&](const Layout& x, const Layout& y) { return axe::tile(plain(x), s, swizzled(y), t); });
            if (const auto tiled = axe::tile(plain(l), s, swizzled(m), t)) {
                auto other = *tiled;
                other.layout = laws::respelled(r, tiled->layout);
                axe::Shape whole;
                for (int d = 0; d < s.size(); ++d) whole.push_back(s[d] * t[d]);
                ask("untile, swizzled", axe::untile(*tiled, whole, swizzled(m), t), axe::untile(other, whole, swizzled(n), t));
                ask("untile by a plain tile, swizzled", axe::untile(*tiled, whole, plain(m), t),
                    axe::untile(other, whole, plain(n), t));
                ask("untile_outer, swizzled", axe::untile_outer(*tiled, whole, plain(l), s),
                    axe::untile_outer(other, whole, plain(k), s));
            }
            two("tile", [&](const Layout& x, const Layout& y) { return axe::tile(x, s, y, t); });
            two("sum", [&](const Layout& x, const Layout& y) { return axe::sum(x, s, y, t); });
            const auto tiled = axe::tile(l, s, m, t);
            if (tiled) {
                const Layout other = laws::respelled(r, *tiled);
                axe::Shape whole;
                for (int d = 0; d < s.size(); ++d) whole.push_back(s[d] * t[d]);
                ask("untile", axe::untile(*tiled, whole, m, t), axe::untile(other, whole, n, t));
                ask("untile_outer", axe::untile_outer(*tiled, whole, l, s), axe::untile_outer(other, whole, k, s));
            }
            two("unsum_right", [&](const Layout& x, const Layout& y) { return axe::unsum_right(x, s, y, t); });
            two("unsum_left", [&](const Layout& x, const Layout& y) { return axe::unsum_left(x, s, y, t); });
        }
    }
    report.finish();
}
