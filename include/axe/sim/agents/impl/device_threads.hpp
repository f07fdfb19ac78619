// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_DEVICE_THREADS_HPP
#define AXE_SIM_AGENTS_IMPL_DEVICE_THREADS_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/tensor/host_memory.hpp>
#include <axe/tensor/threads.hpp>

#include <algorithm>
#include <atomic>
#include <map>

/// How the host's threads share the blocks of a grid.
namespace axe {
inline namespace v0 {
namespace sim {

/// work(0), work(1), … each once, on as many of the host's threads as there are to be, at most `tasks` and 256; fewer where the host has
/// no more. What one of them throws comes to the caller (tensor/threads.hpp).
template <class Work>
void side_by_side(int threads, std::int64_t tasks, Work work)
{
    std::atomic<int> next{0};
    run_on_threads(static_cast<int>(std::min<std::int64_t>({threads, tasks, 256})), [&] { work(next++); });
}

/// Blocks that are apart (independent.hpp) find the same whichever of them come before, if nothing else tells them: one device, whose
/// reads no other one has to be ordered with; one block in flight; nothing open that the device has started; no trace of who came first.
/// None of that depends on the number of threads.
///
/// Checks are done by each thread for itself: all that was before the grid is before its blocks, so what was written is all they need to
/// know of it; and what a block accesses no other one writes.
inline bool System::may_share(int device, const GridCode& grid) const
{
    const RunOptions& options = compiled_->options;
    const DeviceState& d = (*devices_)[static_cast<std::size_t>(device)];
    if (options.watch != nullptr || options.trace != nullptr || options.resident > 1) return false;
    if (!grid.independent || devices() > 1 || !d.horizon.open.empty()) return false;
    return *volume(grid.grid->counts) <= max_blocks - d.runs;
}

/// What the threads that share a grid know together. They take several blocks at a time, one after the other. What these have counted is
/// added in the order of blocks, up to the first one with a fault, which is the run's.
class SharedGrid {
  public:
    SharedGrid(DeviceState& device, const GridCode& grid, std::int64_t count, std::int64_t threads)
        : device_(&device),
          grid_(&grid),
          count_(count),
          taken_(std::clamp<std::int64_t>(count / (32 * threads), 1, 64)),
          faulty_(count)
    {
    }

    /// The first of the next blocks; −1 when none is left, or they would come after the one with a fault.
    std::int64_t take()
    {
        const std::int64_t block = taken_ * next_++;
        return block < count_ && is_wanted(block) ? block : -1;
    }
    /// The end of the blocks that are taken with this one.
    [[nodiscard]] std::int64_t end(std::int64_t first) const noexcept { return std::min(first + taken_, count_); }
    [[nodiscard]] bool is_wanted(std::int64_t block) const noexcept { return block <= faulty_; }
    /// The blocks from `first` to `last` have come to their ends, or the last one to its fault.
    void finish(std::int64_t first, std::int64_t last, BlockWorker& worker)
    {
        const std::lock_guard<std::mutex> one(lock_);
        if (worker.fault.found() && last < faulty_) {
            faulty_ = last;
            fault_ = worker.fault;
        }
        Counted counted{{}, worker.barriers};
        if (!worker.tallies.empty()) { // of the grid's own instructions
            const auto own = worker.tallies.begin() + grid_->first_index();
            counted.tallies.assign(own, own + static_cast<std::ptrdiff_t>(grid_->instructions.size()));
        }
        finished_[first] = std::move(counted);
        for (auto at = finished_.begin(); at != finished_.end() && at->first == added_;
             at = finished_.erase(at), added_ += taken_) {
            if (added_ > faulty_) continue;
            for (std::size_t i = 0; i < at->second.tallies.size(); ++i)
                if (at->second.tallies[i].issues > 0)
                    device_->tallies[static_cast<std::size_t>(grid_->first_index()) + i] += at->second.tallies[i];
            device_->barriers += at->second.barriers;
        }
    }
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

  private:
    struct Counted {
        std::vector<Tally> tallies{};
        std::int64_t barriers = 0;
    };
    DeviceState* device_;
    const GridCode* grid_;
    std::int64_t count_, taken_;                 ///< all; at a time
    std::atomic<std::int64_t> next_{0}, faulty_; ///< the first block with a fault so far
    std::mutex lock_{};
    std::int64_t added_ = 0;                     ///< what the blocks before have counted
    std::map<std::int64_t, Counted> finished_{}; ///< by the first block: those that wait for others before
    Fault fault_{};
};

inline bool System::share_blocks(int device, const GridCode& grid)
{
    DeviceState& d = state(device);
    const RunOptions& options = compiled_->options;
    const std::int64_t count = *volume(grid.grid->counts);
    const std::uint32_t before = d.runs;
    const std::int64_t threads = std::clamp<std::int64_t>(std::min<std::int64_t>(options.threads, count), 1, 256);
    SharedGrid shared(d, grid, count, threads);
    const std::vector<std::int64_t>& around = streams_[static_cast<std::size_t>(device)].vars;
    const auto run_one = [&](BlockWorker& worker, Block& block, std::int64_t number) {
        if (options.progress) worker.pulse = Pulse([this, &shared, number] { return shared.is_wanted(number) && go_on(0); });
        block.start(before + static_cast<std::uint32_t>(number) + 1, around, coordinate(grid.grid->counts, number));
        for (;;) {
            const Block::Progress progress = block.advance(options.quantum);
            if (progress == Block::Progress::waits) block.stuck();
            if (progress == Block::Progress::done && !go_on(1))
                worker.fault = {FaultKind::stopped, grid.statement, -1,
                                fault_statement_text(*compiled_->program, grid.statement) + ": " + stopped_text()};
            if (progress != Block::Progress::runs) return;
        }
    };
    const auto work = [&](int thread) {
        BlockWorker& worker = *d.threads[static_cast<std::size_t>(thread)];
        worker.fault = {};
        worker.early = {};
        std::int64_t first = shared.take(), number = first;
        if (first < 0) return;
        const auto ran = within_memory(compiled_->program->name, [&]() -> Result<void, Problem> {
            Block block(*compiled_, d, worker, grid, 0);
            for (; first >= 0; first = shared.take()) {
                if (worker.tallies.size() != d.tallies.size()) worker.tallies.assign(d.tallies.size(), Tally{});
                std::fill_n(worker.tallies.begin() + grid.first_index(), grid.instructions.size(), Tally{});
                worker.barriers = 0;
                number = first;
                for (const std::int64_t end = shared.end(first); number < end && shared.is_wanted(number); ++number) {
                    run_one(worker, block, number);
                    if (worker.fault.found()) break;
                    for (Shadow& own : worker.shadows)
                        if (own.exists()) own.settle();
                }
                shared.finish(first, number, worker);
                if (worker.fault.found()) return {};
            }
            return {};
        });
        if (ran.ok()) return;
        worker.fault = {FaultKind::capacity, grid.statement, -1, ran.error().text};
        shared.finish(first, number, worker);
    };
    while (d.threads.size() < static_cast<std::size_t>(threads)) {
        d.threads.push_back(std::make_unique<BlockWorker>());
        d.threads.back()->slots.push_back({std::vector<Buffer>(d.global.size()), std::vector<Registers>(d.global.size())});
        d.threads.back()->shadows.resize(d.global.size());
    }
    for (Buffer& buffer : d.global)
        if (buffer.shadow.exists()) buffer.shadow.settle();
    side_by_side(options.threads, count, work);
    d.runs = before + static_cast<std::uint32_t>(count);
    d.fault = shared.fault();
    return !d.fault.found();
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
