// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_REPLICAS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_REPLICAS_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

#include <cmath>

namespace axe {
inline namespace v0 {
namespace sim {

/// Are the copies of each element that several lanes or agents hold in registers equal, as far as they were written? Asked where no
/// agent is in the middle of writing them.
///
/// A copy that was never written is no fault until an agent reads it. Of a NaN the bits do not count: which of two NaNs an operation gives
/// depends on the order of its operands. Cost: elements times copies.
inline bool Block::replicas_agree(int tensor)
{
    const TensorPlan& plan = compiled_->plans[static_cast<std::size_t>(tensor)];
    if (plan.owner != Owner::lane || plan.agent.copies.size() * plan.lane.copies.size() < 2) return true;
    const Registers& registers = memory_->registers[static_cast<std::size_t>(tensor)];
    const std::int64_t first_agent_copy = plan.agent.copies.front(), first_lane_copy = plan.lane.copies.front();
    const auto agents = static_cast<std::int64_t>(agents_.size());
    const DType type = plan.tensor->dtype;
    const auto is_nan = [&](std::uint64_t bits) { return is_float(type) && std::isnan(decode(type, bits)); };
    Coord coord = plan.tensor->shape;
    for (int d = 0; d < coord.size(); ++d) coord[d] = 0;
    for (std::int64_t index = 0; index < plan.elements; ++index) {
        const std::int64_t reg = plan.address(coord.items), agent = plan.agent(coord.items) - first_agent_copy,
                           lane = plan.lane(coord.items) - first_lane_copy;
        std::int64_t first_agent = -1, first_lane = -1;
        std::uint64_t first = 0;
        for (const std::int64_t a : plan.agent.copies) {
            const std::int64_t at_agent = agent + a;
            if (at_agent < 0 || at_agent >= agents) continue;
            const auto row = static_cast<std::size_t>(at_agent);
            const std::uint64_t valid =
                registers.valid[row * static_cast<std::size_t>(plan.count) + static_cast<std::size_t>(reg - plan.low)];
            const std::byte* const data = registers.data.data() + row * registers.agent_bytes;
            for (const std::int64_t l : plan.lane.copies) {
                const std::int64_t at_lane = lane + l;
                if (at_lane < 0 || at_lane >= plan.lanes || (valid & lane_bit(static_cast<int>(at_lane))) == 0) continue;
                const std::uint64_t here = load_bits(data + plan.slot(reg, static_cast<int>(at_lane)) * plan.width, plan.width);
                if (first_lane < 0) {
                    first = here;
                    first_agent = at_agent, first_lane = at_lane;
                } else if (first != here && !(is_nan(first) && is_nan(here))) {
                    return fail(FaultKind::replica, grid_->statement,
                                detail::worded("{0} (register {1}) differs between {2} and {3}",
                                               {element_text(plan, coord.items), reg - plan.low, lane_text(first_lane, first_agent),
                                                lane_text(at_lane, at_agent)}));
                }
            }
        }
        for (int d = coord.size() - 1; d >= 0; --d) { // the next element
            if (++coord[d] < plan.tensor->shape[d]) break;
            coord[d] = 0;
        }
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
