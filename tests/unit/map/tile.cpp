// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/tile_print.hpp>

#include <catch.hpp>
#include <tests/laws/map_tiles.hpp>

using Int = std::int64_t;
using axe::TileRow;

namespace {

axe::IndexingMap read(const char* text)
{
    const auto map = axe::parse_map(text);
    REQUIRE(map.has_value());
    return *map;
}

std::string printed(const char* text)
{
    const auto tile = axe::symbolic_tile(read(text));
    REQUIRE(tile.has_value());
    return axe::print(*tile);
}

axe::Status error_of(const char* text)
{
    const auto tile = axe::symbolic_tile(read(text));
    REQUIRE(!tile.has_value());
    return tile.error();
}

/// All offsets, sizes and strides of a map of one dimension of n: how many are answered, none of them wrongly.
Int answered(const char* text, Int n)
{
    const axe::IndexingMap map = read(text);
    const auto tile = axe::symbolic_tile(map, {n});
    REQUIRE(tile.has_value());
    Int out = 0;
    for (Int o = 0; o < n; ++o)
        for (Int z = 1; z <= n; ++z)
            for (Int t = 1; t <= n; ++t) {
                const laws::TileAnswer answer = laws::judge(map, *tile, {{o}, {z}, {t}});
                INFO(text << ": " << o << ", " << z << ", " << t);
                CHECK(answer != laws::TileAnswer::wrong);
                out += answer == laws::TileAnswer::right ? 1 : 0;
            }
    return out;
}

} // namespace

TEST_CASE("tile: affine results need no condition")
{
    CHECK(printed("(d0) -> (d0), domain: d0 in [0, 9]") == "(o0 + [0, z0) * t0 in [0, 9])\n");
    CHECK(printed("(d0) -> (9 - d0), domain: d0 in [0, 9]") == "(-o0 + 9 + [0, z0) * (-t0) in [0, 9])\n");
    CHECK(printed("(d0) -> (d0 * 3 + 2, 7), domain: d0 in [0, 9]") == "(o0 * 3 + 2 + [0, z0) * (t0 * 3) in [2, 29], 7)\n");
    CHECK(printed("(d0, d1)[s0] -> (d1, s0), domain: d0 in [0, 3], d1 in [0, 9], s0 in [2, 5]") ==
          "(o1 + [0, z1) * t1 in [0, 9], 2 + [0, 4))\n");
    for (const char* text :
         {"(d0) -> (d0), domain: d0 in [0, 11]", "(d0) -> (11 - d0, 3), domain: d0 in [2, 10]",
          "(d0) -> (d0 * 5 - 2), domain: d0 in [0, 8]", "(d0)[s0] -> (s0 * 2, d0), domain: d0 in [0, 11], s0 in [1, 3]"})
        CHECK(answered(text, 12) == 12 * 12 * 12);
}

TEST_CASE("tile: a dimension cut into digits")
{
    // Within a row, along a column, or whole rows.
    const char* rows = "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]";
    CHECK(printed(rows) == "(o0 floordiv 4, o0 mod 4 + [0, z0) * t0) if o0 mod 4 + (z0 - 1) * t0 <= 3\n"
                           "(o0 floordiv 4 + [0, z0) * (t0 floordiv 4) in [0, 2], o0 mod 4) if t0 mod 4 = 0\n"
                           "(o0 floordiv 4 + [0, z0 floordiv 4) in [0, 2], [0, 4)) if t0 = 1, o0 mod 4 = 0, z0 mod 4 = 0\n");
    CHECK(answered(rows, 12) > 300);
    answered("(d0) -> (d0 floordiv 6, (d0 floordiv 2) mod 3, d0 mod 2), domain: d0 in [0, 11]", 12);
    answered("(d0) -> (d0 mod 3), domain: d0 in [0, 11]", 12);
    answered("(d0) -> ((11 - d0) floordiv 3, (11 - d0) mod 3), domain: d0 in [0, 11]", 12);
    answered("(d0) -> (d0 mod -4, d0 floordiv -4), domain: d0 in [0, 11]", 12);
    answered("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [2, 9]", 12);
    // Of the digits below nobody asks: any tile whose steps are no longer than a digit.
    CHECK(answered("(d0) -> (d0 floordiv 4), domain: d0 in [0, 11]", 12) >= 12 * 12 * 4);
}

TEST_CASE("tile: digits that do not divide each other")
{
    // One of them moves while the others stand still.
    CHECK(printed("(d0) -> (d0 mod 4, d0 mod 6), domain: d0 in [0, 23]") ==
          "(o0 mod 4, o0 mod 6) if z0 = 1\n"
          "(o0 mod 4 + [0, z0) * t0, o0 mod 6) if o0 + (z0 - 1) * t0 <= 23, o0 mod 4 + (z0 - 1) * t0 <= 3, t0 mod 6 = 0\n"
          "(o0 mod 4, o0 mod 6 + [0, z0) * t0) if o0 + (z0 - 1) * t0 <= 23, t0 mod 4 = 0, o0 mod 6 + (z0 - 1) * t0 <= 5\n"
          "(o0 mod 4, o0 mod 6) if o0 + (z0 - 1) * t0 <= 23, t0 mod 4 = 0, t0 mod 6 = 0\n");
    for (const char* text :
         {"(d0) -> (d0 mod 4, d0 mod 6), domain: d0 in [0, 11]", "(d0) -> (d0 floordiv 4, d0 floordiv 6), domain: d0 in [0, 11]",
          "(d0) -> (d0 floordiv 4, d0 mod 6), domain: d0 in [0, 11]",
          "(d0) -> (d0 mod 2, d0 mod 3, d0 mod 5), domain: d0 in [0, 11]",
          "(d0) -> (d0 mod 4 + (d0 mod 6) * 4), domain: d0 in [0, 11]",
          "(d0) -> (d0 floordiv 4), domain: d0 in [0, 11], d0 mod 6 in [0, 2]",
          "(d0) -> ((d0 + 1) mod 4, (d0 + 1) floordiv 6), domain: d0 in [2, 9]"})
        CHECK(answered(text, 12) >= 12 * 3); // a tile of one element at least
}

TEST_CASE("tile: every second value of a dimension, cut again or in a sum")
{
    // 8, 10, …, 26 in digits of 5: two values are not a box of ⌊x/5⌋ and x mod 5 but where one of these stays.
    CHECK(answered("(d0) -> ((d0 floordiv 2 * 2 + 8) floordiv 5, (d0 floordiv 2 * 2 + 8) mod 5), domain: d0 in [0, 18], d0 mod 2 "
                   "in [0, 0]",
                   20) >= 679);
    // The domain ends the sum in the middle of a step of d0.
    CHECK(answered("(d0)[s0] -> (d0 floordiv 2 + s0 - 1, (d0 mod 2) * 2 - 1), domain: d0 in [1, 17], s0 in [0, 2], "
                   "d0 floordiv 2 + s0 in [1, 10], d0 mod 2 in [1, 1]",
                   20) >= 1597);
}

TEST_CASE("tile: a constraint on several digits holds for all values of a digit that nobody asks for")
{
    CHECK(answered("(d0) -> (d0 floordiv 12), domain: d0 in [0, 23], ((d0 mod 3) + (d0 floordiv 3) mod 4) in [1, 4]", 24) >= 2066);
}

TEST_CASE("tile: digits that do not divide each other hang together")
{
    // Of the odd indices alone.
    CHECK(answered("(d0) -> (d0 floordiv 3), domain: d0 in [1, 7], (d0 - 1) mod 2 in [0, 0]", 8) >= 52);
}

TEST_CASE("tile: digits that come to nothing")
{
    CHECK(answered("(d0) -> (((-((5 - d0 * 6) floordiv 7) * 2) floordiv 8) floordiv 7), domain: d0 in [0, 13]", 14) ==
          14 * 14 * 14);
}

TEST_CASE("tile: pads, with elements between")
{
    CHECK(answered("(d0) -> (d0 - 2), domain: d0 in [2, 7]", 12) == 12 * 12 * 12);
    CHECK(answered("(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 9], (d0 - 1) mod 2 in [0, 0]", 12) >= 12 * 12 * 2);
    // Nothing is read where a tile is all padding, whatever its stride.
    const auto tile = axe::symbolic_tile(read("(d0) -> (d0 - 2), domain: d0 in [2, 7]"), {12});
    REQUIRE(tile.has_value());
    const auto rows = axe::tile_at(*tile, {9, 3, 1});
    REQUIRE(rows.has_value());
    CHECK(laws::box(*rows).empty());
}

TEST_CASE("tile: sums of dimensions and of windows")
{
    // Windows of 3 at every second place overlap: 2·z + 1 in a row.
    const axe::IndexingMap window = read("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 5], s0 in [0, 2]");
    const auto tile = axe::symbolic_tile(window);
    REQUIRE(tile.has_value());
    const auto row = axe::tile_at(*tile, {1, 3, 1});
    REQUIRE(row.has_value());
    CHECK((*row)[0].offset == 2);
    CHECK((*row)[0].size == 7);
    CHECK((*row)[0].stride == 1);
    // With a hole of one between them they are not a progression.
    CHECK(!axe::tile_at(*tile, {0, 2, 2}).has_value());
    CHECK(laws::judge(window, *tile, {{0}, {1}, {3}}) == laws::TileAnswer::right);

    const axe::IndexingMap split = read("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]");
    const auto joined = axe::symbolic_tile(split);
    REQUIRE(joined.has_value());
    CHECK(laws::judge(split, *joined, {{1, 0}, {2, 4}, {1, 1}}) == laws::TileAnswer::right);
    CHECK(laws::judge(split, *joined, {{0, 1}, {3, 1}, {1, 1}}) == laws::TileAnswer::right);
    CHECK(laws::judge(split, *joined, {{0, 0}, {2, 3}, {1, 1}}) == laws::TileAnswer::none);
}

TEST_CASE("tile: run-time variables are parameters")
{
    const axe::IndexingMap map = read("(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - rt0 in [0, 4]");
    const auto tile = axe::symbolic_tile(map);
    REQUIRE(tile.has_value());
    CHECK(axe::print(*tile) == "(o0 - rt0 + [0, z0) * t0 in [0, 4])\n");
    for (Int rt = 0; rt <= 15; ++rt) CHECK(laws::judge(map, *tile, {{4}, {7}, {1}}, {rt}) == laws::TileAnswer::right);
}

TEST_CASE("tile: where there is none")
{
    const axe::Status diagonal = error_of("(d0)[s0] -> (s0, s0 + d0), domain: d0 in [0, 9], s0 in [0, 3]");
    CHECK(diagonal.error().is_none());
    CHECK(std::string(diagonal.error().message().c_str()) ==
          "no tile exists: for no size found are the elements that it needs a box with strides");
    // Two reversals of one array, and each element once: the size has to be 1, and the loop is over two.
    CHECK(error_of("(d0)[s0] -> (d0 * 2 + s0, d0 * 2 - s0), domain: d0 in [0, 9], s0 in [0, 1]").error().is_none());
    CHECK(error_of("(d0, d1) -> (d0 * d1), domain: d0 in [0, 9], d1 in [0, 9]").code() == axe::errc::too_hard);
    CHECK(error_of("(d0) -> (d0), domain: d0 in [3, 2]").code() == axe::errc::bad_argument);
    CHECK(axe::symbolic_tile(axe::IndexingMap::undefined()).error().code == axe::errc::bad_argument);
    CHECK(axe::symbolic_tile(read("(d0) -> (d0), domain: d0 in [0, 3]"), {4, 4}).error().code == axe::errc::rank_mismatch);
}

TEST_CASE("tile: more ways than are looked at")
{
    // Sums of many variables, of many remainders, and the digits of many: what is found in the steps there are holds, and it is said
    // that there is more.
    for (const char* between : {" * 1 + ", " mod 3 + ", " floordiv 4, "}) {
        std::string names, sum, domain;
        laws::TileOf tile{laws::TileIndex(40, 1), laws::TileIndex(40, 1), laws::TileIndex(40, 1)};
        for (int i = 0; i < 40; ++i) {
            const std::string d = "d" + std::to_string(i), comma = i == 0 ? "" : ", ";
            names += comma + d;
            sum += d + (i < 39 ? between : " mod 4");
            domain += comma + d + " in [0, 11]";
        }
        const axe::IndexingMap map = read(("(" + names + ") -> (" + sum + "), domain: " + domain).c_str());
        const auto symbolic = axe::symbolic_tile(map);
        REQUIRE(symbolic.has_value());
        CHECK(symbolic->is_cut_short);
        CHECK(laws::judge(map, *symbolic, tile) == laws::TileAnswer::right);
        tile.sizes[0] = 3; // one that moves
        CHECK(laws::judge(map, *symbolic, tile) != laws::TileAnswer::wrong);
        const auto grid = axe::on_grid(*symbolic);
        if (grid) CHECK(grid->is_cut_short);
        if (!grid) CHECK(grid.error().code == axe::errc::too_hard);
    }
    // Each remainder could be the one that moves; no way was found to its end.
    std::string holes = "(d0) -> (d0), domain: d0 in [0, 99]";
    for (int n = 3; n < 43; ++n) holes += ", d0 mod " + std::to_string(n) + " in [1, 2]";
    const auto tile = axe::symbolic_tile(read(holes.c_str()));
    CHECK((tile.has_value() ? tile->is_cut_short : tile.error().code == axe::errc::too_hard));
}

TEST_CASE("tile: a clip that lets through all is none")
{
    CHECK(printed("(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807]") == "(o0 + [0, z0) * t0)\n");
    CHECK(printed("(d0){rt0} -> (rt0, d0), domain: d0 in [0, 9], rt0 in [-9223372036854775808, 9223372036854775807]") ==
          "(rt0, o0 + [0, z0) * t0 in [0, 9])\n");
}

TEST_CASE("tile_at: parameters out of their bounds, and large numbers")
{
    const auto tile = axe::symbolic_tile(read("(d0) -> (d0), domain: d0 in [0, 9]"));
    REQUIRE(tile.has_value());
    CHECK(axe::tile_at(*tile, {0, 1}).error().code == axe::errc::rank_mismatch);
    CHECK(axe::tile_at(*tile, {10, 1, 1}).error().code == axe::errc::out_of_domain);
    CHECK(axe::tile_at(*tile, {0, 0, 1}).error().code == axe::errc::out_of_domain);
    // As large as they come: an answer or an error, nothing undefined.
    for (const char* text : {"(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 9223372036854775807]",
                             "(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9223372036854775807]",
                             "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 1], s0 in [-9223372036854775808, 9223372036854775807]",
                             "(d0) -> (d0 floordiv -9223372036854775808), domain: d0 in [0, 9223372036854775807]",
                             "(d0) -> (d0 mod 4, d0 mod 9223372036854775804), domain: d0 in [-9223372036854775808, 7]"}) {
        const auto large = axe::symbolic_tile(read(text));
        if (!large) continue;
        const auto row = axe::tile_at(*large, {1, 1, 1});
        CHECK((row.has_value() || row.error().code == axe::errc::overflow || row.error().code == axe::errc::out_of_domain));
    }
}
