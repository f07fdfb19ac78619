// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_INDEXED_ATOMIC_HPP
#define AXE_SIM_OPCODES_INDEXED_ATOMIC_HPP

#include <axe/sim/opcodes/atomic.hpp>
#include <axe/sim/opcodes/indexed.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace sim {

/// `indexed_atomic` D, A, I …, B with parameters {0 function | 1 compare and exchange, how many indices, 1: with a mask}: in the row of D's view that I's element says, D = f(D, A),
/// or D = A where D has the bits of B; B is what was there before, and with a function may be absent. A row outside the tensor is a fault,
/// of a guarded view nothing, with 0 before.
///
/// A mask is the last operand: where its element is 0, indices and mask are read, and nothing else is accessed.
class IndexedAtomic : public Indexed {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<IndexedAtomic>();
        e->in_agent_order = e->reads_back = e->other_blocks = e->other_devices = true;
        e->chosen_ = e->chosen_by_data = 0;
        e->rows_ = 1;
        const auto& parameters = p.instruction->parameters;
        e->indices_ = parameters.size() > 1 ? parameters[1] : 1;
        const auto least = static_cast<std::size_t>(2 + std::clamp(e->indices_, std::int64_t{1}, std::int64_t{max_rank}));
        const bool has_mask = parameters.size() > 2 && parameters[2] == 1;
        if (auto problem = resolve_operands(p, *e, least + (has_mask ? 1 : 0), least + (has_mask ? 2 : 1)); !problem.ok())
            return problem;
        if (has_mask) e->mask_ = static_cast<int>(e->operands.size()) - 1;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (parameters.size() > 3 || (parameters.size() == 3 && !has_mask))
            return p.refuse("its third parameter must be 1, where its last operand is a mask");
        if (parameters.empty() || parameters[0] < 0 || parameters[0] > 1)
            return p.refuse("its parameter must be 0 (function) or 1 (compare and exchange)");
        e->compares_ = parameters[0] == 1;
        const LaneAccess& d = e->operands[0];
        if (d.in_registers()) return p.refuse(not_shared_text(d.plan->name(), d.plan->tensor->memory));
        if (auto problem = check_chosen(p, *e); !problem.ok()) return problem;
        if (!e->operands[1].in_registers() || (e->gives() && !e->operands[e->before()].in_registers()) ||
            (e->compares_ && !e->gives()))
            return p.refuse("what it combines, and what was there before, must be in registers");
        const FunctionRow& row = p.instruction->function.row();
        if (auto problem = check_atomic_function(p); !e->compares_ && !problem.ok()) return problem;
        for (const std::size_t k : {std::size_t{1}, e->before()})
            if ((k == 1 || e->gives()) && e->operands[k].plan->tensor->dtype != d.plan->tensor->dtype)
                return p.refuse("{0} and {1} have elements of different types", {d.plan->name(), e->operands[k].plan->name()});
        e->type_ = d.plan->tensor->dtype;
        e->function_ = {&row, arithmetic_of(std::initializer_list<DType>{e->type_, e->type_}), e->type_};
        if (auto problem = check_arithmetic(p, row, e->function_.arithmetic); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements at[max_rank + 4];
        const LaneAccess& d = operands[0];
        if (!block.names_device(*d.view, agent, statement)) return false;
        const Block* const owner =
            d.names_block() ? block.other_block((*d.view->block)(block.variables(agent)), agent, statement) : &block;
        if (owner == nullptr) return false;
        for (std::size_t k = 1; k < operands.size(); ++k)
            if (!block.places(*this, static_cast<int>(k), column, agent, at[k])) return false;
        const auto col = static_cast<std::size_t>(column);
        const Actor actor = block.actor(agent, index);
        std::vector<std::int32_t> table(d.entries(), inactive);
        std::vector<std::int64_t> origin;
        for (const Affine& o : d.view->origin) origin.push_back(o(block.variables(agent)));
        std::int64_t active = 0;
        for (std::size_t i = 0; i < d.entries(); ++i) {
            bool takes_part = at[1].table[i] > outside && d.table[col * d.entries() + i] != inactive;
            for (std::size_t k = 2; k < before(); ++k) takes_part = takes_part && at[k].table[i] > outside;
            if (!takes_part) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            std::int64_t chosen[max_rank];
            for (std::size_t k = 2; k < before(); ++k) {
                if (block.full() && !check(block, static_cast<int>(k), at[k], i, col, agent, lane, actor, false)) return false;
                chosen[k - 2] = decode_int(operands[k].plan->tensor->dtype, bits_of(block, k, at[k], i, col, agent));
            }
            if (mask_ >= 0) {
                const auto k = static_cast<std::size_t>(mask_);
                if (at[k].table[i] <= outside) continue;
                if (block.full() && !check(block, mask_, at[k], i, col, agent, lane, actor, false)) return false;
                if (decode(operands[k].plan->tensor->dtype, bits_of(block, k, at[k], i, col, agent)) == 0) continue;
            }
            for (const std::size_t k : {std::size_t{1}, before()})
                if (block.full() && (k == 1 || compares_) &&
                    !check(block, static_cast<int>(k), at[k], i, col, agent, lane, actor, false))
                    return false;
            std::int64_t coord[max_rank];
            bool is_there = false;
            if (!locate(block, agent, lane, chosen, origin, col * d.entries() + i, coord, is_there)) return false;
            ++active;
            table[i] = outside;
            std::uint64_t old = encode(type_, 0.0);
            if (is_there) {
                std::int64_t place = d.plan->address(coord) - d.plan->low;
                if (d.plan->swizzle.bits > 0) place = d.plan->swizzle(place);
                table[i] = static_cast<std::int32_t>(place);
                if (const int memory = block.watched_in(*d.view, agent);
                    memory >= 0 && std::equal(coord, coord + d.dims(), block.watch_of_run()->coordinate.begin()))
                    block.watch(this, statement, block.plan(d.tensor), d.tensor, agent, lane, true, 1, memory);
                if (block.full() && !block.atomic(*this, 0, actor, lane, place, d.bytes)) return false;
                old = combine(block.data(d, agent) + place * d.plan->width, bits_of(block, 1, at[1], i, col, agent),
                              compares_ ? bits_of(block, before(), at[before()], i, col, agent) : 0);
            }
            if (!gives() || at[before()].table[i] <= outside) continue;
            const LaneAccess& b = operands[before()];
            const std::int64_t slot = place_of_element(b, at[before()], i, col, 0);
            std::memcpy(block.data(b, agent) + slot * d.plan->width, &old, static_cast<std::size_t>(d.plan->width));
            if (block.full()) block.write_register(b, agent, lane, slot);
        }
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            tally.issues += d.issues;
            tally.lanes += static_cast<std::int64_t>(d.entries());
            tally.lanes_active += active;
            (function_.arithmetic == Arithmetic::integer ? tally.integer_ops : tally.flops) += function_.row->operations * active;
            tally.operands[0].read_back += active * d.bytes;
            for (std::size_t k = 1; k < operands.size(); ++k) block.count(*this, static_cast<int>(k), column, at[k]);
            block.count(*this, 0, column, {table.data(), 0, true});
            if (gives() && d.is_remote()) block.count_links(*this, d, agent, {table.data(), 0, true}, true); // what was there
            if (gives() && owner != &block)
                tally.link_bytes +=
                    d.bytes * std::count_if(table.begin(), table.end(), [](std::int32_t place) { return place > outside; });
        }
        return true;
    }

  private:
    /// The operand that gets what was there before, behind the indices.
    [[nodiscard]] std::size_t before() const { return static_cast<std::size_t>(2 + indices_); }
    [[nodiscard]] bool gives() const { return operands.size() > before() + (mask_ >= 0 ? 1 : 0); }
    std::uint64_t bits_of(Block& block, std::size_t k, const LaneElements& at, std::size_t i, std::size_t column, int agent) const
    {
        const LaneAccess& a = operands[k];
        return load_bits(block.data(a, agent) + place_of_element(a, at, i, column, 0) * a.plan->width, a.plan->width);
    }
    /// The element becomes what the operation says; what it was.
    std::uint64_t combine(std::byte* at, std::uint64_t more, std::uint64_t expected) const
    {
        const std::uint64_t was = load_bits(at, operands[0].plan->width);
        std::uint64_t out = more;
        if (compares_) {
            out = was == expected ? more : was;
        } else if (function_.row != &Function::identity.row()) {
            const std::uint64_t bits[3] = {was, more, 0};
            const DType types[3] = {type_, type_, type_};
            out = function_(bits, types, 2);
        }
        std::memcpy(at, &out, static_cast<std::size_t>(operands[0].plan->width));
        return was;
    }

    ElementFunction function_{};
    DType type_ = DType::i32;
    bool compares_ = false;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
