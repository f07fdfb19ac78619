// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_MULTIMEM_HPP
#define AXE_TARGET_NVIDIA_OPCODES_MULTIMEM_HPP

#include <axe/sim/opcodes/map.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `multimem_ld_reduce` D, A with a function: D = f over what all devices have at a place of A, in the order of the devices, sums of 16-bit
/// floats in f32 and rounded once; `multimem_st` D, A: each device's place of D becomes A; `multimem_red` D, A with a function: it becomes
/// f(D, A), each device's in one step. One operand is in registers, the other one a remote view that names no device, of a tensor with a
/// copy on each.      [PTX ISA, multimem.ld_reduce, multimem.st, multimem.red]
///
/// Each device's memory is accessed as by an access of the lane to that device. Over the links goes one value for all devices, which the
/// network combines or repeats: bytes of no link, and none where there is one device.
class Multimem : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Multimem>();
        e->other_devices = e->in_network = true;
        e->loads_ = p.instruction->opcode == "multimem_ld_reduce";
        e->reduces_ = p.instruction->opcode != "multimem_st";
        e->in_agent_order = e->reads_back = !e->loads_ && e->reduces_;
        if (auto problem = resolve_operands(p, *e, 2, 2, !e->loads_); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        e->copies_ = e->loads_ ? 1 : 0;
        const LaneAccess &all = e->operands[static_cast<std::size_t>(e->copies_)],
                         &own = e->operands[static_cast<std::size_t>(1 - e->copies_)];
        if (!all.is_remote() || !all.plan->of_all_devices || !own.in_registers())
            return p.refuse("it is between registers and a remote view of the copies of all devices");
        const auto devices = static_cast<std::int64_t>(p.compiled->stage.devices);
        if (static_cast<std::int64_t>(all.plan->address.copies.size()) != devices)
            return p.refuse("{0} has {1} copies on {2} devices; there is to be one on each",
                            {all.plan->name(), all.plan->address.copies.size(), devices});
        const FunctionRow& row = p.instruction->function.row();
        const DType type = all.plan->tensor->dtype;
        e->type_ = type;
        if (!e->reduces_) return Prepared(std::unique_ptr<Executable>(std::move(e)));
        if (row.arity != 2) return p.refuse("{0} takes {1} elements; the network combines two", {row.name, row.arity});
        const bool narrow = e->loads_ && is_float(type) && storage_bytes(type) < 4;
        e->function_ = {&row, arithmetic_of(std::initializer_list<DType>{type}), narrow ? DType::f32 : type};
        if (auto problem = check_arithmetic(p, row, e->function_.arithmetic); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements at[2];
        for (int k = 0; k < 2; ++k)
            if (!block.places(*this, k, column, agent, at[k])) return false;
        const LaneAccess& own = operands[static_cast<std::size_t>(1 - copies_)];
        const LaneElements &there = at[copies_], &here = at[1 - copies_];
        if (block.counting()) count(block, column, at);
        const Actor actor = block.actor(agent, index);
        const auto col = static_cast<std::size_t>(column);
        for (std::size_t i = 0; i < own.entries(); ++i) {
            if (here.table[i] == inactive || there.table[i] == inactive || (!loads_ && there.table[i] == outside)) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(own.lanes));
            const bool none = there.table[i] == outside; // it is read as 0
            if (block.full() && !none && !check(block, there, i, lane, actor)) return false;
            for (int v = 0; v < own.vector; ++v) {
                const std::int64_t slot = place_of_element(own, here, i, col, v);
                if (block.full()) {
                    if (loads_)
                        block.write_register(own, agent, lane, slot);
                    else if (!block.read_register(*this, 1 - copies_, agent, lane, slot))
                        return false;
                }
                std::byte* const mine = block.data(own, agent) + slot * own.plan->width;
                if (loads_) {
                    const std::uint64_t sum = none ? encode(type_, 0.0) : reduced(block, there, i, col, v, agent);
                    std::memcpy(mine, &sum, static_cast<std::size_t>(own.plan->width));
                } else {
                    store(block, there, i, col, v, agent, load_bits(mine, own.plan->width));
                }
            }
        }
        return true;
    }

  private:
    [[nodiscard]] const LaneAccess& all() const { return operands[static_cast<std::size_t>(copies_)]; }
    /// How far the copy of each device is from that of the first.
    [[nodiscard]] std::int64_t away(std::int64_t copy) const { return copy - all().plan->address.copies.front(); }

    void count(Block& block, int column, const LaneElements* at) const
    {
        Tally& tally = block.tally(*this);
        count_issues(block, *this, at[0]);
        const auto devices = static_cast<std::int64_t>(all().plan->address.copies.size());
        const LaneElements& there = at[copies_];
        const std::int64_t accesses =
            std::count_if(there.table, there.table + all().entries(), [](std::int32_t place) { return place > outside; });
        const std::int64_t combined = loads_ ? devices - 1 : reduces_ ? devices : 0;
        (is_float(type_) ? tally.flops : tally.integer_ops) += combined * accesses * all().vector;
        if (devices > 1) tally.link_bytes += accesses * all().bytes; // one value, whatever the number of devices
        if (!loads_ && reduces_) tally.operands[0].read_back += devices * accesses * all().bytes;
        block.count(*this, 1 - copies_, column, at[1 - copies_]);
        for (std::int64_t d = 0; d < devices; ++d) block.count(*this, copies_, column, there); // all memories alike
    }
    bool check(Block& block, const LaneElements& there, std::size_t i, int lane, const Actor& actor) const
    {
        for (const std::int64_t copy : all().plan->address.copies) {
            const std::int64_t place = there.base + there.table[i] + away(copy);
            const bool fine = loads_     ? block.read(*this, copies_, actor, lane, place, all().bytes)
                              : reduces_ ? block.atomic(*this, copies_, actor, lane, place, all().bytes)
                                         : block.write(*this, copies_, actor, lane, place, all().bytes);
            if (!fine) return false;
        }
        return true;
    }
    [[nodiscard]] std::byte* element(Block& block, const LaneElements& there, std::size_t i, std::size_t column, int v, int agent,
                                     std::int64_t copy) const
    {
        return block.data(all(), agent) + (place_of_element(all(), there, i, column, v) + away(copy)) * all().plan->width;
    }
    [[nodiscard]] std::uint64_t reduced(Block& block, const LaneElements& there, std::size_t i, std::size_t column, int v,
                                        int agent) const
    {
        const auto& copies = all().plan->address.copies;
        const int width = all().plan->width;
        std::uint64_t sum = load_bits(element(block, there, i, column, v, agent, copies.front()), width);
        DType grown = type_;
        for (std::size_t d = 1; d < copies.size(); ++d) {
            const std::uint64_t bits[3] = {sum, load_bits(element(block, there, i, column, v, agent, copies[d]), width), 0};
            const DType types[3] = {grown, type_, type_};
            sum = function_(bits, types, 2);
            grown = function_.to;
        }
        return grown == type_ ? sum : encode(type_, decode(grown, sum));
    }
    void store(Block& block, const LaneElements& there, std::size_t i, std::size_t column, int v, int agent,
               std::uint64_t value) const
    {
        for (const std::int64_t copy : all().plan->address.copies) {
            std::byte* const to = element(block, there, i, column, v, agent, copy);
            const std::uint64_t bits[3] = {reduces_ ? load_bits(to, all().plan->width) : value, value, 0};
            const DType types[3] = {type_, type_, type_};
            const std::uint64_t out = reduces_ ? function_(bits, types, 2) : value;
            std::memcpy(to, &out, static_cast<std::size_t>(all().plan->width));
        }
    }

    ElementFunction function_{};
    DType type_ = DType::f32;
    bool loads_ = false, reduces_ = false;
    int copies_ = 0; ///< the operand that all devices have
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
