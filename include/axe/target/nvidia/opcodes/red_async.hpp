// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_RED_ASYNC_HPP
#define AXE_TARGET_NVIDIA_OPCODES_RED_ASYNC_HPP

#include <axe/sim/opcodes/map.hpp>
#include <axe/target/nvidia/messages.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Does an asynchronous reduction in the memory of another block combine elements of this type by the function?      [PTX ISA, red.async]
inline bool has_async_reduction(Function function, DType type) noexcept
{
    return type == DType::i32 && (function == Function::add || function == Function::min || function == Function::max ||
                                  function == Function::bit_and || function == Function::bit_or || function == Function::bit_xor ||
                                  function == Function::inc || function == Function::dec);
}

/// `red_async` D, A with a function: D = f(D, A), each lane an element of its registers in the shared memory of another block of the
/// cluster, whose mbarrier `completes_on` counts the bytes. Each is a relaxed atomic operation.      [PTX ISA, red.async]
///
/// It accesses memory as ordinary operations do, at any time between its start and the end of the phase.
class RedAsync : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<RedAsync>();
        e->ends_by = EndsBy::phase;
        e->other_blocks = e->reads_back = true;
        if (auto problem = resolve_operands(p, *e, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        if (!d.names_block() || d.plan->owner != Owner::block || !a.in_registers() || d.vector != 1)
            return p.refuse("it combines single registers with shared memory of a block that it names by its rank");
        const FunctionRow& row = p.instruction->function.row();
        const DType type = d.plan->tensor->dtype;
        if (!has_async_reduction(p.instruction->function, type)) return p.refuse(detail::no_reduction_text(type, row.name));
        if (p.instruction->completes_on < 0) return p.refuse("a reduction in another block completes on an mbarrier, got none");
        e->function_ = {&row, arithmetic_of(std::initializer_list<DType>{type, type}), type};
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        Block* const target = block.other_block((*operands[0].view->block)(block.variables(agent)), agent, statement, false);
        if (target == nullptr || !block.find_places_of(*this, column, agent, to, from)) return false;
        if (target == &block)
            return block.fail(FaultKind::wrong_owner, statement,
                              detail::worded("agent {0} names its own block; red.async is for the memory of another one", {agent}));
        const LaneAccess &d = operands[0], &a = operands[1];
        if (block.counting()) {
            const std::int64_t active = count_issues(block, *this, to);
            Tally& tally = block.tally(*this);
            tally.integer_ops += function_.row->operations * active;
            tally.operands[0].read_back += active * d.bytes;
            block.count(*this, 0, column, to);
            block.count(*this, 1, column, from);
        }
        Actor actor;
        if (!block.completing(*target, *target, agent, *this, actor)) return false;
        actor.ordinary = true;
        const DType types[3] = {d.plan->tensor->dtype, d.plan->tensor->dtype, d.plan->tensor->dtype};
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            const std::int64_t slot = place_of_element(a, from, i, static_cast<std::size_t>(column), 0);
            if (block.full() && !(block.read_register(*this, 1, agent, lane, slot) &&
                                  block.atomic(*this, 0, actor, lane, to.base + to.table[i], d.bytes)))
                return false;
            std::byte* const at = block.data(d, agent) + (to.base + to.table[i]) * d.plan->width;
            const std::uint64_t bits[3] = {load_bits(at, d.plan->width),
                                           load_bits(block.data(a, agent) + slot * a.plan->width, a.plan->width), 0};
            const std::uint64_t out = function_(bits, types, 2);
            std::memcpy(at, &out, static_cast<std::size_t>(d.plan->width));
            bytes += d.bytes;
        }
        return target->complete(*this, bytes);
    }

  private:
    ElementFunction function_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
