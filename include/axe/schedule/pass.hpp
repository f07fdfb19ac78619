// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PASS_HPP
#define AXE_SCHEDULE_PASS_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// A change to a whole program that a target asks for, as a row of a table. `lower` runs the passes of each kind in the order of the
/// target's table.
struct Pass {
    enum class On : std::uint8_t {
        operators,    ///< before layouts are chosen and schedules are dispatched
        instructions, ///< after
    };
    const char* name;
    const char* what; ///< in a message, for the printed table
    On on;
    /// The problem names what the pass could not do; it ends the lowering.
    Result<void, Problem> (*run)(Program&);
};

} // namespace v0
} // namespace axe

#endif
