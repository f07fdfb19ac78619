// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_REPLICAS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_REPLICAS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Are the copies of each element that several lanes or agents hold in registers equal, as far as they were written? Asked where no
/// agent is in the middle of writing them.
///
/// A copy that was never written is no fault until an agent reads it. Cost: elements times copies.
inline bool Block::replicas_agree(int tensor)
{
    const TensorPlan& plan = compiled_->plans[static_cast<std::size_t>(tensor)];
    if (plan.owner != Owner::lane || plan.agent.copies.size() * plan.lane.copies.size() < 2) return true;
    const Registers& registers = memory_->registers[static_cast<std::size_t>(tensor)];
    for (std::int64_t index = 0; index < plan.elements; ++index) {
        const Coord coord = coordinate(plan.tensor->shape, index);
        const std::int64_t reg = plan.address(coord.items), agent = plan.agent(coord.items), lane = plan.lane(coord.items);
        const std::byte* first = nullptr;
        std::int64_t first_agent = 0, first_lane = 0;
        for (const std::int64_t a : plan.agent.copies)
            for (const std::int64_t l : plan.lane.copies) {
                const std::int64_t at_agent = agent + a - plan.agent.copies.front(), at_lane = lane + l - plan.lane.copies.front();
                if (at_agent < 0 || at_agent >= static_cast<std::int64_t>(agents_.size()) || at_lane < 0 || at_lane >= plan.lanes)
                    continue;
                const std::int64_t slot = plan.slot(reg, static_cast<int>(at_lane));
                const auto row = static_cast<std::size_t>(at_agent);
                if ((registers.valid[row * static_cast<std::size_t>(plan.count) + register_of(plan, slot)] &
                     lane_bit(static_cast<int>(at_lane))) == 0)
                    continue;
                const std::byte* here = registers.data.data() + row * registers.agent_bytes + slot * plan.width;

                if (first == nullptr) {
                    first = here;
                    first_agent = at_agent, first_lane = at_lane;
                } else if (std::memcmp(first, here, static_cast<std::size_t>(plan.width)) != 0) {
                    return fail(FaultKind::replica, grid_->statement,
                                detail::worded("{0} (register {1}) differs between {2} and {3}",
                                               {element_text(plan, coord.items), reg - plan.low, lane_text(first_lane, first_agent),
                                                lane_text(at_lane, at_agent)}));
                }
            }
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
