// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/same_map.hpp>

#include <string>

namespace {

using axe::IndexExpr;
using axe::IndexingMap;
} // namespace

TEST_CASE("maps print as XLA prints them")
{
    for (const char* text : {
             "(d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]",
             "(d0, d1) -> (-((d0 * -6 - d1 + 6) mod 7) + ((d0 * -6 - d1 + 6) floordiv 7) * 7 + 83), domain: d0 in [0, 13], d1 in "
             "[0, 5]",
             "()[s0, s1] -> ((s0 * 16 - (s1 floordiv 4) floordiv 2 + (s1 floordiv 8) * 2) floordiv 4), domain: s0 in [0, 1], s1 in "
             "[0, 127]",
             "(d0)[s0] -> (d0 - (s0 floordiv 3) * 12 + s0 * 7), domain: d0 in [0, 1], s0 in [0, 3]",
             "(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]",
             "(d0) -> (-d0 + 119), domain: d0 in [0, 119]",
             "(d0, d1, d2, d3) -> ((d0 * d1) * d2, d3)",
             "(d0)[s0, s1, s2] -> (s2, d0, s1, s0 * 6 + 3), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1], s2 in [0, 5], (s0 * "
             "6 + 3) "
             "* s2 in [0, 28]",
             "(d0) -> ((d0 floordiv 2) floordiv -7, (d0 * 4) mod -3, d0 - 42), domain: d0 in [0, 1]",
             "(d0, d1){cs_0, cs_1} -> (), domain: d0 in [0, 24], d1 in [0, 15], cs_0 in [0, 25], cs_1 in [0, 16]",
             "UNDEFINED",
             "KNOWN EMPTY",
         }) {
        CHECK(axe::print(axe::parse_map(text).value()) == text);
    }
}

TEST_CASE("a slash for floordiv, and names of places, on request")
{
    const IndexingMap map =
        axe::parse_map("(th_x)[i]{n} -> (th_x floordiv 2 + i, n), domain: th_x in [0, 9], i in [0, 1], n in [0, 2], "
                       "th_x + n in [0, 9]")
            .value();
    CHECK(axe::print(map, {.slash = true}) ==
          "(th_x)[i]{n} -> (th_x / 2 + i, n), domain: th_x in [0, 9], i in [0, 1], n in [0, 2], th_x + n in [0, 9]");
    CHECK(axe::print(map, {.generic = true}) ==
          "(d0)[s0]{rt0} -> (d0 floordiv 2 + s0, rt0), domain: d0 in [0, 9], s0 in [0, 1], rt0 in [0, 2], d0 + rt0 in [0, 9]");
    CHECK(axe::print(map, map.results[0]) == "th_x floordiv 2 + i");
    CHECK(axe::print(map, map.results[0], {.slash = true, .generic = true}) == "d0 / 2 + s0");
}

TEST_CASE("no two variables print alike")
{
    IndexingMap map = IndexingMap::over({4, 4, 4, 4, 4});
    for (int v = 0; v < 5; ++v) map.results.push_back(map.dimension(v));
    const auto names = [&] { return axe::print(map).substr(0, axe::print(map).find(" ->")); };
    map.variables[0].name = map.variables[1].name = "x"; // twice
    CHECK(names() == "(x, d1, d2, d3, d4)");
    map.variables[0].name = "d3"; // another's place
    CHECK(names() == "(d0, x, d2, d3, d4)");
    map.variables[3].name = "d1"; // and so on: 3 has a name, 1 too
    CHECK(names() == "(d3, x, d2, d1, d4)");
    map.variables[1].name.clear();
    CHECK(names() == "(d0, d1, d2, d3, d4)");
    map.variables[2].name = "no name";
    map.variables[4].name = "in";
    CHECK(names() == "(d0, d1, d2, d3, d4)");
    map.variables[4].name.clear();
    map.variables[4].kind = axe::IndexKind::block_y;
    CHECK(names() == "(d0, d1, d2, d3, bl_y)");
}

TEST_CASE("every kind has a name, which reads back")
{
    for (int r = 0; r <= static_cast<int>(axe::IndexKind::device); ++r) {
        const auto kind = static_cast<axe::IndexKind>(r);
        CHECK(axe::kind_named(axe::kind_name(kind)) == kind);
    }
    CHECK(axe::kind_named("lane") == axe::IndexKind::lane);
    CHECK(axe::kind_named("d0") == axe::IndexKind::none);
}

TEST_CASE("a shared node prints where it is used")
{
    IndexingMap map = IndexingMap::over({8});
    IndexExpr e = map.dimension(0);
    for (int i = 0; i < 3; ++i) e = map.pool.add(e, e);
    map.results.push_back(e);
    CHECK(axe::print(map) == "(d0) -> (d0 + d0 + (d0 + d0) + (d0 + d0 + (d0 + d0))), domain: d0 in [0, 7]");
}

TEST_CASE("what the makers make reads back the same, node by node")
{
    laws::Random random(0x8a9);
    const std::int64_t constants[] = {0, 1, -1, 2, -2, 3, -7, 12, axe::every_integer.low, axe::every_integer.high};
    int read = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        IndexingMap map = IndexingMap::over({4, 5}, {6});
        map.variables.push_back({{-2, 7}, trial % 2 == 0 ? "" : "start", axe::IndexKind::none});
        std::vector<IndexExpr> made;
        for (int v = 0; v < 4; ++v) made.push_back(map.variable(v));
        for (int i = 0; i < 12; ++i) {
            const auto pick = [&] {
                return made[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(made.size()) - 1))];
            };
            const std::int64_t k = constants[random.in(0, 9)];
            switch (random.in(0, 6)) {
            case 0: made.push_back(map.pool.add(pick(), pick())); break;
            case 1: made.push_back(map.pool.sub(pick(), pick())); break;
            case 2: made.push_back(map.pool.mul(pick(), pick())); break;
            case 3: made.push_back(map.pool.mul(pick(), k)); break;
            case 4: made.push_back(map.pool.add(pick(), k)); break;
            case 5: made.push_back(map.pool.mod(pick(), k == 0 ? 5 : k)); break;
            default: made.push_back(map.pool.floor_div(pick(), k == 0 ? 5 : k)); break;
            }
        }
        if (!map.pool.error().ok()) continue; // a constant overflowed
        ++read;
        map.results.assign(made.end() - 3, made.end());
        map.constraints.push_back({made[5], {-3, 9}});
        map.constraints.push_back({made[8], {9, -3}});
        for (const axe::MapSpelling spelling : {axe::MapSpelling{}, axe::MapSpelling{.slash = true}}) {
            const std::string text = axe::print(map, spelling);
            const auto again = axe::parse_map(text);
            INFO(text << "\n" << again.error().message().c_str());
            REQUIRE(again);
            CHECK(axe::print(*again, spelling) == text);
            REQUIRE(laws::same(map, *again));
        }
    }
    CHECK(read > 15'000);
}

TEST_CASE("any depth prints")
{
    IndexingMap map = IndexingMap::over({8});
    IndexExpr left = map.dimension(0), right = map.dimension(0), div = map.dimension(0);
    for (int i = 0; i < 50'000; ++i) {
        left = map.pool.add(left, map.dimension(0));
        right = map.pool.add(map.dimension(0), map.pool.mul(right, 3));
        div = map.pool.floor_div(div, 2);
    }
    map.results = {left, right, div};
    const auto again = axe::parse_map(axe::print(map));
    REQUIRE(again);
    CHECK(laws::same(map, *again));
}
