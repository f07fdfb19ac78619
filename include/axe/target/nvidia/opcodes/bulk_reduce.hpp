// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_BULK_REDUCE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_BULK_REDUCE_HPP

#include <axe/sim/opcodes/map.hpp>
#include <axe/target/nvidia/opcodes/async_copy.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Does a bulk copy reduce elements of this type by the function?      [PTX ISA, cp.reduce.async.bulk.tensor]
inline bool has_bulk_reduction(Function function, DType type) noexcept
{
    const bool whole = type == DType::i32, half = type == DType::f16 || type == DType::bf16;
    if (function == Function::add) return whole || half || type == DType::f32 || type == DType::f64;
    if (function == Function::min || function == Function::max) return whole || half;
    return whole && (function == Function::bit_and || function == Function::bit_or || function == Function::bit_xor ||
                     function == Function::inc || function == Function::dec);
}

/// `bulk_reduce` D, A with a function: D = f(D, A) by one agent, a whole tile of shared memory into global memory, through the asynchronous
/// proxy, as a bulk copy of the agent's open group. Each element is a relaxed atomic operation; sums of f32 take and give
/// subnormal numbers as zeros.      [PTX ISA, cp.reduce.async.bulk]
///
/// From shared memory to that of another block, which D names: integers, and the bytes complete on the mbarrier `completes_on` there.
class BulkReduce : public AsyncCopy {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<BulkReduce>();
        e->in_agent_order = e->reads_back = true;
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        e->to_peer_ = e->other_blocks = d.plan->owner == Owner::block && d.names_block() && !a.names_block();
        if ((d.plan->owner != Owner::device && !e->to_peer_) || a.plan->owner != Owner::block)
            return p.refuse("the reduction must be from shared to global memory, got {0} to {1}",
                            {a.plan->tensor->memory, d.plan->tensor->memory});
        if (auto problem = e->resolve_bulk(p); !problem.ok()) return problem;
        e->type_ = d.plan->tensor->dtype;
        const FunctionRow& row = p.instruction->function.row();
        if (!has_bulk_reduction(p.instruction->function, e->type_)) return p.refuse(detail::no_reduction_text(e->type_, row.name));
        if (e->to_peer_ && e->type_ != DType::i32) return p.refuse("a reduction in the memory of another block is of integers");
        if (e->to_peer_ != (p.instruction->completes_on >= 0))
            return p.refuse(e->to_peer_ ? detail::load_without_mbarrier_text() : detail::store_with_mbarrier_text());
        for (const std::int32_t place : d.table) e->bytes_ += place == inactive ? 0 : d.bytes;
        e->function_ = {&row, arithmetic_of(std::initializer_list<DType>{e->type_, e->type_}), e->type_};
        e->flushes_ = e->type_ == DType::f32;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (to_peer_) return run_to_peer(block, column, agent);
        if (!locate(block, column, agent, to, from)) return false;
        count(block, to);
        if (block.full()) {
            if (!check(block, block.bulk(agent, index, false), block.bulk(agent, index, true), to, from)) return false;
            block.start_async(agent, {}, true);
        }
        auto staged = std::make_shared<Staged>();
        if (!block.leaves()) return stage(block, column, agent, *staged, false) && add(block, agent, *staged);
        block.leave_in_copies(
            agent, [this, at = &block, agent, staged] { return add(*at, agent, *staged); },
            [this, at = &block, column, agent, staged] { return stage(*at, column, agent, *staged, false); });
        return true;
    }

  private:
    bool run_to_peer(Block& block, int column, int agent) const
    {
        LaneElements to, from;
        const Peer peer = find_peer(block, column, agent, to, from);
        if (peer.target == nullptr) return false;
        count(block, to);
        if (block.full() && !check(block, peer.reads, peer.writes, to, from)) return false;
        const auto piece = static_cast<std::size_t>(operands[0].bytes);
        auto pieces = std::make_shared<Peer>(peer);
        const auto copy = [this, pieces, piece, target = block.data(operands[0], agent), source = block.data(operands[1], agent)] {
            for (std::size_t i = 0; i < pieces->to.size(); ++i) combine(target + pieces->to[i], source + pieces->from[i], piece);
            return true;
        };
        if (block.leaves())
            peer.target->leave_in_phase(agent, *this, &block, copy);
        else
            copy();
        return peer.target->complete(*this, bytes_);
    }
    bool check(Block& block, const Actor& reads, const Actor& writes, const LaneElements& to, const LaneElements& from) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            if (!block.read(*this, 1, reads, lane, from.base + from.table[i], a.bytes) ||
                !block.atomic(*this, 0, writes, lane, to.base + to.table[i], d.bytes))
                return false;
        }
        return true;
    }
    void count(Block& block, const LaneElements& to) const
    {
        if (!block.counting()) return;
        count_copies(block);
        const LaneAccess& d = operands[0];
        std::int64_t pieces = 0;
        for (std::size_t i = 0; i < d.entries(); ++i) pieces += to.table[i] > outside ? 1 : 0;
        Tally& tally = block.tally(*this);
        (function_.arithmetic == Arithmetic::integer ? tally.integer_ops : tally.flops) +=
            function_.row->operations * pieces * d.vector;
        tally.operands[0].read_back += pieces * d.bytes;
    }
    [[nodiscard]] std::uint64_t flushed(std::uint64_t bits) const noexcept
    {
        return flushes_ && (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
    }
    /// The elements of a piece at `at` become f of them and those at `more`.
    void combine(std::byte* at, const std::byte* more, std::size_t piece) const
    {
        const auto width = operands[0].plan->width;
        const DType types[3] = {type_, type_, type_};
        for (std::size_t b = 0; b < piece; b += static_cast<std::size_t>(width)) {
            const std::uint64_t bits[3] = {flushed(load_bits(at + b, width)), flushed(load_bits(more + b, width)), 0};
            const std::uint64_t out = flushed(function_(bits, types, 2));
            std::memcpy(at + b, &out, static_cast<std::size_t>(width));
        }
    }
    bool add(Block& block, int agent, const Staged& staged) const
    {
        const LaneAccess& d = operands[0];
        const auto piece = static_cast<std::size_t>(d.bytes);
        std::byte* target = block.data(d, agent);
        for (std::size_t i = 0; i < staged.to.size(); ++i)
            combine(target + staged.to[i] * d.plan->width, staged.bytes.data() + i * piece, piece);
        return true;
    }

    ElementFunction function_{};
    DType type_ = DType::f32;
    bool flushes_ = false, to_peer_ = false;
    std::int64_t bytes_ = 0; ///< of the whole tile
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
