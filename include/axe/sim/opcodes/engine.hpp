// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_ENGINE_HPP
#define AXE_SIM_OPCODES_ENGINE_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/memory/box_copies.hpp>
#include <axe/sim/opcodes/opcode.hpp>

/// What instructions share that one agent of a block runs on whole views: engines, and DMA.
namespace axe {
inline namespace v0 {
namespace sim {

/// Views of tensors in memories. `engines` asks for memories of the block, the only ones that engines can access.
inline Result<void, Problem> check_boxes(const Preparation& p, Executable& e, std::size_t least, std::size_t most, bool engines)
{
    const Instruction& instruction = *p.instruction;
    if (auto problem = check_count(p, least, most); !problem.ok()) return problem;
    if (instruction.agents != 1) return p.refuse("it runs on {0} agents; it must run on one", {instruction.agents});
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
        const TensorPlan& plan = p.plan(k);
        if (plan.owner == Owner::lane || (engines && plan.owner == Owner::device))
            return p.refuse("{0} is in {1}, a memory that this engine cannot access", {plan.name(), plan.tensor->memory});
        if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
    }
    e.instruction = &instruction;
    e.statement = p.statement;
    return {};
}

/// A number of the machine. The problem of one that does not say it.
inline Result<std::int64_t, Problem> machine_limit(const Preparation& p, const char* name)
{
    const Machine& machine = p.compiled->program->machine;
    if (const Limit* found = find_limit(machine, name)) return found->value;
    return p.refuse(no_limit_text(machine, name));
}

/// An agent that runs an instruction on whole views now: its accesses, checked and counted.
class Engine {
  public:
    /// @param later the accesses are those of an asynchronous operation of the agent
    Engine(Block& block, const Executable& executable, int agent, bool later = false)
        : block_(&block),
          executable_(&executable),
          agent_(agent),
          actor_(later ? block.engine(agent, executable.index) : block.actor(agent, executable.index))
    {
        const std::vector<Access>& operands = executable.instruction->operands;
        const auto moved = [&](const Access& o) {
            return o.view.tensor == operands[0].view.tensor && !(o.view == operands[0].view);
        };
        if (block.full() && !later && std::any_of(operands.begin() + 1, operands.end(), moved))
            in_place_ = &block.in_place(agent, executable);
    }

    [[nodiscard]] BoxSide side(std::size_t operand) const
    {
        const View& view = executable_->instruction->operands[operand].view;
        return box_side(block_->plan(view.tensor), view, origin(operand));
    }
    [[nodiscard]] std::vector<std::int64_t> origin(std::size_t operand) const
    {
        return origin_of(executable_->instruction->operands[operand].view, block_->variables(agent_));
    }
    [[nodiscard]] std::byte* data(const BoxSide& side) { return block_->buffer(*side.plan, side.tensor).data; }

    /// Is the element this block's device's, and inside its tensor? `is_there` is false where a guarded view has nothing.
    bool reach(const BoxSide& side, const Stretch& s, const Stretch::At& at, bool& is_there)
    {
        is_there = at.inside;
        if (!at.inside)
            return side.view->guarded || block_->fail(FaultKind::out_of_bounds, executable_->statement,
                                                      outside_text(who(), side.element_text(s.index), *side.plan));
        if (side.plan->owner != Owner::device || side.is_on(at.device, block_->device())) return true;
        return block_->fail(FaultKind::wrong_owner, executable_->statement,
                            elsewhere_text(who(), side.element_text(s.index), at.device, block_->device()));
    }
    bool read(const BoxSide& side, const Stretch& s, const Stretch::At& at)
    {
        watch(side, s, at, false);
        return touch(side, s.index, at, s.n, false);
    }
    /// All copies.
    bool write(const BoxSide& side, const Stretch& s, const Stretch::At& at)
    {
        watch(side, s, at, true);
        if (!block_->full()) return true;
        return for_copies(*side.plan, at, s.n, [&](std::int64_t i, const Stretch::At& copy, std::int64_t n) {
            return touch(side, s.index + i, copy, n, true);
        });
    }
    /// An element, written to all its copies.
    void store(const BoxSide& side, std::int64_t place, std::uint64_t bits)
    {
        const TensorPlan& plan = *side.plan;
        for (const std::int64_t copy : plan.address.copies)
            store_bits(data(side) + plan.copy_place(place, copy - plan.address.copies.front()) * plan.width, bits, plan.width);
    }
    /// An operator in place takes elements as they were before it: none is read that it has written. Of a stretch of which element i is
    /// read and then written, one after the other.
    ///
    /// @param reads, writes which of the two the stretch is for
    bool is_unwritten(const BoxSide* sides, std::size_t count, const Stretch& s, const bool* is_there, bool reads = true,
                      bool writes = true)
    {
        if (in_place_ == nullptr) return true;
        for (std::int64_t i = 0; i < s.n; ++i) {
            for (std::size_t k = 1; reads && k < count; ++k)
                if (is_there[k] && sides[k].tensor == sides[0].tensor && in_place_->written.contains(s.at[k](i)))
                    return refuse(FaultKind::race, written_before_text(placed_text(who(), sides[k].element_text(s.index + i),
                                                                                   sides[k].plan->place_text(s.at[k](i)))));
            if (writes) in_place_->written.insert(s.at[0](i));
        }
        return true;
    }
    bool refuse(FaultKind kind, std::string text) { return block_->fail(kind, executable_->statement, std::move(text)); }
    [[nodiscard]] std::string who() const { return agent_text(agent_); }
    [[nodiscard]] bool full() const noexcept { return block_->full(); }

    void count_issue()
    {
        if (block_->counting()) ++block_->tally(*executable_).issues;
    }
    void count(std::size_t operand, std::int64_t requests, std::int64_t bytes)
    {
        if (!block_->counting()) return;
        OperandTally& tally = block_->tally(*executable_).operands[operand];
        tally.requests += requests;
        tally.bytes += bytes;
    }
    void count_read_back(std::int64_t bytes, std::size_t operand = 0)
    {
        if (block_->counting()) block_->tally(*executable_).operands[operand].read_back += bytes;
    }
    void count_operations(std::int64_t n, bool in_integers)
    {
        if (!block_->counting()) return;
        Tally& tally = block_->tally(*executable_);
        (in_integers ? tally.integer_ops : tally.flops) += n;
    }

  private:
    void watch(const BoxSide& side, const Stretch& s, const Stretch::At& at, bool writing)
    {
        if (block_->is_watched(*side.plan) && has_watched(*side.plan, *block_->watch_of_run(), s, at))
            block_->watch(executable_, executable_->statement, *side.plan, side.tensor, agent_, -1, writing);
    }
    bool touch(const BoxSide& side, std::int64_t index, const Stretch::At& at, std::int64_t n, bool writing)
    {
        return touch_all(block_->shadow(*side.plan, side.tensor), *side.plan, at, n, writing, actor_,
                         side.plan->owner == Owner::block, [&](std::int64_t i, const Conflict& found) {
                             return block_->conflict(executable_->statement,
                                                     placed_text(who(), side.element_text(index + i), side.plan->place_text(at(i))),
                                                     writing, found, &actor_);
                         });
    }

    Block* block_;
    const Executable* executable_;
    int agent_;
    Actor actor_;
    detail_block::InPlace* in_place_ = nullptr; ///< of an instruction that reads other elements of the tensor that it writes
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
