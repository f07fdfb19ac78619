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
    return {run_,
            products_of(agent),
            a.clock.tensors.time,
            &a.clock,
            &device_->horizon,
            a.clock.time,
            static_cast<std::uint32_t>(index + 1),
            agent};
}

AXE_DECL Actor Block::tensor_actor(int agent, const Executable& e, TensorRole role, std::int64_t shape)
{
    Agent& a = agents_[static_cast<std::size_t>(agent)];
    a.clock.tensors.start(agent);
    if (role > TensorRole::store) {
        a.tensor_statement = e.statement;
        a.tensor_time = a.clock.tensors.time;
    }
    Actor out = tensor_reader(agent, e.index);
    out.tensor = static_cast<int>(role);
    if (role == TensorRole::sum) {
        auto at = std::find(sum_shapes_.begin(), sum_shapes_.end(), shape);
        if (at == sum_shapes_.end()) at = sum_shapes_.insert(at, shape);
        out.tensor += static_cast<int>(std::min<std::ptrdiff_t>(at - sum_shapes_.begin(), most_sum_shapes - 1));
    }
    return out;
}

inline void Block::fence(Agent& a, int number, ProxyFence::Of of)
{
    if (of == ProxyFence::Of::proxies) a.clock.fence(number);
    if (!full()) return;
    if (of == ProxyFence::Of::before_sync) a.clock.tensors.fence_before(number);
    if (of == ProxyFence::Of::after_sync) a.clock.tensors.fence_after();
}

inline bool Block::wait_tensors(Agent& a, int number, Wait::Of of)
{
    if (full()) a.clock.tensors.complete(of == Wait::Of::tensor_loads ? TensorOrder::loads : TensorOrder::stores, number);
    return true;
}

/// A wait for all products and copies that the agent has started in tensor memory.
inline void Block::complete_tensors(Agent& a, int number)
{
    std::uint32_t& known = a.clock.known[products_of(number)];
    known = std::max(known, a.clock.tensors.time + 1);
    a.clock.tensors.complete(TensorOrder::products, number);
}

AXE_DECL bool Block::commit_tensors(int number, int id, int statement)
{
    Phase& p = phases_[id];
    Agent& a = agents_[static_cast<std::size_t>(number)];
    if (!is_set_up(p, id, number, statement, "used")) return false;
    if (p.is_full()) return fail(FaultKind::transaction, statement, one_more_text(id, p.expected));
    if (!is_witnessed(p, id, number, statement)) return false;
    p.arrive();
    if (full()) {
        // It is after what its operations are after, through the asynchronous proxy, and after them.
        for (int i = 0; i < max_event_agents; ++i)
            p.clock.known[i] = std::max(p.clock.known[i], i < generic_agents ? a.clock.fenced[i] : a.clock.known[i]);
        for (int i = 0; i < generic_agents; ++i) p.clock.fenced[i] = std::max(p.clock.fenced[i], a.clock.fenced[i]);
        std::uint32_t& known = p.clock.known[products_of(number)];
        known = std::max(known, a.clock.tensors.time + 1);
        TensorOrder told = a.clock.tensors.committed(number);
        for (int i = 0; i < max_agents; ++i)
            TensorOrder::raise(told.told, TensorOrder::issuers, i, i == number ? a.clock.time : a.clock.known[i]);
        p.clock.tensors.join(told);
    }
    if (Trace* trace = compiled_->options.trace) trace->arrive(device_->number, slot_, number, id);
    end_phase(p, id);
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
                   (&other != &a && TensorOrder::known(other.clock.tensors.own, TensorOrder::started, i) > a.tensor_time);
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
