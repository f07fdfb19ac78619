// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_STAGES_HPP
#define AXE_PROGRAM_STAGES_HPP

#include <axe/program/agent_role.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// How rounds of a loop are to overlap (schedule/pipelined.hpp): in so many stages, which are found; or, where its statements are in groups, in the
/// stages, orders within a turn and agents of each group, by its number.
///
///   c.loop(tiles(K, 32), Stages{3}, …)
///   c.loop(tiles(K, 32), Stages{.count = 3, .bulk = true}, …)       // by bulk copies, where the target has such for them
///   c.loop(tiles(K, 32), Stages{2, {0, 0, 1}, {0, 1, 2}}, …)      // with c.pipeline_group(0, …), (1, …), (2, …) inside
struct Stages {
    int count = 1;
    std::vector<int> stages{}, orders{};
    std::vector<AgentRole> executors{};
    bool bulk = false; ///< do bulk copies, which one agent starts, bring what they can?
};

} // namespace v0
} // namespace axe

#endif
