// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TENSOR_MOVE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TENSOR_MOVE_HPP

#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/tcgen05/shapes.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace sim {

/// `tcgen05_ld` D, A and `tcgen05_st` D, A: each warp loads boxes of tensor memory into its registers, or stores them there, and goes on.
/// The text names the shape and n of `.xn`; an issue is one register of 32 bits, or, with `.pack::16b` or `.unpack::16b`, half of one, whose
/// place in tensor memory is the lower half of a column of its own.      [PTX ISA, tcgen05.ld, tcgen05.st]
///
/// Warp w accesses the lanes 32·(w mod 4) to 32·(w mod 4) + 31 of tensor memory, and no others. The registers of a load may be used at once;
/// that the places in tensor memory may be written, or read after a store, a wait of the warp for its loads or stores says.
class TensorMove : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<TensorMove>();
        if (auto problem = resolve_operands(p, *e, 2, 2, false, true); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        e->loads_ = p.instruction->opcode == "tcgen05_ld";
        if (!e->loads_) e->ends_by = EndsBy::tensor_stores;
        const LaneAccess &registers = e->operands[e->loads_ ? 0 : 1], &tensor = e->operands[e->loads_ ? 1 : 0];
        if (!registers.in_registers() || tensor.in_registers() || tensor.plan->owner != Owner::block || tensor.plan->pitch == 0)
            return p.refuse("it is between registers and tensor memory, got {0} to {1}",
                            {e->operands[1].plan->tensor->memory, e->operands[0].plan->tensor->memory});
        e->halves_ = p.instruction->text.find("pack::16b") != std::string::npos ? 2 : 1;
        if (registers.bytes != 4 / e->halves_ || registers.lanes != 32)
            return p.refuse("an issue moves {0} bytes for each of {1} lanes; it must be {2} for each of 32",
                            {registers.bytes, registers.lanes, 4 / e->halves_});
        if (!e->loads_ && tensor.plan->address.copies.size() > 1)
            return p.refuse(detail::store_to_copies_text(tensor.plan->name()));
        if (!tensor.linear) return p.refuse("the view of {0} moves in jumps", {tensor.plan->name()});
        if (auto problem = e->check_shape(p, tensor); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements at[2];
        for (int k = 0; k < 2; ++k)
            if (!block.places(*this, k, column, agent, at[k])) return false;
        const int t = loads_ ? 1 : 0;
        const LaneAccess& tensor = operands[static_cast<std::size_t>(t)];
        if (!take_copy(block, agent, tensor, at[t])) return false;
        if (block.counting()) {
            block.tally(*this).issues += count_issues_of(tensor, at[t]);
            block.count(*this, 0, column, at[0]);
            block.count(*this, 1, column, at[1]);
        }
        if (block.full()) {
            if (!loads_ && !block.read_registers(*this, 1, column, agent, at[1])) return false;
            if (!check_tensor(block, agent, t, at[t])) return false;
        }
        const LaneAccess &d = operands[0], &a = operands[1];
        const std::int64_t width = d.plan->width;
        std::byte* to = block.data(d, agent);
        const std::byte* from = block.data(a, agent);
        if (!loads_ && block.leaves()) { // the registers are read now
            std::vector<std::pair<std::int64_t, std::array<std::byte, 4>>> stored;
            for (std::size_t i = 0; i < d.entries(); ++i)
                for (int v = 0; v < d.vector && at[0].table[i] > outside; ++v) {
                    auto& [place, bytes] = stored.emplace_back(place_of_element(d, at[0], i, static_cast<std::size_t>(column), v),
                                                               std::array<std::byte, 4>{});
                    copy_bytes(bytes.data(), from + place_of_element(a, at[1], i, static_cast<std::size_t>(column), v) * width,
                               static_cast<int>(width));
                }
            block.leave_in_tensors(agent, true, [to, width, stored = std::move(stored)] {
                for (const auto& [place, bytes] : stored) copy_bytes(to + place * width, bytes.data(), static_cast<int>(width));
                return true;
            });
            return true;
        }
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (at[0].table[i] <= outside) continue;
            for (int v = 0; v < d.vector; ++v)
                copy_bytes(to + place_of_element(d, at[0], i, static_cast<std::size_t>(column), v) * width,
                           from + place_of_element(a, at[1], i, static_cast<std::size_t>(column), v) * width,
                           static_cast<int>(width));
        }
        if (block.full() && loads_) block.write_registers(d, column, agent, at[0]);
        return true;
    }

  private:
    /// Each run of issues is a box in the shape that the text names.
    Result<void, Problem> check_shape(const Preparation& p, const LaneAccess& tensor)
    {
        const NamedTensorShape named = tensor_shape_of(p.instruction->text);
        if (named.shape == nullptr)
            return p.refuse("{0} names no shape of tensor memory, as in tcgen05.ld.32x32b.x1", {p.instruction->text});
        registers_ = named.shape->registers * named.n * halves_;
        if (tensor.issues % registers_ != 0)
            return p.refuse("{0} issues are no multiple of the {1} registers of {2}.x{3}",
                            {tensor.issues / halves_, registers_ / halves_, named.shape->name, named.n});
        const std::int64_t pitch = tensor.plan->pitch, each = tensor.vector;
        for (int agent = 0; agent < tensor.agents; ++agent)
            for (int issue = 0; issue < tensor.issues; ++issue)
                for (int lane = 0; lane < 32; ++lane) {
                    const int first = issue - issue % registers_;
                    const std::int64_t corner = tensor.table[tensor.entry(agent, first, 0)],
                                       here = tensor.table[tensor.entry(agent, issue, lane)];
                    const int at = (issue - first) / halves_, half = (issue - first) % halves_;
                    const TensorBoxPlace place = tensor_place(*named.shape, lane, at);
                    const std::int64_t column = halves_ == 1 ? place.column * each : (place.column * 2 + half) * 2;
                    if ((corner <= outside) != (here <= outside) ||
                        (corner > outside && here != corner + place.row * pitch + column))
                        return p.refuse("lane {0}, register {1} of {2}: not where {3}.x{4} has it",
                                        {lane, at, tensor.plan->name(), named.shape->name, named.n});
                }
        rows_ = named.shape->rows;
        return {};
    }
    [[nodiscard]] std::int64_t count_issues_of(const LaneAccess& tensor, const LaneElements& at) const
    {
        std::int64_t out = 0;
        for (std::size_t i = 0; i < tensor.entries(); i += static_cast<std::size_t>(registers_) * 32)
            out += at.table[i] > outside ? 1 : 0;
        return out;
    }

    /// Goes to the copy of the elements that is in the warp's lanes.
    bool take_copy(Block& block, int agent, const LaneAccess& tensor, LaneElements& at) const
    {
        const auto& copies = tensor.plan->address.copies;
        for (std::size_t i = 0; i < tensor.entries() && copies.size() > 1; i += static_cast<std::size_t>(registers_) * 32) {
            if (at.table[i] <= outside) continue;
            const std::int64_t first = at.base + at.table[i] + tensor.plan->low;
            for (const std::int64_t copy : copies)
                if ((first + copy - copies.front()) / tensor.plan->pitch / 32 == agent % 4) {
                    at.base += copy - copies.front();
                    return check_lanes(block, agent, tensor, at);
                }
        }
        return check_lanes(block, agent, tensor, at);
    }
    bool check_lanes(Block& block, int agent, const LaneAccess& tensor, const LaneElements& at) const
    {
        const std::int64_t quarter = agent % 4 * 32;
        for (std::size_t i = 0; i < tensor.entries(); i += static_cast<std::size_t>(registers_) * 32) {
            if (at.table[i] <= outside) continue;
            const std::int64_t lane = (at.base + at.table[i] + tensor.plan->low) / tensor.plan->pitch;
            if (lane % rows_ == 0 && lane / 32 * 32 == quarter) continue;
            return block.fail(FaultKind::wrong_owner, statement,
                              detail::worded("agent {0} accesses lanes {1} to {2} of tensor memory in {3}; it has lanes {4} to {5}",
                                             {agent, lane, lane + rows_ - 1, tensor.plan->name(), quarter, quarter + 31}));
        }
        return true;
    }
    bool check_tensor(Block& block, int agent, int operand, const LaneElements& at) const
    {
        const LaneAccess& tensor = operands[static_cast<std::size_t>(operand)];
        Shadow& shadow = block.shadow(*tensor.plan, tensor.tensor);
        const Actor actor = block.tensor_actor(agent, *this, loads_ ? TensorRole::load : TensorRole::store);
        if (!shadow.exists()) return true;
        Past past(actor);
        for (std::size_t i = 0; i < tensor.entries(); ++i) {
            if (at.table[i] <= outside) continue;
            const std::int64_t place = at.base + at.table[i], begin = place * tensor.plan->width;
            const std::size_t last = shadow.granule_of(begin + tensor.bytes - 1);
            for (std::size_t c = shadow.granule_of(begin); c <= last; ++c) {
                const Conflict found =
                    loads_ ? shadow.read(c, past, actor.tensor, true) : shadow.write(c, past, actor.tensor, true);
                if (found.found())
                    return block.conflict(statement, block.describe(*this, operand, agent, static_cast<int>(i % 32), place),
                                          !loads_, found, &actor);
            }
        }
        return true;
    }

    bool loads_ = true;
    int registers_ = 1, rows_ = 32; ///< issues of one instruction; lanes of its box
    int halves_ = 1;                ///< issues of a register: 2 where its halves have a column each
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
