// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_TENSORS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_TENSORS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/report/trace.hpp>

/// Tensor memory of a block: its operations as agents, and what waits, commits and fences do for them.
namespace axe {
inline namespace v0 {
namespace sim {

inline bool Block::has_tensor_memory() const
{
    for (const Memory& memory : compiled_->program->machine.memories)
        if (is_partitioned(memory) && compiled_->stage.has_lanes) return true;
    return false;
}

AXE_DECL Actor Block::tensor_reader(int agent, int index) const
{
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    Actor out{run_,
              products_of(agent),
              a.clock.tensors.time,
              &a.clock,
              &device_->horizon,
              a.clock.time,
              static_cast<std::uint32_t>(index + 1),
              agent};
    in_cluster(out);
    return out;
}

AXE_DECL Actor Block::tensor_actor(int agent, const Executable& e, TensorRole role, std::int64_t shape)
{
    Agent& a = agents_[static_cast<std::size_t>(agent)];
    role == TensorRole::shift ? a.clock.tensors.start_alone(tensor_number(agent)) : a.clock.tensors.start(tensor_number(agent));
    if (role > TensorRole::store) {
        a.tensor_statement = e.statement;
        a.tensor_time = a.clock.tensors.time;
    }
    Actor out = tensor_reader(agent, e.index);
    out.tensor = static_cast<int>(role);
    if (role == TensorRole::sum) {
        auto& shapes = cluster_ == nullptr ? sum_shapes_ : cluster_->sum_shapes;
        auto at = std::find(shapes.begin(), shapes.end(), shape);
        if (at == shapes.end()) at = shapes.insert(at, shape);
        out.tensor += static_cast<int>(std::min<std::ptrdiff_t>(at - shapes.begin(), most_sum_shapes - 1));
    }
    return out;
}

inline void Block::fence(Agent& a, int number, const ProxyFence& fence)
{
    const ProxyFence::Of of = fence.of;
    if (of == ProxyFence::Of::proxies) a.clock.fence(number);
    if (!full()) return;
    if (of == ProxyFence::Of::memory) fence_memory(a, number, fence.within);
    if (of == ProxyFence::Of::before_sync) a.clock.tensors.fence_before(tensor_number(number));
    if (of == ProxyFence::Of::after_sync) a.clock.tensors.fence_after();
}

inline bool Block::wait_tensors(Agent& a, int number, Wait::Of of)
{
    const bool stores = of == Wait::Of::tensor_stores;
    if (full()) a.clock.tensors.complete(stores ? TensorOrder::stores : TensorOrder::loads, tensor_number(number));
    if (stores) note_end({EndsBy::tensor_stores, number, 0}, number);
    return !stores || left_.empty() || finish_left(EndsBy::tensor_stores, number, tensor_operations_);
}

/// A wait for all products and copies that the agent has started in tensor memory.
inline void Block::complete_tensors(Agent& a, int number)
{
    std::uint32_t& known = a.clock.known[products_of(number)];
    known = std::max(known, a.clock.tensors.time + 1);
    a.clock.tensors.complete(TensorOrder::products, tensor_number(number));
}

/// What a commit tells: it is after what its operations are after, through the asynchronous proxy, and after them.
inline Clock Block::committed_clock(int number)
{
    Agent& a = agents_[static_cast<std::size_t>(number)];
    Clock out;
    for (int i = 0; i < max_event_agents; ++i) out.known[i] = i < generic_agents ? a.clock.fenced[i] : a.clock.known[i];
    std::copy_n(a.clock.fenced, generic_agents, out.fenced);
    for (const OtherRuns::Entry& e : a.clock.others.entries())
        out.others.raise({e.who, static_cast<int>(e.who & 255) < generic_agents ? std::max(e.fenced, 1u) : e.time, e.fenced});
    std::uint32_t& known = out.known[products_of(number)];
    known = std::max(known, a.clock.tensors.time + 1);
    out.tensors = a.clock.tensors.committed(tensor_number(number));
    for (int i = 0; i < max_agents; ++i)
        TensorOrder::raise(out.tensors.told, TensorOrder::issuers, tensor_number(i), i == number ? a.clock.time : a.clock.known[i]);
    return out;
}

/// May an mbarrier get the arrival of a commit?
inline bool Block::may_commit(Block& target, int number, int id, int statement)
{
    Phase& p = target.phases_[id];
    const bool is_own = &target == this;
    if (!(is_own ? is_set_up(p, id, number, statement, "used") : is_set_up_for(target, p, id, number, statement))) return false;
    if (p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(id, p.expected));
    return !is_own || is_witnessed(p, id, number, statement);
}

AXE_DECL bool Block::commit_tensors(int number, int id, int statement, std::uint16_t mask)
{
    std::vector<Block*> targets;
    for (int rank = 0; rank < 16; ++rank)
        if ((mask >> rank & 1) != 0) targets.push_back(other_block(rank, number, statement, false));
    if (mask == 0) targets.push_back(this);
    for (Block* const target : targets)
        if (target == nullptr || !may_commit(*target, number, id, statement)) return false;
    const Clock clock = full() ? committed_clock(number) : Clock();
    const std::int64_t commits = agents_[static_cast<std::size_t>(number)].tensor_commits++;
    for (Block* const target : targets) {
        Phase& p = target->phases_[id];
        if (!left_.empty()) { // who sees the phase complete sees what was left
            const auto finish = [this, number, last = tensor_operations_] { return finish_tensors(number, last); };
            target->left_.push_back({EndsBy::phase, id, p.phase, number, 1, finish, {}, {}});
        }
        Trace* const trace = compiled_->options.trace;
        if (trace != nullptr)
            trace->hand_on(device_->number, slot_, {EndsBy::tensors, number, commits}, target->slot_, id, p.phase);
        p.arrive();
        if (target == this && full()) p.clock.join(clock);
        if (target != this && full()) {
            p.clock.learn(target->run_, clock.told(run_));
            p.clock.tensors.join(clock.tensors);
        }
        if (trace != nullptr) trace->arrive(device_->number, target->slot_, number, id);
        target->end_phase(p, id);
    }
    return true;
}

/// Of a block that ends: has an agent seen the products and copies in tensor memory complete that each has started, or are they in order
/// before those of another agent?
inline bool Block::ends_tensors()
{
    for (int i = 0; i < static_cast<int>(agents_.size()); ++i) {
        const Agent& a = agents_[static_cast<std::size_t>(i)];
        bool seen = a.tensor_statement < 0;
        for (const Agent& other : agents_)
            seen = seen || other.clock.known[products_of(i)] > a.tensor_time ||
                   (&other != &a &&
                    TensorOrder::known(other.clock.tensors.own, TensorOrder::started, tensor_number(i)) > a.tensor_time);
        if (!seen)
            return fail(
                FaultKind::async_unfinished, a.tensor_statement,
                detail::worded("the block ends without a wait for the operation on tensor memory that agent {0} starts here", {i}));
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
