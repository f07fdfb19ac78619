// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/control/waits.hpp>
#include <axe/sim/report/trace.hpp>

/// What the agents of a block wait for: barriers, groups of asynchronous operations, phases of mbarriers.
namespace axe {
inline namespace v0 {
namespace sim {

/// Lets the agents at a barrier go on, if all of its members are there.
inline bool Block::release(int step)
{
    const Members& members = grid_->code.steps[static_cast<std::size_t>(step)].members;
    int count = 0;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (!members.test(i)) continue;
        if (agents_[i].waits_at != step) return false;
        ++count;
    }
    if (Trace* t = compiled_->options.trace)
        t->meet(device_->number, slot_, grid_->code.steps[static_cast<std::size_t>(step)].statement, members);
    if (full()) {
        Clock joined;
        std::uint32_t latest = 0;
        for (std::size_t i = 0; i < agents_.size(); ++i)
            if (members.test(i)) {
                agents_[i].clock.meet(static_cast<int>(i));
                joined.join(agents_[i].clock);
                joined.known[i] = std::max(joined.known[i], agents_[i].clock.time);
                latest = std::max(latest, agents_[i].clock.time);
            }
        joined.time = latest;
        for (std::size_t i = 0; i < agents_.size(); ++i)
            if (members.test(i)) agents_[i].clock = joined;
    }
    for (std::size_t i = 0; i < agents_.size(); ++i)
        if (members.test(i)) {
            agents_[i].waits_at = -1;
            ++agents_[i].pc;
        }
    worker_->barriers += count;
    return true;
}

inline bool Block::stuck()
{
    std::vector<Standing> standing;
    bool barrier = false;
    int statement = -1;
    for (const Agent& a : agents_) {
        standing.push_back({a.pc, a.done, a.waits_at >= 0});
        barrier = barrier || a.waits_at >= 0;
        if (statement < 0 && !a.done) statement = grid_->code.steps[static_cast<std::size_t>(a.pc)].statement;
    }
    const std::string text = waits_text(grid_->code, standing, [&](int id) { return static_cast<PhaseCount>(phases_[id]); });
    const bool first = !device_->fault.found();
    fail(barrier ? FaultKind::divergence : FaultKind::deadlock, statement, stuck_text(text));
    for (const Agent& a : agents_)
        if (first && !a.done) device_->fault.waits.push_back(grid_->code.steps[static_cast<std::size_t>(a.pc)].statement);
    return false;
}

AXE_DECL void Block::start_async(int agent, std::function<bool()> finish)
{
    Agent& a = agents_[static_cast<std::size_t>(agent)];
    auto& group = a.groups.back();
    if (group.finish.empty()) group.statement = grid_->code.steps[static_cast<std::size_t>(a.pc)].statement;
    group.finish.push_back(std::move(finish));
}

/// Finishes all groups but the last `pending` committed ones; the open one goes on.
inline bool Block::wait_groups(Agent& a, int pending)
{
    while (static_cast<int>(a.groups.size()) - 1 > pending) {
        for (const auto& finish : a.groups.front().finish)
            if (!finish()) return false;
        a.clock.waited = std::max(a.clock.waited, a.groups.front().number + 1);
        a.groups.erase(a.groups.begin());
    }
    return true;
}

inline bool Block::mbarrier(Agent& a, int number, const Mbarrier& m, int statement, bool& blocked)
{
    Phase& p = phases_[m.id];
    Trace* const trace = compiled_->options.trace;
    const auto is_set_up = [&](const char* used) { // as far as this agent can know
        const auto refuse = [&](std::string message) { return fail(FaultKind::transaction, statement, std::move(message)); };
        if (!p.is_set_up()) return refuse(not_set_up_text(m.id, used, number));
        for (int i = 0; i < max_agents && full(); ++i)
            if (i != number && p.set_up.known[i] > a.clock.known[i])
                return refuse(detail::worded(
                    "mbarrier {0} is {1} by agent {2}; no barrier or wait orders this after its initialization by agent {3}",
                    {m.id, used, number, i}));
        return true;
    };
    switch (m.action) {
    case Mbarrier::Action::init:
        if (m.number < 1) return fail(FaultKind::transaction, statement, arrivals_text(m.number));
        a.clock.meet(number);
        p = {{m.number, m.number, 0, 0}, a.clock, a.clock, {}};
        p.set_up.known[number] = a.clock.time;
        return true;
    case Mbarrier::Action::arrive:
    case Mbarrier::Action::expect_bytes:
        if (!is_set_up("used")) return false;
        if (p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(m.id, p.expected));
        p.arrive(m.action == Mbarrier::Action::expect_bytes ? m.number : 0);
        a.clock.meet(number);
        p.clock.join(a.clock);
        p.clock.known[number] = std::max(p.clock.known[number], a.clock.time);
        if (trace != nullptr) trace->arrive(device_->number, slot_, number, m.id);
        if (p.turn()) {
            p.complete = p.clock;
            if (trace != nullptr) trace->complete(device_->number, slot_, m.id);
        }
        return true;
    case Mbarrier::Action::wait: {
        if (!is_set_up("waited for")) return false;
        double parity = 0;
        if (!evaluate(m.parity, number, statement, parity)) return false;
        if (!p.passes(static_cast<std::int64_t>(parity))) {
            blocked = true;
            return true;
        }
        a.clock.join(p.complete);
        a.clock.meet(number);
        if (trace != nullptr) trace->pass(device_->number, slot_, number, m.id, statement);
        return true;
    }
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
