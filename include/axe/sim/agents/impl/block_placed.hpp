// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_PLACED_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_PLACED_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

/// Mbarriers that have the bytes of a tensor: init and invalidate write them, and in between nothing else may access them.
namespace axe {
inline namespace v0 {
namespace sim {

/// Where so many bytes of a view of shared memory begin, in elements: in one piece, at a multiple of their number.
inline bool Block::find_bytes(const View& v, std::int64_t bytes, int number, int statement, std::int64_t& place)
{
    const TensorPlan& plan = this->plan(v.tensor);
    const auto& vars = agents_[static_cast<std::size_t>(number)].vars;
    std::int64_t coord[max_rank];
    for (std::int64_t i = 0; i < bytes / plan.width; ++i) {
        view_offset(v, i, coord, plan.tensor->shape.size());
        for (int d = 0; d < plan.tensor->shape.size(); ++d) coord[d] += v.origin[static_cast<std::size_t>(d)](vars);
        if (!is_inside(plan.tensor->shape, coord))
            return fail(FaultKind::out_of_bounds, statement, outside_text(agent_text(number), element_text(plan, coord), plan));
        std::int64_t at = plan.address(coord) - plan.low;
        if (plan.swizzle.bits > 0) at = plan.swizzle(at);
        if (i == 0) place = at;
        if (at != place + i || (plan.base + (plan.low + place) * plan.width) % bytes != 0)
            return fail(FaultKind::misaligned, statement,
                        detail::worded("{0} begins {1} bytes that must be in one piece, at a multiple of {1}",
                                       {element_text(plan, coord), bytes}));
    }
    return true;
}

/// The bytes become the mbarrier's: an ordinary write, and then no access of them is in order until it is invalidated.
inline bool Block::place_mbarrier(Agent& a, int number, const Mbarrier& m, int statement, Phase& p)
{
    const TensorPlan& plan = this->plan(m.at->tensor);
    if (!find_bytes(*m.at, 8, number, statement, p.place)) return false;
    p.tensor = m.at->tensor;
    std::byte* const at = buffer(plan, p.tensor).data + p.place * plan.width;
    Shadow& shadow = this->shadow(plan, p.tensor);
    if (shadow.exists()) {
        const std::uint32_t access = compiled_->load_access(statement);
        const Actor who_acts = actor(number, static_cast<int>(access) - 1);
        const std::size_t last = shadow.granule_of(p.place * plan.width + 7);
        for (std::size_t i = shadow.granule_of(p.place * plan.width); i <= last; ++i) {
            if (const Conflict c = shadow.write(i, who_acts, 0, true); c.found())
                return conflict(
                    statement,
                    detail::worded("{0}, where mbarrier {1} of {2} begins,", {plan.place_text(p.place), m.id, agent_text(number)}),
                    true, c);
            shadow.mark(i, event(run_, placed_mbarriers, 0, static_cast<std::uint32_t>(m.id) % max_time + 1), access);
        }
    }
    std::memcpy(at, &m.number, 8);
    a.clock.meet(number);
    p.set_up.known[number] = a.clock.time;
    return true;
}

/// The bytes are any tensor's again, after what the agent does now.
inline void Block::free_bytes_of(const Phase& p, int number, int statement)
{
    const TensorPlan& plan = this->plan(p.tensor);
    Shadow& shadow = this->shadow(plan, p.tensor);
    if (!shadow.exists()) return;
    const std::uint32_t access = compiled_->load_access(statement);
    const std::size_t last = shadow.granule_of(p.place * plan.width + 7);
    for (std::size_t i = shadow.granule_of(p.place * plan.width); i <= last; ++i)
        shadow.mark(i, actor(number, static_cast<int>(access) - 1).at(0), access);
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
