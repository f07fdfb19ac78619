// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>
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
    std::string text;
    bool barrier = false;
    int statement = -1;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        const Agent& a = agents_[i];
        if (i > 0) text += "; ";
        if (a.done) {
            text += detail::worded("agent {0} has ended", {i});
            continue;
        }
        const Step& step = grid_->code.steps[static_cast<std::size_t>(a.pc)];
        barrier = barrier || a.waits_at >= 0;
        if (statement < 0) statement = step.statement;
        if (a.waits_at >= 0) {
            text += detail::worded("agent {0} waits at the barrier of statement {1}", {i, step.statement});
            continue;
        }
        const Mbarrier& m = std::get<Mbarrier>(step.source->what);
        const Phase& p = phases_[m.id];
        text += detail::worded(
            p.bytes == 0
                ? "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals"
                : "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals and {6} bytes",
            {i, step.statement, p.phase, m.id, p.pending, p.expected, p.bytes});
    }
    return fail(barrier ? FaultKind::divergence : FaultKind::deadlock, statement, stuck_text(text));
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
    const auto turn = [&] { // a phase is complete when all have arrived and all bytes are there
        if (p.pending != 0 || p.bytes != 0) return;
        ++p.phase;
        p.pending = p.expected;
        p.complete = p.clock;
        if (trace != nullptr) trace->complete(device_->number, slot_, m.id);
    };
    const auto is_set_up = [&](const char* used) { // as far as this agent can know
        const auto refuse = [&](const char* message, int other) {
            return fail(FaultKind::transaction, statement, detail::worded(message, {m.id, used, number, other}));
        };
        if (p.expected == 0) return refuse("mbarrier {0} is {1} by agent {2} before it is initialized", -1);
        for (int i = 0; i < max_agents && full(); ++i)
            if (i != number && p.set_up.known[i] > a.clock.known[i])
                return refuse(
                    "mbarrier {0} is {1} by agent {2}; no barrier or wait orders this after its initialization by agent {3}", i);
        return true;
    };
    switch (m.action) {
    case Mbarrier::Action::init:
        if (m.number < 1)
            return fail(FaultKind::transaction, statement,
                        detail::worded("an mbarrier expects {0} arrivals; it must be at least 1", {m.number}));
        a.clock.meet(number);
        p = {m.number, m.number, 0, 0, a.clock, a.clock, {}};
        p.set_up.known[number] = a.clock.time;
        return true;
    case Mbarrier::Action::arrive:
    case Mbarrier::Action::expect_bytes:
        if (!is_set_up("used")) return false;
        if (p.pending == 0)
            return fail(FaultKind::transaction, statement,
                        detail::worded("mbarrier {0} expects {1} arrivals in each phase; this is one more", {m.id, p.expected}));
        if (m.action == Mbarrier::Action::expect_bytes) p.bytes += m.number;
        --p.pending;
        a.clock.meet(number);
        p.clock.join(a.clock);
        p.clock.known[number] = std::max(p.clock.known[number], a.clock.time);
        if (trace != nullptr) trace->arrive(device_->number, slot_, number, m.id);
        turn();
        return true;
    case Mbarrier::Action::wait: {
        if (!is_set_up("waited for")) return false;
        double parity = 0;
        if (!evaluate(m.parity, number, statement, parity)) return false;
        // Waiting for parity q ends once the phase of that parity is over.
        if ((p.phase & 1) == static_cast<std::int64_t>(parity)) {
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
