// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_PEER_HPP
#define AXE_SIM_OPCODES_PEER_HPP

#include <axe/sim/memory/box_copies.hpp>
#include <axe/sim/opcodes/opcode.hpp>

/// What instructions between devices share: whole views of global memory, accessed from any device.
namespace axe {
inline namespace v0 {
namespace sim {

/// Views of tensors in global memory.
inline Result<void, Problem> check_peer_operands(const Preparation& p, std::size_t operands)
{

    if (auto problem = check_count(p, operands, operands); !problem.ok()) return problem;
    for (std::size_t k = 0; k < operands; ++k) {
        const TensorPlan& plan = p.plan(k);
        if (plan.owner != Owner::device)
            return p.refuse("{0} is in {1}; outside blocks, a device cannot access that memory",
                            {plan.name(), plan.tensor->memory});
        if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
    }
    return {};
}

/// A device that runs an instruction on whole views now: its accesses, checked and counted.
class Peer {
  public:
    Peer(System& system, const DeviceExecutable& executable, int device)
        : system_(&system), executable_(&executable), device_(device), actor_(system.start_run(device, executable.index))
    {
    }

    [[nodiscard]] System& system() noexcept { return *system_; }
    [[nodiscard]] int device() const noexcept { return device_; }
    [[nodiscard]] const Actor& actor() const noexcept { return actor_; }
    [[nodiscard]] std::byte* data(const BoxSide& side, std::int64_t owner) { return buffer(side, owner).data; }

    /// Whose memory this device reads elements from: its own where a copy is there, else that of the nearest copy.
    [[nodiscard]] std::int64_t source_of(const BoxSide& side, const Stretch::At& at) const noexcept
    {
        return side.plan->device.nearest(at.device, device_);
    }
    /// The sides of an instruction's operand at the origin that this device's variables give.
    [[nodiscard]] BoxSide side(std::size_t operand) const
    {
        const View& view = executable_->instruction->operands[operand].view;
        return box_side(system_->compiled().plans[static_cast<std::size_t>(view.tensor)], view,
                        origin_of(view, system_->variables(device_)));
    }

    bool read(const BoxSide& side, std::int64_t owner, const Stretch& s, const Stretch::At& at)
    {
        watch(side, owner, s, at, false);
        return touch(side, owner, s.index, at, s.n, false);
    }
    /// All copies in the memory of one device.
    bool write(const BoxSide& side, std::int64_t owner, const Stretch& s, const Stretch::At& at)
    {
        watch(side, owner, s, at, true);
        return for_copies(*side.plan, at, s.n, [&](std::int64_t i, const Stretch::At& copy, std::int64_t n) {
            return touch(side, owner, s.index + i, copy, n, true);
        });
    }
    /// Before so many elements: false where the caller ends the run.
    bool goes_on(std::int64_t elements)
    {
        const auto weight = static_cast<int>(std::min<std::int64_t>(elements / 2 + 4, 1 << 20));
        return system_->state(device_).pulse.goes_on(weight) ||
               system_->fail(device_, FaultKind::stopped, executable_->statement, stopped_text());
    }
    /// A view that may not leave its tensor does.
    bool leaves(const BoxSide& side, const Stretch& s)
    {
        return system_->fail(device_, FaultKind::out_of_bounds, executable_->statement,
                             outside_text("device " + std::to_string(device_), side.element_text(s.index), *side.plan));
    }

    /// Bytes that an operand moves, which are in the memory of `owner`.
    void count(std::size_t operand, std::int64_t bytes, std::int64_t owner)
    {
        if (!system_->counting()) return;
        Tally& tally = system_->tally(*executable_, device_);
        tally.operands[operand].bytes += bytes;
        if (owner != device_) tally.count_link(operand == 0, static_cast<int>(owner), system_->devices(), bytes);
    }
    /// Bytes that the network between the devices makes of those of several.
    void count_network(std::int64_t bytes)
    {
        if (system_->counting()) system_->tally(*executable_, device_).link_bytes += bytes;
    }
    /// Bytes of D that are read before they are written.
    void count_read_back(std::int64_t bytes)
    {
        if (system_->counting()) system_->tally(*executable_, device_).operands[0].read_back += bytes;
    }
    void count_operations(std::int64_t n, bool in_integers)
    {
        if (!system_->counting()) return;
        Tally& tally = system_->tally(*executable_, device_);
        (in_integers ? tally.integer_ops : tally.flops) += n;
    }
    /// One more execution, which takes each of its operands once.
    void count_issue()
    {
        if (!system_->counting()) return;
        Tally& tally = system_->tally(*executable_, device_);
        ++tally.issues;
        for (std::size_t k = 0; k < executable_->instruction->operands.size(); ++k) ++tally.operands[k].requests;
    }

  private:
    void watch(const BoxSide& side, std::int64_t owner, const Stretch& s, const Stretch::At& at, bool writing)
    {
        const Watch* const watch = system_->compiled().options.watch;
        if (watch == nullptr || side.plan->name() != watch->tensor || !has_watched(*side.plan, *watch, s, at) ||
            !side.plan->device.holds(side.plan->device(watch->coordinate.items), owner))
            return;
        WatchedAccess access;
        access.statement = executable_->statement;
        access.instruction =
            executable_->instruction->text.empty() ? executable_->instruction->opcode : executable_->instruction->text;
        access.device = device_;
        access.memory = static_cast<int>(owner);
        const std::byte* element = data(side, owner) + watched_place(*side.plan, *watch, 0) * side.plan->width;
        Watching& watching = system_->state(device_).watching;
        writing ? watching.write(std::move(access), *side.plan, element)
                : watching.read(*watch, std::move(access), *side.plan, element);
    }
    Buffer& buffer(const BoxSide& side, std::int64_t owner)
    {
        return system_->state(static_cast<int>(owner)).global[static_cast<std::size_t>(side.tensor)];
    }
    bool touch(const BoxSide& side, std::int64_t owner, std::int64_t index, const Stretch::At& at, std::int64_t n, bool writing)
    {
        return touch_all(
            buffer(side, owner).shadow, *side.plan, at, n, writing, actor_, false, [&](std::int64_t i, const Conflict& found) {
                return system_->conflict(
                    device_, executable_->statement,
                    detail::worded("{0} on device {1} ({2})", {side.element_text(index + i), owner, side.plan->place_text(at(i))}),
                    writing, found);
            });
    }

    System* system_;
    const DeviceExecutable* executable_;
    int device_;
    Actor actor_;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
