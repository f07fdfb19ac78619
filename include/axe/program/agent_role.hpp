// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_AGENT_ROLE_HPP
#define AXE_PROGRAM_AGENT_ROLE_HPP

#include <axe/layout/properties.hpp>
#include <axe/layout/slice.hpp>
#include <axe/machine/axes.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/statement.hpp>
#include <axe/text/print.hpp>

namespace axe {
inline namespace v0 {

/// Which agents (warps) of a block do a part of its work, by a name that messages give: a layout on the machine's axis of agents, or on
/// parts of that axis.
///
///   {"producer", "1:1@warp + 8@warp"_axe}                              warp 8
///   {"odd warps", "4:2@warp + 1@warp"_axe}                             warps 1, 3, 5, 7
///   {"consumers", "(2,4):(1@warpgroup,1@quarter)"_axe}                 warps 0 to 7
struct AgentRole {
    std::string name{};
    Result<Layout> agents{Layout{}};

    /// Members begin to begin + count − 1 of the role, by a name of their own. Its layout is the error of `slice` where they are not.
    [[nodiscard]] AgentRole part(std::int64_t begin, std::int64_t count, std::string called = {}) const
    {
        AgentRole out{called.empty() ? name : std::move(called), agents};
        if (!agents) return out;
        const auto n = axe::size(*agents);
        out.agents = n ? axe::slice(*agents, Shape{*n}, Region{{begin, begin + count}}) : Result<Layout>(n.error());
        return out;
    }
};

/// How many agents a warpgroup has: what the machine splits its agents by, else 4.
constexpr int warpgroup_agents(const Machine& machine) noexcept
{
    const Levels levels = levels_of(machine);
    for (const AxisSplit& split : machine.splits)
        if (levels.agent >= 0 && split.whole == machine.scopes[levels.agent].axis && split.outer == Axis{"warpgroup"})
            return static_cast<int>(split.extent);
    return 4;
}

/// The slice of a block that a role is: first, first + stride, …; its body is empty.
///
/// `errc::bad_axis` on a machine whose blocks have no agents; `errc::bad_argument` of a layout that is not such numbers, ascending;
/// the errors of `convert_axes`. Cost: that of `convert_axes`.
inline Result<Slice, Problem> slice_of(const Machine& machine, const AgentRole& role)
{
    const std::string who = "role " + role.name;
    if (!role.agents) return Problem(role.agents.error(), who + ": ");
    const Levels levels = levels_of(machine);
    if (levels.agent < 0)
        return Problem(errc::bad_axis, "{0}: the blocks of {1} have no agents to choose from", {who, machine.name});
    const Axis axis = machine.scopes[levels.agent].axis;
    const auto on_agents = convert_axes(machine, *role.agents, {axis});
    if (!on_agents) return Problem(on_agents.error(), who + ": ");
    const Layout plain = canonicalize(*on_agents).value_or(*on_agents);
    const std::int64_t first = plain.offset[axis];
    std::int64_t count = 1, stride = 1;
    if (!plain.shard.empty()) count = plain.shard[0].extent, stride = plain.shard[0].stride;
    const bool single = plain.shard.size() <= 1 && plain.replica.empty() && (plain.shard.empty() || plain.shard[0].axis == axis);
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (!single || stride < 1 || first < 0 || count < 1 || first > most || count > most || stride > most)
        return Problem(errc::bad_argument, "{0}: {1} is not agents first, first + stride, … of axis {2}",
                       {who, print(*role.agents).c_str(), std::string(axis.name().c_str())});
    return Slice{Slice::Of::agents, static_cast<int>(first), static_cast<int>(count), static_cast<int>(stride), {}, role.name, 1};
}

} // namespace v0
} // namespace axe

#endif
