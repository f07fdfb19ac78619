// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHADOW_HPP
#define AXE_SIM_MEMORY_SHADOW_HPP

#include <axe/sim/memory/order.hpp>

#include <memory>
#include <mutex>
#include <unordered_map>

/// The shadow of a memory: which agent touched what when.
namespace axe {
inline namespace v0 {
namespace sim {

/// The last write of a granule, and its reads since.
struct Cell {
    Event write = 0;        ///< 0: never written
    std::uint64_t read = 0; ///< one reader: its event. Several of one block: run << 32 | mask of agents
    std::uint32_t when = 0; ///< Several: their time, and `several`
    std::uint16_t write_statement = 0, read_statement = 0;

    static constexpr std::uint32_t several = 1u << 31; ///< agents or lanes of one block, all at one time
    static constexpr std::uint32_t blocks =
        1u << 30; ///< several blocks of one grid: `read` is of the last one; and the run of another
    static constexpr std::uint32_t listed = 1u << 29; ///< anything else: in the shadow's side table
};
static_assert(sizeof(Cell) == 24);

enum class Hazard : std::uint8_t { none, unwritten, write_read, write_write, read_write };

/// A hazard, with the other side of it.
struct Conflict {
    Hazard hazard = Hazard::none;
    Event other = 0;
    std::uint16_t statement = 0;
    [[nodiscard]] bool found() const noexcept { return hazard != Hazard::none; }
};

/// The shadow of a buffer: a cell for each granule of `bytes` bytes, the common width of all accesses to it.
class Shadow {
  public:
    void make(std::size_t cells, int granule_bytes)
    {
        cells_.assign(cells, Cell{});
        side_.clear();
        atomics_.clear();
        bytes_ = granule_bytes;
        for (shift_ = 0; (1 << shift_) < granule_bytes;) ++shift_;
    }
    [[nodiscard]] bool exists() const noexcept { return !cells_.empty(); }
    [[nodiscard]] int granule() const noexcept { return bytes_; }
    /// The granule that a byte is in: their width is a power of two, as those of elements are.
    [[nodiscard]] std::size_t granule_of(std::int64_t byte) const noexcept { return static_cast<std::size_t>(byte >> shift_); }
    [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }
    [[nodiscard]] const Cell& operator[](std::size_t i) const noexcept { return cells_[i]; }
    /// Have atomic operations written in it since the last plain writes?
    [[nodiscard]] bool has_atomics() const noexcept { return !atomics_.empty(); }
    /// From now on until the opposite is said, nothing writes: reads are checked and need not be noted. Then, as while `share(true)`
    /// holds and nothing is atomic, several threads may use it, each for granules that it alone writes.
    void only_read(bool yes) noexcept { only_read_ = yes; }
    void share(bool yes) { side_lock_ = yes ? std::make_unique<std::mutex>() : nullptr; }
    void mark_all(Event e)
    {
        for (Cell& cell : cells_) cell.write = e;
    }

    /// A read of granule i by a lane of the actor. `own_run` says that what other runs wrote is not there (memory of a block).
    Conflict read(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run)) return {Hazard::unwritten, 0, 0};
        if (!actor.after(cell.write, lane)) return {Hazard::write_read, cell.write, cell.write_statement};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_read, other, cell.write_statement};
        if (only_read_) return {};
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || actor.after(cell.read, lane)))) {
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
        Cell& cell = cells_[i];
        if (own_run && run_of(cell.write) != actor.run) forget(i);
        if (cell.write != 0 && !actor.after(cell.write, lane)) return {Hazard::write_write, cell.write, cell.write_statement};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_write, other, cell.write_statement};
        if (cell.read != 0) {
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

    /// A read and write of granule i in one, which other atomic ones may come before or after; all else is to be ordered with it.
    Conflict atomic(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
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
    void forget(std::size_t i)
    {
        cells_[i] = Cell{};
        if (!atomics_.empty()) atomics_.erase(i);
    }

    /// Two readers, of two blocks of one grid. The first one's end is known where the last one's is, since they start in that order.
    static void add_block(Cell& cell, Event one, Event other) noexcept
    {
        cell.read = std::max(one, other);
        cell.when = Cell::blocks | static_cast<std::uint32_t>(run_of(std::min(one, other)) & max_run);
    }

    /// Of the side table; nothing while one thread alone uses it.
    [[nodiscard]] std::unique_lock<std::mutex> locked() const
    {
        return side_lock_ ? std::unique_lock<std::mutex>(*side_lock_) : std::unique_lock<std::mutex>();
    }

    /// A reader that is not ordered after those noted.
    void add_reader(std::size_t i, Cell& cell, const Actor& actor, int lane)
    {
        const auto lock = locked();
        const Event me = actor.at(lane);
        cell.read_statement = actor.statement;
        if (cell.when == 0) { // one so far
            const Event one = cell.read;
            if (run_of(one) == actor.run && time_of(one) == actor.time && agent_of(one) < max_agents && actor.agent < max_agents) {
                cell.read = actor.run << 32 | 1ull << agent_of(one) | 1ull << actor.agent;
                cell.when = Cell::several | actor.time;
                return;
            }
            if (run_of(one) != actor.run && device_of(one) == device_of(me) && actor.horizon->open.empty()) {
                add_block(cell, one, me);
                return;
            }
            side_[i] = {one, me};
            cell.when = Cell::listed;
            return;
        }
        if ((cell.when & Cell::several) != 0) {
            if (cell.read >> 32 == actor.run && (cell.when & max_time) == actor.time && actor.agent < max_agents) {
                cell.read |= 1ull << actor.agent;
                return;
            }
            if (unordered_of_one_block(cell, actor) == 0) { // all of them are before: one is enough
                cell.read = me;
                cell.when = 0;
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
            cell.when = Cell::listed;
            return;
        }
        if ((cell.when & Cell::blocks) != 0) {
            if (actor.horizon->covers(cell.read)) {
                cell.read = me;
                cell.when = 0;
                return;
            }
            if (device_of(cell.read) == device_of(me)) {
                cell.read = std::max(cell.read, me);
                return;
            }
            side_[i] = {cell.read, me};
            cell.when = Cell::listed;
            return;
        }
        auto& list = side_[i];
        list.erase(std::remove_if(list.begin(), list.end(), [&](Event e) { return actor.after(e, lane); }), list.end());
        list.push_back(me);
    }

    /// The same of several readers of one block.
    [[nodiscard]] static Event unordered_of_one_block(const Cell& cell, const Actor& actor)
    {
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

    /// A reader that the actor is not after; 0 if none exists.
    [[nodiscard]] Event unordered_reader(std::size_t i, const Cell& cell, const Actor& actor, int lane) const
    {
        if ((cell.when & Cell::several) != 0) return unordered_of_one_block(cell, actor);
        if ((cell.when & Cell::blocks) != 0) {
            if (actor.horizon->covers(cell.read)) return 0;
            if (run_of(cell.read) != actor.run) return cell.read;
            return event(run_id(device_of(cell.read), cell.when & max_run), 0, 0, 0);
        }
        const auto lock = locked();
        const auto at = side_.find(i);
        if (at == side_.end()) return 0;
        for (const Event e : at->second)
            if (!actor.after(e, lane)) return e;
        return 0;
    }

    std::vector<Cell> cells_{};
    std::unordered_map<std::size_t, std::vector<Event>> side_{};
    std::unordered_map<std::size_t, Atomics> atomics_{};
    std::unique_ptr<std::mutex> side_lock_{};
    bool only_read_ = false;
    int bytes_ = 1, shift_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
