// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_WAITS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/control/waits.hpp>
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
            if (members.test(i)) agents_[i].clock.take(joined);
    }
    for (std::size_t i = 0; i < agents_.size(); ++i)
        if (members.test(i)) {
            agents_[i].waits_at = -1;
            ++agents_[i].pc;
        }
    worker_->barriers += count;
    return true;
}

inline std::vector<Standing> Block::standing()
{
    std::vector<Standing> out;
    for (const Agent& a : agents_) {
        out.push_back({a.pc, a.done, a.waits_at >= 0});
        if (a.at_named)
            out.back().come =
                named_[std::get<NamedBarrier>(grid_->code.steps[static_cast<std::size_t>(a.pc)].source->what).id].come;
    }
    return out;
}

inline std::string Block::waits_of_agents()
{
    return waits_text(
        grid_->code, standing(), [&](int id) { return static_cast<PhaseCount>(phases_[id]); },
        [&](const std::string& who, int agent, const Step& step) { return waited_for(who, agent, step); });
}

inline std::string Block::waits()
{
    return detail::worded("device {0}, block {1}: {2}", {device_->number, coord_text(at_.items, at_.size()), waits_of_agents()});
}

inline bool Block::stuck(const std::string& others)
{
    // Barriers are at fault where they lack an agent that has ended or is at another barrier. Where they lack only agents that wait
    // for phases, those phases are.
    bool barrier = false;
    for (const Agent& a : agents_) {
        if (a.waits_at < 0) continue;
        const Members& members = grid_->code.steps[static_cast<std::size_t>(a.waits_at)].members;
        for (std::size_t i = 0; i < agents_.size(); ++i)
            barrier =
                barrier || (members.test(i) && agents_[i].waits_at != a.waits_at && (agents_[i].done || agents_[i].waits_at >= 0));
    }
    int statement = -1;
    for (const Agent& a : agents_)
        if (statement < 0 && !a.done && (barrier || a.waits_at < 0))
            statement = grid_->code.steps[static_cast<std::size_t>(a.pc)].statement;
    const bool first = !worker_->fault.found() && !worker_->early.found();
    fail(barrier ? FaultKind::divergence : FaultKind::deadlock, statement, stuck_text(waits_of_agents() + others));
    for (const Agent& a : agents_)
        if (first && !a.done) worker_->fault.waits.push_back(grid_->code.steps[static_cast<std::size_t>(a.pc)].statement);
    return false;
}

AXE_DECL void Block::start_async(int agent, std::function<bool()> finish, bool bulk)
{
    Agent& a = agents_[static_cast<std::size_t>(agent)];
    auto& group = a.groups.back();
    if (group.statement < 0) group.statement = grid_->code.steps[static_cast<std::size_t>(a.pc)].statement;
    if (finish && turns_.is_early() && !finish()) return; // and once more where it is waited for, which compares
    if (finish) group.finish.push_back(std::move(finish));
    (bulk ? group.has_bulk : group.has_lanes) = true;
}

/// In the trace: an instruction, and what goes on by itself until a wait or a commit of the agent.
inline void Block::note_start(Trace& trace, const Executable& e, int agent)
{
    trace.instruction(device_->number, slot_, agent, e.index);
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    std::int64_t number = 0;
    switch (e.ends_by) {
    case EndsBy::itself:
    case EndsBy::phase: return; // noted where the phase is known
    case EndsBy::copies:
    case EndsBy::bulk: number = a.group; break;
    case EndsBy::products: number = a.products.group; break;
    case EndsBy::tensors: number = a.tensor_commits; break;
    case EndsBy::tensor_stores: break;
    }
    trace.start_flight(device_->number, slot_, agent, e.index, slot_, {e.ends_by, agent, number});
}

/// In the trace: a wait of the agent shows operations to be complete.
inline void Block::note_end(const Ending& last, int agent)
{
    if (Trace* const trace = compiled_->options.trace) trace->see(device_->number, slot_, agent, last);
}

/// Finishes all groups but the last `pending` committed ones, or their reading alone; the open one goes on.
inline bool Block::wait_groups(Agent& a, int number, const Wait& wait)
{
    if (wait.of == Wait::Of::products) return wait_products(a, number, wait.pending);
    if (wait.of == Wait::Of::tensor_loads || wait.of == Wait::Of::tensor_stores) return wait_tensors(a, number, wait.of);
    const bool sources = wait.of == Wait::Of::sources;
    const std::size_t left = a.groups.size() - 1, ended = left - std::min(left, static_cast<std::size_t>(wait.pending));
    const auto know = [&](int engine, std::uint32_t group) {
        std::uint32_t& known = a.clock.known[engine];
        known = std::max(known, group + 1);
    };
    for (std::size_t i = 0; i < ended; ++i) {
        Agent::Group& group = a.groups[i];
        group.was_read = true;
        know(bulk_source_of(number), group.number);
        if (!left_.empty() && !finish_left(EndsBy::copies, number, group.number, sources)) return false;
        if (sources) continue;
        for (const auto& finish : group.finish)
            if (!finish()) return false;
        a.clock.waited = std::max(a.clock.waited, group.number + 1);
        know(bulk_target_of(number), group.number);
    }
    if (ended > 0)
        for (const EndsBy by : {EndsBy::copies, EndsBy::bulk})
            if (by == EndsBy::bulk || !sources) note_end({by, number, a.groups[ended - 1].number}, number);
    if (!sources) a.groups.erase(a.groups.begin(), a.groups.begin() + static_cast<std::ptrdiff_t>(ended));
    return true;
}

/// Of an agent that ends: has it waited for its asynchronous operations, of bulk copies at least until their sources are read?
inline bool Block::ends_groups(const Agent& a, int number)
{
    for (const auto& g : a.groups)
        if (g.has_lanes || (g.has_bulk && !g.was_read))
            return fail(FaultKind::async_unfinished, g.statement,
                        detail::worded("agent {0} ends without a wait for the asynchronous copies it starts here", {number}));
    if (a.products.done + 1 < a.products.group || a.products.open_at >= 0)
        return fail(FaultKind::async_unfinished, a.products.statement,
                    detail::worded("agent {0} ends without a wait for the asynchronous product it starts here", {number}));
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
