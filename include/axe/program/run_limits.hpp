// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_RUN_LIMITS_HPP
#define AXE_PROGRAM_RUN_LIMITS_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/walk.hpp>

/// What the simulator takes of any machine, so that what `validate` accepts runs.
namespace axe {
inline namespace v0 {

inline constexpr int most_agents = 32;                                ///< of a block
inline constexpr int most_lanes = 64;                                 ///< of an agent
inline constexpr int most_devices = 255;                              ///< of a machine
inline constexpr std::int64_t most_mbarrier_bytes = (1 << 20) - 1;    ///< that a phase of an mbarrier counts      [PTX, mbarrier]
inline constexpr std::int64_t most_mbarrier_arrivals = (1 << 20) - 1; ///< in a phase      [PTX, mbarrier]
inline constexpr int named_barriers = 16;                             ///< of a block      [PTX, bar]
inline constexpr int most_accesses = 262'143; ///< statements that access memory: what a cell of the shadow can tell apart

/// Does the statement itself read or write tensors? An operator does, and an instruction; a condition or a value that loads an element.
inline bool accesses_memory(const Statement& s)
{
    if (std::holds_alternative<Operation>(s.what) || std::holds_alternative<Instruction>(s.what)) return true;
    if (std::holds_alternative<Flag>(s.what)) return true;
    bool loads = false;
    for_each_expression(s, [&](const Expression& e) {
        loads = for_each_node(e, [](const Expression& node) { return node.kind == Expression::Kind::load; });
    });
    return loads;
}

inline std::string many_lanes_text(std::int64_t lanes)
{
    return detail::worded("an agent has {0} lanes; the simulator takes at most {1}", {lanes, most_lanes});
}

/// What of a program is beyond the simulator: a machine without shared memory or with too many devices, too many lanes in an agent, too
/// many statements that access memory. `validate` reports all, a run the first.
/// Cost: one walk over the program.
inline std::vector<Problem> run_limit_problems(const Program& program)
{
    using detail::worded;
    std::vector<Problem> out;
    const Machine& machine = program.machine;
    const auto report = [&](errc code, const std::string& text) { out.push_back({code, program.name + ": " + text}); };
    if (machine.scopes.size() < 2 || memory_for(machine, Role::shared) == nullptr)
        report(errc::bad_argument, worded("{0} has no memory with the role \"shared\" that the blocks own", {machine.name}));
    if (!machine.scopes.empty() && machine.scopes[0].count > most_devices)
        report(errc::capacity,
               worded("{0} has {1} devices; at most {2} are simulated", {machine.name, machine.scopes[0].count, most_devices}));
    const std::int64_t lanes = levels_of(machine).lanes;
    std::int64_t accesses = 0;
    for_each_statement(program.body, [&](const Statement& s) {
        accesses += accesses_memory(s) ? 1 : 0;
        const auto* grid = std::get_if<Grid>(&s.what);
        if (grid != nullptr && lanes > most_lanes)
            out.push_back({errc::capacity, statement_text(program, s.id) + ": " + many_lanes_text(lanes)});
    });
    if (accesses > most_accesses)
        report(errc::capacity, worded("{0} statements access memory; a run takes at most {1}", {accesses, most_accesses}));
    return out;
}

} // namespace v0
} // namespace axe

#endif
