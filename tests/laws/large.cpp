// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/complement.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/equal.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/inverse.hpp>
#include <axe/layout/left_inverse.hpp>
#include <axe/layout/max_vector.hpp>
#include <axe/layout/pack.hpp>
#include <axe/layout/permute.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/layout/properties.hpp>
#include <axe/layout/right_inverse.hpp>
#include <axe/layout/slice.hpp>
#include <axe/layout/span.hpp>
#include <axe/layout/sum.hpp>
#include <axe/layout/tile.hpp>
#include <axe/layout/unsum.hpp>
#include <axe/layout/untile.hpp>
#include <tests/laws/report.hpp>

#include <chrono>

/// Layouts far too large to enumerate, whose answers are known from how they are made: from a small layout, where the table decides,
/// by steps that carry the answer along; or from the numbers themselves. An answer is right or `errc::overflow`, and comes at once.
namespace {

using laws::Int;
__extension__ using Wide = __int128;

constexpr Int power(int k) { return Int{1} << k; }

/// A test case may take this long, sanitizers included: nothing here grows with the extents.
class Deadline {
  public:
    ~Deadline()
    {
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
        CHECK(taken.count() < 60.0);
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The coordinate of D(x) + O on an axis, digit by digit, in twice the width.
Wide coordinate(const axe::Layout& l, Int x, const axe::Axis& axis)
{
    Wide v = l.offset[axis];
    for (int k = l.shard.size() - 1; k >= 0; --k) {
        const auto& it = l.shard[k];
        if (it.axis == axis) v += Wide(x % it.extent) * it.stride;
        x /= it.extent;
    }
    return v;
}
bool same_point(const axe::Layout& l, Int x, const axe::Layout& m, Int y)
{
    for (const auto& axis : oracle::axes)
        if (coordinate(l, x, axis) != coordinate(m, y, axis)) return false;
    return true;
}

const Int primes[] = {1'000'003, 999'999'937, 2'147'483'647, 67'280'421'310'721, 1'000'000'000'000'037};

Int large_number(laws::Random& r)
{
    switch (r.in(0, 3)) {
    case 0: return primes[r.in(0, 4)];
    case 1: return power(static_cast<int>(r.in(10, 50)));
    case 2: return 1'000'000'000'000'000;
    default: return r.in(2, power(40));
    }
}

/// L'(x·n + i) = n·L(x) + i on axis m, the other axes as they are: a block of n in the place of every element.
bool with_blocks(const axe::Layout& l, Int n, axe::Layout& out)
{
    out = l;
    for (auto& it : out.shard)
        if (it.axis == axe::Axis{} && __builtin_mul_overflow(it.stride, n, &it.stride)) return false;
    for (auto& it : out.replica)
        if (it.axis == axe::Axis{} && __builtin_mul_overflow(it.stride, n, &it.stride)) return false;
    for (auto& e : out.offset.entries)
        if (e.axis == axe::Axis{} && __builtin_mul_overflow(e.value, n, &e.value)) return false;
    return out.shard.push_back({n, 1}) && axe::check(out).ok();
}

/// All coordinates times n.
bool scaled(const axe::Layout& l, Int n, axe::Layout& out)
{
    out = l;
    for (auto& it : out.shard)
        if (__builtin_mul_overflow(it.stride, n, &it.stride)) return false;
    for (auto& e : out.offset.entries)
        if (__builtin_mul_overflow(e.value, n, &e.value)) return false;
    return axe::check(out).ok();
}

/// The large answer must be the small one carried along; an overflow of the result is the only other way out.
void same_answer(laws::Report& report, const axe::Result<axe::Layout>& small, const axe::Result<axe::Layout>& large,
                 bool expected_fits, const axe::Layout& expected, const axe::Layout& question)
{
    report.asked(small.has_value());
    if (!small) {
        report.that(!large && large.error().is_none(), "found at scale, or an error", question);
        return;
    }
    if (!large) {
        report.that(!expected_fits && large.code() == axe::errc::overflow, "not found at scale", question, expected);
        return;
    }
    const auto same = axe::equal(*large, expected);
    report.that(expected_fits && !same.undecided() && same, "another at scale", question, "got", *large, "not", expected);
}

laws::Kind small_kind(laws::Random& r)
{
    laws::Kind kind;
    kind.largest_size = 200;
    kind.axes = static_cast<int>(r.in(1, 2));
    kind.offset = true;
    return kind;
}

} // namespace

TEST_CASE("large: a slice of blocks is the slice with blocks")
{
    const Deadline deadline;
    laws::Report report("slice");
    laws::Random r(1);
    for (Int i = laws::cases(50'000); i > 0; --i) {
        const axe::Layout l = laws::random_layout(r, small_kind(r));
        const Int n = oracle::size(l), lo = r.in(0, n - 1), hi = r.in(lo + 1, n), block = large_number(r);
        axe::Layout blocks, expected;
        if (!with_blocks(l, block, blocks)) continue;
        const auto small = axe::slice(l, {n}, {{lo, hi}});
        const bool fits = small && with_blocks(*small, block, expected);
        same_answer(report, small, axe::slice(blocks, {n * block}, {{lo * block, hi * block}}), fits, expected, blocks);
        same_answer(report, small, axe::slice(blocks, {n, block}, {{lo, hi}, {0, block}}), fits, expected, blocks);
    }
    report.finish();
}

TEST_CASE("large: a window far out, of an outermost iter of any extent")
{
    const Deadline deadline;
    laws::Report report("slice");
    laws::Random r(2);
    for (Int i = laws::cases(50'000); i > 0; --i) {
        axe::Layout l = laws::random_layout(r, small_kind(r));
        if (l.shard.empty()) continue;
        const Int n = oracle::size(l), lo = r.in(0, n - 1), hi = r.in(lo + 1, n);
        const auto small = axe::slice(l, {n}, {{lo, hi}});
        axe::Layout longer = l;
        axe::Iter& outer = longer.shard[0];
        const Int row = n / outer.extent, far = large_number(r) / row;
        outer.extent += far;
        if (!axe::check(longer).ok()) continue;
        axe::Layout expected;
        if (small) { // moved by what `far` steps of the outermost iter add
            expected = *small;
            if (outer.stride != 0) *expected.offset.entry(outer.axis) += far * outer.stride;
        }
        same_answer(report, small, axe::slice(longer, {oracle::size(longer)}, {{far * row + lo, far * row + hi}}), true, expected,
                    longer);
    }
    report.finish();
}

TEST_CASE("large: slices and compositions of scaled strides are scaled")
{
    const Deadline deadline;
    laws::Report report("slice, compose");
    laws::Random r(3);
    for (Int i = laws::cases(50'000); i > 0; --i) {
        const axe::Layout l = laws::random_layout(r, small_kind(r));
        const Int n = oracle::size(l), factor = large_number(r) * (r.one_in(2) ? 1 : -1);
        axe::Layout large, expected;
        if (!scaled(l, factor, large)) continue;
        const axe::Shape shape = laws::random_shape(r, n, 3);
        const axe::Region region = laws::random_region(r, shape);
        const auto part = axe::slice(l, shape, region);
        const bool part_fits = part && scaled(*part, factor, expected);
        same_answer(report, part, axe::slice(large, shape, region), part_fits, expected, large);

        laws::Kind kind;
        kind.iters = 3;
        axe::Layout walk = laws::random_layout(r, kind);
        Int low = 0, high = 0;
        for (const auto& it : walk.shard) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
        if (high - low >= n) continue;
        *walk.offset.entry({}) = r.in(-low, n - 1 - high);
        const auto composed = axe::compose(l, walk);
        const bool composed_fits = composed && scaled(*composed, factor, expected);
        same_answer(report, composed, axe::compose(large, walk), composed_fits, expected, large);

        // and with blocks on both sides: A'(B'(y·n + i)) = n·A(B(y)) + i
        const Int block = large_number(r);
        axe::Layout a, b;
        if (!with_blocks(l, block, a) || !with_blocks(walk, block, b)) continue;
        const bool blocks_fit = composed && with_blocks(*composed, block, expected);
        same_answer(report, composed, axe::compose(a, b), blocks_fit, expected, a);
    }
    report.finish();
}

TEST_CASE("large: the one-wrap slice")
{
    // (N,2h):(s,t) from h on: the inner digit wraps half way, so that the window alternates; (5,2):(1@P,5@P) at [3:7) is its smallest.
    const Deadline deadline;
    int found = 0;
    for (const Int h : {Int{1}, Int{1'000'003}, power(29)})
        for (const Int s : {Int{1}, Int{-7}, Int{1'000'003}, power(28)})
            for (const Int t : {Int{3}, Int{-5}, power(27) + 1}) {
                const axe::Layout l{{{power(20), s}, {2 * h, t, axe::Axis{}}}};
                const Int far = power(19), rows = 1'000;
                const auto got = axe::slice(l, {power(20) * 2 * h}, {{far * 2 * h + h, (far + rows) * 2 * h + h}});
                const axe::Layout want{{{rows, s}, {2, s - t * h}, {h, t}}, {}, {{axe::Axis{}, far * s + h * t}}};
                INFO(axe::print(l).c_str() << " gave " << (got ? axe::print(*got).c_str() : got.error().message().c_str()));
                REQUIRE(got.has_value());
                CHECK(static_cast<bool>(axe::equal(*got, want)));
                // One element more, and a prime number of them: it crosses a boundary, so there is nothing to divide it by.
                if (s == 2 * h * t || h != power(29)) continue;
                const Int prime = 2'147'483'647;
                const auto none = axe::slice(l, {power(20) * 2 * h}, {{far * 2 * h + h, far * 2 * h + h + prime}});
                CHECK((!none && none.error().is_none()));
                ++found;
            }
    CHECK(found > 0);
}

TEST_CASE("large: random aligned slices of sixteen iters")
{
    const Deadline deadline;
    laws::Report report("slice");
    laws::Random r(4);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Layout l;
        axe::Shape shape;
        axe::Region region;
        for (int k = 0; k < 16; ++k) {
            const Int n = r.one_in(3) ? r.in(2, 30) : r.in(2, 6);
            l.shard.push_back({n, r.in(-power(50), power(50)), laws::random_axis(r, 3)});
            shape.push_back(n);
            const Int lo = r.in(0, n - 1);
            region.push_back({lo, r.in(lo + 1, n)});
        }
        if (!axe::check(l).ok()) continue;
        const auto got = axe::slice(l, shape, region);
        if (!report.exists(true, got, l, shape, region)) continue;
        std::vector<Int> part, whole(shape.begin(), shape.end());
        Int size = 1;
        for (const auto& d : region) {
            part.push_back(d.hi - d.lo);
            size *= d.hi - d.lo;
        }
        for (int sample = 0; sample < 8; ++sample) {
            const Int u = r.in(0, size - 1);
            auto c = oracle::coordinate(part, u);
            for (std::size_t d = 0; d < c.size(); ++d) c[d] += region[static_cast<int>(d)].lo;
            if (!report.that(same_point(*got, u, l, oracle::index(whole, c)), "another point", l, shape, region, "got", *got))
                break;
        }
    }
    report.finish(false);
}

TEST_CASE("large: digits in another order, composed and undone")
{
    const Deadline deadline;
    laws::Report report("compose, inverse");
    laws::Random r(5);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        // a box of mixed radix, cut into digits; `order` is a random permutation of them
        std::vector<Int> radix, weight;
        Int size = 1;
        for (int k = 0; k < 12; ++k) {
            const Int n = r.one_in(4) ? primes[r.in(0, 2)] : r.in(2, 40);
            if (size > power(61) / n) break;
            radix.push_back(n);
            size *= n;
        }
        Int w = size;
        for (Int n : radix) weight.push_back(w /= n);
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < radix.size(); ++k)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(r.in(0, static_cast<Int>(order.size()))), k);

        axe::Layout walk, a, expected, identity;
        for (std::size_t k = 0; k < radix.size(); ++k)
            a.shard.push_back({radix[k], r.in(-power(30), power(30)) / radix[k] * radix[k] + 1, laws::random_axis(r, 3)});
        if (!axe::check(a).ok()) continue;
        for (std::size_t k : order) {
            walk.shard.push_back({radix[k], weight[k]});
            expected.shard.push_back(a.shard[static_cast<int>(k)]);
        }
        identity.shard.push_back({size, 1});
        const auto composed = axe::compose(a, walk);
        if (report.exists(true, composed, a, walk))
            report.that(static_cast<bool>(axe::equal(*composed, expected)), "composed to another", a, walk, "got", *composed);

        const auto back = axe::inverse(walk, {axe::Axis{}});
        if (!report.exists(true, back, walk)) continue;
        const auto there = axe::compose(walk, *back), here = axe::compose(*back, walk);
        report.that(there && static_cast<bool>(axe::equal(*there, identity)), "not inverted", walk, "got", *back);
        report.that(here && static_cast<bool>(axe::equal(*here, identity)), "not inverted", walk, "got", *back);
        const auto right = axe::right_inverse(walk);
        report.that(right && static_cast<bool>(axe::equal(*right, *back)), "another right inverse", walk);
        report.that(static_cast<bool>(axe::is_bijective(walk, {{axe::Axis{}, size}})), "not called bijective", walk);
    }
    report.finish(false);
}

TEST_CASE("large: the left inverse of digits in another order")
{
    const Deadline deadline;
    laws::Report report("left_inverse");
    laws::Random r(10);
    for (Int i = laws::cases(2'000); i > 0; --i) {
        axe::Layout box;
        Int reach = 1;
        for (int k = 0; k < 10; ++k) {
            const Int n = r.one_in(4) ? primes[r.in(0, 2)] : r.in(2, 40);
            if (reach > power(60) / n) break;
            box.shard.insert(static_cast<int>(r.in(0, box.shard.size())), {n, reach});
            reach *= n;
        }
        const auto left = axe::left_inverse(box);
        if (!report.exists(true, left, box)) continue;
        report.that(oracle::size(*left) == axe::span(box, {}).value(), "another domain than [0, span)", box, "got", *left);
        for (int sample = 0; sample < 8; ++sample) {
            const Int x = r.in(0, oracle::size(box) - 1);
            const auto v = static_cast<Int>(coordinate(box, x, {}));
            if (!report.that(coordinate(*left, v, {}) == x, "not undone", box, "got", *left)) break;
        }
    }
    report.finish(false);
}

TEST_CASE("large: the complement of some digits is the others")
{
    const Deadline deadline;
    laws::Report report("complement");
    laws::Random r(6);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Layout some, others;
        Int reach = 1;
        for (int k = 0; k < 12; ++k) {
            const Int n = r.one_in(4) ? primes[r.in(0, 2)] : r.in(2, 40);
            if (reach > power(61) / n) break;
            axe::Layout& side = r.one_in(2) ? some : others;
            if (&side == &others)
                side.shard.insert(0, {n, reach});
            else
                side.shard.insert(static_cast<int>(r.in(0, side.shard.size())), {n, reach});
            reach *= n;
        }
        const auto got = axe::complement(some, reach);
        if (report.exists(true, got, some, reach))
            report.that(static_cast<bool>(axe::equal(*got, others)), "another", some, reach, "got", *got, "not", others);
        if (some.shard.empty() || reach > power(60)) continue;
        // One value short of a multiple: there is no room for whole copies.
        const auto none = axe::complement(some, reach - 1);
        report.asked(false);
        report.that(!none, "completed where nothing fits", some, reach - 1);
    }
    report.finish();
}

TEST_CASE("large: tiles are taken apart again, sums too")
{
    const Deadline deadline;
    laws::Report report("tile, untile, sum, unsum");
    laws::Random r(7);
    Int overflows = 0;
    const auto random_factor = [&](axe::Shape& shape, Int replica_axis) {
        axe::Layout l;
        for (Int k = r.in(1, 4); k > 0; --k) {
            const Int n = r.one_in(4) ? primes[r.in(0, 1)] : r.in(2, 200);
            l.shard.push_back({n, r.in(-power(12), power(12)) * (r.one_in(8) ? power(24) : 1), laws::random_axis(r, 3)});
            shape.push_back(n);
        }
        if (r.one_in(2)) *l.offset.entry(laws::random_axis(r, 3)) = r.in(-power(20), power(20));
        if (r.one_in(2))
            l.replica.push_back({r.in(2, power(16)), r.in(1, power(10)), oracle::axes[static_cast<int>(replica_axis)]});
        return l;
    };
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Shape cs, bs, as;
        // replicas on axes of their own: as a sum of overlapping sets they may be too hard to take apart
        const axe::Layout c = random_factor(cs, 1), b = random_factor(bs, 2);
        while (cs.size() < bs.size()) cs.push_back(1);
        while (bs.size() < cs.size()) bs.push_back(1);
        if (!axe::check(c).ok() || !axe::check(b).ok()) continue;
        for (int d = 0; d < cs.size(); ++d) as.push_back(cs[d] * bs[d]);
        const auto tiled = axe::tile(c, cs, b, bs);
        if (tiled) {
            const auto outer = axe::untile(*tiled, as, b, bs), inner = axe::untile_outer(*tiled, as, c, cs);
            if (report.exists(true, outer, *tiled, as, b, bs))
                report.that(static_cast<bool>(axe::equal(*outer, c)), "another outer factor", *tiled, b, "got", *outer);
            if (report.exists(true, inner, *tiled, as, c, cs))
                report.that(static_cast<bool>(axe::equal(*inner, b)), "another inner factor", *tiled, c, "got", *inner);
        } else {
            ++overflows;
            report.that(tiled.code() == axe::errc::overflow, "tile: an error other than overflow", c, b);
        }
        const auto summed = axe::sum(c, cs, b, bs);
        if (!summed) {
            report.that(summed.code() == axe::errc::overflow, "sum: an error other than overflow", c, b);
            continue;
        }
        const auto left = axe::unsum_left(*summed, as, b, bs), right = axe::unsum_right(*summed, as, c, cs);
        if (report.exists(true, left, *summed, as, b, bs))
            report.that(static_cast<bool>(axe::equal(*left, c)), "another left term", *summed, b, "got", *left);
        if (report.exists(true, right, *summed, as, c, cs))
            report.that(static_cast<bool>(axe::equal(*right, b)), "another right term", *summed, c, "got", *right);
    }
    report.finish(false);
    CHECK(overflows > 0);
}

TEST_CASE("large: equality, and the witness of what differs")
{
    const Deadline deadline;
    laws::Report report("equal");
    laws::Random r(8);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Layout l, split;
        for (int k = 0; k < 7; ++k) {
            const Int n = r.in(2, 30), m = r.in(2, 30);
            const axe::Iter it{n * m, r.in(-power(30), power(30)), laws::random_axis(r, 3)};
            l.shard.push_back(it);
            split.shard.push_back({n, it.stride * m, it.axis});
            split.shard.push_back({m, it.stride, it.axis});
        }
        if (!axe::check(l).ok()) continue;
        report.asked(true);
        report.that(static_cast<bool>(axe::equal(l, split)), "split it is another", l, split);
        // another stride at iter k first shows where that digit first moves
        const int k = static_cast<int>(r.in(0, 6));
        axe::Layout other = l;
        other.shard[k].stride += r.one_in(2) ? 1 : -1;
        Int inner = 1;
        for (int d = k + 1; d < 7; ++d) inner *= l.shard[d].extent;
        const auto no = axe::equal(split, other);
        report.asked(false);
        report.that(!no.undecided() && !no && no.witness() == inner, "not at the least index", split, other, no.witness(), inner);
    }
    report.finish();
}

TEST_CASE("large: grouping cuts primes nowhere, and products where they divide")
{
    const Deadline deadline;
    const Int p = primes[0], q = primes[1];
    const axe::Layout l{{{p, 3}, {q * 1024, 5, "lane"}}};
    const auto cut = axe::group(l, {p, q, 32, 32});
    REQUIRE(cut);
    CHECK(cut->layout == axe::Layout{{{p, 3}, {q, 5 * 1024, "lane"}, {32, 5 * 32, "lane"}, {32, 5, "lane"}}});
    const auto whole = axe::group(l, {p * q, 1024});
    REQUIRE(whole);
    CHECK(whole->layout.shard.size() == 3);
    CHECK(axe::group(l, {q, p, 1024}).code() == axe::errc::not_grouped);
    CHECK(axe::group(l, {2, p * q, 512}).code() == axe::errc::not_grouped);
    CHECK(axe::group(axe::Layout{{{power(62), 1}}}, {power(31), power(31)}).has_value());
}

TEST_CASE("large: replicas under the gap condition, split and turned round")
{
    const Deadline deadline;
    const Int n = power(20), m = primes[0];
    const axe::Layout a{{}, {{n * m, 3}, {m, 3 * n * m + 1}}};
    const axe::Layout b{{}, {{m, -(3 * n * m + 1)}, {m, 3 * n}, {n, -3}}, {{axe::Axis{}, (m - 1) * (3 * n * m + 1) + (n - 1) * 3}}};
    const auto same = axe::equal(a, b);
    REQUIRE(!same.undecided());
    CHECK(static_cast<bool>(same));
    const auto other = axe::equal(a, axe::Layout{{}, {{n * m + 1, 3}, {m, 3 * n * m + 1}}});
    REQUIRE(!other.undecided());
    CHECK_FALSE(static_cast<bool>(other));
    CHECK(axe::points(a, 0).count().value() == n * m * m);
}

TEST_CASE("large: preimages are counted and walked without being listed")
{
    const Deadline deadline;
    // 2^30 rows that lie upon one another
    const axe::Layout l{{{power(30), 0}, {power(30), 1}}};
    const auto holders = axe::preimage(l, {power(30), power(30)}, {{axe::Axis{}, 77}});
    REQUIRE(holders.error().ok());
    CHECK(holders.count().value() == power(30));
    Int row = 0;
    for (const auto& c : holders) {
        REQUIRE(c == axe::Coord{row, 77});
        if (++row == 100) break;
    }
    CHECK(row == 100);
    CHECK(axe::preimage(l, {power(60)}, {{axe::Axis{}, power(30)}}).empty());

    // the digit that is asked for first has the smallest stride
    const axe::Layout turned{{{primes[4], 1}, {1024, primes[4]}}};
    const auto far = axe::preimage(turned, {primes[4], 1024}, {{axe::Axis{}, 5 * primes[4] + 123'456'789'012}});
    REQUIRE(far.count().value() == 1);
    CHECK(*far.begin() == axe::Coord{123'456'789'012, 5});

    laws::Random r(9);
    for (Int i = 0; i < 2'000; ++i) { // one index for each point: the digits of a mixed radix, in any order
        axe::Layout box;
        Int reach = 1;
        for (int k = 0; k < 6; ++k) {
            const Int n = k == 2 ? primes[0] : r.in(2, 400);
            box.shard.insert(static_cast<int>(r.in(0, box.shard.size())), {n, reach});
            reach *= n;
        }
        const Int x = r.in(0, reach - 1);
        const auto one = axe::preimage(box, {reach}, {{axe::Axis{}, static_cast<Int>(coordinate(box, x, {}))}});
        REQUIRE(one.count().value() == 1);
        REQUIRE(*one.begin() == axe::Coord{x});
    }
}

TEST_CASE("large: properties at once")
{
    const Deadline deadline;
    const Int n = power(30), p = primes[1];
    CHECK(static_cast<bool>(axe::is_injective(axe::Layout{{{p, n}, {n, 1}}})));
    CHECK(static_cast<bool>(axe::is_injective(axe::Layout{{{n, p}, {p, -1}}})));
    const auto shares = axe::is_injective(axe::Layout{{{n, p}, {p + 1, 1}}}); // (1, 0) and (0, p)
    REQUIRE(!shares.undecided());
    CHECK_FALSE(static_cast<bool>(shares));
    CHECK(static_cast<bool>(axe::is_bijective(axe::Layout{{{p, 1, "lane"}, {n, 1}}}, {{"lane", p}, {axe::Axis{}, n}})));
    CHECK_FALSE(static_cast<bool>(axe::is_surjective(axe::Layout{{{p, 1}}}, {{axe::Axis{}, p + 1}})));
    CHECK(static_cast<bool>(axe::is_contiguous(axe::Layout{{{n, n}, {n, 1}}})));
    CHECK(axe::is_contiguous(axe::Layout{{{n, n + 1}, {n, 1}}}).witness() == n);
    CHECK(axe::max_vector(axe::Layout{{{n, 3 * n}, {n, 1}}}, {n, n}, 1, {}).value() == n);
    CHECK(axe::max_vector(axe::Layout{{{n, 3 * n}, {n, 1}}, {}, {{axe::Axis{}, 16}}}, {n, n}, 1, {}).value() == 16);
    const auto packed = axe::pack(axe::Layout{{{p, 4 * n}, {n, 1}}}, n, {});
    REQUIRE(packed);
    CHECK(*packed == axe::Layout{{{p, 4}}});
}

TEST_CASE("large: what overflows 64 bits is an overflow, not a wrap")
{
    const Deadline deadline;
    const axe::Layout wide{{{2, power(60)}}}, tile{{{1024, 1}}};
    CHECK(axe::tile(wide, {2}, tile, {1024}).code() == axe::errc::overflow);
    CHECK(axe::sum(wide, {2}, tile, {1024}).has_value());
    CHECK(axe::tile(axe::Layout{{{power(40), 1}}}, {power(40)}, axe::Layout{{{power(40), 0}}}, {power(40)}).code() ==
          axe::errc::overflow);
    CHECK(axe::unpack(wide, 16, {}).code() == axe::errc::overflow);
    CHECK(axe::unpack(wide, 4, {}).has_value()); // 2^62 + 3 is within
    CHECK(axe::group(axe::Layout{{{power(62), 1}, {4, 1}}}, {4}).code() == axe::errc::overflow);
    CHECK(axe::check(axe::Layout{{{3, power(62)}}}).code() == axe::errc::overflow);
    CHECK(axe::check(axe::Layout{{{2, power(62)}}}).ok());
    CHECK(axe::slice(axe::Layout{{{power(62), 1}}}, {power(62)}, {{power(61), power(62)}}).value() ==
          axe::Layout{{{power(61), 1}}, {}, {{axe::Axis{}, power(61)}}});
}
