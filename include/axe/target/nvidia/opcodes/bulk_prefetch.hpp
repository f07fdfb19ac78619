// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_BULK_PREFETCH_HPP
#define AXE_TARGET_NVIDIA_OPCODES_BULK_PREFETCH_HPP

#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/opcodes/small_elements.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `bulk_prefetch` A: one agent has a tile of global memory brought to the second-level cache. It has no effect on values, and nothing is
/// ordered with it; places outside of A are faults as those of copies are. The parameter is the number of copies.
/// [PTX ISA, cp.async.bulk.prefetch]
class BulkPrefetch : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<BulkPrefetch>();
        if (auto problem = resolve_operands(p, *e, 1, 1); !problem.ok()) return problem;
        const LaneAccess& a = e->operands[0];
        if (a.plan->owner != Owner::device) return p.refuse("a prefetch is of global memory, got {0}", {a.plan->tensor->memory});
        if (a.bytes % 16 != 0) return p.refuse(detail::pieces_text(a.bytes));
        if (p.instruction->agents != 1) return p.refuse(detail::starters_text(p.instruction->agents));
        const std::vector<std::int64_t>& parameters = p.instruction->parameters;
        if (parameters.size() != 1 || parameters[0] < 1) return p.refuse(detail::copies_parameter_text());
        if (!p.instruction->reads_only) return p.refuse("a prefetch writes nothing; it must say that it only reads");
        e->copies_ = parameters[0];
        e->sector_ = sector_of(p);
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements from;
        if (!block.places(*this, 0, column, agent, from)) return false;
        if (!block.counting()) return true;
        Tally& tally = block.tally(*this);
        tally.issues += copies_;
        tally.lanes += copies_;
        tally.lanes_active += copies_;
        count_copied(block, *this, 0, column, from, sector_);
        return true;
    }

  private:
    std::int64_t copies_ = 1, sector_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
