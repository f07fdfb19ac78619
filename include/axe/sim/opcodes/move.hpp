// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_MOVE_HPP
#define AXE_SIM_OPCODES_MOVE_HPP

#include <axe/sim/memory/byte_runs.hpp>
#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `move` D, A: each lane takes a vector from one place to another; loads, stores, register moves and conversions are all this.
/// `fill` D: the same with a constant for A.
class Move : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Move>();
        e->other_blocks = e->other_devices = true;
        const bool fill = p.instruction->opcode == "fill";
        if (auto problem = resolve_operands(p, *e, fill ? 1 : 2, fill ? 1 : 2, true); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        const DType to = e->operands[0].plan->tensor->dtype;
        const DType from = fill ? to : e->operands[1].plan->tensor->dtype;
        e->fill_ = fill;
        e->convert_ = from != to;
        if (fill) {
            const std::uint64_t bits = encode(to, p.instruction->number);
            e->constant_.resize(static_cast<std::size_t>(e->operands[0].bytes));
            const auto width = static_cast<std::size_t>(e->operands[0].plan->width);
            if (e->operands[0].slots.empty()) e->runs_ = runs_between(e->operands[0], e->operands[0]);
            for (ByteRuns& column : e->runs_) column = ByteRuns::together({column}); // the order of registers: long runs
            for (const ByteRuns& column : e->runs_)
                e->constant_.resize(std::max(e->constant_.size(), static_cast<std::size_t>(std::min(column.longest(), 4096))));
            for (std::size_t i = 0; i < e->constant_.size(); i += width) std::memcpy(e->constant_.data() + i, &bits, width);
        } else if (!e->convert_ && e->operands[0].slots.empty() && e->operands[1].slots.empty()) {
            e->runs_ = runs_between(e->operands[0], e->operands[1]);
            e->zeros_.resize(static_cast<std::size_t>(e->operands[0].bytes));
            const std::uint64_t zero = encode(to, 0.0);
            const auto width = static_cast<std::size_t>(e->operands[0].plan->width);
            for (std::size_t i = 0; i < e->zeros_.size(); i += width) std::memcpy(e->zeros_.data() + i, &zero, width);
        }
        if (!fill) e->alike_ = take_part_alike(e->operands[0], e->operands[1]);
        if (!e->runs_.empty() && !e->operands[0].in_registers() && (fill || !e->operands[1].in_registers()) &&
            e->operands[0].plan->address.copies.size() == 1)
            e->together_ = ByteRuns::together(e->runs_);
        e->at_once = !e->together_.runs.empty();
        e->whole_ = e->at_once && e->together_.covers(e->operands[0].plan->bytes()) &&
                    (fill || e->operands[1].tensor != e->operands[0].tensor);
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run_at_once(Block& block) const override
    {
        const LaneAccess &d = operands[0], &a = operands[fill_ ? 0 : 1];
        std::int64_t to = 0, from = 0;
        if (!block.common_base(d, to) || !block.common_base(a, from)) return false;
        std::byte* target = (whole_ && to == 0 ? block.data_to_overwrite(d) : block.data(d, 0)) + to * d.plan->width;
        if (fill_)
            together_.fill(target, constant_);
        else
            together_.copy(target, block.data(a, 0) + from * d.plan->width);
        return true;
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (!block.places(*this, 0, column, agent, to)) return false;
        if (!fill_ && !block.places(*this, 1, column, agent, from)) return false;
        if (block.counting()) {
            count_issues(block, *this, to);
            block.count(*this, 0, column, to);
            if (!fill_) block.count(*this, 1, column, from);
        }
        return for_each_copy(operands[0], to, [&](const LaneElements& copy) {
            if (block.full() && !check(block, column, agent, copy, from)) return false;
            move(block, column, agent, copy, from);
            return true;
        });
    }

  private:
    bool check(Block& block, int column, int agent, const LaneElements& to, const LaneElements& from) const
    {
        const LaneAccess& d = operands[0];
        const auto lanes = static_cast<std::size_t>(d.lanes);
        const bool load = !fill_ && !operands[1].in_registers(), store = !d.in_registers();
        if (!fill_ && !load) {
            // A lane whose target is outside does not read either.
            if (!to.fresh && !block.read_registers(*this, 1, column, agent, from)) return false;
            for (std::size_t i = 0; i < d.entries() && to.fresh; ++i)
                for (int e = 0; e < d.vector && to.table[i] > outside && from.table[i] > outside; ++e)
                    if (!block.read_register(*this, 1, agent, static_cast<int>(i % lanes),
                                             place_of_element(operands[1], from, i, static_cast<std::size_t>(column), e)))
                        return false;
        }
        if ((load || store) && !block.check_copy(*this, block.actor(agent, index), {0, &to}, {1, load ? &from : nullptr}, alike_))
            return false;
        if (!store) block.write_registers(d, column, agent, to);
        return true;
    }

    void move(Block& block, int column, int agent, const LaneElements& to, const LaneElements& from) const
    {
        const LaneAccess& d = operands[0];
        std::byte* target = block.data(d, agent);
        const std::byte* source = fill_ ? nullptr : block.data(operands[1], agent);
        const auto col = static_cast<std::size_t>(column);
        const int width = d.plan->width;
        if (!runs_.empty() && !to.fresh && !from.fresh)
            return fill_ ? runs_[col].fill(target + to.base * width, constant_)
                         : runs_[col].copy(target + to.base * width, source + from.base * width);
        if (!runs_.empty() && !fill_ && to.kept() && from.kept()) {
            const EdgeMove& edge = block.edge_move(*this, to, from);
            edge.copied.copy(target + to.base * width, source + from.base * width);
            edge.zeros.fill(target + to.base * width, zeros_);
            return;
        }
        if (convert_)
            return is_exact_in_float(operands[1].plan->tensor->dtype) ? convert<float>(target, source, col, to, from)
                                                                      : convert<double>(target, source, col, to, from);
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside) continue;
            if (fill_ && d.slots.empty()) {
                copy_bytes(target + (to.base + to.table[i]) * width, constant_.data(), d.bytes);
                continue;
            }
            if (!fill_ && from.table[i] == inactive) continue;
            const bool zero = !fill_ && from.table[i] == outside;
            for (int e = 0; e < d.vector; ++e) {
                std::byte* at = target + place_of_element(d, to, i, col, e) * width;
                if (fill_)
                    std::memcpy(at, constant_.data(), static_cast<std::size_t>(width));
                else if (zero)
                    write_zero(at);
                else
                    element(at, source + place_of_element(operands[1], from, i, col, e) * operands[1].plan->width);
            }
        }
    }

    void write_zero(std::byte* at) const
    {
        const std::uint64_t bits = encode(operands[0].plan->tensor->dtype, 0.0);
        std::memcpy(at, &bits, static_cast<std::size_t>(operands[0].plan->width));
    }
    void element(std::byte* at, const std::byte* from) const { copy_bytes(at, from, operands[0].plan->width); }

    /// Is each value of the type a float?
    static bool is_exact_in_float(DType type) noexcept { return type != DType::f64 && type != DType::i32; }
    /// Elements of other types: a few hundred are gathered, converted in one call, and put where they go.
    ///
    /// @tparam Value has every value of the source's type
    template <class Value>
    void convert(std::byte* target, const std::byte* source, std::size_t column, const LaneElements& to,
                 const LaneElements& from) const
    {
        constexpr std::size_t most = 512, widest = 8;
        const LaneAccess &d = operands[0], &a = operands[1];
        const auto width = static_cast<std::size_t>(d.plan->width), stored = static_cast<std::size_t>(a.plan->width);
        const auto vector = static_cast<std::size_t>(d.vector);
        const bool pieces = d.slots.empty() && a.slots.empty() && vector <= most; // a vector is neighbors on both sides
        const std::size_t length = pieces ? vector : 1;
        std::byte raw[most * widest], made[most * widest];
        std::byte* places[most];
        Value values[most];
        std::size_t held = 0, count = 0; // elements, and pieces
        const auto put = [&] {
            if (count == 0) return;
            decode(a.plan->tensor->dtype, raw, values, held);
            encode(d.plan->tensor->dtype, values, made, held);
            for (std::size_t k = 0; k < count; ++k)
                copy_bytes(places[k], made + k * length * width, static_cast<int>(length * width));
            held = count = 0;
        };
        const auto take = [&](std::byte* at, const std::byte* element) {
            if (held + length > most) put();
            copy_bytes(raw + held * stored, element, static_cast<int>(length * stored));
            held += length;
            places[count++] = at;
        };
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] == inactive) continue;
            if (pieces && from.table[i] != outside) {
                take(target + static_cast<std::size_t>(to.base + to.table[i]) * width,
                     source + static_cast<std::size_t>(from.base + from.table[i]) * stored);
                continue;
            }
            for (int e = 0; e < d.vector; ++e) {
                std::byte* at = target + static_cast<std::size_t>(place_of_element(d, to, i, column, e)) * width;
                if (from.table[i] == outside)
                    write_zero(at);
                else
                    take(at, source + static_cast<std::size_t>(place_of_element(a, from, i, column, e)) * stored);
            }
        }
        put();
    }

    bool fill_ = false, convert_ = false, alike_ = true;
    std::vector<std::byte> constant_{}, zeros_{};
    ByteRuns together_{};          ///< of all columns, where both sides are memories
    bool whole_ = false;           ///< it writes every byte of the destination's tensor, unless a variable moves it
    std::vector<ByteRuns> runs_{}; ///< of each column, where bytes are moved as they are, or filled
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
