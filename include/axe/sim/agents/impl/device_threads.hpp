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

/// How the host's threads share the blocks of a grid, or its clusters.
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
/// None of that depends on the number of threads. The same is true of clusters, of which one is in flight.
///
/// Checks are done by each thread for itself: all that was before the grid is before its blocks, so what was written is all they need to
/// know of it; and what a block accesses no other one writes, if not one of its cluster, which is on the same thread.
inline bool System::may_share(int device, const GridCode& grid) const
{
    const RunOptions& options = compiled_->options;
    const DeviceState& d = (*devices_)[static_cast<std::size_t>(device)];
    if (options.watch != nullptr || options.trace != nullptr || options.resident > 1) return false;
    if (!grid.independent || devices() > 1 || !d.horizon.open.empty()) return false;
    return *volume(grid.grid->counts) <= max_blocks - d.runs;
}

/// What the threads that share a grid know together. They take several blocks at a time, one after the other. What these have counted is
/// added in the order of blocks, up to the first one with a fault, which is the run's. A cluster counts as one block here.
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

/// Blocks that run together on a thread: those of a cluster, or one.
struct Together {
    std::vector<std::unique_ptr<Block>> blocks{};
    Cluster cluster{};
    TurnOrder turns{};

    /// A turn of each, and how many have come to their ends in it. `waits`: none can go on, and none will.
    Block::Progress advance(std::int64_t quantum, int& ended)
    {
        const int count = static_cast<int>(blocks.size());
        bool moved = false;
        ended = 0;
        turns.next_round(blocks.size());
        for (int turn = 0; turn < count; ++turn) {
            Block& block = *blocks[static_cast<std::size_t>(turns.agent(turn, count))];
            if (block.is_done()) continue;
            const Block::Progress progress = block.advance(quantum);
            if (progress == Block::Progress::fault) return progress;
            moved = moved || progress != Block::Progress::waits;
            ended += progress == Block::Progress::done ? 1 : 0;
        }
        if (first_waiting() == nullptr) return Block::Progress::done;
        return moved ? Block::Progress::runs : Block::Progress::waits;
    }
    /// The first of those that are not done; null: all are.
    [[nodiscard]] Block* first_waiting() const
    {
        for (const auto& b : blocks)
            if (!b->is_done()) return b.get();
        return nullptr;
    }
};

inline bool System::share_blocks(int device, const GridCode& grid)
{
    DeviceState& d = state(device);
    const RunOptions& options = compiled_->options;
    const std::int64_t size = grid.together(), count = *volume(grid.grid->counts) / size;
    const bool clustered = !grid.grid->cluster.empty();
    const std::uint32_t before = d.runs;
    const std::int64_t threads = std::clamp<std::int64_t>(std::min<std::int64_t>(options.threads, count), 1, 256);
    SharedGrid shared(d, grid, count, threads);
    const std::vector<std::int64_t>& around = streams_[static_cast<std::size_t>(device)].vars;
    const auto run_one = [&](BlockWorker& worker, Together& some, std::int64_t number) {
        if (options.progress) worker.pulse = Pulse([this, &shared, number] { return shared.is_wanted(number) && go_on(0); });
        std::int64_t block = number * size;
        const auto run_of = [&] { return before + static_cast<std::uint32_t>(block) + 1; };
        some.cluster.start(run_id(device, run_of()));
        some.turns.start(options.order, options.seed, some.cluster.first);
        for (const auto& b : some.blocks) {
            b->start(run_of(), around, block_at(*grid.grid, block));
            ++block;
        }
        for (int ended = 0;;) {
            const Block::Progress progress = some.advance(options.quantum, ended);
            if (progress == Block::Progress::fault) return;
            for (; ended > 0; --ended) {
                if (go_on(1)) continue;
                worker.fault = {FaultKind::stopped, grid.statement, -1,
                                fault_statement_text(*compiled_->program, grid.statement) + ": " + stopped_text()};
                return;
            }
            if (progress == Block::Progress::waits) some.first_waiting()->stuck();
            // What a block of a cluster has read early, another one of it might have written later.
            if (progress == Block::Progress::done && worker.early.found()) worker.note({});
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
            Together some;
            for (int slot = 0; slot < size; ++slot) {
                some.blocks.push_back(std::make_unique<Block>(*compiled_, d, worker, grid, slot));
                if (!clustered) continue;
                some.cluster.blocks.push_back(some.blocks.back().get());
                some.blocks.back()->join(&some.cluster, slot);
            }
            for (; first >= 0; first = shared.take()) {
                if (worker.tallies.size() != d.tallies.size()) worker.tallies.assign(d.tallies.size(), Tally{});
                std::fill_n(worker.tallies.begin() + grid.first_index(), grid.instructions.size(), Tally{});
                worker.barriers = 0;
                number = first;
                for (const std::int64_t end = shared.end(first); number < end && shared.is_wanted(number); ++number) {
                    run_one(worker, some, number);
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
        d.threads.back()->shadows.resize(d.global.size());
    }
    for (const auto& worker : d.threads)
        while (worker->slots.size() < static_cast<std::size_t>(size))
            worker->slots.push_back({std::vector<Buffer>(d.global.size()), std::vector<Registers>(d.global.size())});
    for (Buffer& buffer : d.global)
        if (buffer.shadow.exists()) buffer.shadow.settle();
    side_by_side(options.threads, count, work);
    d.runs = before + static_cast<std::uint32_t>(count * size);
    d.fault = shared.fault();
    return !d.fault.found();
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
