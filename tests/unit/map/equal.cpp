// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/equal.hpp>
#include <axe/map/parse.hpp>
#include <catch.hpp>

#include <string>

namespace {

using Difference = axe::MapDifference::Kind;

axe::IndexingMap map(const char* text) { return axe::parse_map(text).value(); }
axe::MapDecision compared(const char* f, const char* g) { return axe::equal(map(f), map(g)); }
axe::Error refusal(const char* f, const char* g) { return axe::equal(map(f), map(g)).error(); }
std::string sentence(const axe::Error& e) { return e.message().c_str(); }

TEST_CASE("maps written differently are equal")
{
    CHECK(compared("(d0) -> (d0), domain: d0 in [0, 41]", "(d0) -> (d0 mod 42), domain: d0 in [0, 41]"));
    CHECK(compared("(d0) -> (d0 mod 42), domain: d0 in [53, 71]", "(d0) -> (d0 - 42), domain: d0 in [53, 71]"));
    CHECK(compared("()[s0] -> ((s0 * 128) mod 715 + ((s0 * 128) floordiv 715) * 715), domain: s0 in [0, 127]",
                   "()[s0] -> (s0 * 128), domain: s0 in [0, 127]"));
    CHECK(
        compared("(d0, d1) -> (((d1 * 2 + d0 floordiv 64) mod 3) * 256 + (d0 mod 64) * 4 + ((d1 * 128 + d0) floordiv 192) * 768), "
                 "domain: d0 in [0, 127], d1 in [0, 3071]",
                 "(d0, d1) -> (d0 * 4 + d1 * 512), domain: d0 in [0, 127], d1 in [0, 3071]"));
    // names and kinds are not the map's
    CHECK(compared("(x)[loop]{start} -> (x + loop + start), domain: x in [0, 3], loop in [0, 1], start in [0, 9]",
                   "(d0)[s0]{rt0} -> (rt0 + s0 + d0), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 9]"));
}

TEST_CASE("a domain is a set of points, however it is written")
{
    CHECK(compared("(d0) -> (d0), domain: d0 in [0, 99], d0 * 8 in [14, 33]", "(d0) -> (d0), domain: d0 in [2, 4]"));
    CHECK(compared("(d0) -> (d0), domain: d0 in [-21, -2], d0 mod 6 in [3, 3]",
                   "(d0) -> (d0), domain: d0 in [-21, -3], (d0 + 3) mod 6 in [0, 0]"));
    CHECK(
        compared("()[s0] -> (s0), domain: s0 in [0, 100], s0 floordiv -3 in [-11, -5]", "()[s0] -> (s0), domain: s0 in [13, 33]"));
    const axe::MapDecision slip =
        compared("()[s0] -> (s0), domain: s0 in [0, 100], s0 floordiv -3 in [-11, -5]", "()[s0] -> (s0), domain: s0 in [15, 35]");
    CHECK(slip.witness().kind == Difference::first_only);
    CHECK(slip.witness().point == std::vector<std::int64_t>{13});
    // two empty domains are one, whatever the results
    CHECK(compared("(d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [2, 3]", "(d0) -> (7), domain: d0 in [5, 4]"));
    const axe::MapDecision one = compared("(d0) -> (d0), domain: d0 in [5, 4]", "(d0) -> (d0), domain: d0 in [4, 5]");
    CHECK(one.witness().kind == Difference::second_only);
    CHECK(one.witness().point == std::vector<std::int64_t>{4});
}

TEST_CASE("a no shows the first point that differs, and what differs there")
{
    const axe::MapDecision v = compared("(d0, d1) -> (d0, d0 * 5 + d1), domain: d0 in [0, 3], d1 in [0, 4]",
                                        "(d0, d1) -> (d0, d0 * 5 + d1 mod 4), domain: d0 in [0, 3], d1 in [0, 4]");
    REQUIRE_FALSE(v);
    CHECK(v.witness().kind == Difference::result);
    CHECK(v.witness().result == 1);
    CHECK(v.witness().point == std::vector<std::int64_t>{0, 4});
    CHECK(v.witness().is_first);
    // the vectorized launch of the slides, with its last constraint and without: the first thread beyond 240,000
    const char* with = "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 60031], s0 in [0, 3], d0 * 4 in [0, 239999]";
    const char* without = "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 60031], s0 in [0, 3]";
    const axe::MapDecision more = compared(with, without);
    CHECK(more.witness().kind == Difference::second_only);
    CHECK(more.witness().point == std::vector<std::int64_t>{60000, 0});
}

TEST_CASE("maps without variables, without results, of one point")
{
    CHECK(compared("() -> ()", "() -> ()"));
    CHECK(compared("() -> (3)", "() -> (3)"));
    const axe::MapDecision v = compared("() -> (3, 4)", "() -> (3, 5)");
    CHECK(v.witness().kind == Difference::result);
    CHECK(v.witness().result == 1);
    CHECK(v.witness().point.empty());
    CHECK(compared("(d0) -> (), domain: d0 in [0, 5]", "(d0) -> (), domain: d0 in [0, 9], d0 * 3 in [0, 17]"));
    CHECK(compared("(d0) -> (d0 * d0), domain: d0 in [7, 7]", "(d0) -> (49), domain: d0 in [7, 7]"));
}

TEST_CASE("large extents are decided by periods, not by points")
{
    const char* sixty = "(d0) -> ((d0 mod 6) floordiv 2 + (d0 floordiv 6) * 3), domain: d0 in [0, 1152921504606846975]";
    CHECK(compared(sixty, "(d0) -> (d0 floordiv 2), domain: d0 in [0, 1152921504606846975]"));
    // they differ at every seventh point, and the first of those is near -2^62
    const axe::MapDecision v = compared("(d0) -> (d0 floordiv 7), domain: d0 in [-4611686018427387904, 4611686018427387904]",
                                        "(d0) -> ((d0 + 1) floordiv 7), domain: d0 in [-4611686018427387904, 4611686018427387904]");
    CHECK(v.witness().kind == Difference::result);
    CHECK(axe::floor_remainder(v.witness().point[0], 7) == 6);
    CHECK(v.witness().point[0] < -4611686018427387904 + 7);
    // two halves whose sum is fixed: one constraint joins them, over 2^40 points each
    const char* sum = "(d0, d1) -> (d0 floordiv 2 + d1 floordiv 2), domain: d0 in [0, 1099511627775], d1 in [0, 1099511627775], "
                      "d0 + d1 in [1099511627775, 1099511627775]";
    CHECK(compared(sum, "(d0, d1) -> (549755813887), domain: d0 in [0, 1099511627775], d1 in [0, 1099511627775], "
                        "d0 + d1 in [1099511627775, 1099511627775]"));
}

TEST_CASE("products of variables: as far as cutting goes")
{
    CHECK(compared("(d0, d1) -> ((d0 + 1) * d1), domain: d0 in [0, 99], d1 in [0, 99]",
                   "(d0, d1) -> (d0 * d1 + d1), domain: d0 in [0, 99], d1 in [0, 99]"));
    CHECK(compared("(d0, d1) -> (d0 * d1), domain: d0 in [0, 9999999999], d1 in [0, 9999999999]",
                   "(d0, d1) -> (d1 * d0), domain: d0 in [0, 9999999999], d1 in [0, 9999999999]"));
    const axe::Error e = refusal("(d0, d1) -> ((d0 + 1) * d1), domain: d0 in [0, 999999999], d1 in [0, 999999999]",
                                 "(d0, d1) -> (d0 * d1 + d1), domain: d0 in [0, 999999999], d1 in [0, 999999999]");
    CHECK(e.code == axe::errc::too_hard);
    CHECK(sentence(e) == "not decided: 65536 splits of the domain do not show it, and it has more than 1048576 points");
}

TEST_CASE("what is no question is refused")
{
    CHECK(refusal("(d0) -> (d0), domain: d0 in [0, 3]", "()[s0] -> (s0), domain: s0 in [0, 3]").code == axe::errc::rank_mismatch);
    CHECK(sentence(refusal("(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0, 1), domain: d0 in [0, 3]")) ==
          "one map has 1 result, the other 2");
    const axe::IndexingMap f = axe::IndexingMap::over({4});
    CHECK(axe::equal(f, axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
    axe::IndexingMap broken = f;
    broken.results.push_back(broken.pool.mod(broken.dimension(0), 0));
    CHECK(axe::equal(f, broken).code() == axe::errc::bad_argument);
    axe::IndexingMap vast = axe::IndexingMap::over({std::int64_t{1} << 60});
    axe::IndexExpr e = vast.dimension(0);
    for (int i = 0; i < 3; ++i) e = vast.pool.mul(e, (std::int64_t{1} << 60) - 1);
    axe::IndexingMap other = vast;
    vast.results.push_back(e);
    other.results.push_back(other.dimension(0));
    CHECK(axe::equal(vast, other).code() == axe::errc::overflow);
}

} // namespace
