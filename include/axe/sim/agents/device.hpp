// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_DEVICE_HPP
#define AXE_SIM_AGENTS_DEVICE_HPP

#include <axe/sim/agents/block.hpp>

#include <mutex>

namespace axe {
inline namespace v0 {
namespace sim {

class System;

/// An instruction outside grids, which each device runs for itself, on whole views. Immutable while a run goes on.
struct DeviceExecutable {
    const Instruction* instruction = nullptr;
    int statement = -1;
    int index = 0;

    DeviceExecutable() = default;
    DeviceExecutable(const DeviceExecutable&) = delete;
    DeviceExecutable& operator=(const DeviceExecutable&) = delete;
    virtual ~DeviceExecutable() = default;
    /// False: the device has a fault.
    virtual bool run(System& system, int device) const = 0;
};

/// The position of a device in the code outside grids.
struct Stream {
    int pc = 0;
    bool done = false;
    int waits_at = -1; ///< the step of a barrier of devices
    std::int64_t steps = 0;
    std::vector<std::int64_t> vars{};
    std::vector<double> scalars{};
    struct Group {
        std::vector<std::uint32_t> runs{}; ///< of asynchronous instructions, open until waited for
        std::vector<std::function<bool()>> finish{};
        int statement = -1; ///< of the first of them
    };
    std::vector<Group> groups{1};
};

/// All devices of a run, and the code they go through outside grids.
///
/// Devices advance in rounds: each goes to its next grid or barrier, what comes before being done on the way, in the order of devices;
/// then they run their grids, which access no memory but the device's own, side by side on the host's threads; of a single device, blocks
/// that access nothing in common. So results do not depend on the number of threads.
///
/// Where blocks access the memory of other devices, devices take turns: in each, one goes to its next grid or barrier, or its blocks in
/// flight have a turn each. So a block may wait for what a block of another device does, in both directions.
class System {
  public:
    System(const Compiled& compiled, const Code& code, const std::vector<GridCode>& grids,
           const std::vector<std::unique_ptr<DeviceExecutable>>& instructions, std::vector<DeviceState>& devices)
        : compiled_(&compiled),
          code_(&code),
          grids_(&grids),
          instructions_(&instructions),
          devices_(&devices),
          streams_(devices.size())
    {
        for (std::size_t d = 0; d < devices.size(); ++d) {
            streams_[d].vars.assign(compiled.program->variables.size(), 0);
            if (compiled.program->device.id >= 0)
                streams_[d].vars[static_cast<std::size_t>(compiled.program->device.id)] = static_cast<std::int64_t>(d);
            for (const Scalar& s : compiled.program->scalars) streams_[d].scalars.push_back(s.initial);
            if (compiled.options.progress) devices[d].pulse = Pulse([this] { return go_on(0); });
        }
    }

    /// To the end, or to the first fault.
    Fault run();

    // ---- for instructions -----------------------------------------------------------------------------------------------------
    [[nodiscard]] const Compiled& compiled() const noexcept { return *compiled_; }
    [[nodiscard]] DeviceState& state(int device) { return (*devices_)[static_cast<std::size_t>(device)]; }
    [[nodiscard]] int devices() const noexcept { return static_cast<int>(devices_->size()); }
    [[nodiscard]] const std::vector<std::int64_t>& variables(int device) const
    {
        return streams_[static_cast<std::size_t>(device)].vars;
    }
    [[nodiscard]] Tally& tally(const DeviceExecutable& e, int device)
    {
        return state(device).tallies[static_cast<std::size_t>(e.index)];
    }
    [[nodiscard]] bool full() const noexcept { return compiled_->full(); }
    [[nodiscard]] bool counting() const noexcept { return compiled_->options.counters; }
    /// A device as an accessor of memory, in a separate run that begins now.
    Actor start_run(int device, int index);
    /// The run goes on by itself until the device waits for its group.
    void leave_open(int device, const Actor& actor, std::function<bool()> finish);
    bool fail(int device, FaultKind kind, int statement, std::string text, int other = -1);
    /// The fault of an access that conflicts with another one; `what` names the element.
    bool conflict(int device, int statement, const std::string& what, bool writing, const Conflict& found);

  private:
    /// A grid that is under way on a device.
    struct GridRun {
        int device = 0;
        const GridCode* grid = nullptr;
        std::int64_t count = 0; ///< of its blocks
        bool early = false;     ///< it depends on the grid before, which it may run beside
        OtherRuns held_back{};  ///< of an early one: what the device knows that it does not
        TurnOrder turns{};
        std::vector<std::unique_ptr<Block>> in_flight{}; ///< asynchronous operations know their block by its address
        std::vector<Cluster> clusters{};

        [[nodiscard]] Block* first_waiting() const;
    };
    enum class Round : std::uint8_t { moved, stands, done, fault };

    bool advance(int device, bool& has_grid);
    bool run_instruction(const DeviceExecutable& e, int device);
    bool run_grid(int device);
    void begin_grid(int device, GridRun& run);
    void end_grid(GridRun& run);
    bool start_block(const GridRun& run, Block& block);
    bool start_cluster(const GridRun& run, Cluster& cluster);
    bool start_blocks(GridRun& run);
    Round advance_blocks(GridRun& run);
    bool stuck(const GridRun& run, const std::string& others = {});
    bool run_blocks(GridRun& run);
    Fault run_in_turns();
    bool take_turn(int device, std::unique_ptr<GridRun>& run, bool& moved);
    Fault stuck_in_turns(const std::vector<std::unique_ptr<GridRun>>& under_way);
    [[nodiscard]] bool may_share(int device, const GridCode& grid) const;
    bool share_blocks(int device, const GridCode& grid);
    bool go_on(std::int64_t more);
    bool release_devices();
    Fault first_fault() const;
    void note_early_reads(std::int64_t steps);
    Fault stuck() const;
    bool wait_groups(int device, int pending);
    bool test(const Expression& e, int device, int statement, double& value);

    const Compiled* compiled_;
    const Code* code_;
    const std::vector<GridCode>* grids_;
    const std::vector<std::unique_ptr<DeviceExecutable>>* instructions_;
    std::vector<DeviceState>* devices_;
    std::vector<Stream> streams_{};
    std::int64_t blocks_done_ = 0, blocks_known_ = 0;
    bool stopped_ = false;
    std::mutex asking_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/agents/impl/device_grids.hpp>
#  include <axe/sim/agents/impl/device_run.hpp>
#  include <axe/sim/agents/impl/device_threads.hpp>
#  include <axe/sim/agents/impl/device_turns.hpp>
#endif

#endif
