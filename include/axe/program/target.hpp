// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_TARGET_HPP
#define AXE_PROGRAM_TARGET_HPP

#include <axe/program/operators.hpp>

namespace axe {
inline namespace v0 {

struct Schedule;
struct HintRule;
struct Pass;
namespace sim {
struct Opcode;
}

/// A machine, and all that makes programs for it and runs them: plain data, composed from tables.
///
/// `lower` makes a program of operators into one of instructions by `schedules`, `hints` and `passes`; `sim::run` does each instruction
/// by the row of `opcodes` that its opcode names. `operators` and `functions` are what programs for the target may say. Those that the
/// library ships are values in target/; one of a user's own is made the same way, most easily from a copy:
///
///   Target mine = targets::cpu;   mine.machine = my_machine;   mine.schedules.add(my_schedules);
///
/// The tables must outlive the target, and what was made with it.
struct Target {
    Machine machine{};
    Tables<Schedule> schedules{};    ///< how operators are done       [schedule/schedule.hpp]
    Tables<sim::Opcode> opcodes{};   ///< what instructions do         [sim/opcodes/opcode.hpp]
    Tables<Operator> operators{};    ///< what programs may ask for    [program/operators.hpp]
    Tables<FunctionRow> functions{}; ///< of elements                  [program/functions.hpp]
    Tables<Pass> passes{};           ///< over whole programs          [schedule/pass.hpp]
    Tables<HintRule> hints{};        ///< how layouts are chosen       [schedule/hint.hpp]
};

} // namespace v0
} // namespace axe

#endif
