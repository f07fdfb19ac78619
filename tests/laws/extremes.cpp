// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <cstdint>
#include <limits>
#include <vector>

/// Every operation on numbers at the edge of 64 bits, most of them no layouts at all. Under the sanitizers this shows that nothing
/// wraps; and what comes back as a layout must be one, in canonical form.
namespace {

using namespace axe::literals;
using axe::Layout;
using laws::Int;

constexpr Int most = std::numeric_limits<Int>::max(), least = std::numeric_limits<Int>::min();
const std::vector<Int> extents = {1,       1,    2, 2, 3, 4, 5, 7, 8, Int{1} << 20, Int{1} << 31, (Int{1} << 31) - 1, Int{1} << 60,
                                  1000003, most, 0, -1};
const std::vector<Int> strides = {
    0,       1,    -1,       2,     -2,       3, 8, -8, Int{1} << 31, -(Int{1} << 31), Int{1} << 60, -(Int{1} << 60),
    1000003, most, most - 1, least, least + 1};
const axe::Axis axes[] = {"m", "m", "lane", "warp"};

struct Source {
    laws::Random r;
    Int extent() { return extents[static_cast<std::size_t>(r.in(0, static_cast<Int>(extents.size()) - (r.one_in(4) ? 1 : 4)))]; }
    Int stride() { return strides[static_cast<std::size_t>(r.in(0, static_cast<Int>(strides.size()) - 1))]; }
    axe::Axis axis() { return axes[r.in(0, 3)]; }
    axe::Point point()
    {
        axe::Point p;
        for (Int k = r.in(0, 2); k > 0; --k) *p.entry(axis()) = stride();
        return p;
    }
    Layout layout()
    {
        Layout l;
        for (Int k = r.in(0, 4); k > 0; --k) l.shard.push_back({extent(), stride(), axis()});
        for (Int k = r.in(-2, 2); k > 0; --k) l.replica.push_back({extent(), stride(), axis()});
        if (r.one_in(2)) l.offset = point();
        return l;
    }
    /// Mostly the extents of the layout, neighbors taken together now and then.
    axe::Shape shape(const Layout& l)
    {
        axe::Shape s;
        for (const auto& it : l.shard) {
            if (!s.empty() && r.one_in(3) && s.back() < (Int{1} << 30) && it.extent < (Int{1} << 30))
                s.back() *= it.extent;
            else
                s.push_back(it.extent);
        }
        if (r.one_in(8)) s.push_back(extent());
        return s;
    }
};

/// A result is a layout, and canonical.
bool sound(const axe::Result<Layout>& result)
{
    return !result || (axe::check(*result).ok() && *axe::canonicalize(*result) == *result);
}

} // namespace

TEST_CASE("extremes: nothing wraps, and every result is a canonical layout")
{
    Source s{laws::Random(2026)};
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const Layout a = s.layout(), b = s.layout();
        const axe::Shape sa = s.shape(a), sb = s.shape(b);
        const axe::Point p = s.point();
        axe::Region region;
        axe::Order order;
        for (int d = 0; d < sa.size(); ++d) {
            const Int lo = sa[d] > 0 ? s.r.in(0, sa[d] - 1) : 0;
            region.push_back({lo, sa[d] > lo ? s.r.in(lo + 1, sa[d]) : s.stride()});
            order.push_back(sa.size() - 1 - d);
        }
        INFO(axe::print(a).c_str() << " | " << axe::print(b).c_str());
        const axe::Result<Layout> results[] = {axe::canonicalize(a),
                                               axe::tile(a, sa, b, sb),
                                               axe::sum(a, sa, b, sb),
                                               axe::untile(a, sa, b, sb),
                                               axe::untile_outer(a, sa, b, sb),
                                               axe::unsum_left(a, sa, b, sb),
                                               axe::unsum_right(a, sa, b, sb),
                                               axe::slice(a, sa, region),
                                               axe::compose(a, b),
                                               axe::inverse(a, {"m", "lane", "warp"}),
                                               axe::complement(a, s.extent()),
                                               axe::permute(a, sa, order),
                                               axe::reshape(a, sa),
                                               axe::broadcast(a, sa, 0, s.extent()),
                                               axe::project(a, {"m"}),
                                               axe::local(a, {"lane"}),
                                               axe::rename(a, "m", "n"),
                                               axe::shift(a, p),
                                               axe::unpack(a, s.extent(), "m"),
                                               axe::pack(a, 2, "m"),
                                               s.r.one_in(8) ? axe::left_inverse(a) : axe::canonicalize(b)};
        for (const auto& result : results) {
            INFO(&result - results << ": " << axe::print(result.value_or(Layout{})).c_str());
            REQUIRE(sound(result));
        }
        if (results[0]) REQUIRE(!axe::equal(a, *results[0]).undecided());
        if (results[1]) { // what is tiled is taken apart again
            axe::Shape both;
            for (int d = 0; d < sa.size(); ++d) both.push_back(sa[d] * sb[d]);
            const auto back = axe::untile(*results[1], both, b, sb);
            REQUIRE((back ? static_cast<bool>(axe::equal(*back, a)) : back.code() == axe::errc::too_hard));
        }
        // the lazy ranges: a few members, and the count
        if (const auto back = axe::preimage(a, sa, p); back.error().ok()) {
            int seen = 0;
            for (const auto& c : back) {
                REQUIRE(axe::linear_index(sa, c));
                if (++seen == 3) break;
            }
            const auto count = back.count();
            if (count) REQUIRE((*count >= seen && back.empty() == (*count == 0)));
        }
        if (const auto set = axe::points(a, 0); set.error().ok()) {
            int seen = 0;
            for (const auto& q : set) {
                REQUIRE(q.size() <= Layout::max_axes);
                if (++seen == 3) break;
            }
            const auto count = set.count();
            if (count) REQUIRE(*count >= seen);
        }
    }
}

TEST_CASE("extremes: a replica that turns round after it was scaled may overflow 64 bits")
{
    const auto tiled = axe::tile("1:1 + [2147483648:-8388608]"_axe, {1}, "2147483648:1"_axe, {Int{1} << 31});
    CHECK(tiled.code() == axe::errc::overflow);
}

TEST_CASE("extremes: a quotient of replicas that ends with its whole is not multiplied past it")
{
    const auto left = axe::unsum_left("1:1 + [8:1152921504606846976]"_axe, {1}, "1:1 + [4:2305843009213693952]"_axe, {1});
    REQUIRE(left);
    CHECK(*left == "():() + [2:1152921504606846976]"_axe);
}
