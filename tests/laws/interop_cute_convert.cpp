// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute/convert_composed.hpp>
#include <axe/interop/cute/thread_value.hpp>
#include <tests/laws/cute_layouts.hpp>

#include <map>
#include <set>

/// to_axe_linear(L)(x) = L(x),  to_axe_by_coordinate(L)(c) = L(c),  and from_… takes them back; swizzled layouts alike;
/// to_axe_thread_value(TV) is the inverse relation of TV, where that is a layout.
namespace {

using laws::Int;
namespace cute = axe::cute;

/// The leaves, 1:0 for none.
cute::Leaves leaves_of(const cute::Layout& l)
{
    cute::Leaves out = leaves(l);
    if (out.empty()) out.push_back({1, 0});
    return out;
}

std::vector<Int> mode_sizes(const cute::Layout& l)
{
    std::vector<Int> out;
    for (int i = 0; i < rank(l); ++i) out.push_back(size(mode(l, i)));
    return out;
}

/// The coordinate on the modes that has a linear index, the first mode fastest.
axe::Coord coordinate_of(const std::vector<Int>& sizes, Int x)
{
    axe::Coord out;
    for (Int n : sizes) {
        out.push_back(x % n);
        x /= n;
    }
    return out;
}

void check_conversions(laws::Report& report, const cute::Layout& l)
{
    const std::string text = cute::print(l).c_str();
    const auto truth = laws::values(l);
    const auto linear = cute::to_axe_linear(l);
    const auto shaped = cute::to_axe_by_coordinate(l);
    report.asked(true);
    if (!report.that(linear.has_value() && shaped.has_value(), "not converted", text.c_str())) return;
    const auto sizes = mode_sizes(l);
    report.that(oracle::list(shaped->shape) == sizes, "wrong shape", text.c_str(), shaped->shape);
    for (std::size_t x = 0; x < truth.size(); ++x) {
        const Int at = static_cast<Int>(x);
        report.that(evaluate(l, at) == truth[x], "evaluate", text.c_str(), at);
        report.that((*axe::evaluate(*linear, at))["m"] == truth[x], "to_axe_linear", text.c_str(), *linear, at);
        const auto c = coordinate_of(sizes, at);
        report.that((*axe::evaluate(shaped->layout, shaped->shape, c))["m"] == truth[x], "to_axe_by_coordinate", text.c_str(),
                    shaped->layout, c);
    }

    const auto back = cute::from_axe_linear(*linear);
    if (report.that(back.has_value(), "not taken back", text.c_str(), *linear))
        report.that(leaves_of(*back) == leaves_of(l), "from_axe_linear", text.c_str(), cute::print(*back).c_str());
    const auto by_coordinate = cute::from_axe_by_coordinate(shaped->layout, shaped->shape);
    if (!report.that(by_coordinate.has_value(), "not taken back by coordinate", text.c_str(), shaped->layout)) return;
    report.that(laws::values(*by_coordinate) == truth && mode_sizes(*by_coordinate) == sizes, "from_axe_by_coordinate",
                text.c_str(), cute::print(*by_coordinate).c_str());
    const auto again = cute::to_axe_by_coordinate(*by_coordinate);
    report.that(again && axe::equal(again->layout, shaped->layout) && again->shape == shaped->shape, "forth, back and forth",
                text.c_str());
}

/// Axe to CuTe, and back to the same iters.
void check_from(laws::Report& report, const axe::Layout& l)
{
    const axe::Axis* first = nullptr;
    bool one_axis = true;
    for (const auto& it : l.shard) {
        if (it.stride == 0 || it.extent == 1) continue;
        if (first == nullptr) first = &it.axis;
        one_axis = one_axis && it.axis == *first;
    }
    bool fits = one_axis;
    for (const auto& it : l.replica) fits = fits && (it.stride == 0 || it.extent == 1);
    for (const auto& e : l.offset) fits = fits && e.value == 0;
    const auto got = cute::from_axe_linear(l);
    report.asked(fits);
    if (!report.that(fits == got.has_value(), fits ? "not found" : "found where there is none", l) || !got) return;
    const auto truth = oracle::table(l);
    const auto found = laws::values(*got);
    for (std::size_t x = 0; x < found.size(); ++x)
        report.that(oracle::encode(found[x], first == nullptr ? axe::Axis{} : *first) == truth.low[x], "from_axe_linear", l);
    const auto back = cute::to_axe_linear(*got, cute::plain_on(first == nullptr ? axe::Axis{} : *first));
    report.that(back && axe::equal(*back, axe::Layout{l.shard, {}, {}}), "from and to", l);
}

} // namespace

TEST_CASE("cute convert: every small layout, both ways and back")
{
    laws::Report report("convert");
    for (const char* profile : laws::small_profiles)
        laws::all_numbers(laws::profile(profile), 3, {-3, 0, 1, 2, 6},
                          [&](const cute::Layout& l) { check_conversions(report, l); });
    report.finish(false);
    CHECK(report.yes() > 20'000);
}

TEST_CASE("cute convert: random trees")
{
    laws::Report report("convert");
    laws::Random r(314159);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        cute::Layout l;
        laws::random_tree(r, l, 16);
        for (cute::Node& node : l.nodes)
            if (node.children < 0) node.leaf = {r.one_in(3) ? 1 : r.in(1, 4), r.in(-20, 20), {}};
        if (size(l) > 400 || rank(l) > axe::max_rank) continue;
        check_conversions(report, l);
    }
    report.finish(false);
}

TEST_CASE("cute convert: random layouts of Axe")
{
    laws::Report report("from_axe");
    laws::Random r(271828);
    laws::Kind kind;
    kind.extent_one = kind.replicas = kind.offset = true;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        kind.axes = static_cast<int>(r.in(1, 2));
        kind.replicas = r.one_in(3);
        kind.offset = r.one_in(3);
        check_from(report, laws::random_layout(r, kind));
    }
    report.finish();
}

TEST_CASE("cute convert: a shape that groups an Axe layout, and no other, gives a mode for each dimension")
{
    laws::Report report("from_axe_by_coordinate");
    laws::Random r(161803);
    laws::Kind kind;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const auto l = laws::random_layout(r, kind);
        const auto truth = oracle::table(l).low;
        const auto shape = laws::random_shape(r, static_cast<Int>(truth.size()), 3);
        const auto got = cute::from_axe_by_coordinate(l, shape);
        if (!report.exists(oracle::groups(truth, shape), axe::group(l, shape), l, shape)) {
            report.that(!got && got.error().is_none(), "found where there is none", l, shape);
            continue;
        }
        if (!report.that(got.has_value(), "not found", l, shape)) continue;
        const auto sizes = mode_sizes(*got);
        report.that(sizes == oracle::list(shape), "modes", l, shape);
        const auto found = laws::values(*got);
        for (Int x = 0; x < static_cast<Int>(truth.size()); ++x) {
            const auto c = coordinate_of(sizes, x);
            report.that(found[static_cast<std::size_t>(x)] ==
                            truth[static_cast<std::size_t>(oracle::index(sizes, {c.begin(), c.end()}))],
                        "wrong", l, shape, c);
        }
    }
    report.finish();
}

TEST_CASE("cute convert: along bases")
{
    laws::Random r(141421);
    const cute::Basis bases[] = {{0}, {1}, {2, 0}, {2, 1}};
    const axe::Axis axes[] = {"c0", "c1", "c2.0", "c2.1"}, named[] = {"P", "F", "x", "y"};
    cute::AxisNames names;
    for (int b = 0; b < 4; ++b) names.push_back({bases[b], named[b]});
    for (Int i = laws::cases(5'000); i > 0; --i) {
        cute::Layout l;
        laws::random_tree(r, l, 9);
        for (cute::Node& node : l.nodes)
            if (node.children < 0) node.leaf = {r.in(1, 4), r.in(-5, 9), bases[r.in(0, 3)]};
        if (size(l) > 400) continue;
        const auto linear = cute::to_axe_linear(l);
        const auto on_names = cute::to_axe_by_coordinate(l, names);
        INFO(cute::print(l).c_str());
        REQUIRE(linear.has_value());
        REQUIRE(on_names.has_value());
        const auto sizes = mode_sizes(l);
        for (int b = 0; b < 4; ++b) {
            const auto truth = laws::values(l, bases[b]);
            for (Int x = 0; x < static_cast<Int>(truth.size()); ++x) {
                const Int v = truth[static_cast<std::size_t>(x)];
                REQUIRE(evaluate(l, x, bases[b]) == v);
                REQUIRE((*axe::evaluate(*linear, x))[axes[b]] == v);
                REQUIRE((*axe::evaluate(on_names->layout, on_names->shape, coordinate_of(sizes, x)))[named[b]] == v);
            }
        }
        const auto back = cute::from_axe_linear(*linear);
        REQUIRE(back.has_value());
        bool moves = false;
        for (const auto& leaf : leaves(l)) moves = moves || (leaf.extent > 1 && leaf.stride != 0);
        if (moves && !leaves(l).empty()) REQUIRE(leaves(*back) == leaves(l));
        const auto by_names = cute::from_axe_by_coordinate(on_names->layout, on_names->shape, names);
        REQUIRE(by_names.has_value());
        for (const auto& b : bases) REQUIRE(laws::values(*by_names, b) == laws::values(l, b));
    }
}

TEST_CASE("cute convert: layouts under a swizzle, of elements of any width, and back")
{
    laws::Random r(577215);
    Int flagged = 0, offsets = 0, refused = 0;
    for (Int i = laws::cases(10'000); i > 0; --i) {
        cute::Composed c;
        c.swizzle = {static_cast<int>(r.in(0, 3)), static_cast<int>(r.in(0, 5)), static_cast<int>(r.in(-4, 4))};
        if (r.one_in(2))
            c.element_bits = 1 << r.in(0, 7);
        else
            c.offset = r.in(-40, 40);
        laws::random_tree(r, c.layout, 8);
        for (cute::Node& node : c.layout.nodes)
            if (node.children < 0) node.leaf = {r.in(1, 4), Int{1} << r.in(0, 6), {}};
        if (!check(c).ok() || size(c) > 400) {
            ++refused;
            continue;
        }
        flagged += c.element_bits != 0;
        offsets += c.offset != 0;
        INFO(cute::print(c).c_str());
        const Int width = c.element_bits != 0 ? 0 : Int{1} << r.in(0, 3);
        const auto linear = cute::to_axe_linear(c, "smem", width);
        const auto shaped = cute::to_axe_by_coordinate(c, "smem", width);
        REQUIRE(linear.has_value());
        REQUIRE(shaped.has_value());
        REQUIRE(linear->width == (width != 0 ? width : c.element_bits > 8 ? c.element_bits / 8 : 1));
        // the swizzle bit by bit on the address in bits, an element being `wide` bits
        const int wide = c.element_bits == 0 ? 8 : c.element_bits;
        const auto sizes = mode_sizes(c.layout);
        const auto plain = laws::values(c.layout);
        for (Int x = 0; x < size(c); ++x) {
            const Int address = (c.offset + plain[static_cast<std::size_t>(x)]) * wide;
            Int moved = address;
            for (int b = 0; b < c.swizzle.bits; ++b) { // bit numbers of a byte address are 3 lower than those in bits
                const int low = 3 + c.swizzle.base + b, shift = c.swizzle.shift;
                moved ^= (address >> (low + (shift > 0 ? shift : 0)) & 1) << (low + (shift > 0 ? 0 : -shift));
            }
            REQUIRE(moved % wide == 0);
            const Int v = moved / wide;
            REQUIRE(evaluate(c, x) == v);
            REQUIRE((*axe::evaluate(*linear, x))["smem"] == v);
            REQUIRE((*axe::evaluate(shaped->layout, shaped->shape, coordinate_of(sizes, x)))["smem"] == v);
        }

        const bool whole = c.element_bits == 0 || c.element_bits >= 8;
        const auto of = c.element_bits != 0 && whole ? cute::SwizzleOf::bytes : cute::SwizzleOf::elements;
        const auto back = cute::from_axe_linear(*linear, of);
        REQUIRE(back.has_value());
        if (whole) {
            REQUIRE(back->swizzle == c.swizzle);
            REQUIRE(back->element_bits == c.element_bits);
        }
        REQUIRE(back->offset == c.offset);
        REQUIRE(leaves_of(back->layout) == leaves_of(c.layout));
        const auto again = cute::from_axe_by_coordinate(shaped->layout, shaped->shape, of);
        REQUIRE(again.has_value());
        for (Int x = 0; x < size(c); ++x) {
            REQUIRE(evaluate(*back, x) == evaluate(c, x));
            REQUIRE(evaluate(*again, x) == evaluate(c, x));
        }
    }
    CHECK(flagged > 100);
    CHECK(offsets > 100);
    CHECK(refused > 100);
}

namespace {

/// Where each element of the tile is, from the table of TV; nothing when an element is elsewhere than in the tile.
void check_thread_value(laws::Report& report, const cute::Layout& tv, const axe::Shape& tile, Int lanes)
{
    cute::ThreadAxes axes;
    axes.value = oracle::axes[0];
    axes.thread = lanes == 0 ? oracle::axes[1] : axe::Axis{"thread"};
    axes.lanes = lanes;
    const Int threads = size(mode(tv, 0)), elements = oracle::volume(tile);
    const auto table = laws::values(tv);
    std::vector<std::vector<oracle::Value>> at(static_cast<std::size_t>(elements));
    bool inside = true;
    const std::vector<Int> shape = oracle::list(tile);
    for (Int i = 0; i < static_cast<Int>(table.size()); ++i) {
        Int e = table[static_cast<std::size_t>(i)];
        inside = inside && e >= 0 && e < elements;
        if (!inside) break;
        std::vector<Int> c;
        for (Int n : shape) {
            c.push_back(e % n);
            e /= n;
        }
        const Int t = i % threads, v = i / threads;
        const oracle::Value place =
            oracle::encode(v, oracle::axes[0]) +
            (lanes == 0 ? oracle::encode(t, oracle::axes[1])
                        : oracle::encode(t % lanes, oracle::axes[1]) + oracle::encode(t / lanes, oracle::axes[2]));
        at[static_cast<std::size_t>(oracle::index(shape, c))].push_back(place);
    }
    // A layout iff all are translates of one set, the least members are a D that the tile groups, and the set is a sum of strides.
    oracle::Table truth;
    bool exists = inside;
    for (auto& places : at) {
        exists = exists && !places.empty();
        if (!exists) break;
        std::sort(places.begin(), places.end());
        truth.low.push_back(places.front());
        for (auto& place : places) place -= truth.low.back();
        exists = places == at.front();
    }
    if (exists) {
        truth.set = at.front();
        const auto d = oracle::recover_d(truth.low);
        exists = d.has_value();
    }
    if (exists) { // the set, grown from its least member by the least one that is missing: strides that step out of it are none
        std::vector<oracle::Digit> strides;
        std::vector<oracle::Value> have{0};
        while (exists && have.size() < truth.set.size()) {
            oracle::Value least = 0;
            for (auto v : truth.set)
                if (!std::binary_search(have.begin(), have.end(), v)) {
                    least = v;
                    break;
                }
            exists = oracle::single_axis(least).has_value();
            strides.push_back({2, least});
            while (true) { // as long as it stays inside
                auto more = strides;
                ++more.back().extent;
                const auto sums = oracle::sums(more);
                if (!std::includes(truth.set.begin(), truth.set.end(), sums.begin(), sums.end())) break;
                strides = more;
            }
            have = oracle::sums(strides);
            exists = exists && std::includes(truth.set.begin(), truth.set.end(), have.begin(), have.end());
        }
    }

    const std::string text = cute::print(tv).c_str();
    const auto got = cute::to_axe_thread_value(tv, tile, axes);
    report.asked(exists);
    if (!report.that(exists == got.has_value(), exists ? "not found" : "found where there is none", text.c_str(), tile, lanes,
                     got.error().message().c_str()) ||
        !got)
        return;
    report.that(oracle::table(*got) == truth, "wrong", text.c_str(), tile, lanes, *got);
    report.that(axe::canonicalize(*got).value() == *got, "not canonical", text.c_str(), tile, *got);
    const auto back = cute::from_axe_thread_value(*got, tile, axes);
    if (report.that(back.has_value(), "not taken back", text.c_str(), tile, *got, back.error().message().c_str()))
        report.that(laws::values(*back) == table && mode_sizes(*back) == mode_sizes(tv), "back", text.c_str(),
                    cute::print(*back).c_str());
}

} // namespace

TEST_CASE("cute thread and value: every small layout, on every tile")
{
    laws::Report report("thread_value");
    for (const char* profile : {"(1,1)", "((1,1),1)", "(1,(1,1))"})
        laws::all_numbers(laws::profile(profile), 3, {-1, 0, 1, 2, 3, 4, 6}, [&](const cute::Layout& tv) {
            const Int most = cosize(tv);
            for (Int rows = 1; rows <= most; ++rows) {
                if (most % rows != 0) continue;
                check_thread_value(report, tv, {rows, most / rows}, 0);
                check_thread_value(report, tv, {rows, most / rows}, 2);
            }
        });
    report.finish();
}

TEST_CASE("cute thread and value: random factors of tiles, and their broadcasts")
{
    laws::Report report("thread_value");
    laws::Random r(662607);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        // leaves with the strides 1, n_1, n_1·n_2, … in a random order, and some of stride 0
        std::vector<cute::Leaf> modes[2];
        Int reach = 1;
        for (Int k = r.in(1, 6); k > 0; --k) {
            cute::Leaf leaf{r.in(1, 4), 0, {}};
            if (!r.one_in(4)) {
                leaf.stride = reach;
                reach *= leaf.extent;
            }
            if (r.one_in(40)) ++leaf.stride;
            auto& list = modes[r.in(0, 1)];
            list.insert(list.begin() + r.in(0, static_cast<Int>(list.size())), leaf);
        }
        cute::Layout tv;
        for (const auto& list : modes) {
            cute::Leaves some;
            for (const auto& leaf : list) some.push_back(leaf);
            append_mode(tv, cute::from_leaves(some));
        }
        if (size(tv) > 3000) continue;
        check_thread_value(report, tv, laws::random_shape(r, reach, 3), r.one_in(2) ? 0 : r.in(1, 8));
    }
    report.finish();
}

TEST_CASE("cute thread and value: random layouts of tiles, from Axe and back")
{
    laws::Report report("from_axe_thread_value");
    laws::Random r(602214);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        // Axe: digits and replicas whose strides number threads and values
        axe::Layout l;
        Int filled[2] = {1, 1};
        for (Int k = r.in(0, 5); k > 0; --k) {
            const auto a = static_cast<int>(r.in(0, 1));
            const Int n = r.in(2, 4), s = r.one_in(30) ? filled[a] + r.in(-1, 1) : filled[a];
            const axe::Iter it{n, s, oracle::axes[a]};
            if (r.one_in(4))
                l.replica.push_back(it);
            else
                l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), it);
            filled[a] *= n;
        }
        if (r.one_in(30)) *l.offset.entry(oracle::axes[0]) = r.in(-1, 2);
        const auto tile = laws::random_shape(r, oracle::size(l), 3);
        cute::ThreadAxes axes;
        axes.value = oracle::axes[0];
        axes.thread = oracle::axes[1];

        // truth: each place [0, T) × [0, V) has one element
        const auto truth = oracle::table(l);
        std::map<oracle::Value, Int> element;
        Int most[2] = {0, 0};
        bool exists = true;
        for (std::size_t x = 0; x < truth.low.size(); ++x)
            for (oracle::Value s : truth.set) {
                const oracle::Value at = truth.low[x] + s;
                const auto c = oracle::coordinate(oracle::list(tile), static_cast<Int>(x));
                Int e = 0;
                for (std::size_t d = c.size(); d-- > 0;) e = e * tile[static_cast<int>(d)] + c[d];
                exists = element.emplace(at, e).second && exists;
                for (int a = 0; a < 2; ++a) {
                    exists = exists && oracle::decode(at, a) >= 0;
                    most[a] = std::max(most[a], oracle::decode(at, a) + 1);
                }
            }
        exists = exists && most[0] * most[1] == static_cast<Int>(element.size());
        if (exists) { // and they are a layout of two modes, the threads fastest
            std::vector<oracle::Value> table;
            for (Int v = 0; v < most[0]; ++v)
                for (Int t = 0; t < most[1]; ++t)
                    table.push_back(element[oracle::encode(t, oracle::axes[1]) + oracle::encode(v, oracle::axes[0])]);
            exists = table[0] == 0 && oracle::recover_d(table) && oracle::groups(table, {most[0], most[1]});
        }
        const auto got = cute::from_axe_thread_value(l, tile, axes);
        report.asked(exists);
        if (!report.that(exists == got.has_value(), exists ? "not found" : "found where there is none", l, tile,
                         got.error().message().c_str()) ||
            !got)
            continue;
        const auto found = laws::values(*got);
        report.that(mode_sizes(*got) == std::vector<Int>{most[1], most[0]}, "modes", l, tile, cute::print(*got).c_str());
        for (Int k = 0; k < static_cast<Int>(found.size()); ++k)
            report.that(element[oracle::encode(k % most[1], oracle::axes[1]) + oracle::encode(k / most[1], oracle::axes[0])] ==
                            found[static_cast<std::size_t>(k)],
                        "wrong", l, tile, cute::print(*got).c_str());
        const auto back = cute::to_axe_thread_value(*got, tile, axes);
        report.that(back && axe::equal(*back, l), "back", l, tile, cute::print(*got).c_str());
    }
    report.finish();
}

TEST_CASE("cute thread and value: lanes and warps are threads")
{
    laws::Random r(299792);
    Int split = 0, whole = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Layout l; // a permutation of threads and values, some of them replicas
        Int filled[2] = {1, 1};
        for (Int k = r.in(1, 5); k > 0; --k) {
            const auto a = static_cast<int>(r.in(0, 1));
            const axe::Iter it{r.in(2, 4), filled[a], a == 0 ? axe::Axis{"reg"} : axe::Axis{"thread"}};
            if (r.one_in(5))
                l.replica.push_back(it);
            else
                l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), it);
            filled[a] *= it.extent;
        }
        cute::ThreadAxes axes;
        const axe::Shape tile{oracle::size(l)};
        const auto truth = cute::from_axe_thread_value(l, tile, axes);
        axes.lanes = r.in(1, 8);
        const auto parts = axe::split_axis(l, axes.split());
        REQUIRE(truth.has_value());
        const auto back = cute::to_axe_thread_value(*truth, tile, axes);
        INFO(axe::print(l).c_str() << " " << axes.lanes << " " << cute::print(*truth).c_str());
        REQUIRE(back.has_value() == parts.has_value());
        ++(parts ? split : whole);
        if (!parts) continue;
        REQUIRE(axe::equal(*back, *parts));
        REQUIRE(cute::from_axe_thread_value(*parts, tile, axes).value() == *truth);
    }
    CHECK(split > 100);
    CHECK(whole > 100);
}
