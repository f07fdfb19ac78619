// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_FOOTPRINT_HPP
#define AXE_SIM_AGENTS_FOOTPRINT_HPP

#include <axe/sim/agents/executable.hpp>
#include <axe/sim/memory/globals.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The bytes of this computer's memory that a run uses: the simulated memories of all devices and of all blocks in flight, their
/// shadows, and the outputs. What is allocated for a few numbers is left out.
///
/// Wide, so that nothing overflows. Cost: linear in tensors and grids.
inline wider_t<std::int64_t> footprint(const Compiled& c, const std::vector<GridCode>& grids)
{
    using Wide = wider_t<std::int64_t>;
    const auto shadow = [&](const TensorPlan& plan) {
        return c.full() ? (Wide{plan.bytes()} + plan.granule - 1) / plan.granule * Wide{sizeof(Cell)} : Wide{0};
    };
    Wide global = 0;
    for (const TensorPlan& plan : c.plans) {
        if (plan.owner != Owner::device || plan.of_all_devices) continue;
        const Binding binding = plan.tensor->binding;
        const bool given_here = binding == Binding::input || binding == Binding::inout,
                   plain = plan.apart == 0 && is_the_array(plan, c.stage.devices);
        const bool returned = binding == Binding::output || binding == Binding::inout;
        if (returned) global += Wide{plan.elements} * plan.width;
        const int own = plain && binding != Binding::local ? c.stage.devices - 1 : c.stage.devices;
        global += Wide{plan.bytes()} * own;
        if (!plan.written && given_here) continue;
        global += shadow(plan) * c.stage.devices;
        // Each thread that shares blocks has the places of its records.
        if (c.full() && c.stage.devices == 1)
            global += (Wide{plan.bytes()} / plan.granule / Wide{run_cells} + 1) * Wide{sizeof(std::int32_t)} * c.options.threads;
    }
    Wide slot = 0; // of one block in flight, which is kept for the next grid
    std::vector<Wide> taken(c.plans.size(), 0);
    std::int64_t blocks = 1, related = 1;
    for (const GridCode& g : grids) {
        blocks = std::max(blocks, volume(g.grid->counts).value_or(1));
        if (g.waits_for_others())
            related = std::max({related, g.together(), c.options.resident == 0 ? g.resident : 1});
        else // those of a cluster, on each thread
            related = std::max(related, g.together() * (c.stage.devices == 1 ? std::max(1, c.options.threads) : 1));
        for (const int t : g.tensors) {
            const TensorPlan& plan = c.plans[static_cast<std::size_t>(t)];
            const Wide bytes = plan.owner == Owner::lane
                                   ? (Wide{plan.bytes()} * plan.lanes + Wide{plan.count} * Wide{sizeof(LaneMask)}) * g.grid->agents
                                   : Wide{plan.bytes()} + shadow(plan);
            taken[static_cast<std::size_t>(t)] = std::max(taken[static_cast<std::size_t>(t)], bytes);
        }
    }
    for (const Wide bytes : taken) slot += bytes;
    const std::int64_t side_by_side =
        std::max({std::int64_t{c.options.resident}, std::int64_t{c.stage.devices == 1 ? c.options.threads : 1}, related});
    return global + slot * std::min(blocks, side_by_side) * c.stage.devices;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
