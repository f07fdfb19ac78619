// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_CLUSTERS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_CLUSTERS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/trace.hpp>

/// What blocks of a cluster do with each other: their barrier, their mbarriers, their memory.      [PTX, barrier.cluster, mapa]
namespace axe {
inline namespace v0 {
namespace sim {

inline void Block::in_cluster(Actor& actor) const noexcept
{
    if (cluster_ == nullptr) return;
    actor.first_mate = cluster_->first;
    actor.mates = static_cast<std::uint32_t>(cluster_->blocks.size());
}

AXE_DECL Block& Block::owner_of(const View& view, int agent) const
{
    const std::int64_t rank = (*view.block)(agents_[static_cast<std::size_t>(agent)].vars);
    return *cluster_->blocks[static_cast<std::size_t>(rank)]; // `places` has looked at it
}

AXE_DECL void Block::note_visit(const Actor& actor, int statement)
{
    visits_[actor.run << 8 | static_cast<std::uint64_t>(actor.agent)] = {actor.time, statement};
}

/// An access of another block's memory comes after its start and before its end. The end is its own to check: it must know of all visits.
AXE_DECL Block* Block::other_block(std::int64_t rank, int agent, int statement, bool visits)
{
    const auto size = cluster_ == nullptr ? 0 : static_cast<std::int64_t>(cluster_->blocks.size());
    if (rank < 0 || rank >= size) {
        fail(FaultKind::out_of_bounds, statement,
             detail::worded("agent {0} accesses the memory of the block of rank {1}; the cluster has {2}",
                            {agent, rank, detail::count_words(size, "block")}));
        return nullptr;
    }
    Block* const other = cluster_->blocks[static_cast<std::size_t>(rank)];
    if (other == this || !full()) return other;
    if (other->done_) {
        fail(FaultKind::lifetime, statement,
             detail::worded("agent {0} accesses the memory of the block of rank {1}, which has ended", {agent, rank}));
        return nullptr;
    }
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    if (!a.clock.others.has_run(other->run_)) {
        fail(
            FaultKind::lifetime, statement,
            detail::worded("agent {0} accesses the memory of the block of rank {1}; no barrier or wait orders this after its start",
                           {agent, rank}));
        return nullptr;
    }
    if (visits) other->visits_[run_ << 8 | static_cast<std::uint64_t>(agent)] = {a.clock.time, statement};
    return other;
}

AXE_DECL Block* Block::mate(int agent, int statement)
{
    if (rank_ % 2 == 0) return other_block(rank_ + 1, agent, statement, false);
    fail(FaultKind::wrong_owner, statement,
         detail::worded(
             "agent {0} of the block of rank {1} starts an operation of a pair of blocks; the one of rank {2} is to start it",
             {agent, rank_, rank_ - 1}));
    return nullptr;
}

/// Of a block that ends: does one of its agents know of all accesses to its memory by others? Then they are over.
inline bool Block::ends_visits()
{
    for (const auto& [who, visit] : visits_) {
        const bool known = std::any_of(agents_.begin(), agents_.end(), [&, by = who, at = visit.time](const Agent& a) {
            const OtherRuns::Entry* e = a.clock.others.find(by);
            return e != nullptr && at < e->time;
        });
        if (known) continue;
        return fail(
            FaultKind::lifetime, visit.statement,
            detail::worded("{0} accesses the memory of this block here; no barrier or wait orders this before the block's end",
                           {this->who(who << 24)}));
    }
    return true;
}

/// Ends the phase of the cluster's barrier if all agents have arrived that have not ended.
inline bool Block::completes_cluster_phase()
{
    for (const Block* block : cluster_->blocks)
        for (const Agent& a : block->agents_)
            if (!a.done && a.arrived <= cluster_->phases) return false;
    ++cluster_->phases;
    cluster_->complete = cluster_->told;
    cluster_->told.clear();
    cluster_->tensors_complete = std::exchange(cluster_->tensors_told, {});
    return true;
}

inline bool Block::cluster_barrier(Agent& a, int number, const ClusterBarrier& b, int statement, bool& blocked)
{
    using Action = ClusterBarrier::Action;
    if (b.action != Action::wait) {
        if (a.arrived > a.passed)
            return fail(
                FaultKind::divergence, statement,
                detail::worded("agent {0} arrives at the barrier of its cluster again, and has not waited for the phase before",
                               {number}));
        a.arrived = cluster_->phases + 1;
        a.clock.meet(number);
        if (!full()) return true;
        if (b.action == Action::arrive) {
            Clock own = a.clock;
            own.known[number] = std::max(own.known[number], own.time);
            cluster_->told.join(own.told(run_));
            cluster_->tensors_told.join(own.tensors);
        } else {
            cluster_->told.raise({run_ << 8 | static_cast<std::uint64_t>(number), 1, 0});
        }
        return true;
    }
    if (a.arrived == a.passed)
        return fail(FaultKind::divergence, statement,
                    detail::worded("agent {0} waits at the barrier of its cluster, and has not arrived", {number}));
    if (cluster_->phases < a.arrived && !completes_cluster_phase()) {
        blocked = true;
        return true;
    }
    a.passed = a.arrived;
    if (full()) {
        a.clock.learn(run_, cluster_->complete);
        a.clock.tensors.join(cluster_->tensors_complete);
    }
    a.clock.meet(number);
    ++worker_->barriers;
    return true;
}

/// An arrival, or bytes that are expected, at an mbarrier of another block. Which of its phases a wait has seen is for the waits of that
/// block to check.
inline bool Block::remote_mbarrier(Agent& a, int number, const Mbarrier& m, int statement)
{
    Block* const other = other_block((*m.rank)(a.vars), number, statement);
    if (other == nullptr) return false;
    Phase& p = other->phases_[m.id];
    if (!is_set_up_for(*other, p, m.id, number, statement)) return false;
    const bool arrives = m.action != Mbarrier::Action::expect_more;
    if (arrives && p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(m.id, p.expected));
    if (m.action != Mbarrier::Action::arrive) p.bring(-m.number);
    if (p.is_beyond()) return fail(FaultKind::transaction, statement, bytes_beyond_text(m.id, p.bytes));
    if (!arrives) return true;
    p.arrive();
    a.clock.meet(number);
    if (full()) {
        Clock own = a.clock;
        own.known[number] = std::max(own.known[number], own.time);
        p.clock.learn(other->run_, own.told(run_));
        p.clock.tensors.join(own.tensors);
    }
    other->end_phase(p, m.id);
    return true;
}

/// Is an mbarrier of another block initialized, as far as this block's agent can know?
inline bool Block::is_set_up_for(const Block& other, const Phase& p, int id, int agent, int statement)
{
    if (!p.is_set_up()) return fail(FaultKind::transaction, statement, not_set_up_text(id, "used", agent));
    const OtherRuns& known = agents_[static_cast<std::size_t>(agent)].clock.others;
    for (int i = 0; i < max_agents && full(); ++i) {
        const OtherRuns::Entry* e = known.find(other.run_ << 8 | static_cast<std::uint64_t>(i));
        if (p.set_up.known[i] > (e == nullptr ? 0 : e->time))
            return fail(
                FaultKind::transaction, statement,
                detail::worded(
                    "mbarrier {0} of the block of rank {1} is used by agent {2}; nothing orders this after its initialization",
                    {id, other.rank_, agent}));
    }
    return true;
}

AXE_DECL bool Block::completing(Block& counter, Block& memory, int agent, const Executable& e, Actor& out)
{
    if (&counter == this && &memory == this) return completing(agent, e, out);
    const int id = e.instruction->completes_on;
    Phase& p = counter.phases_[id];
    const bool is_ready =
        &counter == this ? is_set_up(p, id, agent, e.statement, "used") : is_set_up_for(counter, p, id, agent, e.statement);
    if (!is_ready || !counter.takes_engine(p, id, e.statement)) return false;
    if (Trace* const trace = compiled_->options.trace)
        trace->start_flight(device_->number, slot_, agent, e.index, counter.slot_, {EndsBy::phase, id, p.phase});
    out = engine(agent, e.index);
    out.home = run_;
    out.run = counter.run_;
    out.agent = p.engine;
    out.time = static_cast<std::uint32_t>(p.phase + 1);
    out.in = memory.rank_;
    if (&counter != &memory) memory.note_visit(out, e.statement);
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
