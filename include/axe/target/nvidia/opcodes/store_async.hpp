// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_STORE_ASYNC_HPP
#define AXE_TARGET_NVIDIA_OPCODES_STORE_ASYNC_HPP

#include <axe/sim/opcodes/prepare.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `store_async` D, A: each lane stores a vector of registers into the shared memory of a block of the cluster, whose mbarrier `completes_on`
/// counts the bytes.      [PTX ISA, st.async]
///
/// It accesses memory as ordinary stores do, at any time between its start and the end of the phase.
class StoreAsync : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<StoreAsync>();
        e->ends_by = EndsBy::phase;
        e->other_blocks = true;
        if (auto problem = resolve_operands(p, *e, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        if (!d.view->block || d.plan->owner != Owner::block || !a.in_registers())
            return p.refuse("it stores registers into shared memory of a block that it names by its rank");
        if (d.bytes != 4 && d.bytes != 8 && d.bytes != 16)
            return p.refuse("a lane stores {0} bytes; it must be 4, 8 or 16", {d.bytes});
        if (p.instruction->completes_on < 0) return p.refuse("a store to another block completes on an mbarrier, got none");
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        Block* const target = block.other_block((*operands[0].view->block)(block.variables(agent)), agent, statement, false);
        if (target == nullptr || !block.find_places_of(*this, column, agent, to, from)) return false;
        const LaneAccess &d = operands[0], &a = operands[1];
        if (block.counting()) {
            count_issues(block, *this, to);
            block.count(*this, 0, column, to);
            block.count(*this, 1, column, from);
        }
        Actor actor;
        if (!block.completing(*target, *target, agent, *this, actor)) return false;
        actor.ordinary = true;
        std::byte* const data = block.data(d, agent);
        const std::byte* const source = block.data(a, agent);
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            for (int v = 0; v < d.vector; ++v) {
                const std::int64_t slot = place_of_element(a, from, i, static_cast<std::size_t>(column), v);
                if (block.full() && !block.read_register(*this, 1, agent, lane, slot)) return false;
                copy_bytes(data + (to.base + to.table[i] + v) * d.plan->width, source + slot * a.plan->width, d.plan->width);
            }
            if (block.full() && !block.write(*this, 0, actor, lane, to.base + to.table[i], d.bytes)) return false;
            bytes += d.bytes;
        }
        return target->complete(*this, bytes);
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
