// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_NAMED_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_NAMED_HPP

#include <axe/sim/agents/block.hpp>

/// The named barriers of a block.      [PTX, bar]
namespace axe {
inline namespace v0 {
namespace sim {

/// An agent that has come before comes again after a wait, its own or one that it knows of, has seen the barrier complete since. Otherwise
/// it would depend on the order of agents for which of the two it counts.
inline bool Block::is_in_step(const Named& n, int id, int agent, int statement)
{
    const auto last = n.came.find(agent);
    if (!full() || last == n.came.end()) return true;
    const Clock& clock = agents_[static_cast<std::size_t>(agent)].clock;
    for (auto seen = n.seen.rbegin(); seen != n.seen.rend() && seen->use >= last->second.first; ++seen)
        if (seen->agent == agent || seen->time < clock.known[seen->agent]) return true;
    return fail(FaultKind::divergence, statement,
                detail::worded("agent {0} comes to named barrier {1} again; no wait has seen it complete since statement {2}",
                               {agent, id, last->second.second}),
                last->second.second);
}

/// An agent comes. Where it waits, `at_named` is set, until the last one has come and takes all of them one step on.
inline bool Block::named_barrier(Agent& a, int number, const NamedBarrier& b, int statement)
{
    Named& n = named_[b.id];
    const std::int64_t lanes = levels_of(compiled_->program->machine).lanes;
    if (const std::string wrong = named_barrier_problem(b, n, number, lanes); !wrong.empty())
        return fail(FaultKind::divergence, statement, wrong);
    if (!is_in_step(n, b.id, number, statement)) return false;
    const std::int64_t use = n.completed;
    n.came[number] = {use, statement};
    n.threads = b.threads;
    a.clock.meet(number);
    if (full()) {
        n.clock.join(a.clock);
        n.clock.known[number] = std::max(n.clock.known[number], a.clock.time);
    }
    a.at_named = b.action == NamedBarrier::Action::sync;
    if (!n.arrive(lanes)) return true;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        Agent& other = agents_[i];
        const auto* waits = other.at_named
                                ? std::get_if<NamedBarrier>(&grid_->code.steps[static_cast<std::size_t>(other.pc)].source->what)
                                : nullptr;
        if (waits == nullptr || waits->id != b.id) continue;
        if (full()) {
            other.clock.join(n.clock);
            n.seen.push_back({static_cast<int>(i), other.clock.time, use});
        }
        other.clock.meet(static_cast<int>(i));
        other.at_named = false;
        if (&other != &a) ++other.pc;
    }
    n.clock = {};
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
