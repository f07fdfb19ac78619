// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_STATE_HPP
#define AXE_SIM_AGENTS_STATE_HPP

#include <axe/sim/agents/cluster.hpp>
#include <axe/sim/agents/watching.hpp>
#include <axe/sim/memory/buffer.hpp>
#include <axe/sim/memory/edge_table.hpp>
#include <axe/sim/report/fault.hpp>
#include <axe/sim/report/pulse.hpp>

#include <map>
#include <memory>
#include <unordered_map>

namespace axe {
inline namespace v0 {
namespace sim {

/// What one instruction of the program has done so far on one device.
struct Tally {
    std::int64_t issues = 0, lanes_active = 0, lanes = 0, flops = 0, integer_ops = 0, link_bytes = 0;
    OperandTallies operands{};
    std::vector<std::int64_t> sent{}, received{}; ///< bytes, by the other device; empty: none

    Tally& operator+=(const Tally& other)
    {
        for (auto [mine, more] : {std::pair{&sent, &other.sent}, std::pair{&received, &other.received}}) {
            if (mine->size() < more->size()) mine->resize(more->size());
            for (std::size_t d = 0; d < more->size(); ++d) (*mine)[d] += (*more)[d];
        }
        issues += other.issues, lanes_active += other.lanes_active, lanes += other.lanes;
        flops += other.flops, integer_ops += other.integer_ops, link_bytes += other.link_bytes;
        operands += other.operands;
        return *this;
    }
    /// Bytes between this device and another one, of so many.
    void count_link(bool sends, int other, int devices, std::int64_t bytes)
    {
        auto& list = sends ? sent : received;
        if (list.empty()) list.resize(static_cast<std::size_t>(devices));
        list[static_cast<std::size_t>(other)] += bytes;
        link_bytes += bytes;
    }
};

/// The memory of one block in flight, which the next block takes over as it is.
struct BlockMemory {
    std::vector<Buffer> shared{};       ///< by tensor
    std::vector<Registers> registers{}; ///< by tensor
};

/// Memory that instructions work in and leave to the next, which needs about as much. A device runs one at a time.
struct Workspace {
    std::vector<float> left{}, right{}; ///< the operands of a matrix product
    std::vector<float*> sums{};         ///< where its results go
    /// What instructions have found out about an address, which holds for the whole run.
    std::map<std::pair<const void*, std::int64_t>, std::shared_ptr<const void>> found{};
};

/// An element was read that nothing had written. The run goes on for a while: a write of it that is not ordered with the read may come
/// yet, and then the two are a race; else the fault is the read.
struct EarlyRead {
    Fault fault{};
    std::int64_t steps = 0; ///< that agents have gone since
    static constexpr std::int64_t most_steps = 100'000;
    [[nodiscard]] bool found() const noexcept { return fault.found(); }
};

/// What runs blocks of a device, one after the other or in turns: the device itself, or one of several host threads. Its own memory,
/// and what its blocks have counted.
struct BlockWorker {
    std::vector<BlockMemory> slots{};               ///< one for each block in flight
    std::vector<std::vector<std::int64_t>> spare{}; ///< room for the program's variables, all 0, for an agent each
    std::vector<Tally> tallies{};                   ///< by instruction
    std::int64_t barriers = 0;
    std::vector<Shadow>
        shadows{}; ///< of a thread, by tensor: what its block does in the device's memory, over what was before the grid
    std::unordered_map<std::uint64_t, OperandTally> remembered{}; ///< of accesses that repeat
    KnownColumns known{};                                         ///< the same, of what is put together of them
    Watching watching{};
    Workspace workspace{};
    Pulse pulse{};
    Fault fault{};
    EarlyRead early{};

    /// The first fault stays, and an early read was before it.
    void note(Fault found)
    {
        if (fault.found()) return;
        fault = early.found() ? std::move(early.fault) : std::move(found);
        early = {};
    }
};

/// What a device has: its memory, that of its blocks in flight, and what it has counted.
struct DeviceState : BlockWorker {
    int number = 0;
    std::uint32_t runs = 0;                               ///< given out so far
    std::map<std::int64_t, std::int64_t> columns_taken{}; ///< of tensor memory, by multiprocessor
    Horizon horizon{};
    /// The grid that ran last: what was before it, and the run after its own. Of the one that runs, its first.
    struct LastGrid {
        std::uint32_t floor = 0, end = 0;
        OtherRuns others{}; ///< what was known of other devices before it
    };
    LastGrid last_grid{};
    DeviceState* devices = nullptr; ///< all of them, by number
    int device_count = 1;
    OtherRuns known{},
        learned{}; ///< of blocks of other devices: by those of the grid that runs when they start; by those that have ended
    OtherRuns after_wait{}; ///< and, of a dependent grid, from its wait on
    /// Grids that have run, where blocks of other devices may name theirs.
    struct RunOfGrid {
        std::uint32_t first = 0, count = 0;
        const Grid* grid = nullptr;
    };
    std::vector<RunOfGrid> grid_runs{};
    std::uint32_t first_run = 1;
    std::int64_t next_block = 0, all_blocks = 0,
                 cancelled = 0;   ///< of the grid that runs: the next to start; cancelled, and not yet counted
    std::vector<Buffer> global{}; ///< by tensor
    std::vector<std::unique_ptr<BlockWorker>> threads{}; ///< those that share its grids
    Flags flags{};                                       ///< of the grid that runs
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
