// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_ORDER_HPP
#define AXE_SIM_MEMORY_ORDER_HPP

#include <axe/program/limits.hpp>
#include <axe/sim/memory/other_runs.hpp>
#include <axe/sim/memory/tensor_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// What is before what: events, what agents and devices know of each other's, and an agent as the one that touches memory now.
/// [FastTrack, Flanagan and Freund, PLDI 2009, with the barriers, warps and engines of hardware]
namespace axe {
inline namespace v0 {
namespace sim {

/// An event: (device, run, agent, lane, time) in one word, of 8, 24, 8, 6 and 18 bits. A *run* is one block of one grid, or one statement
/// of a device outside grids; runs of a device are numbered from 1 in the order they start. Within a run `agent` is a warp or an engine
/// (below), and time counts the agent's synchronizations, of an engine its groups or phases.
using Event = std::uint64_t;

inline constexpr int max_agents = most_agents;
inline constexpr int max_lanes = most_lanes;
inline constexpr int max_devices = most_devices;
inline constexpr std::uint32_t max_run = (1u << 24) - 1;
inline constexpr int time_bits = 18;
inline constexpr std::uint32_t max_time = (1u << time_bits) - 1;

/// The agents of a block as events number them: the warps; what copies for each warp, lane by lane (cp.async); then what accesses memory
/// through the asynchronous proxy: for each warp what reads the sources of its bulk groups, what writes their targets, and, of the first
/// one of a warpgroup, what multiplies for it, or, of each warp, its operations on tensor memory; and for each mbarrier what it
/// completes.      [PTX, Async proxy]
constexpr int engine_of(int agent) noexcept { return agent + max_agents; }
constexpr int bulk_source_of(int agent) noexcept { return agent + 2 * max_agents; }
constexpr int bulk_target_of(int agent) noexcept { return agent + 3 * max_agents; }
constexpr int products_of(int agent) noexcept { return agent + 4 * max_agents; }
inline constexpr int generic_agents = 2 * max_agents;
inline constexpr int first_completed = 5 * max_agents;
inline constexpr int max_event_agents = 256;
/// Who has the bytes of mbarriers that are placed in tensors: an event of it is before nothing. Its time is one more than the mbarrier.
inline constexpr int placed_mbarriers = max_event_agents - 1;
inline constexpr int max_mbarriers = placed_mbarriers - first_completed; ///< of a block, that complete asynchronous operations

constexpr Event event(std::uint64_t run_id, int agent, int lane, std::uint32_t time) noexcept
{
    return run_id << 32 | static_cast<std::uint64_t>(agent) << 24 | static_cast<std::uint64_t>(lane) << time_bits | time;
}
/// device and run in one number
constexpr std::uint64_t run_id(int device, std::uint32_t run) noexcept { return static_cast<std::uint64_t>(device) << 24 | run; }
constexpr std::uint64_t run_of(Event e) noexcept { return e >> 32; }
constexpr int device_of(Event e) noexcept { return static_cast<int>(e >> 56); }
constexpr int agent_of(Event e) noexcept { return static_cast<int>(e >> 24 & 255); }
constexpr int lane_of(Event e) noexcept { return static_cast<int>(e >> time_bits & 63); }
constexpr std::uint32_t time_of(Event e) noexcept { return static_cast<std::uint32_t>(e & max_time); }

/// Before everything: the run 0 of device 0, which is what inputs are written by.
inline constexpr Event given = event(0, 0, 0, 1);

/// What a device knows of the runs of all devices: those below `floor` have ended before, except the `open` ones, asynchronous
/// operations that no agent has waited for.
struct Horizon {
    std::vector<std::uint32_t> floor{}; ///< of each device
    std::vector<std::uint64_t> open{};
    OtherRuns others{};           ///< what its grids so far have been told of the blocks of other devices
    bool related = false;         ///< may blocks of the grid that runs know of each other? Then `Clock::others` says what
    bool reads_need_fence = true; ///< before an asynchronous write: of RunOptions

    [[nodiscard]] bool covers(Event e) const noexcept
    {
        const std::uint64_t run = run_of(e);
        const auto device = static_cast<std::size_t>(run >> 24);
        if (run != 0 && static_cast<std::uint32_t>(run & max_run) >= floor[device] && !has_been_told(e)) return false;
        return open.empty() || std::find(open.begin(), open.end(), run) == open.end();
    }
    [[nodiscard]] bool has_been_told(Event e) const noexcept
    {
        if (others.empty()) return false;
        if (others.has_ended(run_of(e))) return true;
        const OtherRuns::Entry* known = others.find(e >> 24);
        return known != nullptr && time_of(e) < known->time;
    }
    /// All of it, as an agent of a block is to know it that begins now. Of a device with open operations, what was before them.
    [[nodiscard]] OtherRuns told() const
    {
        OtherRuns out = others;
        for (std::size_t d = 0; d < floor.size(); ++d) {
            std::uint32_t ended = floor[d];
            for (const std::uint64_t run : open)
                if (run >> 24 == d) ended = std::min(ended, static_cast<std::uint32_t>(run & max_run));
            if (ended > 1) out.raise_ended(run_id(static_cast<int>(d), ended));
        }
        return out;
    }
};

/// What an agent knows of its block: events of agent a at times below known[a].
struct Clock {
    std::uint32_t time = 1;
    std::uint32_t known[max_event_agents]{};
    /// Of generic accesses: what the asynchronous operations know that the agent starts. A proxy fence makes it what the agent knows.
    std::uint32_t fenced[generic_agents]{};
    /// Of the agent's own engine: below this each lane knows of the copies it has started itself, as it has waited for them; all lanes
    /// know of them all when they have met.
    std::uint32_t waited = 0;
    OtherRuns others{};    ///< what it knows of other blocks of the grid
    TensorOrder tensors{}; ///< of operations on tensor memory

    /// The lanes of the agent, which is `agent`, meet.
    void meet(int agent) noexcept
    {
        auto& engine = known[engine_of(agent)];
        engine = std::max(engine, waited);
        ++time;
        tensors.turn();
    }
    void join(const Clock& other) noexcept
    {
        for (int a = 0; a < max_event_agents; ++a) known[a] = std::max(known[a], other.known[a]);
        for (int a = 0; a < generic_agents; ++a) fenced[a] = std::max(fenced[a], other.fenced[a]);
        others.join(other.others);
        tensors.join(other.tensors);
    }
    /// What it knows, of run `own`, to be told to agents of other runs.
    [[nodiscard]] OtherRuns told(std::uint64_t own) const
    {
        OtherRuns out = others;
        for (int a = 0; a < max_event_agents; ++a)
            if (known[a] > 0) out.raise({own << 8 | static_cast<std::uint64_t>(a), known[a], a < generic_agents ? fenced[a] : 0});
        return out;
    }
    /// An agent of run `own` is told what one of another run has known.
    void learn(std::uint64_t own, const OtherRuns& of)
    {
        others.join(of);
        for (const OtherRuns::Entry& e : of.entries()) {
            if (e.who >> 8 != own) continue;
            const auto a = static_cast<int>(e.who & 255);
            known[a] = std::max(known[a], e.time);
            if (a < generic_agents) fenced[a] = std::max(fenced[a], e.fenced);
        }
    }
    /// Takes over what agents that have met know.
    void take(const Clock& joined)
    {
        TensorOrder mine = std::move(tensors);
        *this = joined;
        mine.meet(joined.tensors);
        tensors = std::move(mine);
    }
    /// The agent, which is `agent`, has its lanes meet and makes what it knows visible to the asynchronous proxy.
    void fence(int agent) noexcept
    {
        meet(agent);
        for (int a = 0; a < generic_agents; ++a) fenced[a] = std::max(fenced[a], known[a]);
        fenced[agent] = time;
        others.fence();
    }
};

/// Someone who touches memory now.
struct Actor {
    std::uint64_t run = 0;
    int agent = 0; ///< in events: a warp, or an engine
    std::uint32_t time = 1;
    const Clock* clock = nullptr; ///< of the agent, or of the one that started the engine; null outside blocks
    const Horizon* horizon = nullptr;
    std::uint32_t issuer_time = 0; ///< of an engine: the time of the agent that started it
    std::uint32_t access = 0;      ///< which statement it is, by its number among those that access memory
    int issuer = -1;               ///< of an engine: the agent that started it
    std::uint64_t home = 0;        ///< the run of the clock, where the engine is another block's; 0: `run`
    bool ordinary = false;         ///< of an engine: it accesses memory as agents do, and not through the asynchronous proxy
    std::uint64_t first_mate = 0;  ///< of a block in a cluster: the runs of its blocks follow each other from here
    std::uint32_t mates = 0;       ///< and are so many
    int in = -1;                   ///< the rank of the block whose memory it accesses; −1: as the operand says
    int tensor = 0;                ///< in tensor memory: its role, which its events have for a lane; 0: elsewhere

    [[nodiscard]] Event at(int lane) const noexcept { return event(run, agent, lane, time); }
    /// Does it access memory through the asynchronous proxy? Then generic accesses are before it only where a proxy fence lies between.
    [[nodiscard]] bool is_async() const noexcept { return agent >= generic_agents && !ordinary; }
    [[nodiscard]] std::uint64_t known_run() const noexcept { return home != 0 ? home : run; }
    /// Is what the run has written in the memory of a block there for this one?
    [[nodiscard]] bool shares_memory_with(std::uint64_t other) const noexcept { return other == run || other - first_mate < mates; }
    /// The number of an agent among those of the cluster, as what orders operations on tensor memory has it.
    [[nodiscard]] int in_tensors(std::uint64_t of, int number) const noexcept
    {
        return number + (mates == 0 ? 0 : static_cast<int>(of - first_mate) * max_agents);
    }
    /// Of an event of another run than the clock's: did it happen before?
    [[nodiscard]] bool covers(Event e) const noexcept
    {
        if (horizon->covers(e)) return true;
        if (!horizon->related || clock == nullptr) return false;
        if (clock->others.has_ended(run_of(e))) return true;
        const OtherRuns::Entry* known = clock->others.find(e >> 24);
        return known != nullptr && time_of(e) < (is_async() && agent_of(e) < generic_agents ? known->fenced : known->time);
    }
    /// Events of agent a of this run at times below are before what the actor does now, whichever the lanes.
    [[nodiscard]] std::uint32_t bound(int a) const noexcept
    {
        if (tensor != 0) return 0; // it depends on what each event is of
        if (a == agent && a < max_agents) return time;
        if (clock == nullptr) return ~std::uint32_t{0};
        if (is_async()) return a < generic_agents ? clock->fenced[a] : clock->known[a];
        return a == issuer ? issuer_time : clock->known[a];
    }
    /// The same of reads, which what the actor writes now is to come after.
    [[nodiscard]] std::uint32_t read_bound(int a) const noexcept
    {
        if (!is_async() || a >= generic_agents || horizon->reads_need_fence) return bound(a);
        return a == issuer ? ~std::uint32_t{0} : clock->known[a];
    }
    [[nodiscard]] bool after_read(Event e, int lane) const noexcept
    {
        return after(e, lane) || (tensor == 0 && is_async() && !horizon->reads_need_fence && lacks_fence(e));
    }
    /// Did the event happen before what this lane does now?
    [[nodiscard]] bool after(Event e, int lane) const noexcept
    {
        if (tensor != 0 && shares_memory_with(run_of(e)))
            return clock->tensors.is_before(in_tensors(run_of(e), agent_of(e) - products_of(0)), lane_of(e), time_of(e),
                                            in_tensors(run, issuer), tensor);
        if (run_of(e) != known_run()) return covers(e);
        const int a = agent_of(e);
        if (time_of(e) < bound(a)) return true;
        if (is_async() || lane_of(e) != lane) return false;
        if (a == issuer || (a == agent && a < max_agents)) return true;
        return clock != nullptr && a >= max_agents && a < generic_agents && (a == agent || a == engine_of(agent)) &&
               time_of(e) < clock->waited;
    }
    /// Of an event that is not before: would it be, with a proxy fence between?
    [[nodiscard]] bool lacks_fence(Event e) const noexcept
    {
        const int a = agent_of(e);
        if (tensor != 0)
            return shares_memory_with(run_of(e)) &&
                   clock->tensors.lacks_fence(in_tensors(run_of(e), a - products_of(0)), lane_of(e), time_of(e), tensor);
        if (!is_async() || a >= generic_agents) return false;
        if (run_of(e) == known_run()) return a == issuer || time_of(e) < clock->known[a];
        const OtherRuns::Entry* known = horizon->related && clock != nullptr ? clock->others.find(e >> 24) : nullptr;
        return known != nullptr && time_of(e) < known->time;
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
