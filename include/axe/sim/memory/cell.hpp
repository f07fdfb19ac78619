// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_CELL_HPP
#define AXE_SIM_MEMORY_CELL_HPP

#include <axe/sim/memory/order.hpp>

/// What a shadow keeps of its granules: a cell each, or one record for several neighbors that are alike.
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

    /// Agents or lanes of one block, all at one time. `read` has bits for 32 of its agents; above the time is which 32.
    static constexpr std::uint32_t several = 1u << 27;
    static constexpr std::uint32_t blocks =
        1u << 26; ///< several blocks of one grid: `read` is of the last one; and the run of another
    static constexpr std::uint32_t listed = 1u << 25; ///< anything else: in the shadow's side table

    [[nodiscard]] int first_agent() const noexcept { return static_cast<int>(when >> time_bits & 7) * max_agents; }
    void set_when(std::uint32_t value) noexcept { when = value & 0xfffffffu; }
    void written_by(std::uint32_t access) noexcept { write_access = access & 0x3ffffu; }
    void read_by(std::uint32_t access) noexcept { read_access = access & 0x3ffffu; }
};
static_assert(sizeof(Cell) == 24 && max_run < Cell::listed && most_accesses < 1 << 18 && max_agents * 8 == max_event_agents);

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
    int former = -1;      ///< the tensor that had the bytes before; −1: this one
    bool several = false; ///< of one of several readers, `access` is the last one's
    bool early = false;   ///< of a reader: it has found nothing there
    [[nodiscard]] bool found() const noexcept { return hazard != Hazard::none; }
};

/// The lane of an event.
inline constexpr Event lane_bits = Event{max_lanes - 1} << time_bits;
constexpr Event without_lane(Event e) noexcept { return e & ~lane_bits; }

/// What an actor is after, whichever its lane and that of the event; in tensor memory, where an event has a role for a lane, by the role.
/// Neighboring cells have much the same events: the last answers are kept, one of the writes and one of the reads.
class Past {
  public:
    /// Which writes the actor has found to be before it, each at least once, and whether that is all that counted.
    struct Log {
        std::vector<Event> writes{};
        bool complete = true;
    };
    explicit Past(const Actor& actor, Log* log = nullptr) noexcept : actor_(&actor), log_(log) {}
    /// Something else counted.
    void leave_log() noexcept
    {
        if (log_ != nullptr) log_->complete = false;
    }
    [[nodiscard]] const Actor& actor() const noexcept { return *actor_; }
    /// Do the lanes of events count?
    [[nodiscard]] bool by_role() const noexcept { return actor_->tensor != 0; }
    [[nodiscard]] bool has_write(Event e) { return has(e, write_, false); }
    [[nodiscard]] bool has_read(Event e) { return has(e, read_, true); }

  private:
    [[nodiscard]] bool has(Event e, Event& kept, bool read) const
    {
        const Event asked = by_role() ? e : without_lane(e);
        if (asked == kept) return true;
        if (!all_lanes_after(e, read)) return false;
        kept = asked;
        if (log_ != nullptr && !read) log_->writes.push_back(e);
        return true;
    }
    /// `Actor::after`, or `after_read`, of each of the lanes.
    [[nodiscard]] bool all_lanes_after(Event e, bool read) const noexcept
    {
        if (by_role()) return actor_->after(e, actor_->tensor);
        if (run_of(e) != actor_->known_run()) return actor_->covers(e);
        return time_of(e) < (read ? actor_->read_bound(agent_of(e)) : actor_->bound(agent_of(e)));
    }

    const Actor* actor_;
    Log* log_;
    Event write_ = 0, read_ = 0;
};

/// A noted reader that the actor is not after; 0 if none exists. Of a single reader, whichever the lanes, and not of the side table.
[[nodiscard]] inline Event unordered_among(const Cell& cell, const Actor& actor)
{
    if ((cell.when & Cell::several) != 0) {
        const std::uint64_t run = cell.read >> 32;
        const std::uint32_t time = cell.when & max_time;
        const bool other = run != actor.known_run();
        if (other && !actor.horizon->related) {
            const Event any = event(run, 0, 0, time);
            return actor.horizon->covers(any) ? 0 : any;
        }
        for (std::uint64_t mask = cell.read & 0xffffffffu; mask != 0; mask &= mask - 1) {
            const int a = cell.first_agent() + __builtin_ctzll(mask);
            if (other ? !actor.covers(event(run, a, 0, time)) : time >= actor.read_bound(a)) return event(run, a, 0, time);
        }
        return 0;
    }
    if (actor.covers(cell.read)) return 0;
    if (run_of(cell.read) != actor.run) return cell.read;
    return event(run_id(device_of(cell.read), cell.when & max_run), 0, 0, 0);
}

/// Adds a reader to those noted in a cell. False: they belong into the side table, and nothing is changed. The caller has found that a
/// single reader is neither `me` nor before it.
[[nodiscard]] inline bool join_reader(Cell& cell, const Actor& actor, Event me)
{
    // Two readers, of two blocks of one grid. The first one's end is known where the last one's is, since they start in that order.
    const auto add_block = [&](Event one) {
        cell.read = std::max(one, me);
        cell.set_when(Cell::blocks | static_cast<std::uint32_t>(run_of(std::min(one, me)) & max_run));
        return true;
    };
    const auto only = [&] {
        cell.read = me;
        cell.set_when(0);
        return true;
    };
    const bool ends_in_order = actor.horizon->open.empty() && !actor.horizon->related;
    // Of engines of the asynchronous proxy no lane counts, except in tensor memory.
    const bool joins = actor.agent < max_agents || (actor.agent >= generic_agents && actor.tensor == 0);
    const auto group = static_cast<std::uint32_t>(actor.agent / max_agents);
    const std::uint64_t bit = 1ull << actor.agent % max_agents;
    if (cell.when == 0) { // one so far
        const Event one = cell.read;
        if (joins && run_of(one) == actor.run && time_of(one) == actor.time &&
            agent_of(one) / max_agents == actor.agent / max_agents) {
            cell.read = actor.run << 32 | 1ull << agent_of(one) % max_agents | bit;
            cell.set_when(Cell::several | group << time_bits | actor.time);
            return true;
        }
        return run_of(one) != actor.run && device_of(one) == device_of(me) && ends_in_order && add_block(one);
    }
    if ((cell.when & Cell::several) != 0) {
        if (joins && cell.read >> 32 == actor.run && cell.when == (Cell::several | group << time_bits | actor.time)) {
            cell.read |= bit;
            return true;
        }
        if (unordered_among(cell, actor) == 0) return only(); // all of them are before: one is enough
        return cell.read >> 32 != actor.run && device_of(me) == static_cast<int>(cell.read >> 56) && ends_in_order &&
               add_block(event(cell.read >> 32, 0, 0, 0));
    }
    if ((cell.when & Cell::blocks) == 0) return false;
    if (actor.covers(cell.read)) return only();
    if (!ends_in_order) return false;
    if (device_of(cell.read) != device_of(me)) return false;
    cell.read = std::max(cell.read, me);
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
