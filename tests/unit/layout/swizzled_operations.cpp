// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Operations of swizzled layouts against their equations, point by point, and existence against every digit structure there is.
namespace {

using axe::errc, axe::Layout, axe::Shape;
using Int = std::int64_t;
using Swizzled = axe::Swizzled<Layout>;
using Points = std::vector<std::vector<axe::Point>>; // of each index, ascending

Swizzled swizzled(const std::string& text) { return axe::parse_swizzled(text).value(); }
Layout layout(const std::string& text) { return axe::parse_layout(text).value(); }
std::string text(const Swizzled& s) { return axe::print(s).c_str(); }

Points points_of(const Swizzled& s)
{
    Points all;
    for (Int x = 0; x < axe::size(s).value(); ++x) {
        all.emplace_back();
        for (const auto& p : axe::points(s, x)) all.back().push_back(p);
    }
    return all;
}

/// Is there a layout without replicas with these values on m? Every ordered factorization of their number is tried.
bool is_layout(const std::vector<Int>& v, std::size_t inner = 1)
{
    if (inner == v.size()) return true;
    for (std::size_t n = 2; inner * n <= v.size(); ++n) {
        if (v.size() % (inner * n) != 0) continue;
        const Int stride = v[inner] - v[0];
        bool right = true;
        for (std::size_t x = 0; x < v.size() && right; ++x) {
            const std::size_t digit = x / inner % n;
            right = v[x] == v[x - digit * inner] + static_cast<Int>(digit) * stride;
        }
        if (right && is_layout(v, inner * n)) return true;
    }
    return false;
}

std::vector<Int> values(const Swizzled& s)
{
    std::vector<Int> v;
    for (Int x = 0; x < axe::size(s).value(); ++x) v.push_back(axe::evaluate(s, x).value()[axe::Axis{}]);
    return v;
}

/// A layout on m of up to three digits.
Layout random_layout(std::mt19937& rng, int most_digits)
{
    const auto in = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(rng); };
    Layout l;
    for (int i = in(0, most_digits); i > 0; --i) l.shard.push_back({in(1, 4), in(0, 3) == 0 ? in(-6, 6) : Int{1} << in(0, 5), {}});
    if (in(0, 3) == 0) *l.offset.entry({}) = in(-8, 16);
    l.offset.drop_zeros();
    return l;
}
Swizzled random_swizzled(std::mt19937& rng, int most_digits)
{
    const auto in = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(rng); };
    const int bits = in(1, 2);
    return {{bits, in(0, 2), in(0, 3) == 0 ? -bits : bits + in(0, 1)}, {}, 1, random_layout(rng, most_digits)};
}
Int span_of(const std::vector<Int>& v)
{
    Int low = v[0], high = v[0];
    for (const Int n : v) low = n < low ? n : low, high = n > high ? n : high;
    return high - low + 1;
}

} // namespace

TEST_CASE("swizzled layouts: what is done to the layout inside")
{
    const Swizzled s = swizzled("swizzle<3,4,3>/2((8,2,32):(64,32,1))");
    CHECK(text(axe::canonicalize(s).value()) == "swizzle<3,4,3>/2(512:1)");
    CHECK(text(axe::canonicalize(swizzled("swizzle<0,0,0>/2((8,8):(8,1))")).value()) == "swizzle<0,0,0>(64:1)");
    CHECK(axe::size(s).value() == 512);
    CHECK(text(axe::reshape(s, {8, 64}).value()) == "swizzle<3,4,3>/2(512:1)");
    CHECK(axe::reshape(s, {8, 63}).code() == errc::size_mismatch);
    const Swizzled t = axe::permute(s, {8, 64}, {1, 0}).value();
    for (Int i = 0; i < 8; ++i)
        for (Int j = 0; j < 64; ++j) CHECK(axe::evaluate(t, {64, 8}, {j, i}).value() == axe::evaluate(s, {8, 64}, {i, j}).value());
    CHECK(text(axe::broadcast(s, {8, 64}, 1, 3).value()) == "swizzle<3,4,3>/2((8,3,64):(64,0,1))");
    CHECK(text(axe::compose(s, layout("(4,4):(64,8)")).value()) == "swizzle<3,4,3>/2((4,4):(64,8))");
    CHECK(axe::compose(s, layout("(4,4):(64,512)")).code() == errc::out_of_domain);

    const Swizzled shared = swizzled("swizzle<3,4,3>@smem/2((2,8,64):(1@cta,64@smem,1@smem))");
    CHECK(text(axe::local(shared, axe::Layout::Axes{axe::Axis{"cta"}}).value()) == "swizzle<3,4,3>@smem/2(512:1@smem)");
    CHECK(text(axe::local(shared, axe::Layout::Axes{axe::Axis{"smem"}}).value()) == "swizzle<0,0,0>(2:1@cta)");
    CHECK(text(axe::project(shared, axe::Layout::Axes{axe::Axis{"smem"}}).value()) == "swizzle<3,4,3>@smem/2((2,512):(0,1@smem))");
    CHECK(text(axe::project(shared, axe::Layout::Axes{axe::Axis{"cta"}}).value()) == "swizzle<0,0,0>((2,512):(1@cta,0))");
    CHECK(text(axe::rename(shared, axe::Axis{"smem"}, axe::Axis{"x"}).value()) == "swizzle<3,4,3>@x/2((2,512):(1@cta,1@x))");
    CHECK(text(axe::rename(shared, axe::Axis{"cta"}, axe::Axis{"x"}).value()) == "swizzle<3,4,3>@smem/2((2,512):(1@x,1@smem))");
    CHECK(axe::rename(shared, axe::Axis{"cta"}, axe::Axis{"smem"}).code() == errc::bad_axis);
    CHECK(text(axe::shift(shared, axe::Point{{"smem", 1024}, {"cta", 1}}).value()) ==
          "swizzle<3,4,3>@smem/2((2,512):(1@cta,1@smem) + 1@cta + 1024@smem)");
    CHECK(axe::shift(shared, axe::Point{{"smem", 8}}).code() == errc::bad_argument);
    // The layout does not move on the swizzled axis: another name would be swizzled.
    CHECK(axe::rename(swizzled("swizzle<3,4,3>@smem(8:1@x)"), axe::Axis{"x"}, axe::Axis{"smem"}).code() == errc::bad_axis);
}

TEST_CASE("swizzled layouts: a span is that of the points")
{
    CHECK(axe::span(swizzled("swizzle<3,3,3>((8,64):(64,1))"), axe::Axis{}).value() == 512);
    CHECK(axe::span(swizzled("swizzle<1,0,1>(1:1 + 2@m)"), axe::Axis{}).value() == 1);
    CHECK(axe::span(swizzled("swizzle<1,0,1>(2:2)"), axe::Axis{}).value() == 4);  // 0 and 3
    CHECK(axe::span(swizzled("swizzle<1,0,60>(2:1)"), axe::Axis{}).value() == 2); // it reads no bit of these
    CHECK(axe::span(swizzled("swizzle<1,0,60>((2,2):(1,1152921504606846976))"), axe::Axis{}).code() == errc::too_hard);
    CHECK(axe::span(swizzled("swizzle<3,3,3>(8:64@x)"), axe::Axis{"x"}).value() == 449);
    CHECK(axe::span(swizzled("swizzle<1,0,1>(2:4 + [2:2])"), axe::Axis{}).value() == 8); // 0, 3, 4, 7
    std::mt19937 rng(3);
    for (int i = 0; i < 3000; ++i) {
        const Swizzled s = random_swizzled(rng, 3);
        INFO(text(s));
        CHECK(axe::span(s, axe::Axis{}).value() == span_of(values(s)));
    }
}

TEST_CASE("swizzled layouts: parts and wholes of elements")
{
    const Swizzled s = swizzled("swizzle<3,3,3>((8,64):(64,1))");
    CHECK(text(axe::unpack(s, 2, axe::Axis{}).value()) == "swizzle<3,4,3>(1024:1)");
    CHECK(text(axe::pack(swizzled("swizzle<3,4,3>(1024:1)"), 2, axe::Axis{}).value()) == "swizzle<3,4,3>/2(512:1)");
    CHECK(text(axe::unpack(swizzled("swizzle<3,4,3>/2(512:1)"), 2, axe::Axis{}).value()) == "swizzle<3,4,3>(1024:1)");
    CHECK(axe::unpack(s, 3, axe::Axis{}).code() == errc::bad_argument);
    CHECK(axe::pack(s, 16, axe::Axis{}).code() == errc::bad_argument); // cut by the swizzle
    CHECK(text(axe::unpack(s, 3, axe::Axis{"x"}).value()) == "swizzle<3,3,3>((512,3):(1,1@x))");
    CHECK(axe::pack(swizzled("swizzle<3,3,3>(8:3)"), 2, axe::Axis{}).code() == errc::no_layout);
    std::mt19937 rng(5);
    for (int i = 0; i < 500; ++i) {
        const Swizzled a = random_swizzled(rng, 3);
        const Int n = Int{1} << i % 3;
        const Swizzled u = axe::unpack(a, n, axe::Axis{}).value();
        const auto whole = values(a), parts = values(u);
        INFO(text(a) << " " << n << " " << text(u));
        REQUIRE(parts.size() == whole.size() * static_cast<std::size_t>(n));
        for (std::size_t x = 0; x < parts.size(); ++x)
            CHECK(parts[x] == whole[x / static_cast<std::size_t>(n)] * n + static_cast<Int>(x % static_cast<std::size_t>(n)));
        CHECK(axe::equal(axe::pack(u, n, axe::Axis{}).value(), a));
    }
}

TEST_CASE("swizzled layouts: a sum exists exactly where a layout under the swizzle has its points")
{
    std::mt19937 rng(7);
    int some = 0, none = 0;
    for (int i = 0; i < 6000; ++i) {
        Swizzled a = random_swizzled(rng, 2), b = random_swizzled(rng, 2);
        if (i % 3 == 0) a.swizzle = {};
        if (i % 3 == 1) b.swizzle = {};
        if (i % 3 == 2) b.swizzle = a.swizzle;
        const axe::Swizzle swizzle = i % 3 == 0 ? b.swizzle : a.swizzle;
        const auto left = values(a), right = values(b);
        const Shape a_shape{static_cast<Int>(left.size())}, b_shape{static_cast<Int>(right.size())};
        std::vector<Int> inside;
        for (const Int l : left)
            for (const Int r : right) inside.push_back(swizzle(l + r));
        const auto sum = axe::sum(a, a_shape, b, b_shape);
        INFO(text(a) << "  +  " << text(b));
        CHECK(sum.has_value() == is_layout(inside));
        if (!sum) {
            CHECK(sum.code() == errc::no_layout);
            ++none;
            continue;
        }
        ++some;
        INFO(text(*sum));
        std::size_t x = 0;
        for (const Int v : values(*sum)) CHECK(swizzle(inside[x++]) == v);
        CHECK(x == inside.size());
    }
    CHECK(some > 500);
    CHECK(none > 500);
}

TEST_CASE("swizzled layouts: tilings and what gives them back")
{
    std::mt19937 rng(11);
    int tilings = 0, divisions = 0;
    for (int i = 0; i < 4000; ++i) {
        const Swizzled c{{}, {}, 1, random_layout(rng, 2)};
        const Swizzled b = random_swizzled(rng, 2);
        const auto outer = values(c), inner = values(b);
        const Int n = static_cast<Int>(outer.size()), m = static_cast<Int>(inner.size()), span = span_of(inner);
        std::vector<Int> all, inside;
        for (const Int z : outer)
            for (const Int y : inner) all.push_back(span * z + y), inside.push_back(b.swizzle(all.back()));
        const auto tiled = axe::tile(c, {n}, b, {m});
        INFO(text(c) << "  tiles  " << text(b));
        CHECK(tiled.has_value() == is_layout(inside));
        if (!tiled) continue;
        ++tilings;
        CHECK(values(*tiled) == all);
        const auto back = axe::untile(*tiled, {n * m}, b, {m});
        REQUIRE(back);
        CHECK(axe::equal(*back, c.layout));
        const auto tile = axe::untile_outer(*tiled, {n * m}, c, {n});
        REQUIRE(tile);
        CHECK(axe::equal(axe::tile(c, {n}, *tile, {m}).value(), *tiled));
    }
    for (int i = 0; i < 4000; ++i) { // of layouts that need not be tilings
        const Swizzled a = random_swizzled(rng, 3);
        Swizzled b = random_swizzled(rng, 1);
        if (i % 2 == 0) b.swizzle = a.swizzle;
        const auto whole = values(a), inner = values(b);
        if (whole.size() % inner.size() != 0) continue;
        const Int n = static_cast<Int>(whole.size() / inner.size()), m = static_cast<Int>(inner.size()), span = span_of(inner);
        std::vector<Int> z;
        bool exists = true;
        for (Int k = 0; k < n && exists; ++k) {
            const Int apart = whole[static_cast<std::size_t>(k * m)] - inner[0];
            exists = apart % span == 0;
            z.push_back(apart / span);
            for (Int y = 0; y < m && exists; ++y)
                exists = whole[static_cast<std::size_t>(k * m + y)] == span * z.back() + inner[static_cast<std::size_t>(y)];
        }
        exists = exists && is_layout(z);
        const auto back = axe::untile(a, {n * m}, b, {m});
        INFO(text(a) << "  by  " << text(b));
        if (back) {
            CHECK(exists);
            Swizzled c;
            c.layout = *back;
            CHECK(values(c) == z);
            ++divisions;
        } else if (b.swizzle == a.swizzle) {
            CHECK_FALSE(exists);
        }
    }
    CHECK(tilings > 500);
    CHECK(divisions > 100);
}

TEST_CASE("swizzled layouts: tilings with replicas and other axes")
{
    const Swizzled outer = swizzled("(2,4):(1@cta,1) + [2:2@cta] + 3@cta");
    const Swizzled tile = swizzled("swizzle<3,3,3>((8,64):(64,1))");
    const Swizzled tiled = axe::tile(outer, {2, 4}, tile, {8, 64}).value();
    CHECK(text(tiled) == "swizzle<3,3,3>((2,8,4,64):(1@cta,64,512,1) + [2:2@cta] + 3@cta)");
    CHECK(axe::equal(axe::untile(tiled, {16, 256}, tile, {8, 64}).value(), outer.layout));
    CHECK(axe::equal(axe::untile_outer(tiled, {16, 256}, outer, {2, 4}).value(), tile));
    // eight elements that no bit of the swizzle touches, with replicas elsewhere
    const Swizzled chunk = swizzled("8:1 + [2:-4@warp]");
    const Swizzled rows = swizzled("swizzle<3,3,3>((8,8):(64,8) + 1@warp)");
    const Swizzled sum = axe::sum(rows, {64}, chunk, {8}).value();
    CHECK(text(sum) == "swizzle<3,3,3>(512:1 + [2:4@warp] + -3@warp)");
    const Points all = points_of(sum), left = points_of(rows), right = points_of(chunk);
    for (std::size_t x = 0; x < all.size(); ++x) {
        REQUIRE(all[x].size() == 2);
        for (const auto& p : right[x % 8]) {
            axe::Point q = left[x / 8][0];
            for (const auto& e : p) *q.entry(e.axis) += e.value;
            CHECK((q == all[x][0] || q == all[x][1]));
        }
    }
    CHECK(axe::sum(swizzled("swizzle<3,3,3>(64:1 + [2:3])"), {64}, swizzled("2:1"), {2}).code() == errc::too_hard);
    CHECK(axe::sum(tile, {512}, swizzled("swizzle<2,3,3>(2:512)"), {2}).code() == errc::bad_argument);
    CHECK(axe::tile(tile, {512}, tile, {512}).code() == errc::bad_argument);
    CHECK(axe::tile(swizzled("1152921504606846976:1"), {1152921504606846976}, tile, {512}).code() == errc::overflow);
    CHECK(axe::tile(swizzled("2:3"), {2}, swizzled("swizzle<1,0,1>(2097152:1)"), {2097152}).value().layout ==
          layout("(2,2097152):(6291456,1)")); // by the period alone, however large
    CHECK(axe::sum(swizzled("2:1"), {2}, swizzled("swizzle<1,0,1>(2097152:2)"), {2097152}).code() == errc::too_hard);
}
