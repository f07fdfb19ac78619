// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_COLUMN_CELLS_HPP
#define AXE_SIM_MEMORY_COLUMN_CELLS_HPP

#include <axe/sim/memory/access.hpp>
#include <axe/sim/memory/shadow.hpp>
#include <axe/support/sort.hpp>

#include <limits>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// The first conflict of a column in the order of its accesses: entry after entry, cell after cell.
struct FirstConflict {
    std::size_t entry = std::numeric_limits<std::size_t>::max(), cell = 0;
    Conflict conflict{};
    [[nodiscard]] bool found() const noexcept { return conflict.found(); }
    void note(std::size_t e, std::size_t c, const Conflict& what) noexcept
    {
        if (!what.found() || (found() && (e > entry || (e == entry && c >= cell)))) return;
        *this = {e, c, what};
    }
};

/// The places of one column, as accesses of one width: a LaneElements without its base.
struct ColumnTable {
    const std::int32_t* table = nullptr;
    std::size_t entries = 0;
    int lanes = 1, width = 1, bytes = 1; ///< of an issue; of an element; of an access
    std::int64_t phase = 0;              ///< the byte of the base within its run of cells
    int first_lane = 0;
    [[nodiscard]] std::int64_t begin(std::size_t entry) const noexcept { return phase + std::int64_t{table[entry]} * width; }
};

/// Which cells of a shadow the accesses of one column touch, put together before they are checked: by runs where they cover them, and
/// one by one where not. Cells do not depend on each other, so their order counts only for the same cell, and there it is kept.
struct ColumnCells {
    struct Run {
        std::int32_t run = 0;  ///< from the one on that the base is in
        std::int32_t turn = 0; ///< of each of its cells, the access of that number
        CellMask mask = 0;
        Lanes lanes = 0;
    };
    struct One {
        std::int32_t cell = 0, entry = 0; ///< the cell from the first one of the run on that the base is in
        std::int32_t lane = 0;
    };
    std::vector<Run> runs{};
    std::vector<One> ones{};

    static ColumnCells make(const ColumnTable& t, const Shadow& shadow, bool writing)
    {
        ColumnCells out;
        std::vector<One> all;
        all.reserve(t.entries * static_cast<std::size_t>(shadow.granules_to(t.bytes - 1) + 1));
        for (std::size_t i = 0; i < t.entries; ++i) {
            if (t.table[i] <= outside) continue;
            const std::int64_t begin = t.begin(i);
            const auto last = shadow.granules_to(begin + t.bytes - 1);
            for (auto c = shadow.granules_to(begin); c <= last; ++c)
                all.push_back({static_cast<std::int32_t>(c), static_cast<std::int32_t>(i),
                               t.first_lane + static_cast<std::int32_t>(i % static_cast<std::size_t>(t.lanes))});
        }
        const auto run_of_cell = [](const One& o) { return o.cell >> 3; };
        axe::detail::sort_stably(all, [&](const One& a, const One& b) { return run_of_cell(a) < run_of_cell(b); });
        std::vector<Run> layers;
        for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
            while (to < all.size() && run_of_cell(all[to]) == run_of_cell(all[from])) ++to;
            // The n-th access of each cell is in the n-th of its runs.
            layers.clear();
            for (std::size_t i = from; i < to; ++i) {
                const auto k = static_cast<std::size_t>(all[i].cell & 7);
                std::size_t n = 0;
                while (n < layers.size() && (layers[n].mask >> k & 1) != 0) ++n;
                if (n == layers.size()) layers.push_back({run_of_cell(all[i]), static_cast<std::int32_t>(n), 0, 0});
                layers[n].mask = static_cast<CellMask>(layers[n].mask | 1u << k);
                layers[n].lanes |= lane_byte(all[i].lane, k);
            }
            const auto whole = [](const Run& r) { return r.mask == every_cell; };
            if (writing && !std::all_of(layers.begin(), layers.end(), whole))
                out.ones.insert(out.ones.end(), all.begin() + static_cast<std::ptrdiff_t>(from),
                                all.begin() + static_cast<std::ptrdiff_t>(to));
            else
                out.runs.insert(out.runs.end(), layers.begin(), layers.end());
        }
        return out;
    }

    /// Checks and notes all accesses.
    FirstConflict touch(const ColumnTable& t, Shadow& shadow, const Actor& actor, std::int64_t base_run, bool writing, bool own_run,
                        Past::Log* log = nullptr) const
    {
        Past past(actor, log);
        FirstConflict out;
        const auto one = [&](std::size_t cell, int lane) {
            return writing ? shadow.write(cell, past, lane, own_run) : shadow.read(cell, past, lane, own_run);
        };
        for (const Run& r : runs) {
            const auto run = static_cast<std::size_t>(base_run + r.run);
            if (writing ? shadow.write_run(run, r.lanes, past, own_run) : shadow.read_run(run, r.mask, r.lanes, past, own_run))
                continue;
            for (std::size_t k = 0; k < run_cells; ++k) {
                if ((r.mask >> k & 1) == 0) continue;
                const Conflict found = one(run * run_cells + k, lane_at(r.lanes, k));
                if (!found.found()) continue;
                const std::int64_t cell = std::int64_t{r.run} * static_cast<std::int64_t>(run_cells) + static_cast<std::int64_t>(k);
                out.note(entry_of(t, shadow, cell, r.turn), run * run_cells + k, found);
            }
        }
        for (const One& o : ones) {
            const auto cell = static_cast<std::size_t>(base_run * static_cast<std::int64_t>(run_cells) + o.cell);
            if (const Conflict found = one(cell, o.lane); found.found()) out.note(static_cast<std::size_t>(o.entry), cell, found);
        }
        return out;
    }

  private:
    /// The access number `turn` of those of a cell.
    static std::size_t entry_of(const ColumnTable& t, const Shadow& shadow, std::int64_t cell, std::int32_t turn)
    {
        std::size_t i = 0;
        for (;; ++i)
            if (t.table[i] > outside && shadow.granules_to(t.begin(i)) <= cell &&
                shadow.granules_to(t.begin(i) + t.bytes - 1) >= cell && turn-- == 0)
                return i;
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
