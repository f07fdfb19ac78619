// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_TRACE_HPP
#define AXE_SIM_REPORT_TRACE_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/ends_by.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// What a run did, instruction by instruction, for viewers of traces.
namespace axe {
inline namespace v0 {
namespace sim {

/// Collects what the agents of a run issue: set `RunOptions::trace` to one, run, and write `json`. The caller owns it.
///
/// Time is logical: a tick is one issue of the agent, and an agent that waits (at a barrier, for an mbarrier's phase) goes on when
/// the last of those that it waits for is there. Blocks of a device follow each other, as they are run: each begins where the one before it in its
/// slot ends. Nothing here says how long a machine takes.
/// What is recorded of a run without a fault does not depend on the number of threads.
class Trace {
  public:
    enum class Kind : std::uint8_t { instruction, wait, grid };
    /// Something on a device from tick `begin` on, `length` ticks long.
    struct Event {
        Kind kind = Kind::instruction;
        int agent = -1; ///< of the block; −1: the device itself, outside blocks
        int block = -1; ///< of the grid, row-major
        int slot = 0;   ///< of the device, among those for blocks in flight
        int item = -1;  ///< of an instruction: place in `items`
        int statement = -1;
        std::int64_t begin = 0, length = 0;
    };
    /// An instruction of the program.
    struct Item {
        int statement = -1;
        int issues = 1; ///< each time an agent executes it
        std::string opcode{}, text{};
        std::vector<int> tensors{}; ///< of its operands, the destination first
    };

    /// Asynchronous operations of an agent that one thing completes, a phase of an mbarrier or the end of a group, from the first one's issue to
    /// the earliest wait that sees them complete, or, of bulk copies from shared memory, their sources read. They may be complete sooner: no clock
    /// says when.
    struct Flight {
        int agent = -1, block = -1, statement = -1; ///< of the first
        int operations = 0;
        std::int64_t begin = 0, end = -1; ///< −1: no wait has seen it
    };

    /// @param most_events to be kept, the devices having equal shares of it; of each device the first ones are kept
    explicit Trace(std::int64_t most_events = 200'000) : most_(most_events) {}

    [[nodiscard]] int devices() const noexcept { return static_cast<int>(tracks_.size()); }
    [[nodiscard]] const std::vector<Event>& events(int device) const { return at(device).events; }
    [[nodiscard]] const std::vector<Flight>& flights(int device) const { return at(device).flights; }
    [[nodiscard]] const std::vector<Item>& items() const noexcept { return items_; }
    /// How many events there was no room for.
    [[nodiscard]] std::int64_t left_out() const noexcept
    {
        std::int64_t sum = 0;
        for (const Track& t : tracks_) sum += t.left_out;
        return sum;
    }

    /// The trace as JSON in Google's Trace Event Format, which Perfetto and chrome://tracing open: a device is a process, an agent a
    /// thread, the device's stream thread 0, and a tick a microsecond. `otherData` says what a tick is, what the statements are, and
    /// what was left out.
    ///
    /// @param program the one that was run
    [[nodiscard]] std::string json(const Program& program) const;

    // ---- for the simulator -----------------------------------------------------------------------------------------------------
    void start(int devices, std::vector<Item> items)
    {
        items_ = std::move(items);
        tracks_.assign(static_cast<std::size_t>(devices), {});
    }
    void begin_grid(int device, int statement, int agents)
    {
        Track& t = at(device);
        t.agents = agents;
        t.grid = t.events.size();
        t.grid_begin = t.now;
        t.blocks = 0;
        t.flags.clear();
        t.grid_kept = keep(t, {Kind::grid, -1, -1, 0, -1, statement, t.now, 0});
    }
    /// The next block of the grid begins, in a slot whose last block has ended.
    void begin_block(int device, int slot)
    {
        Track& t = at(device);
        if (t.slots.size() <= static_cast<std::size_t>(slot)) t.slots.resize(static_cast<std::size_t>(slot) + 1);
        Slot& s = t.slots[static_cast<std::size_t>(slot)];
        s.ticks.resize(static_cast<std::size_t>(t.agents), t.grid_begin);
        s.began.assign(static_cast<std::size_t>(t.agents), 0);
        std::fill(s.ticks.begin(), s.ticks.end(), *std::max_element(s.ticks.begin(), s.ticks.end()));
        s.block = t.blocks++;
        s.phases.clear();
        s.open.clear();
    }
    void end_grid(int device)
    {
        Track& t = at(device);
        for (const Slot& s : t.slots) t.now = std::max(t.now, *std::max_element(s.ticks.begin(), s.ticks.end()));
        t.slots.clear();
        if (t.grid_kept) t.events[t.grid].length = t.now - t.grid_begin;
    }
    /// @param agent of the block in that slot
    void instruction(int device, int slot, int agent, int item)
    {
        Track& t = at(device);
        Slot& s = t.slots[static_cast<std::size_t>(slot)];
        s.began[static_cast<std::size_t>(agent)] = s.ticks[static_cast<std::size_t>(agent)];
        issue(t, agent, s.block, slot, item, s.ticks[static_cast<std::size_t>(agent)]);
    }
    /// The same of the device itself.
    void instruction(int device, int item) { issue(at(device), -1, -1, 0, item, at(device).now); }
    /// Those of the block's agents that `members` tests true for have met.
    template <class Members>
    void meet(int device, int slot, int statement, const Members& members)
    {
        Track& t = at(device);
        const auto& ticks = t.slots[static_cast<std::size_t>(slot)].ticks;
        std::int64_t last = 0;
        for (std::size_t i = 0; i < ticks.size(); ++i)
            if (members.test(i)) last = std::max(last, ticks[i]);
        for (std::size_t i = 0; i < ticks.size(); ++i)
            if (members.test(i)) wait(t, slot, static_cast<int>(i), statement, last);
    }
    template <class Members>
    void meet_devices(int statement, const Members& members)
    {
        std::int64_t last = 0;
        for (std::size_t d = 0; d < tracks_.size(); ++d)
            if (members.test(d)) last = std::max(last, tracks_[d].now);
        for (std::size_t d = 0; d < tracks_.size(); ++d)
            if (members.test(d)) waits(tracks_[d], -1, -1, 0, statement, tracks_[d].now, last);
    }
    void arrive(int device, int slot, int agent, int mbarrier)
    {
        Slot& s = at(device).slots[static_cast<std::size_t>(slot)];
        Phase& p = s.phases[mbarrier];
        p.arrived = std::max(p.arrived, s.ticks[static_cast<std::size_t>(agent)]);
    }
    void complete(int device, int slot, int mbarrier)
    {
        Phase& p = at(device).slots[static_cast<std::size_t>(slot)].phases[mbarrier];
        p.complete = std::max(p.complete, p.arrived);
    }
    /// @param phase that the wait has seen complete
    void pass(int device, int slot, int agent, int mbarrier, int statement, std::int64_t phase)
    {
        Track& t = at(device);
        Slot& s = t.slots[static_cast<std::size_t>(slot)];
        const std::int64_t tick = std::max(s.ticks[static_cast<std::size_t>(agent)], s.phases[mbarrier].complete);
        end_flights(t, s.open[{EndsBy::phase, mbarrier}], tick, [&](std::int64_t number) { return number == phase; });
        wait(t, slot, agent, statement, tick);
    }
    /// The instruction that the agent is in goes on by itself until `ending`, of the block in slot `counter`. Where that is a phase, the agent
    /// takes one tick to issue it, and it goes on for as many as its issues are.
    void start_flight(int device, int slot, int agent, int item, int counter, const Ending& ending)
    {
        Track& t = at(device);
        Slot &s = t.slots[static_cast<std::size_t>(slot)], &c = t.slots[static_cast<std::size_t>(counter)];
        const std::int64_t begin = s.began[static_cast<std::size_t>(agent)];
        const Item& i = items_[static_cast<std::size_t>(item)];
        if (ending.by == EndsBy::phase) {
            s.ticks[static_cast<std::size_t>(agent)] = begin + 1;
            if (!t.events.empty())
                if (Event& e = t.events.back(); e.item == item && e.slot == slot && e.agent == agent && e.begin == begin)
                    e.length = 1;
            c.phases[ending.of].arrived = std::max(c.phases[ending.of].arrived, begin + std::max(1, i.issues));
        }
        std::vector<Open>& open = opened(c, ending);
        for (std::size_t k = open.size(); k-- > 0;) {
            if (ending.by != EndsBy::phase && open[k].number != ending.number) break; // an agent's groups follow each other
            if (Flight& f = t.flights[open[k].flight]; open[k].number == ending.number && f.block == s.block && f.agent == agent) {
                ++f.operations;
                return;
            }
        }
        if (static_cast<std::int64_t>(t.flights.size()) >= most_ / std::max(devices(), 1)) return;
        open.push_back({t.flights.size(), ending.number});
        t.flights.push_back({agent, s.block, i.statement, 1, begin, -1});
    }
    /// A wait of the agent shows that all is complete that `last` ends, up to its number.
    void see(int device, int slot, int agent, const Ending& last)
    {
        Track& t = at(device);
        Slot& s = t.slots[static_cast<std::size_t>(slot)];
        const auto open = s.open.find({last.by, last.of});
        if (open == s.open.end()) return;
        end_flights(t, open->second, s.ticks[static_cast<std::size_t>(agent)],
                    [&](std::int64_t number) { return number <= last.number; });
        std::erase_if(open->second, [&](const Open& o) { return o.number <= last.number; });
    }
    /// What `last` would end, up to its number, a phase of an mbarrier of the block in slot `counter` ends as well.
    void hand_on(int device, int slot, const Ending& last, int counter, int mbarrier, std::int64_t phase)
    {
        Track& t = at(device);
        const auto from = t.slots[static_cast<std::size_t>(slot)].open.find({last.by, last.of});
        if (from == t.slots[static_cast<std::size_t>(slot)].open.end()) return;
        std::erase_if(from->second, [&](const Open& o) { return t.flights[o.flight].end >= 0; });
        const std::vector<Open> still = from->second;
        std::vector<Open>& to = opened(t.slots[static_cast<std::size_t>(counter)], {EndsBy::phase, mbarrier, phase});
        for (const Open& o : still)
            if (o.number <= last.number) to.push_back({o.flight, phase});
    }

    /// An agent has written a flag, an element of a tensor at that place; an agent has waited for it.
    void write_flag(int device, int slot, int agent, int owner, int tensor, std::int64_t place)
    {
        const Track& t = at(device);
        std::int64_t& written = at(owner).flags[{tensor, place}];
        written = std::max(written, t.slots[static_cast<std::size_t>(slot)].ticks[static_cast<std::size_t>(agent)]);
    }
    void see_flag(int device, int slot, int agent, int owner, int tensor, std::int64_t place, int statement)
    {
        Track& t = at(device);
        const std::int64_t now = t.slots[static_cast<std::size_t>(slot)].ticks[static_cast<std::size_t>(agent)];
        wait(t, slot, agent, statement, std::max(now, at(owner).flags[{tensor, place}]));
    }

  private:
    struct Phase {
        std::int64_t arrived = 0, complete = 0;
    };
    struct Open {
        std::size_t flight = 0;
        std::int64_t number = 0;
    };
    /// A block in flight.
    struct Slot {
        std::vector<std::int64_t> ticks{}, began{}; ///< of its agents: now, and when the last instruction began
        int block = -1;
        std::unordered_map<int, Phase> phases{};
        std::map<std::pair<EndsBy, int>, std::vector<Open>>
            open{}; ///< by what ends it; of an mbarrier, what completes in the present phase and the one before
    };
    /// Of one device; touched by one thread at a time.
    struct Track {
        std::vector<Event> events{};
        std::vector<Flight> flights{};
        std::int64_t left_out = 0;
        std::int64_t now = 0; ///< of the stream; in a grid, where that began
        std::vector<Slot> slots{};
        std::map<std::pair<int, std::int64_t>, std::int64_t> flags{}; ///< of the grid: the last write of each
        int agents = 0, blocks = 0;                                   ///< of the grid: agents of a block, blocks that have begun
        std::size_t grid = 0;
        std::int64_t grid_begin = 0;
        bool grid_kept = false;
    };

    Track& at(int device) { return tracks_[static_cast<std::size_t>(device)]; }
    [[nodiscard]] const Track& at(int device) const { return tracks_[static_cast<std::size_t>(device)]; }
    /// What has the same end, or one before or after it.
    static std::vector<Open>& opened(Slot& s, const Ending& ending)
    {
        std::vector<Open>& open = s.open[{ending.by, ending.of}];
        if (ending.by == EndsBy::phase)
            std::erase_if(open, [&](const Open& o) { return o.number + 1 < ending.number; }); // no wait sees them any more
        return open;
    }
    template <class IsSeen>
    static void end_flights(Track& t, const std::vector<Open>& open, std::int64_t tick, const IsSeen& is_seen)
    {
        for (const Open& o : open)
            if (std::int64_t& end = t.flights[o.flight].end; is_seen(o.number)) end = end < 0 ? tick : std::min(end, tick);
    }
    bool keep(Track& t, const Event& e)
    {
        const bool room = static_cast<std::int64_t>(t.events.size()) < most_ / std::max(devices(), 1);
        if (room)
            t.events.push_back(e);
        else
            ++t.left_out;
        return room;
    }
    void issue(Track& t, int agent, int block, int slot, int item, std::int64_t& tick)
    {
        const Item& i = items_[static_cast<std::size_t>(item)];
        keep(t, {Kind::instruction, agent, block, slot, item, i.statement, tick, i.issues});
        tick += i.issues;
    }
    void waits(Track& t, int agent, int block, int slot, int statement, std::int64_t& tick, std::int64_t until)
    {
        keep(t, {Kind::wait, agent, block, slot, -1, statement, tick, until - tick});
        tick = until;
    }
    void wait(Track& t, int slot, int agent, int statement, std::int64_t until)
    {
        Slot& s = t.slots[static_cast<std::size_t>(slot)];
        waits(t, agent, s.block, slot, statement, s.ticks[static_cast<std::size_t>(agent)], until);
    }

    std::int64_t most_;
    std::vector<Item> items_{};
    std::vector<Track> tracks_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/trace.hpp>
#endif

#endif
