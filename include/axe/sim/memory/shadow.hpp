// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHADOW_HPP
#define AXE_SIM_MEMORY_SHADOW_HPP

#include <axe/sim/memory/cell_run.hpp>

#include <unordered_map>

/// The shadow of a memory: which agent touched what when.
namespace axe {
inline namespace v0 {
namespace sim {

/// The shadow of a buffer: a cell for each granule of `bytes` bytes, the common width of all accesses to it. Eight neighbors are one
/// record as long as they are alike, and are checked as one where a tile's accesses cover them.
class Shadow {
  public:
    void make(std::size_t cells, int granule_bytes)
    {
        runs_.assign((cells + run_cells - 1) / run_cells, CellRun{});
        cells_.clear();
        free_.clear();
        side_.clear();
        atomics_.clear();
        size_ = cells;
        bytes_ = granule_bytes;
        for (shift_ = 0; (1 << shift_) < granule_bytes;) ++shift_;
    }
    [[nodiscard]] bool exists() const noexcept { return size_ > 0; }
    [[nodiscard]] int granule() const noexcept { return bytes_; }
    /// The granule that a byte is in: their width is a power of two, as those of elements are.
    [[nodiscard]] std::size_t granule_of(std::int64_t byte) const noexcept { return static_cast<std::size_t>(byte >> shift_); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Cell operator[](std::size_t i) const noexcept
    {
        const CellRun& run = runs_[i / run_cells];
        return run.is_one() ? run.cell(i % run_cells) : cells_[static_cast<std::size_t>(run.cells) + i % run_cells];
    }
    /// Was granule i written?
    [[nodiscard]] bool written(std::size_t i) const noexcept { return (*this)[i].write != 0; }
    void mark_all(Event e)
    {
        for (CellRun& run : runs_) run.write = e;
    }

    /// A read of granule i by a lane of the actor. `own_run` says that what other runs wrote is not there (memory of a block).
    Conflict read(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Past past(actor);
        return read(i, past, lane, own_run);
    }
    Conflict read(std::size_t i, Past& past, int lane, bool own_run)
    {
        const Actor& actor = past.actor();
        Cell& cell = own_cell(i);
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run)) return {Hazard::unwritten, 0, 0};
        if (!past.has_write(cell.write) && !actor.after(cell.write, lane))
            return {Hazard::write_read, cell.write, cell.write_statement};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_read, other, cell.write_statement};
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || past.has_read(cell.read) || actor.after(cell.read, lane)))) {
            cell.read = me;
            cell.when = 0;
            cell.read_statement = actor.statement;
            return {};
        }
        add_reader(i, cell, actor, lane);
        return {};
    }

    /// A write of granule i.
    Conflict write(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Past past(actor);
        return write(i, past, lane, own_run);
    }
    Conflict write(std::size_t i, Past& past, int lane, bool own_run)
    {
        const Actor& actor = past.actor();
        Cell& cell = own_cell(i);
        if (own_run && run_of(cell.write) != actor.run) forget(i, cell);
        if (cell.write != 0 && !past.has_write(cell.write) && !actor.after(cell.write, lane))
            return {Hazard::write_write, cell.write, cell.write_statement};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_write, other, cell.write_statement};
        if (cell.read != 0 && !(cell.when == 0 && past.has_read(cell.read))) {
            const Event reader =
                cell.when == 0 ? (actor.after(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_statement};
        }
        if (!atomics_.empty()) atomics_.erase(i);
        cell.write = actor.at(lane);
        cell.write_statement = actor.statement;
        cell.read = 0;
        cell.when = 0;
        return {};
    }

    /// Reads of cells of one run, those of a mask, each by its lane: all of them, if the run is one record before and after and there is
    /// no hazard. False: nothing is done, and each cell is to be read by itself.
    bool read_run(std::size_t run, CellMask mask, Lanes lanes, Past& past, bool own_run)
    {
        return runs_[run].is_one() && atomics_.empty() && runs_[run].read(mask, lanes, past, own_run);
    }
    /// The same of writes of all cells of a run. One whose cells differ becomes one record.
    bool write_run(std::size_t run, Lanes lanes, Past& past, bool own_run)
    {
        CellRun& r = runs_[run];
        if (!atomics_.empty()) return false;
        if (r.is_one()) return r.write_all(lanes, past, own_run);
        const Actor& actor = past.actor();
        const Cell* cells = &cells_[static_cast<std::size_t>(r.cells)];
        for (std::size_t k = 0; k < run_cells; ++k) {
            const Cell& c = cells[k];
            if (c.write == 0 || (own_run && run_of(c.write) != actor.run)) continue;
            if (!past.has_write(c.write)) return false;
            if (c.read == 0 || (c.when == 0 && past.has_read(c.read))) continue;
            if (c.when == 0 || unordered_reader(run * run_cells + k, c, actor, lane_at(lanes, k)) != 0) return false;
        }
        free_.push_back(r.cells);
        r = {};
        r.write = actor.at(0);
        r.write_lanes = lanes;
        r.write_statement = actor.statement;
        return true;
    }

    /// A read and write of granule i in one, which other atomic ones may come before or after; all else is to be ordered with it.
    Conflict atomic(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = own_cell(i);
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run)) return {Hazard::unwritten, 0, 0};
        Atomics& a = atomics_.try_emplace(i, Atomics{cell.write, cell.write_statement, {}}).first->second;
        if (!actor.after(a.plain, lane)) return {Hazard::write_write, a.plain, a.plain_statement};
        if (cell.read != 0) {
            const Event reader =
                cell.when == 0 ? (actor.after(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_statement};
        }
        a.note(actor, lane);
        cell.write = actor.at(lane);
        cell.write_statement = actor.statement;
        return {};
    }

  private:
    /// Of a granule that atomic operations have written since the last plain write: that one, and they, as far as none is known to be
    /// before another. `Cell::write` is the last of them.
    struct Atomics {
        Event plain = 0;
        std::uint16_t plain_statement = 0;
        std::vector<Event> since{};

        /// One more. Of lanes that nothing orders two are enough, since any other lane differs from one of them; of former runs of a
        /// device, which are blocks, the last one, whose end is the last to be known.
        void note(const Actor& actor, int lane)
        {
            const Event me = actor.at(lane);
            Event former = 0;
            int alike = 0;
            const auto goes = [&](Event e) {
                if (actor.after(e, lane)) return true;
                if (run_of(e) == actor.run && agent_of(e) == actor.agent && time_of(e) == actor.time) ++alike;
                if (run_of(e) == actor.run || device_of(e) != device_of(me)) return false;
                former = std::max(former, e);
                return true;
            };
            since.erase(std::remove_if(since.begin(), since.end(), goes), since.end());
            if (former != 0) since.push_back(former);
            if (alike < 2) since.push_back(me);
        }
    };

    /// An atomic operation that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_atomic(std::size_t i, const Actor& actor, int lane) const
    {
        if (atomics_.empty()) return 0;
        const auto at = atomics_.find(i);
        if (at == atomics_.end()) return 0;
        for (const Event e : at->second.since)
            if (!actor.after(e, lane)) return e;
        return 0;
    }
    void forget(std::size_t i, Cell& cell)
    {
        cell = Cell{};
        if (!atomics_.empty()) atomics_.erase(i);
    }
    /// The cell of a granule by itself, from now on.
    Cell& own_cell(std::size_t i)
    {
        CellRun& run = runs_[i / run_cells];
        if (run.is_one()) split(run);
        return cells_[static_cast<std::size_t>(run.cells) + i % run_cells];
    }
    void split(CellRun& run)
    {
        if (free_.empty()) {
            free_.push_back(static_cast<std::int32_t>(cells_.size()));
            cells_.resize(cells_.size() + run_cells);
        }
        const std::int32_t at = free_.back();
        free_.pop_back();
        for (std::size_t k = 0; k < run_cells; ++k) cells_[static_cast<std::size_t>(at) + k] = run.cell(k);
        run.cells = at;
    }

    /// A reader that is not ordered after those noted.
    void add_reader(std::size_t i, Cell& cell, const Actor& actor, int lane)
    {
        const Event me = actor.at(lane);
        cell.read_statement = actor.statement;
        if (join_reader(cell, actor, me)) return;
        auto& list = side_[i];
        if ((cell.when & Cell::several) != 0) {
            list = {me};
            for (int a = 0; a < max_agents; ++a)
                if ((cell.read >> a & 1) != 0)
                    for (const int l : {0, 1}) list.push_back(event(cell.read >> 32, a, l, cell.when & max_time));
        } else if ((cell.when & Cell::listed) == 0) {
            list = {cell.read, me};
        } else {
            list.erase(std::remove_if(list.begin(), list.end(), [&](Event e) { return actor.after(e, lane); }), list.end());
            list.push_back(me);
        }
        cell.when = Cell::listed;
    }

    /// A reader that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_reader(std::size_t i, const Cell& cell, const Actor& actor, int lane) const
    {
        if ((cell.when & Cell::listed) == 0) return unordered_among(cell, actor);
        const auto at = side_.find(i);
        if (at == side_.end()) return 0;
        for (const Event e : at->second)
            if (!actor.after(e, lane)) return e;
        return 0;
    }

    std::vector<CellRun> runs_{};
    std::vector<Cell> cells_{}; ///< those of runs that are not one record, eight after one another
    std::vector<std::int32_t> free_{};
    std::unordered_map<std::size_t, std::vector<Event>> side_{};
    std::unordered_map<std::size_t, Atomics> atomics_{};
    std::size_t size_ = 0;
    int bytes_ = 1, shift_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
