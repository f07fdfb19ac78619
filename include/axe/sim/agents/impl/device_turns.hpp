// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_DEVICE_TURNS_HPP
#define AXE_SIM_AGENTS_IMPL_DEVICE_TURNS_HPP

#include <axe/sim/agents/device.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/trace.hpp>

/// Devices in turns, where their blocks access each other's memory.
namespace axe {
inline namespace v0 {
namespace sim {

/// The turns of devices are those of the run's order, as those of blocks and agents are. All is on one thread: whose turn it is does not
/// depend on the number of threads.
inline Fault System::run_in_turns()
{
    std::vector<std::unique_ptr<GridRun>> under_way(streams_.size());
    Trace* const trace = compiled_->options.trace;
    const auto ends = [&](std::size_t device) {
        if (trace != nullptr && under_way[device] != nullptr) trace->end_grid(static_cast<int>(device));
    };
    TurnOrder turns;
    turns.start(compiled_->options.order, compiled_->options.seed, 0);
    for (;;) {
        bool moved = false, all_done = true;
        turns.next_round(streams_.size());
        for (int turn = 0; turn < devices(); ++turn) {
            const int device = turns.agent(turn, devices());
            const auto at = static_cast<std::size_t>(device);
            if (!take_turn(device, under_way[at], moved)) {
                for (std::size_t d = 0; d < under_way.size(); ++d) ends(d);
                note_early_reads(0);
                return first_fault();
            }
            all_done = all_done && streams_[at].done;
        }
        note_early_reads(all_done ? 0 : EarlyRead::most_steps);
        if (const Fault f = first_fault(); all_done || f.found()) {
            for (std::size_t d = 0; d < under_way.size(); ++d) ends(d);
            return f;
        }
        if (release_devices() || moved) continue;
        for (std::size_t d = 0; d < under_way.size(); ++d) ends(d);
        note_early_reads(0);
        if (Fault f = first_fault(); f.found()) return f;
        return stuck_in_turns(under_way);
    }
}

/// What was read early, and so many steps ago, is a fault.
inline void System::note_early_reads(std::int64_t steps)
{
    for (DeviceState& d : *devices_)
        if (d.early.found() && (d.early.steps += 64) > steps) d.note({});
}

/// A turn of a device, which has `run` under way or null. False: it has a fault.
inline bool System::take_turn(int device, std::unique_ptr<GridRun>& run, bool& moved)
{
    const Stream& s = streams_[static_cast<std::size_t>(device)];
    if (run != nullptr) {
        const Round round = advance_blocks(*run);
        if (round == Round::fault) return false;
        moved = moved || round != Round::stands;
        if (round != Round::done) return true;
        if (Trace* const trace = compiled_->options.trace) trace->end_grid(device);
        end_grid(*run);
        run.reset();
        return true;
    }
    if (s.done || s.waits_at >= 0) return true;
    moved = true;
    bool has_grid = false;
    if (!advance(device, has_grid)) return false;
    if (!has_grid) return true;
    run = std::make_unique<GridRun>();
    begin_grid(device, *run);
    blocks_known_ += run->count;
    return start_blocks(*run);
}

/// No device can go on: what each waits for.
inline Fault System::stuck_in_turns(const std::vector<std::unique_ptr<GridRun>>& under_way)
{
    std::string others;
    const GridRun* first = nullptr;
    for (std::size_t d = 0; d < streams_.size(); ++d) {
        const Stream& s = streams_[d];
        if (under_way[d] != nullptr && first == nullptr)
            first = under_way[d].get();
        else if (under_way[d] != nullptr)
            others += "; " + under_way[d]->first_waiting()->waits();
        else
            others += "; " + device_stands_text(d, s.done ? -1 : code_->steps[static_cast<std::size_t>(s.waits_at)].statement);
    }
    if (first == nullptr) return stuck();
    stuck(*first, others);
    return state(first->device).fault;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
