// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_BULK_COPY_HPP
#define AXE_TARGET_NVIDIA_OPCODES_BULK_COPY_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/opcodes/async_copy.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `bulk_copy` D, A: one agent starts a copy of a whole tile between global and shared memory, through the asynchronous proxy.
/// [PTX ISA, cp.async.bulk, cp.async.bulk.tensor]
///
/// To shared memory, what is outside a guarded A arrives as zeros, or as NaN, and all bytes of the tile, these too, complete on the mbarrier
/// `completes_on`. To global memory the copy belongs to the agent's open bulk group; what is outside a guarded D is left out. The
/// distribution says which pieces of at least 16 bytes the tile has; lanes have no meaning. The parameter is the number of copies, 1
/// without it, which counts alone; a second one is `bulk_fills_nan` or `bulk_masks_bytes`. From shared memory to that of another block,
/// which D names, the bytes complete on the mbarrier of that one.
///
/// Bytes are moved when the copy starts, or when the order of the run says. The checks take them to move at any time up to its completion.
class BulkCopy : public AsyncCopy {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<BulkCopy>();
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        e->loads_ = d.plan->owner == Owner::block;
        e->to_peer_ = e->other_blocks = e->loads_ && a.plan->owner == Owner::block && d.names_block() && !a.names_block();
        if (!e->to_peer_ && !(e->loads_ && a.plan->owner == Owner::device) &&
            !(d.plan->owner == Owner::device && a.plan->owner == Owner::block))
            return p.refuse("the copy must be between global and shared memory, got {0} to {1}",
                            {a.plan->tensor->memory, d.plan->tensor->memory});
        if (auto problem = e->resolve_bulk(p); !problem.ok()) return problem;
        if (e->loads_ != (p.instruction->completes_on >= 0))
            return p.refuse(e->loads_ ? detail::load_without_mbarrier_text() : detail::store_with_mbarrier_text());
        if ((!e->loads_ || e->to_peer_) && (p.instruction->multicast != 0 || p.instruction->pair))
            return p.refuse(several_targets_text());
        if (e->to_peer_ && is_small(d))
            return p.refuse("elements of {0} bits are copied between global and shared memory alone",
                            {packed_bits(d.plan->tensor->dtype)});
        for (const std::int32_t place : d.table) e->bytes_ += place == inactive ? 0 : d.bytes;
        e->bytes_ = packed_bytes(d, e->bytes_);
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (to_peer_) return run_to_peer(block, column, agent);
        if (!locate(block, column, agent, to, from)) return false;
        count_copies(block);
        if (loads_ && (instruction->multicast != 0 || (instruction->pair && block.rank() % 2 != 0)))
            return run_to_several(block, column, agent, to, from);
        if (loads_) {
            Actor actor;
            if (!block.completing(agent, *this, actor)) return false;
            if (block.full() && !block.check_copy(*this, actor, {0, &to}, {1, &from}, true)) return false;
            if (block.leaves())
                block.leave_in_phase(agent, *this, &block,
                                     [this, at = &block, column, agent] { return move_later(*at, column, agent); });
            else if (!move(block, column, agent, to, from))
                return false;
            return block.complete(*this, bytes_);
        }
        if (block.full()) {
            if (!check_store(block, agent, to, from)) return false;
            block.start_async(agent, {}, true);
        }
        if (!block.leaves()) return move(block, column, agent, to, from);
        auto staged = std::make_shared<Staged>();
        block.leave_in_copies(
            agent, [this, at = &block, agent, staged] { return write_staged(*at, agent, *staged); },
            [this, at = &block, column, agent, staged] { return stage(*at, column, agent, *staged); });
        return true;
    }

  private:
    bool write_staged(Block& block, int agent, const Staged& staged) const
    {
        const LaneAccess& d = operands[0];
        std::byte* target = block.data(d, agent);
        for (std::size_t i = 0; i < staged.to.size(); ++i)
            copy_bytes(target + staged.to[i] * d.plan->width, staged.bytes.data() + i * static_cast<std::size_t>(d.bytes), d.bytes);
        return true;
    }
    /// From the block's own shared memory to that of another one.
    bool run_to_peer(Block& block, int column, int agent) const
    {
        LaneElements to, from;
        auto peer = std::make_shared<Peer>(find_peer(block, column, agent, to, from));
        if (peer->target == nullptr) return false;
        count_copies(block);
        if (block.full() && !(block.check_copy(*this, peer->reads, {0, nullptr}, {1, &from}, true) &&
                              block.check_copy(*this, peer->writes, {0, &to}, {1, nullptr}, true)))
            return false;
        std::byte* const target = block.data(operands[0], agent);
        const std::byte* const source = block.data(operands[1], agent);
        const auto copy = [peer, target, source, bytes = operands[0].bytes] {
            for (std::size_t i = 0; i < peer->to.size(); ++i) copy_bytes(target + peer->to[i], source + peer->from[i], bytes);
            return true;
        };
        if (block.leaves())
            peer->target->leave_in_phase(agent, *this, &block, copy);
        else
            copy();
        return peer->target->complete(*this, bytes_);
    }
    /// To the same place in each block of the mask, its own first; the source is read once. Of pairs the bytes complete on the mbarrier of
    /// the first block.
    bool run_to_several(Block& block, int column, int agent, const LaneElements& to, const LaneElements& from) const
    {
        std::vector<int> ranks;
        const unsigned mask = instruction->multicast != 0 ? instruction->multicast : 1u << block.rank();
        for (int rank = 0; rank < 16; ++rank)
            if ((mask >> rank & 1) != 0) ranks.insert(rank == block.rank() ? ranks.begin() : ranks.end(), rank);
        const std::shared_ptr<Staged> staged = block.leaves() ? std::make_shared<Staged>() : nullptr;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            Block* const target = block.other_block(ranks[i], agent, statement, false);
            Block* const counter = instruction->pair ? block.other_block(ranks[i] / 2 * 2, agent, statement, false) : target;
            Actor actor;
            if (target == nullptr || counter == nullptr || !block.completing(*counter, *target, agent, *this, actor)) return false;
            if (i > 0 && block.counting()) count_copied(block, *this, 0, column, to, sector_);
            if (block.full() && !block.check_copy(*this, actor, {0, &to}, {1, i == 0 ? &from : nullptr}, true)) return false;
            if (staged != nullptr) {
                const auto finish = [this, target, column, agent, staged] {
                    return (!staged->to.empty() || stage(*target, column, agent, *staged)) && write_staged(*target, agent, *staged);
                };
                counter->leave_in_phase(agent, *this, &block, finish, target);
            } else if (!move(*target, column, agent, to, from))
                return false;
            if (!counter->complete(*this, bytes_)) return false;
        }
        return true;
    }

    /// The source is read and the target written by different engines, as a wait may be for the source alone.
    bool check_store(Block& block, int agent, const LaneElements& to, const LaneElements& from) const
    {
        const Actor reads = block.bulk(agent, index, false), writes = block.bulk(agent, index, true);
        if (!to.fresh)
            return block.check_copy(*this, reads, {0, nullptr}, {1, &from}, true) &&
                   block.check_copy(*this, writes, {0, &to}, {1, nullptr}, true);
        const LaneAccess &d = operands[0], &a = operands[1];
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            if (!block.read(*this, 1, reads, lane, from.base + from.table[i], a.bytes) ||
                !block.write(*this, 0, writes, lane, to.base + to.table[i], d.bytes))
                return false;
        }
        return true;
    }

    bool loads_ = true, to_peer_ = false;
    std::int64_t bytes_ = 0; ///< of the whole tile, as hardware has them in global memory
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
