// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_CP_ASYNC_HPP
#define AXE_TARGET_NVIDIA_OPCODES_CP_ASYNC_HPP

#include <axe/sim/memory/byte_runs.hpp>
#include <axe/sim/opcodes/prepare.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `cp_async` D, A: lanes start copies of 4, 8 or 16 bytes from global to shared memory that go on by themselves; what is outside a
/// guarded A arrives as zeros. They are the agent's engine's, in its open group.      [PTX ISA, cp.async]
///
/// With all checks the bytes are read when it starts *and* when it is waited for: a difference is a fault. They arrive at the wait.
class CopyAsync : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<CopyAsync>();
        if (auto problem = resolve_operands(p, *e, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        if (d.plan->owner != Owner::block || a.plan->owner != Owner::device)
            return p.refuse(detail::worded("the copy must be from global to shared memory, got {0} to {1}",
                                           {a.plan->tensor->memory, d.plan->tensor->memory}));
        if (d.bytes != 4 && d.bytes != 8 && d.bytes != 16)
            return p.refuse(detail::worded("a lane copies 4, 8 or 16 bytes, got {0}", {d.bytes}));
        if (auto problem = same_types(p); !problem.ok()) return problem;
        e->alike_ = take_part_alike(d, a);
        e->zeros_.resize(static_cast<std::size_t>(d.bytes));
        e->runs_ = runs_between(d, a);
        e->together_ = ByteRuns::together(e->runs_);
        e->at_once = !e->together_.runs.empty();
        e->whole_ = e->together_.covers(e->operands[0].plan->bytes()) && e->operands[1].tensor != e->operands[0].tensor;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run_at_once(Block& block) const override
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        std::int64_t to = 0, from = 0;
        if (!block.common_base(d, to) || !block.common_base(a, from)) return false;
        std::byte* target = whole_ && to == 0 ? block.data_to_overwrite(d) : block.data(d, 0);
        together_.copy(target + to * d.plan->width, block.data(a, 0) + from * d.plan->width);
        return true;
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (!block.places(*this, 0, column, agent, to) || !block.places(*this, 1, column, agent, from)) return false;
        const LaneAccess &d = operands[0], &a = operands[1];
        if (block.counting()) {
            count_issues(block, *this, to);
            block.count(*this, 0, column, to);
            block.count(*this, 1, column, from);
        }
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        const std::int64_t width = d.plan->width;
        const bool kept = to.kept() && from.kept();
        if (!block.full() && kept) return move(block, column, agent, to, from);
        if (!block.full()) {
            for (std::size_t i = 0; i < d.entries(); ++i) {
                if (to.table[i] <= outside || from.table[i] == inactive) continue;
                std::byte* at = target + (to.base + to.table[i]) * width;
                if (from.table[i] == outside)
                    std::memset(at, 0, static_cast<std::size_t>(d.bytes));
                else
                    copy_bytes(at, source + (from.base + from.table[i]) * width, d.bytes);
            }
            return true;
        }
        const Actor engine = block.engine(agent, index);
        if (alike_ && !block.check_copy(*this, engine, {0, &to}, {1, &from}, true)) return false;
        if (alike_ && kept && !a.plan->written) { // no instruction changes the source: it is read when it arrives
            Block* at = &block;
            block.start_async(agent, [this, at, column, agent, to, from] { return move(*at, column, agent, to, from); });
            return true;
        }
        auto started = std::make_shared<Started>();
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] == inactive) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            const std::int64_t t = to.base + to.table[i], f = from.table[i] == outside ? -1 : from.base + from.table[i];
            if (!alike_ && f >= 0 && !block.read(*this, 1, engine, lane, f, a.bytes)) return false;
            if (!alike_ && !block.write(*this, 0, engine, lane, t, d.bytes)) return false;
            started->copies.push_back({t, f, lane});
            const std::size_t old = started->bytes.size();
            started->bytes.resize(old + static_cast<std::size_t>(d.bytes));
            if (f >= 0) copy_bytes(started->bytes.data() + old, source + f * width, d.bytes);
        }
        Block* at = &block;
        block.start_async(agent, [this, at, agent, started] { return finish(*at, agent, *started); });
        return true;
    }

  private:
    /// All bytes of a column, with zeros for what is outside.
    bool move(Block& block, int column, int agent, const LaneElements& to, const LaneElements& from) const
    {
        const std::int64_t width = operands[0].plan->width;
        std::byte* target = block.data(operands[0], agent) + to.base * width;
        const std::byte* source = block.data(operands[1], agent) + from.base * width;
        if (!to.fresh && !from.fresh) {
            runs_[static_cast<std::size_t>(column)].copy(target, source);
            return true;
        }
        const EdgeMove& edge = block.edge_move(*this, to, from);
        edge.copied.copy(target, source);
        edge.zeros.fill(target, zeros_);
        return true;
    }

    struct Started {
        struct Copy {
            std::int64_t to, from;
            int lane;
        };
        std::vector<Copy> copies{};
        std::vector<std::byte> bytes{}; ///< as they were at the start
    };

    bool finish(Block& block, int agent, const Started& started) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        const auto bytes = static_cast<std::size_t>(d.bytes);
        for (std::size_t i = 0; i < started.copies.size(); ++i) {
            const auto& copy = started.copies[i];
            const std::byte* then = started.bytes.data() + i * bytes;
            if (copy.from >= 0 && std::memcmp(then, source + copy.from * a.plan->width, bytes) != 0)
                return block.fail(FaultKind::async_source, statement,
                                  changed_text(block.describe(*this, 1, agent, copy.lane, copy.from), asynchronous_copy));
            copy_bytes(target + copy.to * d.plan->width, then, d.bytes);
        }
        return true;
    }

    bool alike_ = true;            ///< the same lanes take part on both sides
    std::vector<ByteRuns> runs_{}; ///< of each column
    std::vector<std::byte> zeros_{};
    ByteRuns together_{}; ///< of all of them
    bool whole_ = false;  ///< as in Move
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
