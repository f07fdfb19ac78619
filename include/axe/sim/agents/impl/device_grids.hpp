// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_DEVICE_GRIDS_HPP
#define AXE_SIM_AGENTS_IMPL_DEVICE_GRIDS_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/memory/words.hpp>
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

/// Blocks of one grid are not ordered among themselves, and come after all that the stream did before.
inline void System::begin_grid(int device, GridRun& run)
{
    Stream& s = streams_[static_cast<std::size_t>(device)];
    DeviceState& d = state(device);
    run.device = device;
    run.grid = &(*grids_)[static_cast<std::size_t>(code_->steps[static_cast<std::size_t>(s.pc)].item)];
    run.count = *volume(run.grid->grid->counts);
    if (Trace* const trace = compiled_->options.trace) trace->begin_grid(device, run.grid->statement, run.grid->grid->agents);
    auto& floor = d.horizon.floor[static_cast<std::size_t>(device)];
    // A dependent one knows no more than the grid before it did when it started.
    run.early = run.grid->grid->dependent && d.last_grid.end == d.runs + 1;
    d.first_run = d.runs + 1;
    floor = run.early ? d.last_grid.floor : d.first_run;
    d.last_grid.floor = floor;
    d.horizon.related = run.grid->related || compiled_->remote;
    if (!run.early && !compiled_->remote) d.flags.clear();
    if (!compiled_->remote || !full()) return;
    if (run.early)
        run.held_back = std::exchange(d.horizon.others, d.last_grid.others);
    else
        d.last_grid.others = d.horizon.others;
    d.known = d.horizon.told();
    d.after_wait = run.held_back;
    d.learned.clear();
    d.grid_runs.push_back({d.first_run, static_cast<std::uint32_t>(run.count), run.grid->grid});
}

inline void System::end_grid(GridRun& run)
{
    DeviceState& d = state(run.device);
    d.horizon.related = false;
    d.horizon.floor[static_cast<std::size_t>(run.device)] = d.last_grid.end = d.runs + 1;
    ++streams_[static_cast<std::size_t>(run.device)].pc;
    if (!compiled_->remote || !full()) return;
    d.horizon.others.join(run.held_back);
    d.horizon.others.join(d.learned);
    d.horizon.others.forget(d.horizon.floor);
}

inline bool System::run_grid(int device)
{
    GridRun run;
    begin_grid(device, run);
    const bool done = may_share(device, *run.grid) ? share_blocks(device, *run.grid) : run_blocks(run);
    if (Trace* const trace = compiled_->options.trace) trace->end_grid(device);
    if (done) end_grid(run);
    return done;
}

/// Blocks start in the order of their numbers, as many as may be in flight together, and then each in the place of one that is done.
/// Those in flight take turns. Blocks of a cluster start together, when all of the cluster before are done. Clusters that do not wait for
/// each other are in flight one at a time, as blocks are that do not.
inline bool System::run_blocks(GridRun& run)
{
    if (!start_blocks(run)) return false;
    for (;;) switch (advance_blocks(run)) {
        case Round::moved: break;
        case Round::stands: return stuck(run);
        case Round::done: return true;
        case Round::fault: return false;
        }
}

inline bool System::start_block(const GridRun& run, Block& block)
{
    DeviceState& d = state(run.device);
    if (d.runs >= max_run - 1) return fail(run.device, FaultKind::capacity, run.grid->statement, most_blocks_text());
    const std::vector<std::int64_t>& around = streams_[static_cast<std::size_t>(run.device)].vars;
    block.start(++d.runs, around, block_at(*run.grid->grid, d.next_block++));
    return true;
}

inline bool System::start_cluster(const GridRun& run, Cluster& cluster)
{
    cluster.start(run_id(run.device, state(run.device).runs + 1));
    return std::all_of(cluster.blocks.begin(), cluster.blocks.end(), [&](Block* b) { return start_block(run, *b); });
}

/// The first blocks, as many as are resident.
inline bool System::start_blocks(GridRun& run)
{
    DeviceState& d = state(run.device);
    const GridCode& grid = *run.grid;
    const RunOptions& options = compiled_->options;
    d.next_block = d.cancelled = 0;
    d.all_blocks = run.count;
    const bool clustered = !grid.grid->cluster.empty();
    const std::int64_t size = grid.together();
    run.turns.start(options.order, options.seed, run_id(run.device, d.runs));
    std::int64_t most = options.resident > 0 ? options.resident : grid.waits_for_others() ? grid.resident : 1;
    most = std::max<std::int64_t>(1, most / size) * size;
    const auto slots = static_cast<std::size_t>(std::min(run.count, most));
    run.clusters.resize(clustered ? slots / static_cast<std::size_t>(size) : 0);
    const std::size_t tensors = d.global.size();
    while (d.slots.size() < slots) d.slots.push_back({std::vector<Buffer>(tensors), std::vector<Registers>(tensors)});
    while (run.in_flight.size() < slots) {
        run.in_flight.push_back(std::make_unique<Block>(*compiled_, d, d, grid, static_cast<int>(run.in_flight.size())));
        Block& block = *run.in_flight.back();
        if (!clustered) {
            if (!start_block(run, block)) return false;
            continue;
        }
        const std::size_t number = run.in_flight.size() - 1, rank = number % static_cast<std::size_t>(size);
        Cluster& cluster = run.clusters[number / static_cast<std::size_t>(size)];
        cluster.blocks.push_back(&block);
        block.join(&cluster, static_cast<int>(rank));
        if (cluster.blocks.size() == static_cast<std::size_t>(size) && !start_cluster(run, cluster)) return false;
    }
    return true;
}

/// A turn of each block in flight.
inline System::Round System::advance_blocks(GridRun& run)
{
    DeviceState& d = state(run.device);
    const bool clustered = !run.grid->grid->cluster.empty();
    auto& in_flight = run.in_flight;
    bool moved = false;
    const int count_in_flight = static_cast<int>(in_flight.size());
    run.turns.next_round(in_flight.size());
    for (int turn = 0; turn < count_in_flight; ++turn) {
        Block& block = *in_flight[static_cast<std::size_t>(run.turns.agent(turn, count_in_flight))];
        if (block.is_done()) continue; // of a cluster that is not
        const Block::Progress progress = block.advance(compiled_->options.quantum);
        if (progress == Block::Progress::fault) return Round::fault;
        moved = moved || progress != Block::Progress::waits;
        if (progress != Block::Progress::done) continue;
        if (compiled_->remote && full()) block.tell(d.learned);
        if (!go_on(1 + std::exchange(d.cancelled, 0))) {
            fail(run.device, FaultKind::stopped, run.grid->statement, stopped_text());
            return Round::fault;
        }
        if (!clustered && d.next_block < run.count && !start_block(run, block)) return Round::fault;
    }
    const auto is_done = [](const auto& b) { return b->is_done(); };
    if (!clustered) in_flight.erase(std::remove_if(in_flight.begin(), in_flight.end(), is_done), in_flight.end());
    for (Cluster& cluster : run.clusters) {
        if (!std::all_of(cluster.blocks.begin(), cluster.blocks.end(), is_done)) continue;
        if (d.next_block < run.count && !start_cluster(run, cluster)) return Round::fault;
    }
    if (std::all_of(in_flight.begin(), in_flight.end(), is_done)) {
        if (!d.early.found() || compiled_->remote) return Round::done; // else nothing that wrote it was found
        d.note({});
        return Round::fault;
    }
    return moved ? Round::moved : Round::stands;
}

/// The block that started first of those that are not done.
inline Block* System::GridRun::first_waiting() const
{
    Block* first = nullptr;
    for (const auto& b : in_flight)
        if (!b->is_done() && (first == nullptr || b->run() < first->run())) first = b.get();
    return first;
}

/// The fault of a grid of which no block can go on. False.
inline bool System::stuck(const GridRun& run, const std::string& others)
{
    DeviceState& d = state(run.device);
    run.first_waiting()->stuck(others);
    if (d.next_block < run.count && !d.fault.waits.empty())
        d.fault.text += detail::worded("; blocks of the grid that have not started: {0}; {1} are resident, and none of them ends",
                                       {run.count - d.next_block, run.in_flight.size()});
    return false;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
