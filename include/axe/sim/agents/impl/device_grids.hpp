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
    floor = d.runs + 1;
    const bool done = may_share(device, grid) ? share_blocks(device, grid) : run_blocks(device, grid);
    if (trace != nullptr) trace->end_grid(device);
    if (!done) return false;
    floor = d.runs + 1;
    ++s.pc;
    return true;
}

/// Blocks start in the order of their numbers, as many as may be in flight together, and then each in the place of one that is done.
/// Those in flight take turns.
inline bool System::run_blocks(int device, const GridCode& grid)
{
    DeviceState& d = state(device);
    const RunOptions& options = compiled_->options;
    const std::int64_t count = *volume(grid.grid->counts);
    std::int64_t started = 0;
    const std::vector<std::int64_t>& around = streams_[static_cast<std::size_t>(device)].vars;
    const auto start = [&](Block& block) {
        if (d.runs >= max_run - 1) return fail(device, FaultKind::capacity, grid.statement, most_blocks_text());
        block.start(++d.runs, around, coordinate(grid.grid->counts, started++));
        return true;
    };
    std::vector<std::unique_ptr<Block>> in_flight; // asynchronous operations know their block by its address
    const auto slots = static_cast<std::size_t>(std::min<std::int64_t>(count, options.resident));
    const std::size_t tensors = d.global.size();
    while (d.slots.size() < slots) d.slots.push_back({std::vector<Buffer>(tensors), std::vector<Registers>(tensors)});
    while (in_flight.size() < slots) {
        in_flight.push_back(std::make_unique<Block>(*compiled_, d, d, grid, static_cast<int>(in_flight.size())));
        if (!start(*in_flight.back())) return false;
    }
    while (!in_flight.empty()) {
        bool moved = false;
        for (std::size_t i = 0; i < in_flight.size();) {
            const Block::Progress progress = in_flight[i]->advance(options.quantum);
            if (progress == Block::Progress::fault) return false;
            moved = moved || progress != Block::Progress::waits;
            if (progress != Block::Progress::done) {
                ++i;
                continue;
            }
            if (!go_on(1)) return fail(device, FaultKind::stopped, grid.statement, stopped_text());
            if (started == count)
                in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(i));
            else if (!start(*in_flight[i++]))
                return false;
        }
        if (moved) continue;
        const auto first = [](const auto& a, const auto& b) { return a->run() < b->run(); };
        return (*std::min_element(in_flight.begin(), in_flight.end(), first))->stuck();
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
