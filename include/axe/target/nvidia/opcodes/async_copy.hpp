// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_ASYNC_COPY_HPP
#define AXE_TARGET_NVIDIA_OPCODES_ASYNC_COPY_HPP

#include <axe/sim/memory/byte_runs.hpp>
#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/opcodes/small_elements.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The second parameter of a bulk copy: what is outside the source arrives as NaN; single elements of its pieces are left as they are.
inline constexpr std::int64_t bulk_fills_nan = 1, bulk_masks_bytes = 2;

/// What copies between global and shared memory that go on by themselves have in common: their operands, and how bytes are moved.
class AsyncCopy : public Executable {
  public:
    bool run_at_once(Block& block) const override
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        std::int64_t to = 0, from = 0;
        if (!block.common_base(d, to) || !block.common_base(a, from)) return false;
        std::byte* target = whole_ && to == 0 ? block.data_to_overwrite(d) : block.data(d, 0);
        together_.copy(target + to * d.plan->width, block.data(a, 0) + from * d.plan->width);
        return true;
    }

  protected:
    /// Resolves D and A, which are of one type, and what is known of their bytes.
    Result<void, Problem> resolve(const Preparation& p)
    {
        if (auto problem = resolve_operands(p, *this, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *this); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        const LaneAccess &d = operands[0], &a = operands[1];
        alike_ = take_part_alike(d, a);
        zeros_.resize(static_cast<std::size_t>(d.bytes));
        runs_ = runs_between(d, a);
        together_ = ByteRuns::together(runs_);
        sector_ = sector_of(p);
        whole_ = together_.covers(d.plan->bytes()) && a.tensor != d.tensor;
        return {};
    }
    /// What bulk copies have in common: one agent starts copies of pieces of 16 bytes and multiples, as many as the parameter says.
    Result<void, Problem> resolve_bulk(const Preparation& p)
    {
        ends_by = p.instruction->completes_on >= 0 ? EndsBy::phase : EndsBy::bulk;
        const std::vector<std::int64_t>& parameters = p.instruction->parameters;
        const bool masks = parameters.size() > 1 && parameters[1] == bulk_masks_bytes;
        if (operands[0].bytes % 16 != 0 && !masks) return p.refuse(detail::pieces_text(operands[0].bytes));
        if (p.instruction->agents != 1) return p.refuse(detail::starters_text(p.instruction->agents));
        if (!alike_) return p.refuse("source and destination have different pieces; they must be equal");
        if (parameters.size() > 2 || (!parameters.empty() && parameters[0] < 1)) return p.refuse(detail::copies_parameter_text());
        if (parameters.size() > 1 && parameters[1] != bulk_fills_nan && !masks)
            return p.refuse("its second parameter is {0}; it must be 1, of NaN, or 2, of byte masks", {parameters[1]});
        if (!parameters.empty()) copies_ = parameters[0];
        if (parameters.size() > 1 && !masks) fill_with_nan();
        return {};
    }
    /// Where the lanes of a column go, which is counted.
    bool locate(Block& block, int column, int agent, LaneElements& to, LaneElements& from) const
    {
        if (!block.places(*this, 0, column, agent, to) || !block.places(*this, 1, column, agent, from)) return false;
        if (!block.counting()) return true;
        count_copied(block, *this, 0, column, to, sector_);
        count_copied(block, *this, 1, column, from, sector_);
        return true;
    }
    /// All bytes of a column, with zeros for what is outside the source; what is outside the target is left out.
    bool move(Block& block, int column, int agent, const LaneElements& to, const LaneElements& from) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        const std::int64_t width = d.plan->width;
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        if (!to.kept() || !from.kept()) {
            for (std::size_t i = 0; i < d.entries(); ++i) {
                if (to.table[i] <= outside || from.table[i] == inactive) continue;
                std::byte* at = target + (to.base + to.table[i]) * width;
                if (from.table[i] == outside)
                    copy_bytes(at, zeros_.data(), d.bytes);
                else
                    copy_bytes(at, source + (from.base + from.table[i]) * width, d.bytes);
            }
            return true;
        }
        target += to.base * width;
        source += from.base * width;
        if (!to.fresh && !from.fresh) {
            runs_[static_cast<std::size_t>(column)].copy(target, source);
            return true;
        }
        const EdgeMove& edge = block.edge_move(*this, to, from);
        edge.copied.copy(target, source);
        edge.zeros.fill(target, zeros_);
        return true;
    }

    /// The same later, when the places are found anew: the agent's variables are those of the start then.
    bool move_later(Block& block, int column, int agent) const
    {
        LaneElements to, from;
        return block.places(*this, 0, column, agent, to) && block.places(*this, 1, column, agent, from) &&
               move(block, column, agent, to, from);
    }

    /// The pieces of a copy that has read its source and not yet written its target.
    struct Staged {
        std::vector<std::int64_t> to{};
        std::vector<std::byte> bytes{};
    };
    /// @param zeros for what is outside the source; it is left out where not
    bool stage(Block& block, int column, int agent, Staged& out, bool zeros = true) const
    {
        LaneElements to, from;
        if (!block.places(*this, 0, column, agent, to) || !block.places(*this, 1, column, agent, from)) return false;
        const LaneAccess &d = operands[0], &a = operands[1];
        const std::byte* source = block.data(a, agent);
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] == inactive || (from.table[i] == outside && !zeros)) continue;
            out.to.push_back(to.base + to.table[i]);
            if (from.table[i] == outside) {
                out.bytes.insert(out.bytes.end(), zeros_.begin(), zeros_.end());
                continue;
            }
            const std::byte* piece = source + (from.base + from.table[i]) * a.plan->width;
            out.bytes.insert(out.bytes.end(), piece, piece + d.bytes);
        }
        return true;
    }

    /// What is outside is a NaN of the type. Which one, hardware does not say.
    void fill_with_nan()
    {
        const LaneAccess& d = operands[0];
        const std::uint64_t bits = encode(d.plan->tensor->dtype, std::numeric_limits<double>::quiet_NaN());
        const auto width = static_cast<std::size_t>(d.plan->width);
        for (std::size_t at = 0; at + width <= zeros_.size(); at += width) std::memcpy(zeros_.data() + at, &bits, width);
    }

    /// Where pieces go that this block's memory gives another one's, and who copies them there; `target` null: the block has a fault.
    struct Peer {
        Block* target = nullptr;
        Actor reads{}, writes{};
        std::vector<std::int64_t> to{}, from{};
    };
    /// The block that D names counts the bytes; the end of both waits for the copy.
    Peer find_peer(Block& block, int column, int agent, LaneElements& to, LaneElements& from) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        Peer out;
        Block* const target = block.other_block((*d.view->block)(block.variables(agent)), agent, statement, false);
        if (target == nullptr || !block.find_places_of(*this, column, agent, to, from)) return out;
        if (target == &block) {
            block.fail(
                FaultKind::wrong_owner, statement,
                detail::worded("agent {0} copies within its own block; a bulk copy between shared memories goes to another one",
                               {agent}));
            return out;
        }
        if (block.counting()) {
            block.count(*this, 0, column, to);
            block.count(*this, 1, column, from);
        }
        if (!block.completing(*target, *target, agent, *this, out.writes)) return out;
        out.reads = out.writes;
        out.reads.in = block.rank();
        if (block.full()) block.note_visit(out.reads, statement);
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] <= outside) continue;
            out.to.push_back((to.base + to.table[i]) * d.plan->width);
            out.from.push_back((from.base + from.table[i]) * a.plan->width);
        }
        out.target = target;
        return out;
    }
    void count_copies(Block& block) const
    {
        if (!block.counting()) return;
        Tally& tally = block.tally(*this);
        tally.issues += copies_;
        tally.lanes += copies_;
        tally.lanes_active += copies_;
    }

    bool alike_ = true;              ///< the same lanes take part on both sides
    std::vector<ByteRuns> runs_{};   ///< of each column
    std::vector<std::byte> zeros_{}; ///< a piece outside of the source
    ByteRuns together_{};            ///< of all of them
    bool whole_ = false;             ///< as in Move
    std::int64_t copies_ = 1;        ///< of a bulk copy
    std::int64_t sector_ = 0;        ///< bytes of one of global memory
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
