// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LOOP_STAGES_HPP
#define AXE_PROGRAM_LOOP_STAGES_HPP

#include <axe/support/config.hpp>

#include <string>
#include <vector>

namespace axe {
inline namespace v0 {

/// What a program says of a loop whose rounds are to overlap: in which stage each of its statements is. `pipelined` makes another loop of
/// it; until then it is a loop in the order of the program.
///
/// Statement s of round i is done in turn  i + stage(s); in a turn, statements are in the order of their groups' orders.
struct LoopStages {
    /// Statements of the loop's body by their numbers, `begin` to below `end`.
    struct Group {
        int id = 0;
        int begin = 0, end = 0;
    };
    /// Agents of the block that do a group's statements: first, first + stride, …, `count` of them; none: all do.
    struct Executor {
        std::string name{};
        int first = 0, count = 0, stride = 1;
        friend bool operator==(const Executor&, const Executor&) = default;
    };

    int count = 0;                     ///< how many stages; 0: the loop has none
    std::vector<int> stages{};         ///< of each group by its id; empty: found, of a loop without groups
    std::vector<int> orders{};         ///< of each group; empty: as they are written
    std::vector<Executor> executors{}; ///< of each group; empty: all agents
    std::vector<Group> groups{};
    bool bulk = false; ///< by bulk copies, what they can bring
};

} // namespace v0
} // namespace axe

#endif
