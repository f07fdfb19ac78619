// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_CHOOSE_HPP
#define AXE_RELAYOUT_CHOOSE_HPP

#include <axe/relayout/piece.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::int64_t page_of_lines = std::int64_t{1} << 15; ///< so many lines are combined at most
inline constexpr std::int64_t run_to_split = std::int64_t{1} << 17;  ///< bytes: longer runs are several units of work

constexpr int log2_of(std::int64_t width) noexcept
{
    int log = 0;
    for (; (std::int64_t{1} << log) < width; ++log) {}
    return log;
}

/// Chooses how a nest is done, from its steps alone.
///
/// Neighbors that stay neighbors are a run. Else, where one loop walks along the destination and another along the source, the
/// two are a transpose. Loops that go on where these end are combined with them (on one side only they need a table of offsets).
class Chooser {
  public:
    /// @param may_widen  are neighbors only moved, not finished?
    Chooser(const CopyNest& nest, std::int64_t to_width, std::int64_t from_width, bool may_widen, const RelayoutKernels& kernels,
            const MemoryRule& rule)
        : to_width_(to_width), from_width_(from_width), may_widen_(may_widen), kernels_(kernels), rule_(rule)
    {
        piece_.to = nest.to;
        piece_.from = nest.from;
        for (const CopyLoop& l : nest.loops) loops_.push_back(l);
    }

    /// Appends the piece; of a long run that does not divide, two.
    void operator()(std::vector<Piece>& pieces)
    {
        widen();
        piece_.log2_width = log2_of(from_width_);
        const auto neighbors = find([&](const CopyLoop& l) { return l.to == to_width_ && l.from == from_width_; });
        const auto along_to = find([&](const CopyLoop& l) { return l.to == to_width_; });
        const auto along_from = find([&](const CopyLoop& l) { return l.from == from_width_; });
        if (neighbors != none)
            take_run(take(neighbors).extent);
        else if (along_to != none && along_from != none)
            take_blocks(along_to, along_from);
        else if (!loops_.empty())
            take_strided(along_to != none ? along_to : along_from != none ? along_from : loops_.size() - 1);
        else
            take_run(1);
        piece_.outer = loops_;
        for (const CopyLoop& l : loops_) {
            piece_.units *= l.extent;
            piece_.to_steps |= l.to;
        }
        pieces.push_back(std::move(piece_));
        if (rest_ == 0) return;
        Piece rest = pieces.back(); // of a run: no tables
        const std::int64_t done = rest.run * loops_.back().extent;
        rest.outer.pop_back();
        rest.units /= loops_.back().extent;
        rest.to += done * to_width_;
        rest.from += done * from_width_;
        rest.run = rest_;
        pieces.push_back(rest);
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    template <class Is>
    [[nodiscard]] std::size_t find(Is is) const
    {
        for (std::size_t i = 0; i < loops_.size(); ++i)
            if (is(loops_[i])) return i;
        return none;
    }
    CopyLoop take(std::size_t i)
    {
        const CopyLoop l = loops_[i];
        loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(i));
        return l;
    }

    /// Two, four, … neighbors that move together are one wider element.
    void widen()
    {
        if (!may_widen_ || to_width_ != from_width_) return;
        const auto i = find([&](const CopyLoop& l) { return l.to == to_width_ && l.from == to_width_; });
        if (i == none || loops_.size() == 1) return;
        const std::int64_t run = loops_[i].extent * to_width_;
        if (run > 16 || (run & (run - 1)) != 0) return;
        take(i);
        to_width_ = from_width_ = run;
    }

    void take_run(std::int64_t elements)
    {
        piece_.kind = CopyKind::runs;
        const std::int64_t split = run_to_split / to_width_;
        if (elements >= 2 * split) {
            rest_ = elements % split;
            loops_.push_back({elements / split, split * to_width_, split * from_width_});
            elements = split;
        }
        piece_.run = elements;
        // Whole lines are written past the caches in any order; then the source is read in its own.
        if (elements * to_width_ >= 64)
            std::sort(loops_.begin(), loops_.end(), [](const CopyLoop& x, const CopyLoop& y) {
                return magnitude(x.from) != magnitude(y.from) ? magnitude(x.from) > magnitude(y.from) : x.to > y.to;
            });
    }

    void take_strided(std::size_t i)
    {
        piece_.inner = take(i);
        piece_.kind = CopyKind::strided;
        piece_.to_steps = piece_.inner.to;
    }

    void take_blocks(std::size_t along_to, std::size_t along_from)
    {
        std::vector<CopyLoop> rows{loops_[along_to]}, columns{loops_[along_from]};
        take(std::max(along_to, along_from));
        take(std::min(along_to, along_from));
        if (may_widen_ && take_zip(rows[0], columns[0])) return;
        piece_.kind = CopyKind::blocks;
        std::int64_t row_count = rows[0].extent, column_count = columns[0].extent;
        const std::int64_t row_block = kernels_.block_rows[piece_.log2_width],
                           column_block = kernels_.block_columns[piece_.log2_width];
        // What is shorter than a tile is made longer.
        piece_.in_bursts = rule_.burst > line_bytes && rule_.streams && may_widen_ && columns[0].to % channel_step == 0 &&
                           kernels_.stream[piece_.log2_width] != nullptr;
        piece_.ahead = piece_.in_bursts ? rule_.burst_ahead : rule_.ahead;
        const std::int64_t least_rows = piece_.in_bursts                           ? rule_.burst / to_width_
                                        : is_followed(rows[0].from, columns[0].to) ? rule_.followed
                                                                                   : rule_.tile_rows;
        const std::int64_t tile_rows = std::max(least_rows / row_block, std::int64_t{2}) * row_block;
        const std::int64_t tile_columns = std::max(rule_.tile_columns / column_block, std::int64_t{1}) * column_block;
        for (bool found = true; found;) {
            found = false;
            if (row_count < tile_rows) {
                const auto next =
                    find([&](const CopyLoop& l) { return l.to == row_count * to_width_ && l.extent * row_count <= page_of_lines; });
                if (next != none) {
                    rows.push_back(take(next));
                    row_count *= rows.back().extent;
                    found = true;
                }
            }
            if (column_count < tile_columns) {
                const auto next = find([&](const CopyLoop& l) {
                    return l.from == column_count * from_width_ && l.extent * column_count <= page_of_lines;
                });
                if (next != none) {
                    columns.push_back(take(next));
                    column_count *= columns.back().extent;
                    found = true;
                }
            }
        }
        lay_lines(piece_.rows, rows, row_count, row_block, [](const CopyLoop& l) { return l.from; });
        lay_lines(piece_.columns, columns, column_count, column_block, [](const CopyLoop& l) { return l.to; });
        for (const CopyLoop& l : columns) piece_.to_steps |= l.to;
        piece_.row_block = row_block;
        piece_.column_block = column_block;
        piece_.tile_columns = tile_columns;
        piece_.tile_rows = tile_rows;
        piece_.units = piece_.tiles_down() * piece_.tiles_across();
        take_row_loops(row_count * to_width_);
    }

    /// Is each row of the source in a page of its own, and are lines of the destination written without being read?
    [[nodiscard]] bool is_followed(std::int64_t row_step, std::int64_t column_step) const noexcept
    {
        return rule_.streams && magnitude(row_step) >= page_bytes && column_step % line_bytes == 0 &&
               kernels_.stream[piece_.log2_width] != nullptr;
    }

    /// Puts the loops that go on where rows end in the destination last, the first of them innermost.
    void take_row_loops(std::int64_t row_bytes)
    {
        std::size_t end = loops_.size();
        for (std::size_t i = 0; i < end; ++i)
            if (loops_[i].to == row_bytes) {
                const CopyLoop l = take(i);
                row_bytes *= l.extent;
                loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(--end), l);
                i = static_cast<std::size_t>(-1); // from the first on
            }
        piece_.row_loops = loops_.size() - end;
    }

    /// Few rows (columns) whose elements the destination (source) interleaves, 2 to 8 or 16 of them, in less than a line: lines are
    /// handled by blocks.
    bool take_zip(const CopyLoop& row, const CopyLoop& column)
    {
        const auto is_few = [](std::int64_t n) { return (n >= 2 && n <= 8) || n == 16; };
        const std::int64_t width = from_width_;
        const bool is_zip = is_few(row.extent) && column.to == row.extent * width && column.extent > row.extent;
        const bool is_unzip = is_few(column.extent) && row.from == column.extent * width && row.extent > column.extent;
        if (!is_zip && !is_unzip) return false;
        if ((is_zip ? row.extent : column.extent) * width >= 64) return false;
        piece_.kind = is_zip ? CopyKind::zip : CopyKind::unzip;
        lay_lines(piece_.rows, {row}, row.extent, is_zip ? row.extent : 0, [](const CopyLoop& l) { return l.from; });
        lay_lines(piece_.columns, {column}, column.extent, is_zip ? 0 : column.extent, [](const CopyLoop& l) { return l.to; });
        const std::int64_t length = is_zip ? column.extent : row.extent, few = is_zip ? row.extent : column.extent;
        piece_.run = std::max<std::int64_t>(run_to_split / (few * width), 1);
        piece_.units = (length + piece_.run - 1) / piece_.run;
        return true;
    }

    /// The offsets of lines that are combined from loops, the fastest first.
    template <class StepOf>
    static void lay_lines(Lines& lines, const std::vector<CopyLoop>& loops, std::int64_t count, std::int64_t block, StepOf step_of)
    {
        constexpr std::int64_t few = 512; // a division for each block is not worth a shorter table
        lines.extent = count;
        lines.step = step_of(loops.back());
        lines.period = loops.size() > 1 && count <= few ? count : count / loops.back().extent;
        const std::int64_t entries = std::min(lines.period + block - 1, count);
        lines.table.resize(static_cast<std::size_t>(entries));
        std::ptrdiff_t* const table = lines.table.data();
        std::int64_t below = 1;
        for (const CopyLoop& l : loops) {
            const std::int64_t step = step_of(l);
            for (std::int64_t k = below; k < std::min(below * l.extent, entries); ++k)
                table[k] = table[k - below] + static_cast<std::ptrdiff_t>(step);
            below *= l.extent;
        }
    }

    std::int64_t to_width_, from_width_;
    bool may_widen_;
    std::int64_t rest_ = 0; ///< elements of a long run after its equal parts
    const RelayoutKernels& kernels_;
    const MemoryRule& rule_;
    Piece piece_{};
    std::vector<CopyLoop> loops_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
