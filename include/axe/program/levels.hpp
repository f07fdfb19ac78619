// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LEVELS_HPP
#define AXE_PROGRAM_LEVELS_HPP

#include <axe/machine/machine.hpp>

namespace axe {
inline namespace v0 {

/// What is simulated of a machine.
inline constexpr int most_agents = 32;   ///< of a block
inline constexpr int most_lanes = 64;    ///< of an agent
inline constexpr int most_devices = 255; ///< of a machine

/// Which of a machine's scopes are the blocks of a grid, the agents of a block and the lanes of an agent.
struct Levels {
    int block = 0; ///< the innermost scope whose count a program gives; −1 if none exists
    int agent =
        -1; ///< the scope inside it (warps, engines); −1: blocks have no parts, and any number of agents is the program's own
    std::int64_t agents = 0; ///< the most of them in a block; 0: no limit
    std::int64_t lanes = 1;  ///< of an agent: all scopes inside it
};

constexpr Levels levels_of(const Machine& machine) noexcept
{
    Levels out;
    out.block = -1;
    for (int i = 0; i < machine.scopes.size(); ++i)
        if (is_grid(machine.scopes[i])) out.block = i;
    if (out.block < 0 || out.block + 1 >= machine.scopes.size()) return out;
    out.agent = out.block + 1;
    out.agents = machine.scopes[out.agent].count;
    for (int i = out.agent + 1; i < machine.scopes.size(); ++i) out.lanes *= machine.scopes[i].count;
    return out;
}

/// How many members an axis numbers within one of the scope outside, parts of split axes included; 0: not limited, or no scope's axis.
constexpr std::int64_t members_on(const Machine& machine, const Axis& axis) noexcept
{
    for (const ScopeLevel& scope : machine.scopes)
        if (scope.axis == axis) return scope.count;
    for (const AxisSplit& split : machine.splits) {
        if (split.inner == axis) return split.extent;
        if (split.outer == axis) return members_on(machine, split.whole) / split.extent;
        // The whole of an outer part that is a scope: threads, of warps.
        for (const ScopeLevel& scope : machine.scopes)
            if (split.whole == axis && scope.axis == split.outer) return scope.count * split.extent;
    }
    return 0;
}

/// Row-major in a memory: on its last axis; where the memory has several (partitions and their bytes), the first dimension is on the
/// first axis and the others are on the last. `volume`'s errors.
constexpr Result<Layout> row_major_in(const Shape& shape, const Memory& memory) noexcept
{
    const auto n = volume(shape);
    if (!n) return n.error();
    Layout layout;
    std::int64_t rest = *n;
    if (memory.axes.size() > 1 && shape.size() > 0) {
        layout.shard.push_back({shape[0], 1, memory.axes[0]});
        rest /= shape[0];
    }
    layout.shard.push_back({rest, 1, memory.axes.empty() ? Axis{} : memory.axes[memory.axes.size() - 1]});
    return layout;
}

} // namespace v0
} // namespace axe

#endif
