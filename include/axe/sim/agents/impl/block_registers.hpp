// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_REGISTERS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_REGISTERS_HPP

#include <axe/program/agent_role.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/agents/register_needs.hpp>

/// How many registers the threads of a block have, and the pool that they share.      [PTX, setmaxnreg]
namespace axe {
inline namespace v0 {
namespace sim {

inline void Block::start_registers()
{
    const std::int64_t start = grid_->registers.start;
    registers_.shares.assign(start > 0 ? agents_.size() : 0, {start, {}});
    registers_.statements.assign(registers_.shares.size(), {});
    registers_.free = 0;
}

/// Do the agent's tensors that are in use at the step fit so many registers of a thread?
inline bool Block::fits_registers(int number, int pc, std::int64_t count)
{
    const auto agent = static_cast<std::size_t>(number), step = static_cast<std::size_t>(pc);
    const std::int64_t needed = grid_->registers.needs[step * agents_.size() + agent];
    if (needed <= count) return true;
    std::vector<std::string> each;
    for (const RegisterUse& use : register_uses(*compiled_->program, compiled_->plans))
        if (use.is_live(grid_->registers.positions[step], agent))
            each.push_back(use.plan->name() + " " + std::to_string(use.registers));
    return fail(FaultKind::capacity, grid_->code.steps[step].statement,
                detail::worded("tensors take {0} registers of each thread of agent {1} here, which has {2}: {3}",
                               {needed, number, count, detail::capped(each, ", ")}));
}

/// The agents of a warpgroup change their registers in the same statements, and each knows that the others have before it does so again.
inline bool Block::follows_its_group(int number, std::size_t change, int statement)
{
    const int warps = warpgroup_agents(compiled_->program->machine), first = number / warps * warps;
    std::vector<int>& done = registers_.statements[static_cast<std::size_t>(first)];
    if (change == done.size()) done.push_back(statement);
    if (done[change] != statement)
        return fail(FaultKind::divergence, statement,
                    detail::worded("agent {0} changes its registers here; another agent of its warpgroup has in statement {1}",
                                   {number, done[change]}),
                    done[change]);
    if (change == 0 || !full()) return true;
    for (int i = first; i < std::min(first + warps, static_cast<int>(agents_.size())); ++i) {
        const auto& changed = registers_.shares[static_cast<std::size_t>(i)].changed;
        if (i == number ||
            (changed.size() >= change && agents_[static_cast<std::size_t>(number)].clock.known[i] > changed[change - 1]))
            continue;
        return fail(
            FaultKind::divergence, statement,
            detail::worded(
                "agent {0} changes its registers again; nothing orders this after agent {1} has changed its own in statement {2}",
                {number, i, done[change - 1]}),
            done[change - 1]);
    }
    return true;
}

/// The agent gives registers back, or takes more, for which it may have to wait. False: the block has a fault.
inline bool Block::change_registers(int number, const RegisterCount& r, int statement, bool& blocked)
{
    RegisterPool::Share& share = registers_.shares[static_cast<std::size_t>(number)];
    if (!follows_its_group(number, share.changed.size(), statement)) return false;
    const bool less = r.action == RegisterCount::Action::decrease;
    if (less ? r.registers > share.count : r.registers < share.count)
        return fail(
            FaultKind::capacity, statement,
            detail::worded(less ? "agent {0} has {1} registers for each thread; a decrease is to at most as many, not to {2}"
                                : "agent {0} has {1} registers for each thread; an increase is to at least as many, not to {2}",
                           {number, share.count, r.registers}));
    if (less && full() && !fits_registers(number, agents_[static_cast<std::size_t>(number)].pc, r.registers)) return false;
    const std::int64_t more = (r.registers - share.count) * std::max<std::int64_t>(1, levels_of(compiled_->program->machine).lanes);
    blocked = more > registers_.free;
    if (blocked) return true;
    registers_.free -= more;
    share.count = r.registers;
    share.changed.push_back(agents_[static_cast<std::size_t>(number)].clock.time);
    return true;
}

/// Of a block that ends: have all agents of each warpgroup changed their registers in the same statements?
inline bool Block::ends_registers()
{
    const int warps = warpgroup_agents(compiled_->program->machine);
    for (std::size_t i = 0; i < registers_.shares.size(); ++i) {
        const std::vector<int>& done = registers_.statements[i / static_cast<std::size_t>(warps) * static_cast<std::size_t>(warps)];
        const std::size_t changes = registers_.shares[i].changed.size();
        if (changes < done.size())
            return fail(
                FaultKind::divergence, done[changes],
                detail::worded("the block ends, and agent {0} has not changed its registers here, as others of its warpgroup have",
                               {i}));
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
