// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_PLAIN_SHADOW_HPP
#define AXE_TESTS_UNIT_SIM_PLAIN_SHADOW_HPP

#include <axe/sim/memory/cell.hpp>

#include <unordered_map>

/// The shadow without runs: a cell for each granule, one after another. What the shadow of the library is compared with.
namespace plain {

using namespace axe::sim;

class PlainShadow {
  public:
    explicit PlainShadow(std::size_t cells) : cells_(cells) {}
    [[nodiscard]] const Cell& operator[](std::size_t i) const noexcept { return cells_[i]; }
    void mark_all(Event e)
    {
        for (Cell& cell : cells_) cell.write = e;
    }

    /// A read of granule i by a lane of the actor. `own_run` says that what other runs wrote is not there (memory of a block).
    Conflict read(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run)) {
            if (own_run && run_of(cell.write != 0 ? cell.write : cell.read) != actor.run) forget(i);
            note_read(i, cell, actor, lane); // a write that comes later finds it
            return {Hazard::unwritten};
        }
        if (!actor.after(cell.write, lane)) return {Hazard::write_read, cell.write, cell.write_access};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_read, other, cell.write_access};
        note_read(i, cell, actor, lane);
        return {};
    }

    /// A write of granule i.
    Conflict write(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
        if (own_run && run_of(cell.write != 0 ? cell.write : cell.read) != actor.run) forget(i);
        if (cell.write != 0 && !actor.after(cell.write, lane)) return {Hazard::write_write, cell.write, cell.write_access};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_write, other, cell.write_access};
        if (cell.read != 0) {
            const Event reader =
                cell.when == 0 ? (actor.after(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_access};
        }
        if (!atomics_.empty()) atomics_.erase(i);
        cell.write = actor.at(lane);
        cell.written_by(actor.access);
        cell.read = 0;
        cell.set_when(0);
        return {};
    }

    /// A read and write of granule i in one, which other atomic ones may come before or after; all else is to be ordered with it.
    Conflict atomic(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run)) return {Hazard::unwritten};
        Atomics& a = atomics_.try_emplace(i, Atomics{cell.write, cell.write_access, {}}).first->second;
        if (!actor.after(a.plain, lane)) return {Hazard::write_write, a.plain, a.plain_access};
        if (cell.read != 0) {
            const Event reader =
                cell.when == 0 ? (actor.after(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_access};
        }
        a.note(actor, lane);
        cell.write = actor.at(lane);
        cell.written_by(actor.access);
        return {};
    }

  private:
    /// Of a granule that atomic operations have written since the last plain write: that one, and they, as far as none is known to be
    /// before another. `Cell::write` is the last of them.
    struct Atomics {
        Event plain = 0;
        std::uint64_t plain_access = 0;
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
    void note_read(std::size_t i, Cell& cell, const Actor& actor, int lane)
    {
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || actor.after(cell.read, lane)))) {
            cell.read = me;
            cell.set_when(0);
            cell.read_by(actor.access);
            return;
        }
        add_reader(i, cell, actor, lane);
    }
    void forget(std::size_t i)
    {
        cells_[i] = Cell{};
        if (!atomics_.empty()) atomics_.erase(i);
    }

    /// Two readers, of two blocks of one grid. The first one's end is known where the last one's is, since they start in that order.
    static void add_block(Cell& cell, Event one, Event other) noexcept
    {
        cell.read = std::max(one, other);
        cell.set_when(Cell::blocks | static_cast<std::uint32_t>(run_of(std::min(one, other)) & max_run));
    }

    /// A reader that is not ordered after those noted.
    void add_reader(std::size_t i, Cell& cell, const Actor& actor, int lane)
    {
        const Event me = actor.at(lane);
        cell.read_by(actor.access);
        if (cell.when == 0) { // one so far
            const Event one = cell.read;
            if (run_of(one) == actor.run && time_of(one) == actor.time && agent_of(one) < max_agents && actor.agent < max_agents) {
                cell.read = actor.run << 32 | 1ull << agent_of(one) | 1ull << actor.agent;
                cell.set_when(Cell::several | actor.time);
                return;
            }
            if (run_of(one) != actor.run && device_of(one) == device_of(me) && actor.horizon->open.empty()) {
                add_block(cell, one, me);
                return;
            }
            side_[i] = {one, me};
            cell.set_when(Cell::listed);
            return;
        }
        if ((cell.when & Cell::several) != 0) {
            if (cell.read >> 32 == actor.run && (cell.when & max_time) == actor.time && actor.agent < max_agents) {
                cell.read |= 1ull << actor.agent;
                return;
            }
            if (unordered_reader(i, cell, actor, lane) == 0) { // all of them are before: one is enough
                cell.read = me;
                cell.set_when(0);
                return;
            }
            if (cell.read >> 32 != actor.run && device_of(me) == static_cast<int>(cell.read >> 56) && actor.horizon->open.empty()) {
                add_block(cell, event(cell.read >> 32, 0, 0, 0), me);
                return;
            }
            std::vector<Event> all{me};
            for (int a = 0; a < max_agents; ++a)
                if ((cell.read >> a & 1) != 0)
                    for (const int l : {0, 1}) all.push_back(event(cell.read >> 32, a, l, cell.when & max_time));
            side_[i] = std::move(all);
            cell.set_when(Cell::listed);
            return;
        }
        if ((cell.when & Cell::blocks) != 0) {
            if (actor.horizon->covers(cell.read)) {
                cell.read = me;
                cell.set_when(0);
                return;
            }
            if (device_of(cell.read) == device_of(me)) {
                cell.read = std::max(cell.read, me);
                return;
            }
            side_[i] = {cell.read, me};
            cell.set_when(Cell::listed);
            return;
        }
        auto& list = side_[i];
        list.erase(std::remove_if(list.begin(), list.end(), [&](Event e) { return actor.after(e, lane); }), list.end());
        list.push_back(me);
    }

    /// A reader that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_reader(std::size_t i, const Cell& cell, const Actor& actor, int lane) const
    {
        if ((cell.when & Cell::several) != 0) {
            const std::uint64_t run = cell.read >> 32;
            const std::uint32_t time = cell.when & max_time;
            if (run != actor.run) {
                const Event any = event(run, 0, 0, time);
                return actor.horizon->covers(any) ? 0 : any;
            }
            for (std::uint64_t mask = cell.read & 0xffffffffu; mask != 0; mask &= mask - 1) {
                const int a = __builtin_ctzll(mask);
                const bool before = a == actor.agent ? time < actor.time : actor.clock == nullptr || time < actor.clock->known[a];
                if (!before) return event(run, a, 0, time);
            }
            return 0;
        }
        if ((cell.when & Cell::blocks) != 0) {
            if (actor.horizon->covers(cell.read)) return 0;
            if (run_of(cell.read) != actor.run) return cell.read;
            return event(run_id(device_of(cell.read), cell.when & max_run), 0, 0, 0);
        }
        const auto at = side_.find(i);
        if (at == side_.end()) return 0;
        for (const Event e : at->second)
            if (!actor.after(e, lane)) return e;
        return 0;
    }

    std::vector<Cell> cells_{};
    std::unordered_map<std::size_t, std::vector<Event>> side_{};
    std::unordered_map<std::size_t, Atomics> atomics_{};
};

} // namespace plain

#endif
