// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_ATOMIC_HPP
#define AXE_SIM_OPCODES_ATOMIC_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/opcodes/map.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Is it a function of the old element and one operand, or an exchange?
inline Result<void, Problem> check_atomic_function(const Preparation& p)
{
    const FunctionRow& row = p.instruction->function.row();
    if (p.instruction->function == Function::identity || row.arity == 2) return {};
    return p.refuse("{0} takes {1} elements; an atomic operation takes the old element and one operand", {row.name, row.arity});
}

/// `atomic` D, A with a function: D = f(D, A), an exchange for the identity, in a memory, element by element, whatever other agents do
/// too. The simulated order is that of issues, of lanes, and of agents as they run; f in the numbers of `map`, one rounding each time.
class Atomic : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Atomic>();
        e->other_blocks = e->other_devices = true;
        e->in_agent_order = true;
        if (auto problem = resolve_operands(p, *e, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        if (d.in_registers()) return p.refuse(not_shared_text(d.plan->name(), d.plan->tensor->memory));
        const FunctionRow& row = p.instruction->function.row();
        if (auto problem = check_atomic_function(p); !problem.ok()) return problem;
        e->types_[0] = d.plan->tensor->dtype;
        e->types_[1] = a.plan->tensor->dtype;
        e->function_ = {&row, arithmetic_of(std::initializer_list<DType>{e->types_[0], e->types_[1]}), e->types_[0]};
        if (auto problem = check_arithmetic(p, row, e->function_.arithmetic); !problem.ok()) return problem;
        e->operations_ = row.operations;
        e->reads_back = true;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (!block.places(*this, 0, column, agent, to) || !block.places(*this, 1, column, agent, from)) return false;
        const LaneAccess &d = operands[0], &a = operands[1];
        const auto col = static_cast<std::size_t>(column);
        if (block.counting()) count(block, column, to, from);
        const Actor actor = block.actor(agent, index);
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] == inactive) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            const bool zero = from.table[i] == outside;
            if (block.full() && !zero && !check_source(block, from, i, col, agent, lane, actor)) return false;
            if (block.full() && !block.atomic(*this, 0, actor, lane, to.base + to.table[i], d.bytes)) return false;
            for (int v = 0; v < d.vector; ++v) {
                std::byte* at = target + place_of_element(d, to, i, col, v) * d.plan->width;
                const std::uint64_t more =
                    zero ? encode(types_[1], 0.0)
                         : load_bits(source + place_of_element(a, from, i, col, v) * a.plan->width, a.plan->width);
                const bool exchange = function_.row == &Function::identity.row();
                const std::uint64_t bits[3] = {exchange ? more : load_bits(at, d.plan->width), more, 0};
                const DType types[3] = {exchange ? types_[1] : types_[0], types_[1], types_[1]};
                const std::uint64_t out = function_(bits, types, exchange ? 1 : 2);
                std::memcpy(at, &out, static_cast<std::size_t>(d.plan->width));
            }
        }
        return true;
    }

  private:
    void count(Block& block, int column, const LaneElements& to, const LaneElements& from) const
    {
        Tally& tally = block.tally(*this);
        tally.issues += operands[0].issues;
        tally.lanes += static_cast<std::int64_t>(operands[0].entries());
        std::int64_t active = 0;
        for (std::size_t i = 0; i < operands[0].entries(); ++i)
            active += to.table[i] > outside && from.table[i] != inactive ? 1 : 0;
        tally.lanes_active += active;
        (function_.arithmetic == Arithmetic::integer ? tally.integer_ops : tally.flops) +=
            operations_ * active * operands[0].vector;
        tally.operands[0].read_back += active * operands[0].bytes;
        block.count(*this, 0, column, to);
        block.count(*this, 1, column, from);
    }
    bool check_source(Block& block, const LaneElements& from, std::size_t i, std::size_t column, int agent, int lane,
                      const Actor& actor) const
    {
        const LaneAccess& a = operands[1];
        if (!a.in_registers()) return block.read(*this, 1, actor, lane, from.base + from.table[i], a.bytes);
        for (int v = 0; v < a.vector; ++v)
            if (!block.read_register(*this, 1, agent, lane, place_of_element(a, from, i, column, v))) return false;
        return true;
    }

    ElementFunction function_{};
    DType types_[2]{};
    int operations_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
