// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_DEVICE_GRIDS_HPP
#define AXE_SIM_AGENTS_IMPL_DEVICE_GRIDS_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/report/trace.hpp>

#include <algorithm>

/// How a device goes through the blocks of a grid.
namespace axe {
inline namespace v0 {
namespace sim {

/// So many blocks more are done: does the caller want the others? Asked from several threads, one at a time.
inline bool System::go_on(std::int64_t more)
{
    if (!compiled_->options.progress) return true;
    const std::lock_guard<std::mutex> one(asking_);
    blocks_done_ += more;
    stopped_ = stopped_ || !compiled_->options.progress(blocks_done_, blocks_known_);
    return !stopped_;
}

inline bool System::run_grid(int device)
{
    Stream& s = streams_[static_cast<std::size_t>(device)];
    DeviceState& d = state(device);
    const GridCode& grid = (*grids_)[static_cast<std::size_t>(code_->steps[static_cast<std::size_t>(s.pc)].item)];
    Trace* const trace = compiled_->options.trace;
    if (trace != nullptr) trace->begin_grid(device, grid.statement, grid.grid->agents);
    // Blocks of one grid are not ordered among themselves, and come after all that the stream did before.
    auto& floor = d.horizon.floor[static_cast<std::size_t>(device)];
    // A dependent one knows no more than the grid before it did when it started.
    const bool early = grid.grid->dependent && d.last_grid.end == d.runs + 1;
    d.first_run = d.runs + 1;
    floor = early ? d.last_grid.floor : d.first_run;
    d.last_grid.floor = floor;
    d.horizon.related = grid.related;
    if (!early) d.flags.clear();
    const bool done = may_share(device, grid) ? share_blocks(device, grid) : run_blocks(device, grid);
    d.horizon.related = false;
    if (trace != nullptr) trace->end_grid(device);
    if (!done) return false;
    floor = d.last_grid.end = d.runs + 1;
    ++s.pc;
    return true;
}

/// Blocks start in the order of their numbers, as many as may be in flight together, and then each in the place of one that is done.
/// Those in flight take turns. Blocks of a cluster start together, when all of the cluster before are done.
inline bool System::run_blocks(int device, const GridCode& grid)
{
    DeviceState& d = state(device);
    const RunOptions& options = compiled_->options;
    const std::int64_t count = *volume(grid.grid->counts);
    std::int64_t& started = d.next_block;
    started = d.cancelled = 0;
    d.all_blocks = count;
    const std::vector<std::int64_t>& around = streams_[static_cast<std::size_t>(device)].vars;
    const bool clustered = !grid.grid->cluster.empty();
    const std::int64_t size = clustered ? *volume(grid.grid->cluster) : 1;
    const auto start = [&](Block& block) {
        if (d.runs >= max_run - 1) return fail(device, FaultKind::capacity, grid.statement, most_blocks_text());
        block.start(++d.runs, around, block_at(*grid.grid, started++));
        return true;
    };
    TurnOrder turns;
    turns.start(options.order, options.seed, run_id(device, d.runs));
    std::vector<std::unique_ptr<Block>> in_flight; // asynchronous operations know their block by its address
    std::int64_t most = options.resident > 0 ? options.resident : grid.related ? grid.resident : 1;
    most = std::max<std::int64_t>(1, most / size) * size;
    const auto slots = static_cast<std::size_t>(std::min(count, most));
    std::vector<Cluster> clusters(clustered ? slots / static_cast<std::size_t>(size) : 0);
    const auto start_cluster = [&](Cluster& cluster) {
        cluster.first = run_id(device, d.runs + 1);
        cluster.phases = 0;
        cluster.told.clear(), cluster.complete.clear();
        return std::all_of(cluster.blocks.begin(), cluster.blocks.end(), [&](Block* b) { return start(*b); });
    };
    const std::size_t tensors = d.global.size();
    while (d.slots.size() < slots) d.slots.push_back({std::vector<Buffer>(tensors), std::vector<Registers>(tensors)});
    while (in_flight.size() < slots) {
        in_flight.push_back(std::make_unique<Block>(*compiled_, d, d, grid, static_cast<int>(in_flight.size())));
        if (!clustered) {
            if (!start(*in_flight.back())) return false;
            continue;
        }
        const std::size_t number = in_flight.size() - 1, rank = number % static_cast<std::size_t>(size);
        Cluster& cluster = clusters[number / static_cast<std::size_t>(size)];
        cluster.blocks.push_back(in_flight.back().get());
        in_flight.back()->join(&cluster, static_cast<int>(rank));
        if (cluster.blocks.size() == static_cast<std::size_t>(size) && !start_cluster(cluster)) return false;
    }
    while (!in_flight.empty()) {
        bool moved = false;
        const int count_in_flight = static_cast<int>(in_flight.size());
        turns.next_round(in_flight.size());
        for (int turn = 0; turn < count_in_flight; ++turn) {
            Block& block = *in_flight[static_cast<std::size_t>(turns.agent(turn, count_in_flight))];
            if (block.is_done()) continue; // of a cluster that is not
            const Block::Progress progress = block.advance(options.quantum);
            if (progress == Block::Progress::fault) return false;
            moved = moved || progress != Block::Progress::waits;
            if (progress != Block::Progress::done) continue;
            if (!go_on(1 + std::exchange(d.cancelled, 0))) return fail(device, FaultKind::stopped, grid.statement, stopped_text());
            if (!clustered && started < count && !start(block)) return false;
        }
        if (!clustered)
            in_flight.erase(std::remove_if(in_flight.begin(), in_flight.end(), [](const auto& b) { return b->is_done(); }),
                            in_flight.end());
        for (Cluster& cluster : clusters) {
            if (!std::all_of(cluster.blocks.begin(), cluster.blocks.end(), [](const Block* b) { return b->is_done(); })) continue;
            if (started < count && !start_cluster(cluster)) return false;
        }
        if (clustered && std::all_of(in_flight.begin(), in_flight.end(), [](const auto& b) { return b->is_done(); })) return true;
        if (moved) continue;
        Block* first = nullptr;
        for (const auto& b : in_flight)
            if (!b->is_done() && (first == nullptr || b->run() < first->run())) first = b.get();
        first->stuck();
        if (started < count)
            d.fault.text +=
                detail::worded("; blocks of the grid that have not started: {0}; {1} are resident, and none of them ends",
                               {count - started, in_flight.size()});
        return false;
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
