// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_PLAN_RUN_HPP
#define AXE_RELAYOUT_IMPL_PLAN_RUN_HPP

#include <axe/relayout/finish.hpp>
#include <axe/relayout/plan.hpp>

#include <algorithm>
#include <cstring>

namespace axe {
inline namespace v0 {

/// Past the caches, where the lines of this piece are written whole.
inline bool RelayoutPlan::streams(const detail::Piece& piece, const std::byte* to) const noexcept
{
    if (!may_stream()) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uintptr_t>(piece.to);
    const auto steps = static_cast<std::uintptr_t>(piece.to_steps);
    if (piece.kind == detail::CopyKind::runs) return (piece.run << piece.log2_width) % 64 == 0 && ((address | steps) & 63) == 0;
    return piece.kind == detail::CopyKind::blocks && parts_.kernels->stream[piece.log2_width] != nullptr &&
           ((address | steps) & 63) == 0;
}

namespace detail {
/// Where part t of equal parts begins.
constexpr std::int64_t part_begin(std::int64_t units, int t, int parts) noexcept
{
    if (parts == 1) return t * units; // saves a small copy four divisions
    return units / parts * t + units % parts * t / parts;
}
} // namespace detail

AXE_DECL void RelayoutPlan::run_part(std::byte* to, const std::byte* from, int task, int tasks) const
{
    for (const detail::PairWalk& walk : parts_.walks) run_walk(walk, to, from, task, tasks);
    bool has_streamed = false;
    for (const detail::Piece& piece : parts_.pieces) {
        const std::int64_t a = detail::part_begin(piece.units, task, tasks), b = detail::part_begin(piece.units, task + 1, tasks);
        if (a == b) continue;
        const bool stream = streams(piece, to);
        has_streamed = has_streamed || stream;
        run_piece(piece, to, piece.fills ? parts_.padding : from, a, b, stream);
    }
    if (has_streamed && parts_.kernels->fence != nullptr) parts_.kernels->fence();
}

inline void RelayoutPlan::run_walk(const detail::PairWalk& walk, std::byte* to, const std::byte* from, int task, int tasks) const
{
    const std::int64_t n = walk.elements();
    if (walk.fills) from = parts_.padding;
    walk.for_each(detail::part_begin(n, task, tasks), detail::part_begin(n, task + 1, tasks),
                  [&](std::int64_t to_at, std::int64_t from_at) {
                      copy_pair(to, to_at, from, from_at, static_cast<std::size_t>(parts_.widths.to), walk.fills);
                  });
}

inline void RelayoutPlan::run_piece(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                                    std::int64_t b, bool stream) const
{
    using detail::CopyKind;
    const detail::RelayoutKernels& kernels = *parts_.kernels;
    const detail::Finish& finish = parts_.widths.finish;
    const bool finishes = finish.any && !piece.fills;
    const auto each_stretch = [&](auto f) {
        detail::for_each_stretch(piece.outer.data(), static_cast<int>(piece.outer.size()), a, b, piece.to, piece.from, f);
    };
    switch (piece.kind) {
    case CopyKind::runs: {
        const auto bytes = static_cast<std::size_t>(piece.run << piece.log2_width);
        each_stretch([&](std::int64_t t, std::int64_t f, std::int64_t count, std::int64_t to_step, std::int64_t from_step) {
            for (std::int64_t i = 0; i < count; ++i, t += to_step, f += from_step)
                if (finishes)
                    detail::finish_run(finish, to + t, from + f, piece.run);
                else if (stream)
                    kernels.copy_stream(to + t, from + f, bytes);
                else if (bytes <= 4096)
                    kernels.copy(to + t, from + f, bytes);
                else
                    std::memcpy(to + t, from + f, bytes);
        });
        break;
    }
    case CopyKind::strided: {
        const CopyLoop& l = piece.inner;
        const bool is_constant = l.from == 0 && l.to == std::int64_t{1} << piece.log2_width;
        each_stretch([&](std::int64_t t, std::int64_t f, std::int64_t count, std::int64_t to_step, std::int64_t from_step) {
            for (std::int64_t i = 0; i < count; ++i, t += to_step, f += from_step)
                if (finishes)
                    detail::finish_strided(finish, kernels, to + t, l.to, from + f, l.from, l.extent);
                else if (is_constant)
                    kernels.fill[piece.log2_width](to + t, l.extent, from + f);
                else
                    kernels.strided[piece.log2_width](to + t, l.to, from + f, l.from, l.extent);
        });
        break;
    }
    case CopyKind::zip:
    case CopyKind::unzip: run_zip(piece, to, from, a, b); break;
    case CopyKind::blocks:
        if (finishes)
            run_finished_blocks(piece, to, from, a, b);
        else
            run_blocks(piece, to, from, a, b, stream);
        break;
    case CopyKind::pairs: run_pairs(piece, to, from, a, b); break;
    }
}

namespace detail {

/// Calls move(tile, i, j) with each block of a transpose: its first row and column, of the tile's. What is read soon is on its way from
/// memory meanwhile, into the second cache: in the first, rows a power of two apart would meet in one place. So is what is written in part.
/// (Not a separate function: to g++ 12 one that only prefetches does nothing.)
template <class Move>
inline void for_each_block(const Piece& piece, std::byte* to, std::int64_t to_width, const std::byte* from, std::int64_t a,
                           std::int64_t b, std::int64_t bytes_ahead, bool stream, const Move& move)
{
    const std::int64_t from_width = std::int64_t{1} << piece.log2_width;
    BlockWalk at(piece, a, b), ahead = at;
    const std::int64_t block_bytes = piece.row_block * piece.column_block * from_width;
    for (std::int64_t bytes = 0; bytes < bytes_ahead && !ahead.is_over(); bytes += block_bytes) ++ahead;
    for (; !at.is_over(); ++at) {
        if (!ahead.is_over()) {
            const std::int64_t row = ahead.tile.row + ahead.i, column = ahead.tile.column + ahead.j;
            const std::byte* const f = from + ahead.tile.from + piece.rows.base(row) + column * from_width;
            const std::ptrdiff_t* const from_rows = piece.rows.offsets(row);
            for (std::int64_t k = 0, end = std::min(piece.row_block, ahead.tile.rows - ahead.i); k < end; ++k)
                __builtin_prefetch(f + from_rows[k], 0, 2);
            if (!stream) {
                const std::byte* const t = to + ahead.tile.to + piece.columns.base(column) + row * to_width;
                const std::ptrdiff_t* const to_rows = piece.columns.offsets(column);
                for (std::int64_t k = 0, end = std::min(piece.column_block, ahead.tile.columns - ahead.j); k < end; ++k)
                    __builtin_prefetch(t + to_rows[k], 1, 2);
            }
            ++ahead;
        }
        move(at.tile, at.i, at.j);
    }
}

/// Rows of a tile that are put together until they leave in one burst. The last tile of a row has less than a block, a line, more.
struct Burst {
    static constexpr std::int64_t row_bytes = channel_step + line_bytes;
    alignas(line_bytes) std::byte bytes[64 * row_bytes];
    std::ptrdiff_t rows[64];

    explicit Burst(std::int64_t columns) noexcept
    {
        for (std::int64_t k = 0; k < columns; ++k) rows[k] = static_cast<std::ptrdiff_t>(k * row_bytes);
    }
};

} // namespace detail

inline void RelayoutPlan::run_blocks(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                                     std::int64_t b, bool stream) const
{
    const detail::RelayoutKernels& kernels = *parts_.kernels;
    const int w = piece.log2_width;
    const std::int64_t width = std::int64_t{1} << w, row_block = piece.row_block, column_block = piece.column_block;
    const auto whole = kernels.block[w], first = stream ? kernels.stream[w] : whole;
    const auto part = kernels.part[w];
    const detail::Lines &row_lines = piece.rows, &column_lines = piece.columns;
    // Where less than a vector is left of a tile, a block ends with it, and begins among elements that are done: that takes less time than
    // such a part, unless parts are as fast as blocks; but for tiles smaller than a block.
    const std::int64_t few = kernels.has_masks ? 0 : 16 / width;
    const auto begins = [&](std::int64_t at, std::int64_t block, std::int64_t extent, bool has_blocks) {
        return has_blocks && extent - at < few ? extent - block : at;
    };
    if (b - a == piece.units && detail::is_near(piece, parts_.rule)) {
        to += piece.to;
        from += piece.from;
        const std::int64_t rows = row_lines.extent, columns = column_lines.extent;
        const bool has_blocks = rows >= row_block && columns >= column_block;
        for (std::int64_t at_j = 0; at_j < columns; at_j += column_block) {
            const std::int64_t j = begins(at_j, column_block, columns, has_blocks);
            std::byte* const t = to + column_lines.base(j);
            const std::byte* const f = from + j * width;
            const std::ptrdiff_t* const to_rows = column_lines.offsets(j);
            for (std::int64_t at_i = 0; at_i < rows; at_i += row_block) {
                const std::int64_t i = begins(at_i, row_block, rows, has_blocks);
                if (rows - i >= row_block && columns - j >= column_block)
                    (i == at_i ? first : whole)(t + i * width, to_rows, f + row_lines.base(i), row_lines.offsets(i));
                else
                    part(t + i * width, to_rows, f + row_lines.base(i), row_lines.offsets(i),
                         static_cast<int>(std::min(row_block, rows - i)), static_cast<int>(std::min(column_block, columns - j)));
            }
        }
        return;
    }
    const bool in_bursts = piece.in_bursts && stream;
    detail::Burst kept(in_bursts ? column_block : 0);
    const auto move = [&](const detail::Tile& tile, std::int64_t at_i, std::int64_t at_j) {
        const bool has_blocks = tile.rows >= row_block && tile.columns >= column_block;
        const std::int64_t i = begins(at_i, row_block, tile.rows, has_blocks), row = tile.row + i;
        const std::int64_t j = begins(at_j, column_block, tile.columns, has_blocks), column = tile.column + j;
        const std::int64_t columns = std::min(column_block, tile.columns - j);
        std::byte* const column_begin = to + tile.to + column_lines.base(column) + tile.row * width;
        std::byte* const t = (in_bursts ? kept.bytes : column_begin) + i * width;
        const std::ptrdiff_t* const to_rows = in_bursts ? kept.rows : column_lines.offsets(column);
        const std::byte* const f = from + tile.from + row_lines.base(row) + column * width;
        if (tile.rows - i >= row_block && columns == column_block)
            (i == at_i && !in_bursts ? first : whole)(t, to_rows, f, row_lines.offsets(row));
        else
            part(t, to_rows, f, row_lines.offsets(row), static_cast<int>(std::min(row_block, tile.rows - i)),
                 static_cast<int>(columns));
        if (!in_bursts || at_i + row_block < tile.rows) return;
        for (std::int64_t k = 0; k < columns; ++k)
            kernels.copy_stream(column_begin + column_lines.offsets(column)[k], kept.bytes + kept.rows[k],
                                static_cast<std::size_t>(tile.rows * width));
    };
    detail::for_each_block(piece, to, width, from, a, b, piece.ahead, stream, move);
}

/// Blocks of values: each is transposed, then finished row by row. None twice, as they might be added.
inline void RelayoutPlan::run_finished_blocks(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                                              std::int64_t b) const
{
    const detail::RelayoutKernels& kernels = *parts_.kernels;
    const int w = piece.log2_width;
    const std::int64_t from_width = std::int64_t{1} << w, to_width = parts_.widths.to;
    alignas(64) std::byte kept[64 * 64];
    std::ptrdiff_t kept_rows[64];
    for (std::int64_t j = 0; j < piece.column_block; ++j)
        kept_rows[j] = static_cast<std::ptrdiff_t>(j * piece.row_block * from_width);
    const auto move = [&](const detail::Tile& tile, std::int64_t i, std::int64_t j) {
        const std::int64_t row = tile.row + i, column = tile.column + j;
        const int rows = static_cast<int>(std::min(piece.row_block, tile.rows - i));
        const int columns = static_cast<int>(std::min(piece.column_block, tile.columns - j));
        std::byte* const t = to + tile.to + piece.columns.base(column) + row * to_width;
        const std::ptrdiff_t* const to_rows = piece.columns.offsets(column);
        kernels.part[w](kept, kept_rows, from + tile.from + piece.rows.base(row) + column * from_width, piece.rows.offsets(row),
                        rows, columns);
        for (int k = 0; k < columns; ++k) detail::finish_run(parts_.widths.finish, t + to_rows[k], kept + kept_rows[k], rows);
    };
    detail::for_each_block(piece, to, to_width, from, a, b, piece.ahead, false, move);
}

inline void RelayoutPlan::run_zip(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                                  std::int64_t b) const
{
    const detail::RelayoutKernels& kernels = *parts_.kernels;
    const int w = piece.log2_width;
    const bool is_zip = piece.kind == detail::CopyKind::zip;
    const std::int64_t few = is_zip ? piece.rows.extent : piece.columns.extent,
                       length = is_zip ? piece.columns.extent : piece.rows.extent;
    const std::int64_t parts = (length + piece.run - 1) / piece.run;
    for (; a < b; ++a) {
        const std::int64_t first = a % parts * piece.run, count = std::min(piece.run, length - first);
        const auto run = [&](std::int64_t t, std::int64_t f, auto, auto, auto) {
            if (is_zip)
                kernels.zip[w](to + t + (first * few << w), from + f + (first << w), piece.rows.table.data(), static_cast<int>(few),
                               count);
            else
                kernels.unzip[w](to + t + (first << w), piece.columns.table.data(), from + f + (first * few << w),
                                 static_cast<int>(few), count);
        };
        detail::for_each_stretch(piece.outer.data(), static_cast<int>(piece.outer.size()), a / parts, a / parts + 1, piece.to,
                                 piece.from, run);
    }
}

inline void RelayoutPlan::copy_pair(std::byte* to, std::int64_t to_at, const std::byte* from, std::int64_t from_at,
                                    std::size_t bytes, bool fills) const
{
    if (parts_.widths.nibbles) return detail::set_nibble(to, to_at, detail::nibble_at(from, from_at));
    std::byte* const t = to + parts_.to_swizzle(to_at);
    const std::byte* const f = from + parts_.from_swizzle(from_at);
    if (parts_.widths.finish.any && !fills)
        detail::finish_run(parts_.widths.finish, t, f, 1);
    else
        std::memcpy(t, f, bytes);
}

inline void RelayoutPlan::run_pairs(const detail::Piece& piece, std::byte* to, const std::byte* from, std::int64_t a,
                                    std::int64_t b) const
{
    const auto bytes = static_cast<std::size_t>(1) << piece.log2_width;
    detail::for_each_stretch(piece.outer.data(), static_cast<int>(piece.outer.size()), a, b, piece.to, piece.from,
                             [&](std::int64_t t, std::int64_t f, std::int64_t count, std::int64_t to_step, std::int64_t from_step) {
                                 for (std::int64_t i = 0; i < count; ++i)
                                     copy_pair(to, t + i * to_step, from, f + i * from_step, bytes, piece.fills);
                             });
}

} // namespace v0
} // namespace axe

#endif
