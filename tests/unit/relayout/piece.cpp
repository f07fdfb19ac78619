// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/piece.hpp>

#include <catch.hpp>

#include <map>
#include <tuple>

TEST_CASE("piece: every block of every tile is walked through once, those of one column of blocks together")
{
    using Int = std::int64_t;
    for (const Int rows : {1, 15, 16, 17, 64, 79, 80, 130})
        for (const Int columns : {1, 16, 33, 256, 300}) {
            CAPTURE(rows, columns);
            axe::detail::Piece piece;
            piece.rows.extent = rows;
            piece.columns.extent = columns;
            piece.row_block = piece.column_block = 16;
            piece.tile_rows = 64;
            piece.tile_columns = 256;
            piece.outer = {{3, 7, 9}};
            const Int tiles = 3 * piece.tiles_down() * piece.tiles_across();
            std::map<std::tuple<Int, Int, Int>, int> seen; // of each copy, row and column
            Int blocks = 0, last_column = -1, tile = -1;
            for (axe::detail::BlockWalk at(piece, 0, tiles); !at.is_over(); ++at, ++blocks) {
                CHECK((at.i % 16 == 0 && at.i < at.tile.rows && at.j % 16 == 0 && at.j < at.tile.columns));
                if (at.n == tile) CHECK(at.j >= last_column);
                tile = at.n;
                last_column = at.j;
                for (Int i = at.i; i < std::min(at.i + 16, at.tile.rows); ++i)
                    for (Int j = at.j; j < std::min(at.j + 16, at.tile.columns); ++j)
                        ++seen[{at.tile.to, at.tile.row + i, at.tile.column + j}];
            }
            CHECK(static_cast<Int>(seen.size()) == 3 * rows * columns);
            for (const auto& [_, times] : seen)
                if (times != 1) FAIL(times);
            CHECK(blocks >= 3 * ((rows + 15) / 16) * ((columns + 15) / 16));
        }
}
