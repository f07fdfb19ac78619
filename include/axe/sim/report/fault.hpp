// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_FAULT_HPP
#define AXE_SIM_REPORT_FAULT_HPP

#include <axe/sim/report/run_order.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What a run can find wrong with a program.
enum class FaultKind : std::uint8_t {
    none,
    out_of_bounds,    ///< an element outside its tensor
    wrong_owner,      ///< a lane accesses another lane's register, a block another device's memory
    misaligned,       ///< a vector that is not aligned to its bytes, or is cut by the tensor's edge
    capacity,         ///< more memory than the owner has
    uninitialized,    ///< an element read that no agent wrote
    race,             ///< two accesses, one of them a write, that nothing orders
    divergence,       ///< agents that wait at different barriers for each other, or for one that has ended
    deadlock,         ///< agents that wait for what no agent will do
    async_source,     ///< what an asynchronous operation reads changed between its start and its end
    async_unfinished, ///< the block ended before its asynchronous operations
    replica,          ///< copies of one element that differ
    transaction,      ///< bytes or phases of an mbarrier that do not fit
    lifetime,         ///< another block's memory accessed before it has started or when it may have ended
    proxy,            ///< ordinary and asynchronous accesses that are ordered, but have no proxy fence between them
    arithmetic,       ///< an index that is not a number, a division by 0
    undeclared,       ///< a function of C++ does what it does not declare
    endless,          ///< more steps than the run was given
    stopped,          ///< the caller asked to stop
};

constexpr const char* name(FaultKind kind) noexcept
{
    switch (kind) {
    case FaultKind::none: return "none";
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::wrong_owner: return "wrong owner";
    case FaultKind::misaligned: return "misaligned";
    case FaultKind::capacity: return "capacity";
    case FaultKind::uninitialized: return "uninitialized";
    case FaultKind::race: return "race";
    case FaultKind::divergence: return "barrier divergence";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::async_source: return "asynchronous source";
    case FaultKind::async_unfinished: return "asynchronous operation unfinished";
    case FaultKind::replica: return "replicas differ";
    case FaultKind::transaction: return "transaction";
    case FaultKind::lifetime: return "lifetime";
    case FaultKind::proxy: return "proxy fence missing";
    case FaultKind::arithmetic: return "arithmetic";
    case FaultKind::undeclared: return "undeclared access";
    case FaultKind::endless: return "endless";
    case FaultKind::stopped: return "stopped";
    }
    return "?";
}

/// The first thing a run found wrong. The run stops there.
struct Fault {
    FaultKind kind = FaultKind::none;
    int statement = -1;
    int other_statement = -1; ///< of a race: where the other access is
    std::string text{};       ///< statement, agents, element by its logical coordinate and its place
    std::vector<int> waits{}; ///< of agents that cannot continue: the statements where they wait
    /// The statements that the text names, a line each: number, role, text, line of C++.      [fault_lines.hpp]
    std::vector<std::string> lines{};
    [[nodiscard]] bool found() const noexcept { return kind != FaultKind::none; }
    /// The text, and the lines below it.
    [[nodiscard]] std::string message() const
    {
        std::string out = text;
        for (const std::string& line : lines) out += "\n  " + line;
        return out;
    }
};

class Trace;
struct Watch;

/// With all checks, or as fast as the semantics allow: then only memory safety is left of them.
enum class Level : std::uint8_t { full, fast };

/// Steps after which an agent is taken to go on for ever: some seconds of one that spins.
inline constexpr std::int64_t default_steps = 100'000'000;

struct RunOptions {
    Level level = Level::full;
    int threads = 1; ///< host threads, at most 256: for devices, or for independent blocks or clusters. Results do not depend on it
    bool counters = true;                    ///< what each instruction does is counted; false saves the time
    std::int64_t most_steps = default_steps; ///< of one agent of one block, and of one device outside grids; 0: no limit
    /// Blocks of a grid in flight on a device, which take turns; a cluster is so as a whole. 0: one after the other, or, where they may wait
    /// for each other, as many as the machine holds.
    int resident = 0;
    std::int64_t quantum = 0;         ///< steps that an agent goes before the next one has its turn; 0: until it waits
    RunOrder order = RunOrder::issue; ///< of agents, and of what asynchronous operations do; see run_order.hpp
    std::uint64_t seed = 0;           ///< of RunOrder::random
    bool reads_need_fence = true; ///< a proxy fence, before an asynchronous write of what they have read; false accepts it without
    /// Called for each block and some 50 times a second with blocks done and blocks that the devices have come to so far, by one thread
    /// at a time; false stops the run.
    std::function<bool(std::int64_t, std::int64_t)> progress{};
    Trace* trace = nullptr;       ///< where to note each instruction, if anywhere; see trace.hpp
    const Watch* watch = nullptr; ///< an element whose accesses to report, if any; see watch.hpp
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
