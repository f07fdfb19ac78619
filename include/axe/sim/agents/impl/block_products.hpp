// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_PRODUCTS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_PRODUCTS_HPP

#include <axe/sim/agents/block.hpp>

/// Asynchronous matrix products of a block: agents that come together for one, its groups, and the registers that it holds.
/// [PTX, warpgroup level matrix instructions]
namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL Actor Block::products(int first, int agent, int index) const
{
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    return {run_,
            products_of(first),
            a.products.group,
            &a.clock,
            &device_->horizon,
            a.clock.time,
            static_cast<std::uint32_t>(index + 1),
            agent};
}

/// Runs an instruction for each set of agents that run it as one, all of which have come to it.
inline bool Block::converge(int step)
{
    const Step& s = grid_->code.steps[static_cast<std::size_t>(step)];
    const Executable& e = *grid_->instructions[static_cast<std::size_t>(s.item)];
    const int stride = std::max(1, e.instruction->agent_stride);
    for (int column = 0; column < e.instruction->agents; column += e.together) {
        const auto member = [&](int k) -> Agent& {
            return agents_[static_cast<std::size_t>(e.instruction->first_agent + (column + k) * stride)];
        };
        bool all = true;
        for (int k = 0; k < e.together; ++k) all = all && member(k).waits_at == step;
        if (!all) continue;
        if (!run_instruction(s, e.instruction->first_agent + column * stride)) return false;
        for (int k = 0; k < e.together; ++k) {
            member(k).waits_at = -1;
            ++member(k).pc;
        }
    }
    return true;
}

/// An ordinary access of a register.
AXE_DECL bool Block::touch_register(std::vector<ProductUse>& uses, const LaneAccess& a, int agent, std::size_t which)
{
    Agent::Products& products = agents_[static_cast<std::size_t>(agent)].products;
    ProductUse& use = uses[static_cast<std::size_t>(agent) * static_cast<std::size_t>(a.plan->count) + which];
    use.touched = products.fence;
    if (use.group <= products.done) return true;
    const Step& step = grid_->code.steps[static_cast<std::size_t>(agents_[static_cast<std::size_t>(agent)].pc)];
    return fail(FaultKind::race, step.statement,
                detail::worded(
                    detail::hinted("agent {0} uses register {1} of {2}, which the asynchronous product of statement {3} still has",
                                   "add wait_products() before this statement"),
                    {agent, which, a.plan->name(), use.statement}),
                use.statement);
}

AXE_DECL bool Block::use_in_product(const Executable& e, int operand, int agent, const std::vector<std::size_t>& registers,
                                    const ProductStep& step)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    auto& uses = memory_->registers[static_cast<std::size_t>(a.tensor)].products;
    Agent::Products& products = agents_[static_cast<std::size_t>(agent)].products;
    if (step.fence && operand == 0) ++products.fence;
    const auto count = static_cast<std::size_t>(a.plan->count);
    uses.resize(count * agents_.size());
    ProductUse* const mine = uses.data() + static_cast<std::size_t>(agent) * count;
    for (const std::size_t which : registers) {
        ProductUse& use = mine[which];
        if (products.fence == 1 || use.touched == products.fence)
            return fail(
                FaultKind::race, e.statement,
                operand == 0
                    ? detail::worded(
                          "agent {0} multiplies into register {1} of {2}, without a fence of registers since its last access",
                          {agent, which, a.plan->name()})
                    : detail::worded("agent {0} multiplies register {1} of {2}, without a fence of registers since its last access",
                                     {agent, which, a.plan->name()}));
        use.group = products.group;
        use.statement = e.statement;
    }
    return true;
}

AXE_DECL void Block::end_product_step(int agent, int statement, const ProductStep& step)
{
    Agent::Products& products = agents_[static_cast<std::size_t>(agent)].products;
    products.statement = statement;
    products.open_at = step.commit ? -1 : statement;
    if (step.commit) ++products.group;
}

/// A wait of one agent shows that the product is complete for all that run it.
inline bool Block::wait_products(Agent& a, int number, int pending)
{
    if (a.tensor_statement >= 0 && pending == 0) complete_tensors(a, number);
    if (pending == 0) note_end({EndsBy::tensors, number, a.tensor_commits}, number);
    if (!left_.empty() && pending == 0 && !finish_tensors(number, tensor_operations_)) return false;
    const std::uint32_t committed = a.products.group - 1, left = static_cast<std::uint32_t>(pending);
    if (committed <= left) return true;
    a.products.done = std::max(a.products.done, committed - left);
    if (number % 4 == 0) note_end({EndsBy::products, number, a.products.done}, number); // in the trace the first stands for all
    if (!left_.empty() && !finish_left(EndsBy::products, number / 4 * 4, a.products.done)) return false;
    std::uint32_t& known = a.clock.known[products_of(number / 4 * 4)];
    known = std::max(known, a.products.done + 1);
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
