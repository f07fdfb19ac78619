// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_INSTRUCTIONS_PREPARE_HPP
#define AXE_SIM_INSTRUCTIONS_PREPARE_HPP

#include <axe/sim/block.hpp>
#include <axe/sim/resolve.hpp>

/// What the rows of the executor's table share.
namespace axe {
inline namespace v0 {
namespace sim {

/// What a row gets to make an instruction ready.
struct Preparation {
    const Compiled* compiled = nullptr;
    const Instruction* instruction = nullptr;
    int statement = -1;

    [[nodiscard]] std::string where() const
    {
        return compiled->program->name + ", statement " + std::to_string(statement) + ", " + instruction->opcode;
    }
    [[nodiscard]] Problem refuse(std::string sentence, errc code = errc::bad_argument) const { return {code, where() + ": " + std::move(sentence)}; }
    [[nodiscard]] const TensorPlan& plan(std::size_t operand) const
    {
        return compiled->plans[static_cast<std::size_t>(instruction->operands[operand].view.tensor)];
    }
    [[nodiscard]] bool full() const noexcept { return compiled->full(); }
};

using Prepared = Outcome<std::unique_ptr<Executable>>;

/// Resolves the operands of a SIMT instruction and checks that they go together.
inline Problem resolve_operands(const Preparation& p, Executable& e, std::size_t least, std::size_t most)
{
    const Instruction& instruction = *p.instruction;
    if (instruction.operands.size() < least || instruction.operands.size() > most)
        return p.refuse("it has " + std::to_string(instruction.operands.size()) + " operands, not " + std::to_string(least) +
                        (most > least ? " to " + std::to_string(most) : ""));
    e.instruction = &instruction;
    e.statement = p.statement;
    for (const Access& access : instruction.operands) {
        auto resolved = AccessResolver(*p.compiled->program, p.compiled->plans, instruction, access, p.where())();
        if (!resolved) return resolved.error();
        e.operands.push_back(std::move(*resolved));
    }
    const TensorPlan& target = *e.operands[0].plan;
    if (target.address.copies.size() > 1) {
        const bool writes_all = instruction.opcode == "move" || instruction.opcode == "fill" || instruction.opcode == "map";
        if (!writes_all || target.swizzle.bits > 0)
            return p.refuse(target.name() + " has " + std::to_string(target.address.copies.size()) + " copies of each element in one " +
                            target.tensor->memory + ", and the instruction writes one");
    }
    for (const LaneAccess& a : e.operands) {
        if (a.issues != e.operands[0].issues || a.lanes != e.operands[0].lanes)
            return p.refuse(a.plan->name() + " is taken in " + std::to_string(a.issues) + " issues by " + std::to_string(a.lanes) +
                            " lanes, the destination in " + std::to_string(e.operands[0].issues) + " by " + std::to_string(e.operands[0].lanes));
        if (a.lanes > 32) return p.refuse("an agent has at most 32 lanes, not " + std::to_string(a.lanes));
    }
    return {};
}

/// The places of each copy of what a destination has in one memory, or in one lane's registers, one after the other.
template <class Do>
bool for_each_copy(const LaneAccess& d, const Places& at, Do act)
{
    const auto& copies = d.plan->address.copies;
    for (const std::int64_t copy : copies) {
        Places here = at;
        here.base += (copy - copies.front()) * (d.in_registers() ? d.plan->lanes : 1);
        if (!act(here)) return false;
    }
    return true;
}

/// The same number of elements for each lane?
inline Problem same_vectors(const Preparation& p, const Executable& e)
{
    for (const LaneAccess& a : e.operands)
        if (a.vector != e.operands[0].vector)
            return p.refuse(a.plan->name() + " is taken " + std::to_string(a.vector) + " elements at a time, the destination " +
                            std::to_string(e.operands[0].vector));
    return {};
}

/// Copies n bytes, n known to be small and mostly a power of two.
inline void copy_bytes(std::byte* to, const std::byte* from, int n) noexcept
{
    switch (n) {
    case 1: std::memcpy(to, from, 1); return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    case 16: std::memcpy(to, from, 16); return;
    default: std::memcpy(to, from, static_cast<std::size_t>(n));
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
