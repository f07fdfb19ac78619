// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_SHUFFLE_HPP
#define AXE_SIM_OPCODES_SHUFFLE_HPP

#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `shuffle` D, A: each lane takes an element of A from the register of the lane that holds it, of the same agent. All read before any
/// writes. It orders nothing in memory: a shuffle is not a barrier.      [PTX ISA, shfl.sync; CUDA C++ Programming Guide, Warp Shuffle
/// Functions]
class Shuffle : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Shuffle>();
        if (auto problem = check_count(p, 2, 2); !problem.ok()) return problem;
        // The destination is each lane's own; the source is anyone's, so it is resolved here.
        Instruction own = *p.instruction;
        own.operands.resize(1);
        e->instruction = p.instruction;
        e->statement = p.statement;
        auto d = AccessResolver(p.compiled->plans, own, p.instruction->operands[0], p.where())();
        if (!d) return d.error();
        e->operands.push_back(std::move(*d));
        const TensorPlan& plan = p.plan(1);
        const Access& a = p.instruction->operands[1];
        if (plan.owner != Owner::lane || e->operands[0].plan->owner != Owner::lane)
            return p.refuse("source and destination must be registers");
        if (plan.tensor->dtype != e->operands[0].plan->tensor->dtype || plan.width > 4)
            return p.refuse("source and destination must have one type of at most 4 bytes");
        if (!a.distribution || a.distribution->element.size() != p.instruction->operands[0].distribution->element.size() ||
            a.distribution->vector != 1)
            return p.refuse("source and destination must be accessed one element per lane, by the same lanes");
        for (const Affine& o : a.view.origin)
            if (!o.is_constant()) return p.refuse("the registers it reads depend on a variable; they must be constant");
        e->plan_ = &plan;
        const Distribution& part = *a.distribution;
        std::int64_t coord[max_rank];
        e->from_.assign(part.element.size(), -1);
        for (int agent = 0; agent < part.agents; ++agent)
            for (int issue = 0; issue < part.issues; ++issue)
                for (int lane = 0; lane < part.lanes; ++lane) {
                    const std::int32_t index = part.element[part.at(issue, agent, lane)];
                    if (index < 0) continue;
                    view_offset(a.view, index, coord, plan.tensor->shape.size());
                    for (int k = 0; k < plan.tensor->shape.size(); ++k)
                        coord[k] += a.view.origin[static_cast<std::size_t>(k)].constant();
                    if (!is_inside(plan.tensor->shape, coord))
                        return p.refuse("element {0} is outside {1}", {coord_text(coord, plan.tensor->shape.size()), plan.name()},
                                        errc::out_of_domain);
                    const int own_agent = p.instruction->first_agent + agent * p.instruction->agent_stride;
                    if (!plan.agent.holds(plan.agent(coord), own_agent))
                        return p.refuse("{0} reads {1}, which no lane of its agent holds",
                                        {lane_text(lane, own_agent), element_text(plan, coord)}, errc::no_layout);
                    // Of several lanes that hold it, the nearest below or at its own, else the first.
                    std::int64_t source = plan.lane(coord);
                    for (const std::int64_t copy : plan.lane.copies) {
                        const std::int64_t l = plan.lane(coord) + copy - plan.lane.copies.front();
                        if (l <= lane) source = l;
                    }
                    e->from_[e->operands[0].entry(agent, issue, lane)] = plan.slot(plan.address(coord), static_cast<int>(source));
                }
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to;
        if (!block.places(*this, 0, column, agent, to)) return false;
        const LaneAccess& d = operands[0];
        LaneAccess a; // a handle on the source's registers
        a.plan = plan_;
        a.tensor = instruction->operands[1].view.tensor;
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        const auto width = static_cast<std::size_t>(plan_->width);
        std::byte held[max_lanes * 4];
        const auto lanes = static_cast<std::size_t>(d.lanes);
        if (block.counting()) {
            count_issues(block, *this, to);
        }
        for (std::size_t issue = 0; issue < static_cast<std::size_t>(d.issues); ++issue) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::int64_t slot = from_[d.entry(column, static_cast<int>(issue), static_cast<int>(lane))];
                if (slot < 0 || to.table[issue * lanes + lane] <= outside) continue;
                const int holder = static_cast<int>(slot / plan_->pack % plan_->lanes);
                if (block.full() && (block.valid(a, agent)[Block::register_of(*plan_, slot)] & lane_bit(holder)) == 0)
                    return block.fail(FaultKind::uninitialized, statement,
                                      detail::worded("{0} reads register {1} of {2}, which lane {3} did not write",
                                                     {lane_text(static_cast<int>(lane), agent), Block::register_of(*plan_, slot),
                                                      plan_->name(), holder}));
                std::memcpy(held + lane * 4, source + slot * plan_->width, width);
            }
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::int32_t at = to.table[issue * lanes + lane];
                if (at <= outside || from_[d.entry(column, static_cast<int>(issue), static_cast<int>(lane))] < 0) continue;
                std::memcpy(target + (to.base + at) * plan_->width, held + lane * 4, width);
                if (block.full()) block.write_register(d, agent, static_cast<int>(lane), to.base + at);
            }
        }
        return true;
    }

  private:
    const TensorPlan* plan_ = nullptr;
    std::vector<std::int64_t> from_{}; ///< [agent][issue][lane]: the slot read, −1: none
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
