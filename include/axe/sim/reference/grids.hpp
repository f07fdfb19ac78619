// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_GRIDS_HPP
#define AXE_SIM_REFERENCE_GRIDS_HPP

#include <axe/sim/reference/agents.hpp>

/// Grids: their blocks one after the other, each in step or agent by agent.
namespace axe {
inline namespace v0 {
namespace ref {

/// Do the agents of the block go through it each for itself: as they wait for each other, or have scalars that differ?
inline bool goes_by_agents(const Body& body)
{
    return for_each_statement(body, [](const Statement& s) {
        if (const auto* m = std::get_if<Mbarrier>(&s.what)) return m->action == Mbarrier::Action::wait;
        if (std::holds_alternative<NamedBarrier>(s.what)) return true;
        const auto* slice = std::get_if<Slice>(&s.what);
        return slice != nullptr &&
               for_each_statement(slice->body, [](const Statement& inner) { return std::holds_alternative<Assign>(inner.what); });
    });
}

inline Result<void, Problem> Walk::does(const Grid& s, Team& team, Active& active)
{
    if (blocks_depend_on_each_other(s))
        return {errc::too_hard, "blocks of the grid wait for each other or are clusters; state its outputs by computes() instead"};
    const std::int64_t blocks = volume(s.counts).value_or(0);
    sim::Code code;
    const int agents = std::clamp(s.agents, 1, 256);
    const bool by_agents = goes_by_agents(s.body);
    if (by_agents) {
        sim::Members everyone;
        for (int i = 0; i < agents; ++i) everyone.set(static_cast<std::size_t>(i));
        auto made = sim::flatten(s.body, everyone, true);
        if (!made) return made.error();
        code = std::move(*made);
    }
    for (const std::size_t i : active)
        for (std::int64_t b = 0; b < blocks; ++b) {
            if (!goes_on(&pulse_, 500)) return stopped(); // its body may be empty
            // The block has the device's variables and tensors while it runs, and leaves those as they are that exist around it.
            Team block;
            block.frames.emplace_back();
            Frame &around = team.frames[i], &frame = block.frames.front();
            frame.variables.swap(around.variables);
            frame.tensors.swap(around.tensors);
            frame.scalars = around.scalars;
            frame.place = around.place;
            number(frame, s.vars, s.counts, b);
            const auto done = by_agents ? Agents(*this, code, agents, frame).run() : body(s.body, block, {0});
            frame.variables.swap(around.variables);
            frame.tensors.swap(around.tensors);
            if (!done.ok()) return done;
        }
    return {};
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
