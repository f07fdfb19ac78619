// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_BYTE_RUNS_HPP
#define AXE_SIM_MEMORY_BYTE_RUNS_HPP

#include <axe/sim/memory/access.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// Which bytes a column of lanes moves, or fills, put together before the run: vectors that follow each other on both sides are one run.
struct ByteRuns {
    struct Run {
        std::int32_t to = 0, from = 0; ///< elements from the bases of the places on
        std::int32_t bytes = 0;
    };
    std::vector<Run> runs{};
    std::int32_t bytes = 0; ///< of each run, where all have as many; else 0
    int width = 1;          ///< of an element

    /// Moves them between two buffers; the pointers are the bases. In the order of issues and lanes.
    void copy(std::byte* to, const std::byte* from) const noexcept
    {
        switch (bytes) {
        case 1: return each<1>(to, from);
        case 2: return each<2>(to, from);
        case 4: return each<4>(to, from);
        case 8: return each<8>(to, from);
        case 16: return each<16>(to, from);
        case 32: return each<32>(to, from);
        case 64: return each<64>(to, from);
        default: break;
        }
        // In pieces that the C library moves by vectors: of more it makes a string instruction, which is slow where addresses are odd.
        constexpr std::int32_t piece = 1024;
        for (const Run& r : runs)
            for (std::int64_t at = 0; at < r.bytes; at += piece)
                std::memmove(to + std::int64_t{r.to} * width + at, from + std::int64_t{r.from} * width + at,
                             static_cast<std::size_t>(std::min<std::int64_t>(piece, r.bytes - at)));
    }

    /// Puts a run at the end, or into the last one where it continues that on both sides.
    void add(const Run& r)
    {
        constexpr std::int32_t most = 1 << 30;
        if (!runs.empty()) {
            Run& last = runs.back();
            const std::int32_t elements = last.bytes / width;
            if (last.to + elements == r.to && last.from + elements == r.from && last.bytes < most && r.bytes < most) {
                last.bytes += r.bytes;
                return;
            }
        }
        runs.push_back(r);
    }

    /// The runs of several columns as those of one, in the order of where they go.
    static ByteRuns together(const std::vector<ByteRuns>& columns)
    {
        ByteRuns out;
        std::vector<Run> every;
        for (const ByteRuns& column : columns) {
            out.width = column.width;
            every.insert(every.end(), column.runs.begin(), column.runs.end());
        }
        std::sort(every.begin(), every.end(),
                  [](const Run& a, const Run& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
        for (const Run& r : every) out.add(r);
        out.even_out();
        return out;
    }

    /// Do they go to every one of the first `count` bytes? Of runs in the order of where they go.
    [[nodiscard]] bool covers(std::int64_t count) const noexcept
    {
        std::int64_t end = 0;
        for (const Run& r : runs) {
            if (std::int64_t{r.to} * width > end) return false;
            end = std::max(end, std::int64_t{r.to} * width + r.bytes);
        }
        return end >= count;
    }
    [[nodiscard]] std::int32_t longest() const noexcept
    {
        std::int32_t most = 0;
        for (const Run& r : runs) most = std::max(most, r.bytes);
        return most;
    }
    /// Writes a pattern over each `to`: one element again and again.
    void fill(std::byte* to, const std::vector<std::byte>& pattern) const noexcept
    {
        for (const Run& r : runs)
            for (std::int64_t at = 0; at < r.bytes; at += static_cast<std::int64_t>(pattern.size()))
                std::memcpy(to + std::int64_t{r.to} * width + at, pattern.data(),
                            std::min(pattern.size(), static_cast<std::size_t>(r.bytes - at)));
    }

    /// Runs of different lengths, but short ones, become pieces of one length: a call for each costs more than what it moves.
    void even_out()
    {
        std::int64_t total = 0;
        std::int32_t piece = 64;
        for (const Run& r : runs) {
            total += r.bytes;
            while (r.bytes % piece != 0) piece /= 2;
        }
        const auto is_piece = [&](const Run& r) { return r.bytes == piece; };
        if (!runs.empty() && std::all_of(runs.begin(), runs.end(), is_piece)) {
            bytes = piece;
            return;
        }
        if (runs.empty() || piece < width || total / piece > 4 * static_cast<std::int64_t>(runs.size())) return;
        std::vector<Run> pieces;
        for (const Run& r : runs)
            for (std::int32_t at = 0; at < r.bytes; at += piece) pieces.push_back({r.to + at / width, r.from + at / width, piece});
        runs = std::move(pieces);
        bytes = piece;
    }

  private:
    template <int Bytes>
    void each(std::byte* to, const std::byte* from) const noexcept
    {
        for (const Run& r : runs) {
            std::byte run[Bytes];
            std::memcpy(run, from + std::int64_t{r.from} * width, Bytes);
            std::memcpy(to + std::int64_t{r.to} * width, run, Bytes);
        }
    }
};

/// The runs of each column of two operands of one instruction, whose elements are contiguous and of one width. Accesses that a table
/// does not place, or places outside, move nothing.
inline ByteRuns runs_between(const std::int32_t* to, const std::int32_t* from, std::size_t entries, int bytes, int width)
{
    ByteRuns out;
    out.width = width;
    for (std::size_t i = 0; i < entries; ++i)
        if (to[i] > outside && from[i] > outside) out.add({to[i], from[i], bytes});
    out.even_out();
    return out;
}
inline std::vector<ByteRuns> runs_between(const LaneAccess& to, const LaneAccess& from)
{
    std::vector<ByteRuns> out(static_cast<std::size_t>(to.agents));
    const auto table = [](const LaneAccess& a) { return a.swizzled.empty() ? a.table.data() : a.swizzled.data(); };
    for (std::size_t column = 0; column < out.size(); ++column)
        out[column] = runs_between(table(to) + column * to.entries(), table(from) + column * from.entries(), to.entries(), to.bytes,
                                   to.plan->width);
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
