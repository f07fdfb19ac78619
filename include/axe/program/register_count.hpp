// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_REGISTER_COUNT_HPP
#define AXE_PROGRAM_REGISTER_COUNT_HPP

#include <axe/program/levels.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>
#include <axe/text/common/words.hpp>

/// How many registers the threads of a block have, where a program says so.
namespace axe {
inline namespace v0 {

inline constexpr std::int64_t least_thread_registers = 24; ///< that threads may be left with      [PTX, setmaxnreg]

/// Do agents of the grid give registers back, or take more?
inline bool changes_registers(const Grid& grid)
{
    return for_each_statement(grid.body, [](const Statement& s) { return std::holds_alternative<RegisterCount>(s.what); });
}

/// The registers that each thread of a block starts with; 0 where the program does not count them.
///
///   what `Program::thread_registers` says, else ⌊cta.registers / threads⌋ in whole units, at most warpgroup.registers, if the grid changes them
///
/// [CUDA, __maxnreg__; __launch_bounds__ of one block to a multiprocessor]
inline std::int64_t registers_at_start(const Program& program, const Grid& grid)
{
    if (program.thread_registers > 0) return program.thread_registers;
    const Limit *whole = find_limit(program.machine, "cta.registers"), *most = find_limit(program.machine, "warpgroup.registers");
    if (whole == nullptr || most == nullptr || !changes_registers(grid)) return 0;
    const Limit* unit = find_limit(program.machine, "lane.register_unit");
    const std::int64_t step = unit == nullptr ? 1 : unit->value;
    const std::int64_t threads = std::max(1, grid.agents) * std::max<std::int64_t>(1, levels_of(program.machine).lanes);
    return std::min(most->value, whole->value / threads / step * step);
}

/// Why threads cannot have so many registers; "" if they can.
inline std::string thread_registers_problem(const Machine& machine, std::int64_t registers)
{
    const Limit *most = find_limit(machine, "warpgroup.registers"), *unit = find_limit(machine, "lane.register_unit");
    if (most == nullptr || unit == nullptr)
        return detail::worded("{0} does not give registers of one warpgroup to another", {machine.name});
    if (registers >= least_thread_registers && registers <= most->value && registers % unit->value == 0) return {};
    return detail::worded("{0} registers for each thread; it must be a multiple of {1} from {2} to {3}",
                          {registers, unit->value, least_thread_registers, most->value});
}

inline std::string registers_outside_text()
{
    return detail::worded("registers are changed outside a block; it is for warpgroups of a block", {});
}

} // namespace v0
} // namespace axe

#endif
