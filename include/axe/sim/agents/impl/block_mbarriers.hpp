// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_MBARRIERS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_MBARRIERS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/report/trace.hpp>

/// The mbarriers of a block: arrivals, bytes, and what completes on them.      [PTX, mbarrier]
namespace axe {
inline namespace v0 {
namespace sim {

/// Is the mbarrier initialized, as far as this agent can know?
inline bool Block::is_set_up(const Phase& p, int id, int agent, int statement, const char* used)
{
    if (!p.is_set_up()) return fail(FaultKind::transaction, statement, not_set_up_text(id, used, agent));
    const Clock& clock = agents_[static_cast<std::size_t>(agent)].clock;
    for (int i = 0; i < max_agents && full(); ++i)
        if (i != agent && p.set_up.known[i] > clock.known[i])
            return fail(
                FaultKind::transaction, statement,
                detail::worded(
                    "mbarrier {0} is {1} by agent {2}; no barrier or wait orders this after its initialization by agent {3}",
                    {id, used, agent, i}));
    return true;
}

/// An arrival in a phase comes after a wait that has seen the phase before it complete.      [PTX, mbarrier, phase completion]
inline bool Block::is_witnessed(const Phase& p, int id, int agent, int statement)
{
    if (!full() || p.phase == 0) return true;
    const Clock& clock = agents_[static_cast<std::size_t>(agent)].clock;
    for (const auto& [who, when] : p.witnesses)
        if (who == agent || when < clock.known[who] ||
            when < TensorOrder::known(clock.tensors.told, TensorOrder::issuers, tensor_number(who)))
            return true;
    return fail(
        FaultKind::transaction, statement,
        detail::worded("agent {0} arrives in phase {1} of mbarrier {2}; no wait before this arrival has seen phase {3} complete",
                       {agent, p.phase, id, p.phase - 1}));
}

/// May the agent invalidate the mbarrier?  Only after all that has used it: arrivals, waits, and copies that complete on it.
inline bool Block::is_unused(const Phase& p, int id, int agent, int statement)
{
    if (!full()) return true;
    if (p.bytes != 0)
        return fail(FaultKind::transaction, statement,
                    detail::worded(p.bytes > 0 ? "mbarrier {0} is invalidated, and its phase {1} still waits for {2} bytes"
                                               : "mbarrier {0} is invalidated, and its phase {1} has {2} bytes too many",
                                   {id, p.phase, p.bytes > 0 ? p.bytes : -p.bytes}),
                    static_cast<int>(p.brought_by));
    const Clock& clock = agents_[static_cast<std::size_t>(agent)].clock;
    if (p.engine >= 0 && p.brought >= 0 && clock.known[p.engine] < p.brought + 2)
        return fail(
            FaultKind::transaction, statement,
            detail::worded(
                "mbarrier {0} is invalidated by agent {1} without a wait for phase {2}, on which an asynchronous copy completes",
                {id, agent, p.brought}),
            static_cast<int>(p.brought_by));
    const auto unordered = [&](int other, const char* what) {
        return fail(
            FaultKind::transaction, statement,
            detail::worded("mbarrier {0} is invalidated by agent {1}; no barrier or wait orders this after {2} of agent {3}",
                           {id, agent, what, other}));
    };
    for (int i = 0; i < max_agents; ++i)
        if (i != agent && p.clock.known[i] > clock.known[i]) return unordered(i, "an arrival");
    for (const auto& [who, when] : p.witnesses)
        if (who != agent && when >= clock.known[who]) return unordered(who, "a wait");
    return true;
}

/// Ends the phase if it is complete.
inline void Block::end_phase(Phase& p, int id)
{
    if (!p.turn()) return;
    if (full()) {
        // What has brought bytes to this phase or one before is complete.
        if (p.engine >= 0) p.clock.known[p.engine] = static_cast<std::uint32_t>(p.phase + 1);
        p.complete = p.clock;
        p.witnesses.clear();
    }
    if (Trace* trace = compiled_->options.trace) trace->complete(device_->number, slot_, id);
}

inline bool Block::mbarrier(Agent& a, int number, const Mbarrier& m, int statement, bool& blocked)
{
    if (m.rank && (cluster_ == nullptr || (*m.rank)(a.vars) != rank_)) return remote_mbarrier(a, number, m, statement);
    Phase& p = phases_[m.id];
    Trace* const trace = compiled_->options.trace;
    using Action = Mbarrier::Action;
    switch (m.action) {
    case Action::init: {
        if (m.number < 1 || m.number > most_mbarrier_arrivals)
            return fail(FaultKind::transaction, statement, arrivals_text(m.number));
        if (p.is_set_up()) return fail(FaultKind::transaction, statement, live_text(m.id));
        a.clock.meet(number);
        p = {{m.number, m.number, 0, 0}, a.clock, a.clock, {}};
        p.set_up.known[number] = a.clock.time;
        return !m.at || place_mbarrier(a, number, m, statement, p);
    }
    case Action::invalidate:
        if (!is_set_up(p, m.id, number, statement, "used") || !is_unused(p, m.id, number, statement)) return false;
        a.clock.meet(number);
        if (p.tensor >= 0) free_bytes_of(p, number, statement);
        p = {};
        return true;
    case Action::commit: return commit_tensors(number, m.id, statement, m.multicast);
    case Action::arrive_after_copies:
    case Action::include_copies: return arrive_after_copies(a, number, m, statement);
    case Action::expect_more:
    case Action::arrive:
    case Action::expect_bytes: {
        if (!is_set_up(p, m.id, number, statement, "used")) return false;
        const bool arrives = m.action != Action::expect_more;
        if (arrives && p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(m.id, p.expected));
        if (arrives && !is_witnessed(p, m.id, number, statement)) return false;
        if (m.action != Action::arrive) p.bring(-m.number);
        if (p.is_beyond()) return fail(FaultKind::transaction, statement, bytes_beyond_text(m.id, p.bytes));
        if (!arrives) return true;
        p.arrive();
        a.clock.meet(number);
        if (full()) {
            p.clock.join(a.clock);
            p.clock.known[number] = std::max(p.clock.known[number], a.clock.time);
        }
        if (trace != nullptr) trace->arrive(device_->number, slot_, number, m.id);
        end_phase(p, m.id);
        return true;
    }
    case Action::wait: {
        if (!is_set_up(p, m.id, number, statement, "waited for")) return false;
        double parity = 0;
        if (!evaluate(m.parity, number, statement, parity)) return false;
        if (!p.passes(static_cast<std::int64_t>(parity))) {
            blocked = true;
            return true;
        }
        if (!left_.empty() && !finish_left(EndsBy::phase, m.id, p.phase - 1)) return false;
        if (full()) {
            a.clock.join(p.complete);
            if (p.phase > 0) p.witnesses.emplace_back(number, a.clock.time);
        }
        p.passed = std::max(p.passed, p.phase - 1);
        a.clock.meet(number);
        if (trace != nullptr) trace->pass(device_->number, slot_, number, m.id, statement, p.phase - 1);
        return true;
    }
    }
    return true;
}

/// An engine for what completes on the mbarrier, if it has none.
inline bool Block::takes_engine(Phase& p, int id, int statement)
{
    if (p.engine >= 0) return true;
    if (completed_.size() == max_mbarriers)
        return fail(FaultKind::capacity, statement,
                    detail::worded("asynchronous operations complete on more than {0} mbarriers of one block",
                                   {std::int64_t{max_mbarriers}}));
    p.engine = first_completed + static_cast<int>(completed_.size());
    completed_.push_back(id);
    return true;
}

/// The copies that the agent's lanes have started are complete, and it arrives, or the phase only includes them. What the copies do is
/// done now at the latest.
inline bool Block::arrive_after_copies(Agent& a, int number, const Mbarrier& m, int statement)
{
    Phase& p = phases_[m.id];
    if (!is_set_up(p, m.id, number, statement, "used")) return false;
    const bool arrives = m.action == Mbarrier::Action::arrive_after_copies;
    if (arrives && p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(m.id, p.expected));
    if (!is_witnessed(p, m.id, number, statement)) return false;
    const std::uint32_t last = a.group;
    if (!left_.empty() && !finish_left(EndsBy::copies, number, last)) return false;
    for (auto& group : a.groups) {
        for (const auto& finish : group.finish)
            if (!finish()) return false;
        group.finish.clear();
        if (!std::exchange(group.has_lanes, false)) continue;
        p.brought = p.phase;
        p.brought_by = group.statement;
        if (!group.has_bulk) group.statement = -1; // the first of those to come
    }
    a.groups.back().number = ++a.group; // copies that the agent starts later are others
    a.clock.meet(number);
    if (full()) {
        p.clock.join(a.clock);
        p.clock.known[number] = std::max(p.clock.known[number], a.clock.time);
        p.clock.known[engine_of(number)] = std::max(p.clock.known[engine_of(number)], last + 1);
    }
    Trace* const trace = compiled_->options.trace;
    if (trace != nullptr) trace->hand_on(device_->number, slot_, {EndsBy::copies, number, last}, slot_, m.id, p.phase);
    if (arrives) p.arrive();
    if (arrives && trace != nullptr) trace->arrive(device_->number, slot_, number, m.id);
    end_phase(p, m.id);
    return true;
}

AXE_DECL bool Block::completing(int agent, const Executable& e, Actor& out)
{
    const int id = e.instruction->completes_on;
    Phase& p = phases_[id];
    if (!is_set_up(p, id, agent, e.statement, "used") || !takes_engine(p, id, e.statement)) return false;
    if (Trace* const trace = compiled_->options.trace)
        trace->start_flight(device_->number, slot_, agent, e.index, slot_, {EndsBy::phase, id, p.phase});
    out = engine(agent, e.index);
    out.agent = p.engine;
    out.time = static_cast<std::uint32_t>(p.phase + 1);
    return true;
}

AXE_DECL bool Block::complete(const Executable& e, std::int64_t bytes)
{
    const int id = e.instruction->completes_on;
    Phase& p = phases_[id];
    p.brought = p.phase;
    p.brought_by = e.statement;
    p.bring(bytes);
    if (p.is_beyond()) return fail(FaultKind::transaction, e.statement, bytes_beyond_text(id, p.bytes));
    end_phase(p, id);
    return true;
}

/// Of a block that ends: has a wait seen the bytes that came, and have all that were expected come?
inline bool Block::ends_phases()
{
    for (const auto& [id, p] : phases_) {
        if (p.bytes != 0)
            return fail(FaultKind::transaction, static_cast<int>(p.brought_by),
                        detail::worded(p.bytes > 0 ? "the block ends, and phase {0} of mbarrier {1} still waits for {2} bytes"
                                                   : "the block ends, and phase {0} of mbarrier {1} has {2} bytes too many",
                                       {p.phase, id, p.bytes > 0 ? p.bytes : -p.bytes}));
        if (p.brought > p.passed)
            return fail(FaultKind::async_unfinished, static_cast<int>(p.brought_by),
                        detail::worded("the block ends without a wait for phase {0} of mbarrier {1}, on which this copy completes",
                                       {p.brought, id}));
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
