// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHADOW_HPP
#define AXE_SIM_MEMORY_SHADOW_HPP

#include <axe/sim/memory/order.hpp>

#include <memory>
#include <unordered_map>

/// The shadow of a memory: which agent touched what when.
namespace axe {
inline namespace v0 {
namespace sim {

/// The last write of a granule, and its reads since.
struct Cell {
    Event write = 0;             ///< 0: never written
    std::uint64_t read = 0;      ///< one reader: its event. Several of one block: run << 32 | mask of agents
    std::uint64_t when : 28 = 0; ///< Several: their time, and `several`
    /// Of the last write and the last read: the number of the access (`Actor::access`).
    std::uint64_t write_access : 18 = 0, read_access : 18 = 0;

    static constexpr std::uint32_t several = 1u << 27; ///< agents or lanes of one block, all at one time
    static constexpr std::uint32_t blocks =
        1u << 26; ///< several blocks of one grid: `read` is of the last one; and the run of another
    static constexpr std::uint32_t listed = 1u << 25; ///< anything else: in the shadow's side table

    void set_when(std::uint32_t value) noexcept { when = value & 0xfffffffu; }
    void written_by(std::uint32_t access) noexcept { write_access = access & 0x3ffffu; }
    void read_by(std::uint32_t access) noexcept { read_access = access & 0x3ffffu; }
};
static_assert(sizeof(Cell) == 24 && max_run < Cell::listed && most_accesses < 1 << 18);

/// A statement that accesses memory, by its number from 1 on (`Actor::access`): its id, and the tensor that it writes.
struct MemoryAccess {
    int statement = -1, tensor = -1;
};

enum class Hazard : std::uint8_t { none, unwritten, write_read, write_write, read_write };

/// A hazard, with the other side of it.
struct Conflict {
    Hazard hazard = Hazard::none;
    Event other = 0;
    std::uint64_t access = 0;
    int former = -1; ///< the tensor that had the bytes before; −1: this one
    [[nodiscard]] bool found() const noexcept { return hazard != Hazard::none; }
};

/// The shadow of a buffer: a cell for each granule of `bytes` bytes, the common width of all accesses to it. Tensors that have the same
/// bytes one after the other have the same cells: what one of them wrote is not there for another, but ordered with its accesses.
class Shadow {
  public:
    void make(std::size_t cells, int granule_bytes)
    {
        store_ = std::make_shared<Store>();
        store_->cells.assign(cells, Cell{});
        cells_ = store_->cells.data();
        bytes_ = granule_bytes;
        for (shift_ = 0; (1 << shift_) < granule_bytes;) ++shift_;
    }
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
        cells_ = whole.cells_;
        bytes_ = whole.bytes_;
        shift_ = whole.shift_;
        part_ = part;
    }
    /// Times of the agents of a run, and of their engines.
    struct Moment {
        std::uint64_t run = 0;
        int arrived = 0;
        std::uint32_t times[max_agents]{}, groups[max_agents]{};
    };
    /// What was written in the first `bytes` bytes before the moment is there no more; who touched them when is still known.
    void renew(std::int64_t bytes, const Moment& moment)
    {
        store_->stale.resize(store_->cells.size());
        for (std::int64_t byte = 0; byte < bytes; byte += bytes_) {
            const std::size_t i = granule_of(byte);
            const Event e = cells_[i].write;
            const int a = agent_of(e);
            if (e == 0 || run_of(e) != moment.run || former(cells_[i]) >= 0) continue;
            if (time_of(e) < (a < max_agents ? moment.times[a] : moment.groups[a - max_agents])) store_->stale[i] = true;
        }
    }
    [[nodiscard]] bool exists() const noexcept { return cells_ != nullptr; }
    [[nodiscard]] int granule() const noexcept { return bytes_; }
    /// The granule that a byte is in: their width is a power of two, as those of elements are.
    [[nodiscard]] std::size_t granule_of(std::int64_t byte) const noexcept
    {
        if (part_.pitch > 0) byte = byte / part_.pitch * part_.row + byte % part_.pitch;
        return static_cast<std::size_t>((byte + part_.first) >> shift_);
    }
    /// The first byte of a granule.
    [[nodiscard]] std::int64_t byte_of(std::size_t granule) const noexcept
    {
        const std::int64_t byte = (static_cast<std::int64_t>(granule) << shift_) - part_.first;
        return part_.pitch > 0 ? byte / part_.row * part_.pitch + byte % part_.row : byte;
    }
    [[nodiscard]] std::size_t size() const noexcept { return store_ == nullptr ? 0 : store_->cells.size(); }
    [[nodiscard]] const Cell& operator[](std::size_t i) const noexcept { return cells_[i]; }
    void mark_all(Event e)
    {
        for (Cell& cell : store_->cells) cell.write = e;
    }

    /// A read of granule i by a lane of the actor. `own_run` says that what other runs wrote is not there (memory of a block).
    Conflict read(std::size_t i, const Actor& actor, int lane, bool own_run)
    {
        Cell& cell = cells_[i];
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run) || former(cell) >= 0 || is_stale(i))
            return {Hazard::unwritten};
        if (!actor.after(cell.write, lane)) return {Hazard::write_read, cell.write, cell.write_access};
        if (const Event other = unordered_atomic(i, actor, lane)) return {Hazard::write_read, other, cell.write_access};
        const Event me = actor.at(lane);
        if (cell.read == 0 || (cell.when == 0 && (cell.read == me || actor.after(cell.read, lane)))) {
            cell.read = me;
            cell.set_when(0);
            cell.read_by(actor.access);
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
        if (cell.write != 0 && !actor.after(cell.write, lane))
            return {Hazard::write_write, cell.write, cell.write_access, former(cell)};
        if (const Event other = unordered_atomic(i, actor, lane))
            return {Hazard::write_write, other, cell.write_access, former(cell)};
        if (cell.read != 0) {
            const Event reader =
                cell.when == 0 ? (actor.after(cell.read, lane) ? 0 : cell.read) : unordered_reader(i, cell, actor, lane);
            if (reader != 0) return {Hazard::read_write, reader, cell.read_access, former(cell)};
        }
        if (!store_->atomics.empty()) store_->atomics.erase(i);
        set_fresh(i);
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
        if (cell.write == 0 || (own_run && run_of(cell.write) != actor.run) || former(cell) >= 0 || is_stale(i))
            return {Hazard::unwritten};
        Atomics& a = store_->atomics.try_emplace(i, Atomics{cell.write, cell.write_access, {}}).first->second;
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
        if (store_->atomics.empty()) return 0;
        const auto at = store_->atomics.find(i);
        if (at == store_->atomics.end()) return 0;
        for (const Event e : at->second.since)
            if (!actor.after(e, lane)) return e;
        return 0;
    }
    void forget(std::size_t i)
    {
        cells_[i] = Cell{};
        set_fresh(i);
        if (!store_->atomics.empty()) store_->atomics.erase(i);
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
            store_->side[i] = {one, me};
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
            store_->side[i] = std::move(all);
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
            store_->side[i] = {cell.read, me};
            cell.set_when(Cell::listed);
            return;
        }
        auto& list = store_->side[i];
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
        const auto at = store_->side.find(i);
        if (at == store_->side.end()) return 0;
        for (const Event e : at->second)
            if (!actor.after(e, lane)) return e;
        return 0;
    }

    [[nodiscard]] bool is_stale(std::size_t i) const { return !store_->stale.empty() && store_->stale[i]; }
    void set_fresh(std::size_t i)
    {
        if (!store_->stale.empty()) store_->stale[i] = false;
    }
    /// The tensor, if another one, that wrote a cell last.
    [[nodiscard]] int former(const Cell& cell) const noexcept
    {
        if (part_.accesses == nullptr || cell.write == 0) return -1;
        const int tensor = (*part_.accesses)[cell.write_access].tensor;
        return tensor == part_.tensor ? -1 : tensor;
    }

    struct Store {
        std::vector<Cell> cells{};
        std::vector<bool> stale{}; ///< of each cell: its value is of a former round; empty: of none
        std::unordered_map<std::size_t, std::vector<Event>> side{};
        std::unordered_map<std::size_t, Atomics> atomics{};
    };
    std::shared_ptr<Store> store_{};
    Cell* cells_ = nullptr; ///< of the store
    Part part_{};
    int bytes_ = 1, shift_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
