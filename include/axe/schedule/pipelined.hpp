// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PIPELINED_HPP
#define AXE_SCHEDULE_PIPELINED_HPP

#include <axe/program/program.hpp>
#include <axe/program/target.hpp>

#include <string>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// What became of a loop with stages.
struct PipelinedLoop {
    struct Step {
        int statement = -1;
        int stage = 0;
        bool asynchronous = false;
        bool bulk = false; ///< by a bulk copy that completes on an mbarrier
        /// An asynchronous product that agents wait for when the next one is started, or that arrives at mbarriers when it is complete.
        bool left_going = false;
        std::string why_not_bulk{}; ///< where `Stages::bulk` asks for a bulk copy, and none does it
    };
    struct Slots {
        std::string tensor{};
        int needed = 1; ///< for the rounds that have the tensor in use at a time
        int count = 1;
    };
    int statement = -1;
    int turns = 1;              ///< that the body of the new loop has
    std::vector<Step> steps{};  ///< in the order of a turn
    std::vector<Slots> slots{}; ///< of tensors that each round has for itself
};

/// A program whose loops have no stages any more.
struct Pipelined {
    Program program{};
    std::vector<PipelinedLoop> loops{};
};

/// What is not left to the transformation.
struct PipelineOptions {
    /// How many slots these tensors get, instead of what they need. More let agents be further apart; with fewer the program is wrong, as its
    /// runs find.
    std::vector<std::pair<std::string, int>> slots{};
    bool asynchronous = true; ///< do copies go on by themselves where the target has such?
};

/// The program in which rounds of loops with stages overlap: a modulo schedule.      [Lam 1988]
///
/// Statement s of round i is done in turn  i + stage(s),  in a turn by the orders of groups. A tensor that each round has for itself gets
/// as many slots as rounds have it in use at a time, each a tensor of its own; copies from global memory whose results are needed in a
/// later stage are asynchronous where a schedule of the target does that; barriers, commits and waits are placed, and those that the body had
/// are taken out. The first and the last turns do what is there to do, by conditions. `lower` does it before anything else.
///
///   results(pipelined(p)) = results(p)
///
/// A loop without groups: copies and gathers from global to shared memory are in stage 0, everything else in the last stage, as far as
/// dependences allow it.
///
/// `errc::bad_argument` with the two statements, their stages and orders, where one would come before what it needs; of groups that do
/// not fit the lists, of statements that are in none, and of statements that wait or signal by themselves; `errc::capacity` where the
/// slots do not fit the memory.
///
/// Cost: cubic in the statements of a body; a lowering of the program for each loop, and one more for each copy where not all can be
/// asynchronous.
AXE_DECL Result<Pipelined, Problem> pipelined(const Program& program, const Target& target, const PipelineOptions& options = {});

/// Has the program a loop with stages? Cost: a walk.
AXE_DECL bool has_stages(const Program& program);

/// The program with its loops in the order of the program: stages and groups are forgotten. Cost: a copy.
AXE_DECL Program in_program_order(Program program);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/schedule/impl/pipelined.hpp>
#endif

#endif
