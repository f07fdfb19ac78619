// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_PIECE_HPP
#define AXE_RELAYOUT_PIECE_HPP

#include <axe/relayout/kernels/table.hpp>
#include <axe/relayout/memory_rule.hpp>
#include <axe/relayout/nest.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// How a piece of a copy is done.
enum class CopyKind : std::uint8_t {
    runs,    ///< bytes that are together on both sides
    blocks,  ///< a transpose: rows that are together in the destination, columns that do in the source
    zip,     ///< a transpose of few rows, which the destination interleaves
    unzip,   ///< a transpose of few columns, which the source interleaves
    strided, ///< one loop of elements, each by itself
    pairs    ///< address after address: swizzled sides, nibbles
};

/// The offsets of the rows (or columns) of a transpose, from the piece's address on. Line k, of loops that are combined or of one, is at
///
///   table[k mod period] + (k div period)·step
struct Lines {
    std::int64_t extent = 1, step = 0;
    std::int64_t period = 1;             ///< 1: one loop; the extent: every line is in the table
    std::vector<std::ptrdiff_t> table{}; ///< of the lines of a period, and on to the end of a block that begins with the last

    /// Of line k and those of a block after it, from base(k) on.
    [[nodiscard]] const std::ptrdiff_t* offsets(std::int64_t k) const noexcept
    {
        return table.data() + (period == 1 ? 0 : period >= extent ? k : k % period);
    }
    [[nodiscard]] std::int64_t base(std::int64_t k) const noexcept
    {
        return period == 1 ? k * step : period >= extent ? 0 : k / period * step;
    }
};

/// A nest with the way it is done.
struct Piece {
    CopyKind kind = CopyKind::pairs;
    bool fills = false; ///< with the constant of the padding
    int log2_width = 0;
    std::int64_t to = 0, from = 0;
    std::vector<CopyLoop> outer{}; ///< around the kernel, the outermost first
    std::int64_t run = 0;          ///< runs: bytes (elements, where they are converted)
    CopyLoop inner{1, 0, 0};       ///< strided
    Lines rows{}, columns{};       ///< of a transpose: rows have an offset in the source, columns one in the destination
    std::int64_t row_block = 1, column_block = 1; ///< blocks: what the kernel moves in one call
    std::int64_t tile_rows = 1, tile_columns = 1; ///< blocks: what is done before the next tile
    std::int64_t ahead = 0;                       ///< blocks: bytes of the source that are prefetched
    bool in_bursts = false;                       ///< blocks: put together until a row of a tile is whole, if it is streamed
    std::size_t row_loops = 0; ///< blocks: of the outer loops the last ones, which go on where rows end in the destination
    std::int64_t units = 1;    ///< into how many equal parts the work can be split
    std::int64_t to_steps = 0; ///< every step in the destination, or-ed: what they are all a multiple of

    /// Of a transpose, for each choice of the outer loops' counters. The last tile takes in a rest that is less than a block.
    [[nodiscard]] std::int64_t tiles_down() const noexcept { return tiles(rows.extent, tile_rows, row_block); }
    [[nodiscard]] std::int64_t tiles_across() const noexcept { return tiles(columns.extent, tile_columns, column_block); }

  private:
    static std::int64_t tiles(std::int64_t extent, std::int64_t tile, std::int64_t block) noexcept
    {
        return extent < block + tile ? 1 : (extent - block + tile) / tile;
    }
};

/// Is a transpose so small that it needs no tiles and no prefetch?
inline bool is_near(const Piece& piece, const MemoryRule& rule) noexcept
{
    return piece.outer.empty() && piece.rows.extent * piece.columns.extent << piece.log2_width <= rule.ahead;
}

/// A tile of a transpose: where it is, and its rows i and columns k of the piece's.
struct Tile {
    std::int64_t to = 0, from = 0, row = 0, rows = 0, column = 0, columns = 0;
};

/// The n-th tile of a piece. Tiles go along the rows of the destination first, and on with the loops that go on there: a page of the
/// destination is filled before it is left. Then come the next columns, then the other loops.
inline Tile tile_of(const Piece& piece, std::int64_t n) noexcept
{
    Tile tile{piece.to, piece.from};
    const auto next = [&n](std::int64_t extent) {
        if (n == 0) return n;
        const std::int64_t digit = n % extent;
        n /= extent;
        return digit;
    };
    const auto is_last = [](std::int64_t at, std::int64_t size, std::int64_t count) { return at + size >= size * count; };
    const std::int64_t down = piece.tiles_down(), across = piece.tiles_across();
    tile.row = next(down) * piece.tile_rows;
    std::size_t left = piece.outer.size();
    const auto step_out = [&] {
        const CopyLoop& l = piece.outer[--left];
        const std::int64_t k = next(l.extent);
        tile.to += k * l.to;
        tile.from += k * l.from;
    };
    for (std::size_t k = 0; k < piece.row_loops && n > 0; ++k) step_out();
    tile.column = next(across) * piece.tile_columns;
    while (left > 0 && n > 0) step_out();
    tile.rows = is_last(tile.row, piece.tile_rows, down) ? piece.rows.extent - tile.row : piece.tile_rows;
    tile.columns = is_last(tile.column, piece.tile_columns, across) ? piece.columns.extent - tile.column : piece.tile_columns;
    return tile;
}

/// Walks through the blocks of a piece's tiles from `tile` to `end`, those of one column of blocks first: the lines that follow one
/// another in the destination are written one after another.
struct BlockWalk {
    const Piece* piece;
    std::int64_t n, end;
    Tile tile;
    std::int64_t i = 0, j = 0; ///< the block's first row and column, of the tile's

    BlockWalk(const Piece& p, std::int64_t first, std::int64_t last) : piece(&p), n(first), end(last), tile(tile_of(p, first)) {}

    [[nodiscard]] bool is_over() const noexcept { return n >= end; }
    void operator++() noexcept
    {
        if ((i += piece->row_block) < tile.rows) return;
        i = 0;
        if ((j += piece->column_block) < tile.columns) return;
        j = 0;
        if (++n < end) tile = tile_of(*piece, n);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
