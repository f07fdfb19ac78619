// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/on_grid.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/tile_print.hpp>

#include <tests/laws/map_tiles.hpp>

using Int = std::int64_t;

namespace {

/// The grid's cases, printed; each size of which it says something enumerated over all tiles, and every other one where some case of
/// the symbolic tile holds for all tiles: the grid has to know.
std::string checked(const char* text)
{
    INFO(text);
    const auto map = axe::parse_map(text);
    REQUIRE(map.has_value());
    const auto tile = axe::symbolic_tile(*map);
    REQUIRE(tile.has_value());
    const auto grid = axe::on_grid(*tile);
    REQUIRE(grid.has_value());
    INFO(axe::print(*grid));
    std::vector<laws::TileIndex> sizes;
    laws::TileIndex shape;
    for (int d = 0; d < map->dimensions; ++d) {
        shape.push_back(map->variables[static_cast<std::size_t>(d)].bounds.high + 1);
        sizes.emplace_back();
        for (Int z = 1; z <= shape.back(); ++z) sizes.back().push_back(z);
    }
    laws::each_of(sizes, [&](const laws::TileIndex& z) {
        const laws::TileIndex zeros(z.size(), 0), ones(z.size(), 1);
        const bool is_taken = axe::tile_at(*grid, laws::parameters({zeros, z, ones})).has_value();
        std::vector<bool> holds(tile->cases.size(), true);
        std::vector<laws::TileIndex> offsets;
        for (std::size_t d = 0; d < z.size(); ++d) {
            offsets.emplace_back();
            for (Int o = 0; o < shape[d]; o += z[d]) offsets.back().push_back(o);
        }
        laws::each_of(offsets, [&](const laws::TileIndex& o) {
            const laws::TileOf at{o, z, ones};
            if (is_taken) CHECK(laws::judge(*map, *grid, at) == laws::TileAnswer::right);
            for (std::size_t i = 0; i < holds.size(); ++i) {
                axe::SymbolicTile one = *tile;
                one.cases = {tile->cases[i]};
                holds[i] = holds[i] && axe::tile_at(one, laws::parameters(at)).has_value();
            }
        });
        const bool is_known = std::find(holds.begin(), holds.end(), true) != holds.end();
        INFO("sizes " << z[0] << (z.size() > 1 ? ", " + std::to_string(z[1]) : ""));
        CHECK(is_taken == is_known);
    });
    return axe::print(*grid);
}

} // namespace

TEST_CASE("on_grid: sizes that divide, are multiples, or are at most")
{
    CHECK(checked("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]") ==
          "(o0 floordiv 4, o0 mod 4 + [0, z0)) if z0 divides 4\n"
          "(o0 floordiv 4 + [0, z0 floordiv 4) in [0, 2], [0, 4)) if z0 mod 4 = 0\n");
    CHECK(checked("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 5], d1 in [0, 3]") ==
          "(o0 * 4 + o1 + [0, z1) in [o0 * 4, o0 * 4 + 3]) if z0 = 1\n"
          "(o0 * 4 + o1 + [0, z0) * 4 in [o1, o1 + 20]) if z1 = 1\n"
          "(o0 * 4 + o1 + [0, z0 * 4) in [o1, o1 + 23]) if z1 = 4\n");
    CHECK(checked("(d0) -> (d0 - 2), domain: d0 in [2, 7]") == "(o0 - 2 + [0, z0) in [0, 5])\n");
    checked("(d0) -> (d0 floordiv 12, (d0 floordiv 4) mod 3, d0 mod 4), domain: d0 in [0, 23]");
    checked("(d0) -> (d0 floordiv 6, (d0 floordiv 2) mod 3, d0 mod 2), domain: d0 in [0, 16]");
    checked("(d0) -> ((d0 + 2) floordiv 4, (d0 + 2) mod 4), domain: d0 in [0, 13]");
    // Windows, padded too: any size, as the last tile hands its clip on.
    CHECK(checked("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 5], s0 in [0, 2]") == "(o0 * 2 + [0, z0 * 2 + 1) in [0, 12])\n");
    CHECK(checked("(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [1, 10]") ==
          "(o0 - 1 + [0, z0 + 2) in [0, 9])\n");
    checked("(d0, d1) -> ((d0 * 4 + d1) floordiv 6, (d0 * 4 + d1) mod 6), domain: d0 in [0, 5], d1 in [0, 3]");
    checked("(d0, d1) -> ((d0 * 6 + d1) floordiv 4, (d0 * 6 + d1) mod 4), domain: d0 in [0, 3], d1 in [0, 5]");
    checked("(d0) -> (d0 floordiv 4, d0 floordiv 6), domain: d0 in [0, 23]");
    checked("(d0) -> ((11 - d0) floordiv 3, (11 - d0) mod 3), domain: d0 in [0, 11]");
}

TEST_CASE("on_grid: tiles off the grid, and none on it")
{
    const auto tile = axe::symbolic_tile(*axe::parse_map("(d0) -> (d0), domain: d0 in [0, 9]"));
    const auto grid = axe::on_grid(*tile);
    REQUIRE(grid.has_value());
    CHECK(axe::tile_at(*grid, {4, 2, 1}).has_value());
    const auto off = axe::tile_at(*grid, {3, 2, 1});
    REQUIRE(!off.has_value());
    CHECK(off.error().code == axe::errc::out_of_domain);
    CHECK(std::string(off.error().message().c_str()) == "offset 3 of dimension 0 is not a multiple of the size 2");
    CHECK(axe::tile_at(*grid, {4, 2, 2}).error().code == axe::errc::out_of_domain); // a stride

    axe::SymbolicTile without = *tile;
    without.cases = {};
    CHECK(axe::on_grid(without).error().code == axe::errc::no_layout);

    // As large as they come.
    for (const char* text :
         {"(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 9223372036854775806]",
          "(d0) -> (d0 mod 4611686018427387904, d0 floordiv 4611686018427387904), domain: d0 in [0, 9223372036854775806]",
          "(d0, d1) -> (d0 * 4611686018427387904 + d1), domain: d0 in [0, 1], d1 in [0, 4611686018427387903]"}) {
        INFO(text);
        const auto large = axe::symbolic_tile(*axe::parse_map(text));
        if (large) CHECK((axe::on_grid(*large).has_value() || axe::on_grid(*large).error().code != axe::errc::bad_argument));
    }
}
