// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/testing/predicates.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <limits>
#include <string>

namespace {

using namespace axe::literals;
using laws::Int;
using oracle::Value;
using Swizzled = axe::Swizzled<axe::Layout>;
using Points = std::vector<axe::Point>;

std::string text(const axe::Layout& l) { return axe::print(l).c_str(); }

/// A point of up to three axes from its number.
axe::Point point(Value v)
{
    axe::Point p;
    for (int a = 0; a < oracle::axis_count; ++a)
        if (oracle::decode(v, a) != 0) *p.entry(oracle::axes[a]) = oracle::decode(v, a);
    return p;
}
Value number(const axe::Point& p)
{
    Value v = 0;
    for (const auto& e : p)
        if (e.value != 0) v += oracle::encode(e.value, e.axis);
    return v;
}

/// The order of points: axis by axis in alphabetical order.
bool before(Value a, Value b)
{
    for (const int axis : {1, 0, 2}) // lane, m, warp
        if (oracle::decode(a, axis) != oracle::decode(b, axis)) return oracle::decode(a, axis) < oracle::decode(b, axis);
    return false;
}

/// The set of points of an index, in order.
std::vector<Value> set_at(const oracle::Table& t, Int x)
{
    std::vector<Value> out;
    for (Value v : t.set) out.push_back(t.low[static_cast<std::size_t>(x)] + v);
    std::sort(out.begin(), out.end(), before);
    return out;
}
template <class Set>
std::vector<Value> numbers(const Set& set)
{
    std::vector<Value> out;
    for (const axe::Point& p : set) out.push_back(number(p));
    return out;
}

constexpr double all = 1; // whatever share of the laws' cases is asked for

/// All layouts of up to two iters, some with a replica and an offset.
std::vector<axe::Layout> small_layouts()
{
    std::vector<axe::Layout> list;
    laws::all_shards(
        2, 4, 2, 2,
        [&](const axe::Layout& l) {
            list.push_back(l);
            const std::size_t n = list.size();
            axe::Layout with = l;
            with.replica.push_back({static_cast<Int>(2 + n % 2), static_cast<Int>(n % 5) - 2, oracle::axes[n % 2]});
            if (n % 3 == 0) *with.offset.entry(oracle::axes[n / 3 % 3]) = static_cast<Int>(n % 7) - 3;
            list.push_back(with);
        },
        all);
    return list;
}

} // namespace

TEST_CASE("equals_map: all pairs of small layouts against the sets written out")
{
    const auto list = small_layouts();
    std::vector<oracle::Table> tables;
    for (const auto& l : list) tables.push_back(oracle::table(l));
    Int yes = 0, no = 0, sizes = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = i % 3; k < list.size(); k += 3) {
            const auto got = axe::equals_map(list[i], list[k]);
            const auto& a = tables[i];
            const auto& b = tables[k];
            bool good = !got.undecided() && static_cast<bool>(got) == (a == b);
            if (a == b) {
                ++yes;
                good = good && got.witness() == -1 && got.reason().ok() && got.proven();
            } else if (a.low.size() != b.low.size()) {
                ++sizes;
                good = good && got.witness() == -1 && got.reason().is_none() && got.reason().numbers[0] == oracle::size(list[i]) &&
                       got.reason().numbers[1] == oracle::size(list[k]);
            } else {
                ++no;
                Int x = 0;
                while (set_at(a, x) == set_at(b, x)) ++x;
                good = good && got.witness() == x && got.reason().is_none() && got.reason().numbers[0] == x &&
                       numbers(got.found().actual()) == set_at(a, x) && numbers(got.found().expected()) == set_at(b, x);
            }
            if (!good) FAIL_CHECK(text(list[i]) << " and " << text(list[k]) << ": " << got.witness());
        }
    CHECK(yes > 100);
    CHECK(no > 10'000);
    CHECK(sizes > 10'000);
}

TEST_CASE("maps: the sets of every index of small layouts, and sets with a point more, less or moved")
{
    laws::Random r(20240901);
    Int yes = 0, missing = 0, extra = 0;
    for (const auto& l : small_layouts()) {
        const auto t = oracle::table(l);
        for (Int x = 0; x < oracle::size(l); ++x) {
            const auto set = set_at(t, x);
            std::vector<Value> asked = set;
            if (r.one_in(2)) asked.erase(asked.begin() + r.in(0, static_cast<Int>(asked.size()) - 1));
            for (Int more = r.in(-2, 3); more > 0; --more)
                asked.push_back(set.front() + oracle::encode(r.in(-2, 2), oracle::axes[r.in(0, 2)]));
            if (r.one_in(3)) asked.insert(asked.begin(), set.back()); // perhaps once more
            Points points;
            for (Value v : asked) points.push_back(point(v));

            std::sort(asked.begin(), asked.end(), before);
            asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
            std::vector<Value> odd;
            std::set_symmetric_difference(set.begin(), set.end(), asked.begin(), asked.end(), std::back_inserter(odd), before);

            const auto got = axe::maps(l, {x}, points);
            bool good = !got.undecided() && static_cast<bool>(got) == odd.empty();
            if (odd.empty()) {
                ++yes;
            } else {
                const bool is_missing = !std::binary_search(set.begin(), set.end(), odd.front(), before);
                ++(is_missing ? missing : extra);
                good = good && got.witness() == x && got.found().point == point(odd.front()) && got.found().missing == is_missing;
            }
            // the same coordinate, said otherwise
            const axe::Shape shape = laws::random_shape(r, oracle::size(l), 3);
            const auto by_shape = axe::maps(l, shape, axe::coordinate(shape, x), points);
            axe::Shape extents;
            for (const auto& it : l.shard) extents.push_back(it.extent);
            const auto by_iters = axe::maps(l, axe::coordinate(extents, x), points);
            good = good && !by_shape.undecided() && static_cast<bool>(by_shape) == odd.empty() && !by_iters.undecided() &&
                   static_cast<bool>(by_iters) == odd.empty() && by_shape.witness() == got.witness();
            if (!good) FAIL_CHECK(text(l) << " at " << x);
        }
    }
    CHECK(yes > 1000);
    CHECK(missing > 1000);
    CHECK(extra > 1000);
}

TEST_CASE("groups_by: every shape of rank 3 of small layouts")
{
    Int yes = 0, no = 0;
    for (const auto& l : small_layouts()) {
        const Int n = oracle::size(l);
        const auto f = oracle::table(l).low;
        for (Int p = 1; p <= n; ++p)
            for (Int q = 1; q * p <= n; ++q) {
                if (n % (p * q) != 0) continue;
                const axe::Shape shape{p, q, n / p / q};
                const auto got = axe::groups_by(l, shape);
                bool good = !got.undecided() && static_cast<bool>(got) == oracle::groups(f, shape);
                if (got) {
                    ++yes;
                    const auto& blocks = got.found();
                    good = good && blocks.rank() == 3 && oracle::table(blocks.layout) == oracle::table(l);
                    for (int d = 0; d < 3; ++d) {
                        Int product = 1;
                        for (int i = blocks.begin(d); i < blocks.end(d); ++i) product *= blocks.layout.shard[i].extent;
                        good = good && product == shape[d];
                    }
                } else {
                    ++no; // the first dimension that ends where the map cannot be cut
                    const Int first = oracle::splits_at(f, n / p) ? 1 : 0;
                    good = good && got.witness() == first && got.reason().is_none() && got.reason().position == first;
                }
                if (!good) FAIL_CHECK(text(l) << " by " << axe::print(shape).c_str());
            }
    }
    CHECK(yes > 1000);
    CHECK(no > 100);
}

TEST_CASE("tiles_by: small tiles of small layouts, C determined value by value")
{
    std::vector<axe::Layout> wholes, tiles;
    laws::all_shards(
        2, 4, 4, 2,
        [&](const axe::Layout& l) {
            axe::Layout moved = l;
            if (wholes.size() % 4 == 0) *moved.offset.entry("m") = 4;
            if (wholes.size() % 4 == 1) *moved.offset.entry("lane") = 3;
            wholes.push_back(moved);
        },
        all);
    laws::all_shards(1, 4, 2, 2, [&](const axe::Layout& l) { tiles.push_back(l); }, all);
    Int yes = 0, no = 0;
    for (const auto& a : wholes)
        for (const auto& b : tiles) {
            // C(z) = (A(z·|B| + y) − B(y)) / span(B), if that is a whole number, the same for every y, and the values of a layout
            const auto whole = oracle::table(a).low, part = oracle::table(b).low;
            bool exists = whole.size() % part.size() == 0;
            std::vector<Value> outer;
            for (std::size_t x = 0; x < whole.size() && exists; ++x) {
                const Value rest = whole[x] - part[x % part.size()];
                Value c = 0;
                for (int axis = 0; axis < oracle::axis_count; ++axis) {
                    const Int v = oracle::decode(rest, axis), span = oracle::span(b, axis);
                    exists = exists && v % span == 0;
                    c += oracle::encode(v / span, oracle::axes[axis]);
                }
                if (x % part.size() == 0) outer.push_back(c);
                exists = exists && outer.back() == c;
            }
            exists = exists && oracle::recover_d(outer).has_value();
            ++(exists ? yes : no);
            const auto got = axe::tiles_by(a, b);
            bool good = !got.undecided() && static_cast<bool>(got) == exists;
            if (got) good = good && oracle::table(got.found()).low == outer;
            if (!got) good = good && got.reason().is_none();
            const auto by_shape = axe::tiles_by(a, {oracle::size(a), 1}, b, {oracle::size(b), 1});
            good = good && !by_shape.undecided() && static_cast<bool>(by_shape) == exists;
            if (!good) FAIL_CHECK(text(a) << " by " << text(b));
        }
    CHECK(yes > 1000);
    CHECK(no > 1000);

    // in two dimensions; a no carries the dimension
    CHECK(axe::tiles_by("(8,8,8,16):(1024,16,128,1)"_axe, {64, 128}, "(8,16):(16,1)"_axe, {8, 16}));
    const auto rows = axe::tiles_by("(64,128):(128,1)"_axe, {64, 128}, "(16,128):(1,16)"_axe, {16, 128});
    REQUIRE(!rows.undecided());
    CHECK_FALSE(rows);
    CHECK(rows.witness() == 0);
    CHECK(axe::tiles_by("(2,4):(4,1) + 3@m"_axe, "4:1"_axe).witness() == -1); // of the whole, no dimension's
}

TEST_CASE("swizzled layouts: sets in order, equality and maps against the exclusive-or written out")
{
    // the bits of a from base + shift on, put onto those from base on; in elements of 2 bytes base is one less
    const auto by_bits = [](const axe::Swizzle& s, Int a) {
        Int out = a;
        for (int i = 0; i < s.bits; ++i)
            out ^= (a >> (s.base + i + (s.shift > 0 ? s.shift : 0)) & 1) << (s.base + i + (s.shift > 0 ? 0 : -s.shift));
        return out;
    };
    laws::Random r(20240902);
    Int yes = 0, no = 0, several = 0;
    for (Int i = laws::cases(3000); i > 0; --i) {
        laws::Kind kind;
        kind.iters = 3;
        kind.extent = 4;
        kind.axes = 2;
        const bool replicas = kind.replicas = r.one_in(2);
        kind.offset = true;
        const axe::Layout layout = laws::random_layout(r, kind);
        const int axis = static_cast<int>(r.in(0, 1));
        const Swizzled s{{2, 1, static_cast<int>(r.in(2, 3)) * (r.one_in(4) ? -1 : 1)}, oracle::axes[axis], 2, layout};
        const axe::Swizzle in_elements{s.swizzle.bits, s.swizzle.base - 1, s.swizzle.shift};
        const auto t = oracle::table(layout);
        const auto moved = [&](Int x) {
            auto set = set_at(t, x);
            for (Value& v : set) {
                const Int at = oracle::decode(v, axis);
                v += oracle::encode(by_bits(in_elements, at) - at, oracle::axes[axis]);
            }
            std::sort(set.begin(), set.end(), before);
            return set;
        };
        const Int n = oracle::size(layout), x = r.in(0, n - 1);
        const axe::SwizzledPoints<axe::Layout> set(s, x);
        bool good = set.error().ok() && numbers(set) == moved(x) && set.count().value() == static_cast<Int>(moved(x).size());
        several += t.set.size() > 1;

        Points points;
        for (Value v : moved(x)) points.push_back(point(v));
        good = good && axe::maps(s, {x}, points) && axe::maps(s, {n}, {x}, points);
        const axe::Point taken = points.front();
        points.erase(points.begin());
        const auto extra = axe::maps(s, {x}, points);
        good = good && !extra && !extra.found().missing && extra.found().point == taken;

        if (!replicas) { // against the layout without the swizzle
            Int witness = 0;
            while (witness < n && moved(witness) == set_at(t, witness)) ++witness;
            const auto same = axe::equals_map(s, layout);
            ++(witness == n ? yes : no);
            good =
                good && !same.undecided() && static_cast<bool>(same) == (witness == n) && same.witness() == (same ? -1 : witness);
            if (!same) good = good && numbers(same.found().actual()) == moved(witness);
        }
        if (!good) FAIL_CHECK(axe::print(s).c_str() << " at " << x);
    }
    CHECK(yes > 10);
    CHECK(no > 100);
    CHECK(several > 100);

    // what is neither grouped nor tiled, unless the swizzle has no bits
    const Swizzled s{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe}, plain{{0, 4, 3}, {}, 2, s.layout};
    CHECK(axe::groups_by(s, {8, 64}).error().code == axe::errc::bad_argument);
    CHECK(axe::tiles_by(s, "64:1"_axe).error().code == axe::errc::bad_argument);
    CHECK(axe::tiles_by("(8,64):(64,1)"_axe, s).error().code == axe::errc::bad_argument);
    CHECK(axe::groups_by(plain, {8, 64}));
    CHECK(axe::tiles_by(plain, "64:1"_axe));
    CHECK(axe::equals_map(plain, "512:1"_axe));
}

TEST_CASE("SwizzledPoints: replicas under a swizzle are put in order, up to 2^12 of them")
{
    const Swizzled s{{1, 0, 1}, {}, 1, "():() + [4096:1]"_axe};
    const axe::SwizzledPoints<axe::Layout> set(s, 0);
    CHECK(set.count().value() == 4096);
    Int expected = 0;
    for (const auto& p : set) // 4096² steps at most: only the first
        if (p["m"] != expected || ++expected == 20) break;
    CHECK(expected == 20);

    const Swizzled more{{1, 0, 1}, {}, 1, "():() + [4097:1]"_axe};
    CHECK((axe::SwizzledPoints<axe::Layout>(more, 0).error().code == axe::errc::too_hard));
    CHECK((axe::SwizzledPoints<axe::Layout>(more, 0).count().code() == axe::errc::too_hard));
    const Swizzled elsewhere{{1, 0, 1}, {}, 1, "():() + [4097:1@lane]"_axe}; // nothing out of order
    CHECK((axe::SwizzledPoints<axe::Layout>(elsewhere, 0).error()).ok());
    CHECK((axe::SwizzledPoints<axe::Layout>(s, 1).error().code == axe::errc::out_of_domain));
    CHECK((axe::SwizzledPoints<axe::Layout>(elsewhere, 1).error().code == axe::errc::out_of_domain));
    const Swizzled bad{{1, 0, 0}, {}, 1, "():()"_axe};
    CHECK((axe::SwizzledPoints<axe::Layout>(bad, 0).error().code == axe::errc::bad_argument));
}

TEST_CASE("every form of a layout is asked alike")
{
    using Narrow = axe::BasicLayout<std::int32_t>;
    using Wide = axe::BasicLayout<Int, 32, 16, 16>;
    constexpr axe::Layout rows = "(4,8):(8,1)"_axe;
    const Narrow narrow = *axe::make_layout<std::int32_t>({{4, 8}, {8, 1}});
    Wide wide;
    for (int i = 0; i < 20; ++i) wide.shard.push_back({1, 0});
    wide.shard.push_back({32, 1});
    CHECK(axe::equals_map(rows, narrow));
    CHECK(axe::equals_map(narrow, rows));
    CHECK(axe::equals_map(wide, narrow)); // more iters than the other has room for
    CHECK(axe::equals_map(narrow, wide));
    CHECK(axe::equals_map(axe::Result<axe::Layout>(rows), axe::group(rows, {2, 16})));
    CHECK(axe::equals_map(*axe::group(rows, {2, 16}), Swizzled{{}, {}, 1, rows}));
    CHECK(axe::equals_map(axe::static_layout<rows>{}, rows));
    CHECK(axe::equals_map(axe::static_layout<rows, 2, 16>{}, rows));
    CHECK(axe::equals_map(axe::static_layout<"(8,2,4,2):(4@lane,-1@warp,1@lane,1@reg) + 5@warp + -3@m"_axe, 8, 16>{},
                          "(8,2,4,2):(4@lane,-1@warp,1@lane,1@reg) + 5@warp + -3@m"_axe));
    CHECK_FALSE(axe::equals_map(axe::static_layout<rows, 2, 16>{}, "(4,8):(8,2)"_axe));
    CHECK(axe::groups_by(wide, {2, 16}));
    CHECK(axe::tiles_by(wide, narrow));
    CHECK(axe::maps(narrow, {3, 1}, {axe::Point{{"m", 25}}}));
    CHECK(axe::maps(axe::static_layout<rows>{}, {3, 1}, {axe::Point{{"m", 25}}}));

    // what does not fit is none, and leaves no layout behind that could be read
    const axe::detail::Subject<axe::Layout> too_large(wide);
    CHECK(too_large.error.code == axe::errc::capacity);
    CHECK(too_large.map == Swizzled{});

    using axe::LayoutLike;
    CHECK((LayoutLike<axe::Layout> && LayoutLike<axe::Result<axe::Swizzled<Narrow>>> && LayoutLike<axe::static_layout<rows>>));
    CHECK((!LayoutLike<int> && !LayoutLike<axe::Shape> && !LayoutLike<axe::Result<bool>> && !LayoutLike<axe::Decision>));
}

TEST_CASE("what cannot be decided is neither a yes nor a no, and says why")
{
    using axe::errc;
    constexpr axe::Layout rows = "(4,8):(8,1)"_axe;
    const auto asked = [](const auto& finding, errc code) {
        return finding.undecided() && finding.error().code == code && finding.reason().code == code;
    };
    axe::Layout bad = rows;
    bad.shard[0].extent = 0;
    CHECK(asked(axe::equals_map(bad, rows), errc::bad_extent));
    CHECK(asked(axe::equals_map(rows, bad), errc::bad_extent));
    CHECK(asked(axe::equals_map(axe::group(rows, {3, 3}), rows), errc::size_mismatch));
    constexpr std::int32_t most =
        std::numeric_limits<std::int32_t>::max(); // no layout on its own integer, whatever it is on 64 bits
    CHECK(asked(axe::equals_map(axe::BasicLayout<std::int32_t>{{{3, most}}}, rows), errc::overflow));
    // a none of an earlier operation is not a no of this question
    CHECK(
        asked(axe::equals_map(rows, axe::slice("(8,2,4):(4@lane,1@warp,1@lane)"_axe, {8, 8}, {{0, 8}, {3, 6}})), errc::no_layout));
    CHECK(asked(axe::equals_map("():() + [2097152:3, 3:2]"_axe, "():() + [2:3, 6:2, 1048575:6]"_axe), errc::too_hard));
    CHECK(asked(axe::equals_map(Swizzled{{1, 0, 1}, {}, 1, "8:1 + [2:1]"_axe}, "8:1 + [2:1]"_axe), errc::too_hard));

    CHECK(asked(axe::maps(bad, {0}, {}), errc::bad_extent));
    CHECK(asked(axe::maps(bad, {4, 8}, {0, 0}, {}), errc::bad_extent));
    CHECK(asked(axe::maps(rows, {32}, {}), errc::out_of_domain));
    CHECK(asked(axe::maps(rows, {-1}, {}), errc::out_of_domain));
    CHECK(asked(axe::maps(rows, {0, 8}, {}), errc::out_of_domain));
    CHECK(asked(axe::maps(rows, {0, 0, 0}, {}), errc::rank_mismatch));
    CHECK(asked(axe::maps(rows, {}, {}), errc::rank_mismatch));
    CHECK(asked(axe::maps(rows, {4, 9}, {0, 0}, {}), errc::size_mismatch));
    CHECK(asked(axe::maps(rows, {4, 8}, {0}, {}), errc::rank_mismatch));
    CHECK(asked(axe::maps(rows, {4, 8}, {0, 8}, {}), errc::out_of_domain));
    CHECK(asked(axe::maps(rows, {0}, {axe::Point{{"m", 0}, {"m", 0}}}), errc::bad_axis));
    CHECK(asked(axe::maps(rows, {0}, {axe::Point{{"m", -5}}, axe::Point{{"m", 0}, {"m", 0}}}), errc::bad_axis));
    CHECK(asked(axe::maps(rows, {0}, {axe::Point{{"m", std::numeric_limits<Int>::min()}}}), errc::overflow));
    axe::Layout sums; // is this a sum of six numbers, each out of a thousand multiples?
    for (const Int stride : {1000003, 1000033, 1000037, 1000039, 1000081, 1000099}) sums.replica.push_back({1000, stride, {}});
    CHECK(asked(axe::maps(sums, {0}, {axe::Point{{"m", 3000123456}}}), errc::too_hard));
    CHECK_FALSE(axe::maps(sums, {0}, {axe::Point{}}));
    CHECK(axe::maps("():()"_axe, {}, {axe::Point{}}));
    CHECK(axe::maps("():()"_axe, {0}, {axe::Point{}}));

    CHECK(asked(axe::groups_by(bad, {4, 8}), errc::bad_extent));
    CHECK(asked(axe::groups_by(rows, {4, 9}), errc::size_mismatch));
    CHECK(asked(axe::groups_by(rows, {0, 9}), errc::bad_extent));
    CHECK(asked(axe::tiles_by(bad, rows), errc::bad_extent));
    CHECK(asked(axe::tiles_by(rows, bad), errc::bad_extent));
    CHECK(asked(axe::tiles_by(rows, {4, 8}, "8:1"_axe, {8}), errc::rank_mismatch));
    CHECK(asked(axe::tiles_by(rows, {4, 9}, "8:1"_axe, {1, 8}), errc::size_mismatch));
}

TEST_CASE("extremes: huge extents, far offsets, every axis in use, overlapping replicas")
{
    constexpr Int big = Int{1} << 60, far = std::numeric_limits<Int>::max() - 1;
    const axe::Layout huge{{{big, 1}, {4, big}}}, wider{{{big / 2, 2}, {2, 1}, {4, big}}};
    CHECK(axe::equals_map(huge, wider));
    CHECK(axe::equals_map(huge, axe::Layout{{{big, 1}, {2, 2 * big}, {2, big}}}));
    const auto other = axe::equals_map(huge, axe::Layout{{{big, 1}, {2, 2 * big}, {2, big - 1}}});
    REQUIRE(!other.undecided());
    CHECK(other.witness() == 1);
    // a witness beyond an int has no position
    const auto late = axe::equals_map(axe::Layout{{{2, 7}, {big, 1}}}, axe::Layout{{{2, 8}, {big, 1}}});
    CHECK(late.witness() == big);
    CHECK(late.reason().position == -1);
    CHECK(late.reason().numbers[0] == big);
    CHECK(axe::maps(huge, {3}, {axe::Point{{"m", 3 * big}}}));
    CHECK(axe::maps(axe::Layout{{{2, -far}}}, {1}, {axe::Point{{"m", -far}}}));
    CHECK_FALSE(axe::maps(axe::Layout{{{2, -far}}}, {1}, {axe::Point{{"m", far}}}));

    // a set of 2^40 points is not gone through
    const axe::Layout many{{{4, 1, "lane"}}, {{Int{1} << 40, 1}}};
    const auto not_all = axe::maps(many, {0}, {axe::Point{{"m", 0}}, axe::Point{{"m", 1}}, axe::Point{{"m", 3}}});
    REQUIRE(!not_all.undecided());
    CHECK(not_all.found().point == axe::Point{{"m", 2}});
    CHECK_FALSE(not_all.found().missing);

    const auto sixteen = "(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2):(1@abcdefghijklmno,1@b,1@c,1@d,1@e,1@f,1@g,1@h,"
                         "2@abcdefghijklmno,2@b,2@c,2@d,2@e,2@f,2@g,2@h)"_axe;
    CHECK(axe::equals_map(sixteen, sixteen));
    CHECK(axe::maps(sixteen, {65535},
                    {axe::Point{{"abcdefghijklmno", 3}, {"b", 3}, {"c", 3}, {"d", 3}, {"e", 3}, {"f", 3}, {"g", 3}, {"h", 3}}}));
    const auto from_ninth = axe::maps(sixteen, {65535}, {axe::Point{{"z", 1}}}); // an axis it does not have
    CHECK((!from_ninth && from_ninth.found().missing));

    CHECK(axe::maps("4:1 + [4:3, 3:2]"_axe, {0},
                    {{{"m", 0}},
                     {{"m", 2}},
                     {{"m", 3}},
                     {{"m", 4}},
                     {{"m", 5}},
                     {{"m", 6}},
                     {{"m", 7}},
                     {{"m", 8}},
                     {{"m", 9}},
                     {{"m", 10}},
                     {{"m", 11}},
                     {{"m", 13}}}));
}

namespace {

// What does not hold is not proven, and what is not decided is neither yes nor no: no constant expressions.
template <auto A, auto B>
concept Proven = requires { typename std::bool_constant<axe::equals_map(A, B).proven()>; };
static_assert(Proven<"(4,8):(8,1)"_axe, "32:1"_axe>);
static_assert(!Proven<"(4,8):(8,1)"_axe, "32:2"_axe>);
template <auto A, auto S>
concept Answered = requires { typename std::bool_constant<static_cast<bool>(axe::groups_by(A, S))>; };
static_assert(Answered<"(4,6):(7,1)"_axe, axe::Shape{3, 8}>);
static_assert(!Answered<"(4,6):(7,1)"_axe, axe::Shape{5, 5}>);

// All of it in constant expressions.
constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
static_assert(axe::equals_map(fragment, "(4,2,2,4,1,2):(8@lane,4@lane,1@warp,1@lane,7,1@reg) + [2:-4@warp] + 9@warp"_axe));
static_assert(axe::equals_map(fragment, axe::group(fragment, {8, 16})).proven());
static_assert(!axe::equals_map(fragment, "128:1"_axe));
static_assert(axe::equals_map("(4,8):(8,1)"_axe, "(4,8):(9,1)"_axe).witness() == 8);
static_assert((*axe::equals_map("(4,8):(8,1)"_axe, "(4,8):(9,1)"_axe).found().actual().begin())["m"] == 8);
static_assert((*axe::equals_map("(4,8):(8,1)"_axe, "(4,8):(9,1)"_axe).found().expected().begin())["m"] == 9);
static_assert(axe::equals_map(axe::group(fragment, {8, 15}), fragment).undecided());
static_assert(axe::maps(fragment, {8, 16}, {2, 9},
                        {{{"lane", 8}, {"reg", 1}, {"warp", 10}}, {{"lane", 8}, {"reg", 1}, {"warp", 6}}}));
static_assert(axe::maps(fragment, {41}, {axe::Point{{"lane", 8}, {"reg", 1}, {"warp", 6}}}).found().point["warp"] == 10);
static_assert(axe::maps(fragment, {2, 1, 0, 1}, {}).found().missing == false);
static_assert(axe::groups_by(fragment, {8, 16}).found().end(0) == 1);
static_assert(axe::groups_by("(4,6):(6,2)"_axe, {3, 8}).witness() == 0);
static_assert(axe::tiles_by("(4,8):(8,1)"_axe, "8:1"_axe).found() == "4:1"_axe);
static_assert(!axe::tiles_by("(4,8):(9,1)"_axe, "8:1"_axe));
static_assert(axe::maps(Swizzled{{1, 0, 1}, {}, 1, "8:1 + [3:1]"_axe}, {1}, {{{"m", 1}}, {{"m", 2}}, {{"m", 3}}}));

} // namespace
