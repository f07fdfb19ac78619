// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_MAP_HPP
#define AXE_SIM_OPCODES_MAP_HPP

#include <axe/program/functions.hpp>
#include <axe/sim/memory/element_bits.hpp>
#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// In what numbers a function is computed: integers if all operands are, f64 if one is, else f32; one rounding to the destination. Of a bit
/// cast, in none: `bits`.
enum class Arithmetic : std::uint8_t { f32, f64, integer, bits };

template <class Operands>
Arithmetic arithmetic_of(const Operands& types) noexcept
{
    bool integers = true, doubles = false;
    for (const DType t : types) {
        integers = integers && !is_float(t);
        doubles = doubles || t == DType::f64;
    }
    return integers ? Arithmetic::integer : doubles ? Arithmetic::f64 : Arithmetic::f32;
}

/// f(a, b, c) of elements given as bits, as bits of the destination's type.
struct ElementFunction {
    const FunctionRow* row = nullptr;
    Arithmetic arithmetic = Arithmetic::f32;
    DType to = DType::f32;

    [[nodiscard]] std::uint64_t operator()(const std::uint64_t* bits, const DType* types, int count) const
    {
        if (arithmetic == Arithmetic::bits) return bits[0];
        if (arithmetic == Arithmetic::integer) {
            std::int64_t x[3]{};
            for (int i = 0; i < count; ++i) x[i] = decode_int(types[i], bits[i]);
            const std::int64_t y = row->apply_integer(x[0], x[1], x[2]);
            return is_float(to) ? encode(to, static_cast<double>(y)) : encode_int(to, y);
        }
        double x[3]{};
        for (int i = 0; i < count; ++i) x[i] = decode(types[i], bits[i]);
        if (arithmetic == Arithmetic::f64) return encode(to, row->apply(x[0], x[1], x[2]));
        return encode(
            to, static_cast<double>(row->apply_f32(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]))));
    }
};

/// Is the function of as many elements as it is given?
inline Result<void, Problem> check_arity(const Preparation& p, const FunctionRow& row, std::size_t operands)
{
    if (row.arity == static_cast<int>(operands)) return {};
    return p.refuse("{0} takes {1} elements and is given {2}", {row.name, row.arity, operands});
}
/// Is it one of the numbers that it is to be computed in?
inline Result<void, Problem> check_arithmetic(const Preparation& p, const FunctionRow& row, Arithmetic arithmetic)
{
    if (arithmetic != Arithmetic::integer || row.apply_integer != nullptr) return {};
    return p.refuse("{0} is not a function of integers", {row.name});
}

/// `map` D, A, …: a function of elements, lane by lane, issue after issue, so that a destination that repeats accumulates.
class Map : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Map>();
        if (auto problem = resolve_operands(p, *e, 2, 4, true); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        const FunctionRow& row = p.instruction->function.row();
        if (auto problem = check_arity(p, row, e->operands.size() - 1); !problem.ok()) return problem;
        for (std::size_t i = 1; i < e->operands.size(); ++i) e->types_[i - 1] = e->operands[i].plan->tensor->dtype;
        std::vector<DType> types(e->types_, e->types_ + row.arity);
        e->function_ = {&row, arithmetic_of(types), e->operands[0].plan->tensor->dtype};
        if (auto problem = check_arithmetic(p, row, e->function_.arithmetic); !problem.ok()) return problem;
        if (p.instruction->function == Function::bit_cast) e->function_.arithmetic = Arithmetic::bits;
        e->plain_ = e->function_.to == DType::f32;
        for (const LaneAccess& a : e->operands) e->plain_ = e->plain_ && a.plan->tensor->dtype == DType::f32;
        e->operations_ = row.operations;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements at[4];
        const std::size_t n = operands.size();
        for (std::size_t k = 0; k < n; ++k)
            if (!block.places(*this, static_cast<int>(k), column, agent, at[k])) return false;
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            const std::int64_t active = count_issues(block, *this, at[0]);
            (function_.arithmetic == Arithmetic::integer ? tally.integer_ops : tally.flops) +=
                operations_ * active * operands[0].vector;
            for (std::size_t k = 0; k < n; ++k) block.count(*this, static_cast<int>(k), column, at[k]);
        }
        return for_each_copy(operands[0], at[0], [&](const LaneElements& copy) {
            LaneElements here[4] = {copy, at[1], at[2], at[3]};
            return apply_all(block, column, agent, here);
        });
    }

  private:
    bool apply_all(Block& block, int column, int agent, const LaneElements* at) const
    {
        const std::size_t n = operands.size();
        const Actor actor = block.actor(agent, index);
        std::byte* data[4]{};
        for (std::size_t k = 0; k < n; ++k) data[k] = block.data(operands[k], agent);
        const auto col = static_cast<std::size_t>(column);
        for (std::size_t i = 0; i < operands[0].entries(); ++i) {
            if (at[0].table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(operands[0].lanes));
            bool skip = false;
            for (std::size_t k = 1; k < n; ++k) skip = skip || at[k].table[i] == inactive;
            if (skip) continue;
            if (block.full() && !check(block, at, i, col, agent, lane, actor)) return false;
            for (int v = 0; v < operands[0].vector; ++v) {
                if (plain_) {
                    float x[3]{};
                    for (std::size_t k = 1; k < n; ++k)
                        if (at[k].table[i] > outside)
                            std::memcpy(&x[k - 1], data[k] + place_of_element(operands[k], at[k], i, col, v) * 4, 4);
                    const float y = function_.row->apply_f32(x[0], x[1], x[2]);
                    std::memcpy(data[0] + place_of_element(operands[0], at[0], i, col, v) * 4, &y, 4);
                    continue;
                }
                std::uint64_t bits[3]{};
                for (std::size_t k = 1; k < n; ++k)
                    bits[k - 1] =
                        at[k].table[i] == outside
                            ? encode(types_[k - 1], 0.0)
                            : load_bits(data[k] + place_of_element(operands[k], at[k], i, col, v) * operands[k].plan->width,
                                        operands[k].plan->width);
                const std::uint64_t out = function_(bits, types_, static_cast<int>(n) - 1);
                std::memcpy(data[0] + place_of_element(operands[0], at[0], i, col, v) * operands[0].plan->width, &out,
                            static_cast<std::size_t>(operands[0].plan->width));
            }
        }
        return true;
    }

    bool check(Block& block, const LaneElements* at, std::size_t i, std::size_t column, int agent, int lane,
               const Actor& actor) const
    {
        for (std::size_t k = operands.size(); k-- > 0;) {
            const LaneAccess& a = operands[k];
            if (at[k].table[i] <= outside) continue;
            if (a.in_registers()) {
                for (int v = 0; v < a.vector; ++v) {
                    const std::int64_t slot = place_of_element(a, at[k], i, column, v);
                    if (k == 0)
                        block.write_register(a, agent, lane, slot);
                    else if (!block.read_register(*this, static_cast<int>(k), agent, lane, slot))
                        return false;
                }
                continue;
            }
            const std::int64_t place = at[k].base + at[k].table[i];
            if (!(k == 0 ? block.write(*this, 0, actor, lane, place, a.bytes)
                         : block.read(*this, static_cast<int>(k), actor, lane, place, a.bytes)))
                return false;
        }
        return true;
    }

    ElementFunction function_{};
    DType types_[3]{};
    bool plain_ = false;
    int operations_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
