// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/broadcast.hpp>
#include <axe/layout/permute.hpp>
#include <axe/layout/reshape.hpp>
#include <tests/laws/report.hpp>

/// permute, broadcast and reshape: the same points at other logical coordinates.
namespace {

using laws::Int;

using Order = axe::InlineVector<int, axe::max_rank>;

/// permute(L, S, order)(c_{order[0]}, c_{order[1]}, …) = L(c_0, c_1, …); exists iff S groups L.
void check_permute(laws::Report& report, const axe::Layout& l, const axe::Shape& shape, const Order& order)
{
    const auto from = oracle::table(l);
    oracle::Table truth{{}, from.set};
    std::vector<Int> places;
    for (int d : order) places.push_back(shape[d]);
    for (Int x = 0; x < oracle::size(l); ++x) {
        const auto c = oracle::coordinate(places, x);
        std::vector<Int> old(c.size());
        for (std::size_t d = 0; d < c.size(); ++d) old[static_cast<std::size_t>(order[static_cast<int>(d)])] = c[d];
        truth.low.push_back(from.low[static_cast<std::size_t>(oracle::index(oracle::list(shape), old))]);
    }
    const auto got = axe::permute(l, shape, order);
    axe::Coord shown;
    for (int d : order) shown.push_back(d);
    if (!report.exists(oracle::groups(from.low, shape), got, l, shape, shown)) return;
    report.that(laws::is_map(*got, truth), "wrong", l, shape, shown, "got", *got);
}

/// broadcast(L, S, dim, n)(…, j, c_dim, …) = L(…, c_dim, …); exists iff that map is a layout.
void check_broadcast(laws::Report& report, const axe::Layout& l, const axe::Shape& shape, int dim, Int n)
{
    const auto from = oracle::table(l);
    oracle::Table truth{{}, from.set};
    Int inner = 1;
    for (int d = dim; d < shape.size(); ++d) inner *= shape[d];
    for (Int x = 0; x < oracle::size(l) * n; ++x)
        truth.low.push_back(from.low[static_cast<std::size_t>(x / inner / n * inner + x % inner)]);
    const auto got = axe::broadcast(l, shape, dim, n);
    if (!report.exists(oracle::recover_d(truth.low).has_value(), got, l, shape, dim, n)) return;
    report.that(laws::is_map(*got, truth), "wrong", l, shape, Int{dim}, n, "got", *got);
}

template <class F>
void all_orders(int rank, F f)
{
    std::vector<int> order;
    for (int d = 0; d < rank; ++d) order.push_back(d);
    do {
        Order out;
        for (int d : order) out.push_back(d);
        f(out);
    } while (std::next_permutation(order.begin(), order.end()));
}

template <class F>
void all_shapes(Int n, F f)
{
    f(axe::Shape{n});
    for (Int a = 1; a <= n; ++a) {
        if (n % a != 0) continue;
        f(axe::Shape{a, n / a});
        for (Int b = 2; b < n / a; ++b)
            if (n / a % b == 0) f(axe::Shape{a, b, n / a / b});
    }
}

} // namespace

TEST_CASE("permute: every small layout, shape and order")
{
    laws::Report report("permute");
    laws::all_shards(3, 4, 2, 2, [&](const axe::Layout& l) {
        all_shapes(oracle::size(l),
                   [&](const axe::Shape& s) { all_orders(s.size(), [&](const Order& o) { check_permute(report, l, s, o); }); });
    });
    report.finish();
}

TEST_CASE("broadcast: every small layout, shape and place")
{
    laws::Report report("broadcast");
    laws::all_shards(3, 4, 1, 2, [&](const axe::Layout& l) {
        all_shapes(oracle::size(l), [&](const axe::Shape& s) {
            for (int dim = 0; dim <= s.size(); ++dim)
                for (Int n : {1, 2, 3}) check_broadcast(report, l, s, dim, n);
        });
    });
    report.finish();
}

TEST_CASE("permute and broadcast: random layouts")
{
    laws::Report permuted("permute"), broadcasted("broadcast");
    laws::Random r(20240615);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        laws::Kind kind;
        kind.largest_size = 150;
        kind.extent = 12;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.replicas = r.one_in(8);
        kind.offset = true;
        const axe::Layout l = laws::random_layout(r, kind);
        const axe::Shape shape = laws::random_shape(r, oracle::size(l), 4);
        Order order;
        for (int d = 0; d < shape.size(); ++d) order.insert(static_cast<int>(r.in(0, order.size())), d);
        check_permute(permuted, l, shape, order);
        check_broadcast(broadcasted, l, shape, static_cast<int>(r.in(0, shape.size())), r.in(1, 5));
    }
    permuted.finish();
    broadcasted.finish();
}

TEST_CASE("permute, broadcast, reshape: what is ill-formed is an error")
{
    const axe::Layout l{{{4, 2}, {2, 1}}};
    CHECK(axe::permute(l, {4, 2}, {0, 0}).code() == axe::errc::bad_argument);
    CHECK_FALSE(axe::permute(l, {4, 2}, {0}).has_value());
    CHECK_FALSE(axe::permute(l, {4, 2}, {0, 2}).has_value());
    CHECK(axe::broadcast(l, {4, 2}, 3, 2).code() == axe::errc::bad_argument);
    CHECK(axe::broadcast(l, {4, 2}, -1, 2).code() == axe::errc::bad_argument);
    CHECK(axe::broadcast(l, {4, 2}, 0, 0).code() == axe::errc::bad_extent);
    CHECK(axe::reshape(l, {4, 3}).code() == axe::errc::size_mismatch);
    const auto same = axe::reshape(l, {2, 2, 2});
    REQUIRE(same);
    CHECK(oracle::table(*same) == oracle::table(l));
}
