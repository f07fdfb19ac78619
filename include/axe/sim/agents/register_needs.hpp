// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_REGISTER_NEEDS_HPP
#define AXE_SIM_AGENTS_REGISTER_NEEDS_HPP

#include <axe/program/live_ranges.hpp>
#include <axe/program/register_count.hpp>
#include <axe/sim/agents/executable.hpp>

#include <unordered_map>

/// What tensors take of the registers of each agent's threads, statement by statement.
namespace axe {
inline namespace v0 {
namespace sim {

/// A tensor in registers, while it is in use.
struct RegisterUse {
    const TensorPlan* plan = nullptr;
    std::int64_t registers = 0; ///< of each thread
    LiveRange range{};

    [[nodiscard]] bool is_live(int position, std::size_t agent) const
    {
        return range.begin <= position && position <= range.end && agent < range.users.size() && range.users[agent];
    }
};

inline std::vector<RegisterUse> register_uses(const Program& program, const std::vector<TensorPlan>& plans)
{
    std::vector<RegisterUse> out;
    for (LiveRange& range : live_ranges(program).tensors) {
        const TensorPlan& plan = plans[static_cast<std::size_t>(range.tensor)];
        if (plan.owner == Owner::lane) out.push_back({&plan, (plan.bytes() + 3) / 4, std::move(range)});
    }
    return out;
}

/// Of each grid that counts registers. Cost: steps times agents times tensors in registers; nothing of other grids.
inline void find_register_needs(const Program& program, const std::vector<TensorPlan>& plans, std::vector<GridCode>& grids)
{
    bool counts = false;
    for (GridCode& g : grids) {
        g.registers.start = registers_at_start(program, *g.grid);
        counts = counts || g.registers.start > 0;
    }
    if (!counts) return;
    std::unordered_map<const Statement*, int> positions;
    int next = 0;
    for_each_statement(program.body, [&](const Statement& s) { positions[&s] = next++; });
    const std::vector<RegisterUse> uses = register_uses(program, plans);
    for (GridCode& g : grids) {
        if (g.registers.start == 0) continue;
        for (const Step& step : g.code.steps) {
            const int position = positions[step.source];
            g.registers.positions.push_back(position);
            for (std::size_t agent = 0; agent < static_cast<std::size_t>(g.grid->agents); ++agent) {
                std::int64_t sum = 0;
                for (const RegisterUse& use : uses) sum += use.is_live(position, agent) ? use.registers : 0;
                g.registers.needs.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(sum, INT32_MAX)));
            }
        }
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
