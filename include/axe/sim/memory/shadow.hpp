// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHADOW_HPP
#define AXE_SIM_MEMORY_SHADOW_HPP

#include <axe/sim/memory/shadow_store.hpp>

#include <memory>

/// The shadow of a memory: which agent touched what when.
namespace axe {
inline namespace v0 {
namespace sim {

/// The shadow of a buffer: a cell for each granule of `bytes` bytes, the common width of all accesses to it. Eight neighbors are one
/// record as long as they are alike, and are checked as one where a tile's accesses cover them.
///
/// Tensors that have the same bytes one after the other have the same cells: what one of them wrote is not there for another, but ordered
/// with its accesses.
class Shadow {
  public:
    void make(std::size_t cells, int granule_bytes)
    {
        store_ = std::make_shared<ShadowStore>();
        store_->runs.assign((cells + run_cells - 1) / run_cells, CellRun{});
        store_->size = cells;
        set_granule(granule_bytes);
    }
    /// The same, with records of those runs only that are touched: all else is unwritten, or was written before everything.
    void make_settled(std::size_t cells, int granule_bytes, bool written)
    {
        store_ = std::make_shared<ShadowStore>();
        store_->size = cells;
        store_->settle_all(written);
        set_granule(granule_bytes);
    }
    /// Records of its own, of the same granules as another one whose records are settled. Several may be over one: each for accesses
    /// of other granules, on a thread of its own.
    void make_over(const Shadow& settled)
    {
        *this = settled;
        store_ = std::make_shared<ShadowStore>();
        store_->size = settled.size();
        store_->settle_over(*settled.store_);
    }
    /// All accesses so far are before all to come: what remains of them is which granules were written. Of shadows made by
    /// `make_settled` and `make_over`; those that are over the same one know it as well.
    void settle() { store_->settle(); }
    /// The bytes of a tensor among those of several: row r of it, of `pitch` bytes, begins at byte r·row + first. One row: pitch 0.
    struct Part {
        int tensor = -1;
        std::int64_t first = 0, pitch = 0, row = 0;
        const std::vector<MemoryAccess>* accesses = nullptr;
    };
    /// The cells of another shadow, which this one is a part of.
    void share(const Shadow& whole, const Part& part)
    {
        store_ = whole.store_;
        bytes_ = whole.bytes_;
        shift_ = whole.shift_;
        part_ = part;
    }
    /// Times of the agents of a run, and of their engines.
    struct Moment {
        std::uint64_t run = 0;
        int arrived = 0;
        std::uint32_t times[max_event_agents]{};
    };
    /// What was written in the first `bytes` bytes before the moment is there no more; who touched them when is still known.
    void renew(std::int64_t bytes, const Moment& moment)
    {
        store_->stale.resize(store_->runs.size());
        for (std::int64_t byte = 0; byte < bytes; byte += bytes_) {
            const std::size_t i = granule_of(byte);
            const Cell cell = (*this)[i];
            if (cell.write == 0 || run_of(cell.write) != moment.run || former(cell) >= 0) continue;
            if (time_of(cell.write) < moment.times[agent_of(cell.write)]) store_->stale[i / run_cells] |= bit_of(i);
        }
    }
    [[nodiscard]] bool exists() const noexcept { return store_ != nullptr; }
    [[nodiscard]] int granule() const noexcept { return bytes_; }
    /// The granule that a byte is in: their width is a power of two, as those of elements are.
    [[nodiscard]] std::size_t granule_of(std::int64_t byte) const noexcept
    {
        return static_cast<std::size_t>(place_of(byte) >> shift_);
    }
    /// Where a byte of the buffer is among those that the granules number.
    [[nodiscard]] std::int64_t place_of(std::int64_t byte) const noexcept
    {
        if (part_.pitch > 0) byte = byte / part_.pitch * part_.row + byte % part_.pitch;
        return byte + part_.first;
    }
    /// How many granules further a byte is that is so many bytes from the first one of a granule, in one piece.
    [[nodiscard]] std::int64_t granules_to(std::int64_t bytes) const noexcept { return bytes >> shift_; }
    /// The first byte of a granule.
    [[nodiscard]] std::int64_t byte_of(std::size_t granule) const noexcept
    {
        const std::int64_t byte = (static_cast<std::int64_t>(granule) << shift_) - part_.first;
        return part_.pitch > 0 ? byte / part_.row * part_.pitch + byte % part_.row : byte;
    }
    /// Do consecutive bytes of the buffer have consecutive granules? Not where rows of it are apart among the bytes of others.
    [[nodiscard]] bool is_in_one_piece() const noexcept { return part_.pitch == 0; }
    /// Where the buffer begins in the bytes that the granules number.
    [[nodiscard]] std::int64_t first_byte() const noexcept { return part_.first; }
    [[nodiscard]] std::size_t size() const noexcept { return store_ == nullptr ? 0 : store_->size; }
    [[nodiscard]] Cell operator[](std::size_t i) const noexcept { return store_->cell(i); }
    /// Was granule i written?
    [[nodiscard]] bool written(std::size_t i) const noexcept { return (*this)[i].write != 0; }
    /// Were all granules from `first` to `last`?
    [[nodiscard]] bool are_written(std::size_t first, std::size_t last) const noexcept { return store_->are_written(first, last); }
    /// Granule i is as one that the event has written last.
    void mark(std::size_t i, Event e, std::uint32_t access)
    {
        Cell& cell = own_cell(i);
        forget(i, cell);
        cell.write = e;
        cell.written_by(access);
    }
    void mark_all(Event e)
    {
        for (CellRun& run : store_->runs) run.write = e;
    }

    /// A write of what shares hardware's bytes with granule i: the last write of i, if the actor is not after it. `own_run` as of `read`.
    [[nodiscard]] Conflict write_beside(std::size_t i, const Actor& actor, int lane, bool own_run) const
    {
        const Cell cell = (*this)[i];
        if (cell.write == 0 || former(cell) >= 0 || actor.after(cell.write, lane)) return {};
        if (own_run && !actor.shares_memory_with(run_of(cell.write))) return {};
        return {Hazard::write_write, cell.write, cell.write_access};
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
        if (cell.write == 0 || (own_run && !actor.shares_memory_with(run_of(cell.write))) || former(cell) >= 0 || is_stale(i)) {
            past.leave_log();
            return read_early(i, cell, actor, lane, own_run);
        }
        if (!past.has_write(cell.write)) {
            past.leave_log();
            if (!actor.after(cell.write, lane)) return {Hazard::write_read, cell.write, cell.write_access};
        }
        if (!store_->atomics.empty()) past.leave_log();
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_read, other, cell.write_access};
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || past.has_read(cell.read) || actor.after(cell.read, lane)))) {
            cell.read = me;
            cell.set_when(0);
            cell.read_by(actor.access);
            return {};
        }
        if (add_reader(i, cell, actor, lane)) past.leave_log();
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
        if (own_run && !is_of_here(cell, actor)) forget(i, cell);
        if (cell.write != 0 && !past.has_write(cell.write) && !actor.after(cell.write, lane))
            return {Hazard::write_write, cell.write, cell.write_access, former(cell)};
        if (const Event other = unordered_atomic(i, actor, lane))
            return {Hazard::write_write, other, cell.write_access, former(cell)};
        if (cell.read != 0 && !(cell.when == 0 && past.has_read(cell.read))) {
            const Event reader =
                cell.when == 0 ? (actor.after_read(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0)
                return {Hazard::read_write, reader,         cell.read_access,
                        former(cell),       cell.when != 0, cell.write == 0 || former(cell) >= 0 || is_stale(i)};
        }
        if (!store_->atomics.empty()) {
            const auto atomic = store_->atomics.find(i);
            if (atomic != store_->atomics.end()) {
                for (const AtomicWrites::Seen& seen : atomic->second.seen)
                    if (!actor.after(seen.by, lane)) return {Hazard::read_write, seen.by, seen.access, former(cell)};
                store_->atomics.erase(atomic);
            }
        }
        set_fresh(i);
        cell.write = actor.at(lane);
        cell.written_by(actor.access);
        cell.read = 0;
        cell.set_when(0);
        return {};
    }

    /// Reads of cells of one run, those of a mask, each by its lane: all of them, if the run is one record before and after and there is
    /// no hazard. False: nothing is done, and each cell is to be read by itself.
    bool read_run(std::size_t run, CellMask mask, Lanes lanes, Past& past, bool own_run)
    {
        CellRun& r = store_->run(run);
        if (!store_->stale.empty() && (store_->stale[run] & mask) != 0) return false;
        return r.is_one() && store_->atomics.empty() && former(r.write_access) < 0 && r.read(mask, lanes, past, own_run);
    }
    /// The same of writes of all cells of a run. One whose cells differ becomes one record.
    bool write_run(std::size_t run, Lanes lanes, Past& past, bool own_run)
    {
        CellRun& r = store_->run(run);
        if (!store_->atomics.empty()) return false;
        const auto written = [&] {
            if (!store_->stale.empty()) store_->stale[run] = 0;
            return true;
        };
        if (r.is_one()) return r.write_all(lanes, past, own_run) && written();
        const Actor& actor = past.actor();
        const Cell* cells = &store_->cells[static_cast<std::size_t>(r.cells)];
        for (std::size_t k = 0; k < run_cells; ++k) {
            const Cell& c = cells[k];
            if (c.write == 0 ? c.read == 0 : own_run && !actor.shares_memory_with(run_of(c.write))) continue;
            if (c.write == 0 || !past.has_write(c.write)) return false; // without a write: read early
            if (c.read == 0 || (c.when == 0 && past.has_read(c.read))) continue;
            if (c.when == 0 || unordered_reader(run * run_cells + k, c, actor, lane_at(lanes, k)) != 0) return false;
        }
        store_->free.push_back(r.cells);
        r = {};
        r.write = actor.at(0);
        r.write_lanes = lanes;
        r.write_access = actor.access;
        return written();
    }

    /// A read and write of granule i in one, which other atomic ones may come before or after; all else is to be ordered with it.
    Conflict atomic(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = own_cell(i);
        if (cell.write == 0 || (own_run && !actor.shares_memory_with(run_of(cell.write))) || former(cell) >= 0 || is_stale(i))
            return {Hazard::unwritten};
        AtomicWrites& a = store_->atomics.try_emplace(i, AtomicWrites{cell.write, cell.write_access, {}, {}}).first->second;
        if (!actor.after(a.plain, lane)) return {Hazard::write_write, a.plain, a.plain_access};
        if (cell.read != 0) {
            const Event reader =
                cell.when == 0 ? (actor.after_read(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_access, -1, cell.when != 0};
        }
        a.note(actor, lane);
        cell.write = actor.at(lane);
        cell.written_by(actor.access);
        return {};
    }

    /// A read of granule i that atomic operations may come before or after; plain writes are to be ordered with it.
    Conflict observe(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = own_cell(i);
        if (cell.write == 0 || (own_run && !actor.shares_memory_with(run_of(cell.write))) || former(cell) >= 0 || is_stale(i))
            return {Hazard::unwritten};
        AtomicWrites& a = store_->atomics.try_emplace(i, AtomicWrites{cell.write, cell.write_access, {}, {}}).first->second;
        if (!actor.after(a.plain, lane)) return {Hazard::write_read, a.plain, a.plain_access};
        a.note_seen(actor, lane);
        return {};
    }

  private:
    void set_granule(int bytes) noexcept
    {
        bytes_ = bytes;
        for (shift_ = 0; (1 << shift_) < bytes;) ++shift_;
    }
    /// An atomic operation that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_atomic(std::size_t i, const Actor& actor, int lane) const
    {
        if (store_->atomics.empty()) return 0;
        const auto at = store_->atomics.find(i);
        if (at == store_->atomics.end()) return 0;
        for (const Event e : at->second.since)
            if (!actor.after(e, lane)) return e;
        return 0;
    }
    /// Is what is noted of a cell of a block's memory of this block, or of one that shares its memory?
    [[nodiscard]] static bool is_of_here(const Cell& cell, const Actor& actor) noexcept
    {
        return actor.shares_memory_with(run_of(cell.write != 0 ? cell.write : cell.read));
    }
    /// Nothing is there to be read. Who reads it is noted, so that a write that comes later, and is not ordered with it, finds it.
    [[gnu::noinline]] Conflict read_early(std::size_t i, Cell& cell, const Actor& actor, int lane, bool own_run)
    {
        if (own_run && !is_of_here(cell, actor)) forget(i, cell);
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || actor.after(cell.read, lane)))) {
            cell.read = me;
            cell.set_when(0);
            cell.read_by(actor.access);
        } else {
            add_reader(i, cell, actor, lane);
        }
        return {Hazard::unwritten};
    }
    void forget(std::size_t i, Cell& cell)
    {
        cell = Cell{};
        set_fresh(i);
        if (!store_->atomics.empty()) store_->atomics.erase(i);
    }
    /// The cell of a granule by itself, from now on.
    Cell& own_cell(std::size_t i)
    {
        CellRun& run = store_->run(i / run_cells);
        if (run.is_one()) store_->split(run);
        return store_->cells[static_cast<std::size_t>(run.cells) + i % run_cells];
    }

    /// A reader that is not ordered after those noted. Do they belong into the side table?
    bool add_reader(std::size_t i, Cell& cell, const Actor& actor, int lane)
    {
        const Event me = actor.at(lane);
        cell.read_by(actor.access);
        if (join_reader(cell, actor, me)) return false;
        auto& list = store_->side[i];
        if ((cell.when & Cell::several) != 0) {
            list = {me};
            const int first = cell.first_agent(), lanes = first == 0 ? 2 : 1;
            for (int a = 0; a < max_agents; ++a)
                for (int l = 0; l < lanes && (cell.read >> a & 1) != 0; ++l)
                    list.push_back(event(cell.read >> 32, first + a, l, cell.when & max_time));
        } else if ((cell.when & Cell::listed) == 0) {
            list = {cell.read, me};
        } else {
            list.erase(std::remove_if(list.begin(), list.end(), [&](Event e) { return actor.after(e, lane); }), list.end());
            if (std::find(list.begin(), list.end(), me) == list.end()) list.push_back(me);
        }
        cell.set_when(Cell::listed);
        return true;
    }

    /// A reader that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_reader(std::size_t i, const Cell& cell, const Actor& actor, int lane) const
    {
        if ((cell.when & Cell::listed) == 0) return unordered_among(cell, actor);
        const auto at = store_->side.find(i);
        if (at == store_->side.end()) return 0;
        for (const Event e : at->second)
            if (!actor.after_read(e, lane)) return e;
        return 0;
    }

    [[nodiscard]] static CellMask bit_of(std::size_t i) noexcept { return static_cast<CellMask>(1u << i % run_cells); }
    [[nodiscard]] bool is_stale(std::size_t i) const
    {
        return !store_->stale.empty() && (store_->stale[i / run_cells] & bit_of(i)) != 0;
    }
    void set_fresh(std::size_t i)
    {
        if (!store_->stale.empty()) store_->stale[i / run_cells] &= static_cast<CellMask>(~bit_of(i));
    }
    /// The tensor, if another one, that wrote a cell last.
    [[nodiscard]] int former(const Cell& cell) const noexcept { return cell.write == 0 ? -1 : former(cell.write_access); }
    [[nodiscard]] int former(std::uint64_t write_access) const noexcept
    {
        if (part_.accesses == nullptr) return -1;
        const int tensor = (*part_.accesses)[write_access].tensor;
        return tensor == part_.tensor ? -1 : tensor;
    }

    std::shared_ptr<ShadowStore> store_{};
    Part part_{};
    int bytes_ = 1, shift_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
