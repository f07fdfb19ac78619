// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_LEFT_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_LEFT_HPP

#include <axe/sim/agents/block.hpp>

#include <algorithm>

/// Asynchronous operations of a block whose accesses of memory the order of the run leaves for later than their start.
///
/// What the checks know, and what mbarriers count, does not wait: it is as if each operation took no time. So the order decides which bytes
/// are where at what time, and nothing else; no wait can lack what was left, as it does that first.
namespace axe {
inline namespace v0 {
namespace sim {

inline void Block::leave(LeftOperation operation)
{
    for (int i = 0; i < operation.count; ++i) operation.vars.push_back(agents_[static_cast<std::size_t>(operation.agent + i)].vars);
    left_.push_back(std::move(operation));
}
AXE_DECL void Block::leave_in_copies(int agent, std::function<bool()> finish, std::function<bool()> read)
{
    const std::int64_t group = agents_[static_cast<std::size_t>(agent)].group;
    leave({EndsBy::copies, agent, group, agent, 1, std::move(finish), std::move(read), {}});
}
AXE_DECL bool Block::leaves_products(int first)
{
    const bool follows = std::any_of(left_.begin(), left_.end(),
                                     [&](const LeftOperation& one) { return one.until == EndsBy::products && one.of == first; });
    return leaves() || follows;
}
AXE_DECL void Block::leave_in_products(int first, int count, std::function<bool()> finish)
{
    const std::int64_t group = agents_[static_cast<std::size_t>(first)].products.group;
    leave({EndsBy::products, first, group, first, count, std::move(finish), {}, {}});
}
AXE_DECL void Block::leave_in_phase(int agent, const Executable& e, const Block* issuer, std::function<bool()> finish, Block* in)
{
    const int id = e.instruction->completes_on;
    const std::vector<std::int64_t>& vars = issuer->agents_[static_cast<std::size_t>(agent)].vars;
    left_.push_back({EndsBy::phase, id, phases_[id].phase, agent, 1, std::move(finish), {}, {vars}, in});
}
AXE_DECL bool Block::leaves_tensors()
{
    const bool follows =
        std::any_of(left_.begin(), left_.end(), [](const LeftOperation& one) { return one.until == EndsBy::tensors; });
    return leaves() || follows;
}
AXE_DECL void Block::leave_in_tensors(int agent, bool store, std::function<bool()> finish)
{
    leave({store ? EndsBy::tensor_stores : EndsBy::tensors,
           store ? agent : 0,
           ++tensor_operations_,
           agent,
           1,
           std::move(finish),
           {},
           {}});
}

/// The variables that the agents have now, and those that they had at the start.
inline void Block::swap_variables(LeftOperation& operation)
{
    std::vector<Agent>& agents = operation.in == nullptr ? agents_ : operation.in->agents_;
    for (std::size_t i = 0; i < operation.vars.size(); ++i)
        agents[static_cast<std::size_t>(operation.agent) + i].vars.swap(operation.vars[i]);
}

/// Does what operation `which` has left, and before it what those have that it follows: products of the same agents, and in tensor memory
/// all products and copies that the block has started.
inline bool Block::finish_one(std::size_t which)
{
    if (const EndsBy until = left_[which].until; until == EndsBy::products || until == EndsBy::tensors) {
        const int of = left_[which].of;
        for (std::size_t i = 0; i < which; ++i)
            if (left_[i].until == until && left_[i].of == of) return finish_one(i) && finish_one(which - 1);
    }
    LeftOperation done = std::move(left_[which]);
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(which));
    swap_variables(done);
    const bool sound = (!done.read || done.read()) && done.finish();
    swap_variables(done);
    return sound;
}

/// A commit of the agent is after those of its operations in tensor memory up to `last`.
inline bool Block::finish_tensors(int agent, std::int64_t last)
{
    for (std::size_t i = left_.size(); i-- > 0;) {
        const LeftOperation& one = left_[i];
        if (one.until == EndsBy::tensors && one.agent == agent && one.number <= last) return finish_one(i);
    }
    return true;
}

/// A wait needs those of its groups, or phases, up to `last`; or only that they have read their sources.
inline bool Block::finish_left(EndsBy until, int of, std::int64_t last, bool sources_alone)
{
    for (std::size_t i = 0; i < left_.size();) {
        LeftOperation& one = left_[i];
        if (one.until != until || one.of != of || one.number > last) {
            ++i;
        } else if (!sources_alone) {
            if (!finish_one(i)) return false;
            i = 0; // what it has done before may have been among them
        } else {
            swap_variables(one);
            const bool sound = !one.read || one.read();
            one.read = nullptr;
            swap_variables(one);
            if (!sound) return false;
            ++i;
        }
    }
    return true;
}

inline bool Block::finish_after_turn()
{
    for (std::size_t i = turns_.next_operation(left_.size()); i < left_.size(); i = turns_.next_operation(left_.size()))
        if (!finish_one(i)) return false;
    return true;
}

/// The block ends, and with it what no agent has waited for.
inline bool Block::finish_all()
{
    while (!left_.empty())
        if (!finish_one(0)) return false;
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
