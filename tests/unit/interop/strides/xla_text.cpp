// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/xla_text.hpp>
#include <catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using axe::errc;
using namespace axe::xla;

TEST_CASE("XLA's layouts: orders, tiles and properties in all combinations are printed and read again", "[interop][xla]")
{
    const std::vector<Tile> tiles{{8, 128}, {2, 1}, {combine, 3}, {1}, {9223372036854775807}};
    int count = 0;
    for (int rank = 0; rank <= 3; ++rank) {
        std::vector<int> order;
        for (int d = 0; d < rank; ++d) order.push_back(d);
        do {
            for (std::size_t a = 0; a <= tiles.size(); ++a)
                for (std::size_t b = 0; b <= tiles.size(); ++b)
                    for (int properties = 0; properties < 8; ++properties) {
                        TiledLayout layout;
                        for (const int d : order) layout.minor_to_major.push_back(d);
                        if (a < tiles.size()) layout.tiles.push_back(tiles[a]);
                        if (b < tiles.size()) layout.tiles.push_back(tiles[b]);
                        if ((properties & 1) != 0) layout.tail_padding = 1024;
                        if ((properties & 2) != 0) layout.element_bits = 4;
                        if ((properties & 4) != 0) layout.memory_space = 5;
                        REQUIRE(check(layout).ok());
                        const std::string text = print(layout).c_str();
                        if (!(parse_tiled(text).value() == layout)) FAIL(text);
                        ++count;
                    }
        } while (std::next_permutation(order.begin(), order.end()));
    }
    CHECK(count == (1 + 1 + 2 + 6) * 36 * 8);
}

TEST_CASE("XLA's layouts: what is cut off is not read, and the character is in the text or at its end", "[interop][xla]")
{
    const std::string text = "{2,0,1:T(8,128)(*,2,1)L(512)E(16)S(1)}";
    REQUIRE(parse_tiled(text));
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto layout = parse_tiled(text.substr(0, length));
        if (layout) FAIL("read " << text.substr(0, length));
        if (layout.error().position < 0 || layout.error().position > static_cast<int>(length)) FAIL("at " << length);
    }
}

TEST_CASE("XLA's layouts: the longest has room, one tile or dimension more has not", "[interop][xla]")
{
    TiledLayout longest;
    for (int d = 0; d < axe::max_rank; ++d) longest.minor_to_major.push_back(d);
    Tile tile;
    for (int i = 0; i < axe::max_rank; ++i) tile.push_back(9223372036854775807);
    for (int t = 0; t < max_tiles; ++t) longest.tiles.push_back(tile);
    longest.tail_padding = longest.element_bits = longest.memory_space = 9223372036854775807;
    REQUIRE(check(longest).ok());
    CHECK(parse_tiled(print(longest).c_str()).value() == longest);
    longest.tiles.push_back(tile);
    CHECK(check(longest).code() == errc::capacity);

    TiledLayout layout = parse_tiled("{1,0:T(2)}").value();
    layout.minor_to_major[0] = 0;
    CHECK(check(layout).code() == errc::bad_argument);
    layout = parse_tiled("{1,0:T(2)}").value();
    layout.tiles[0][0] = -1;
    CHECK(check(layout).code() == errc::bad_extent);
    layout.tiles[0][0] = combine;
    CHECK(check(layout).code() == errc::bad_argument);
    layout.tiles[0].clear();
    CHECK(check(layout).code() == errc::capacity);
    layout = parse_tiled("{1,0}").value();
    layout.tail_padding = 0;
    CHECK(check(layout).code() == errc::bad_argument);
}
