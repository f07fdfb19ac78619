// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_EXECUTION_SCOPE_HPP
#define AXE_SCHEDULE_EXECUTION_SCOPE_HPP

#include <axe/program/levels.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/schedule.hpp>

namespace axe {
inline namespace v0 {

/// The scope of statements outside of grids: all devices.
inline ExecutionScope scope_of(const Machine& machine) noexcept
{
    ExecutionScope out;
    if (machine.scopes.size() > 0) out.count = static_cast<int>(std::max<std::int64_t>(1, machine.scopes[0].count));
    return out;
}

/// For whom the body of a grid is: all agents of a block.
inline ExecutionScope scope_of(const Machine& machine, const Grid& grid) noexcept
{
    return {true, 0, grid.agents, 1, static_cast<int>(levels_of(machine).lanes)};
}

/// The scope of the body of a slice. A slice counts in the block (or machine), whatever slice it is in.
inline ExecutionScope scope_of(const ExecutionScope& around, const Slice& slice) noexcept
{
    ExecutionScope out = around;
    out.first = slice.first;
    out.count = slice.count;
    out.stride = slice.stride;
    return out;
}

/// `for_each_body` with the place of each body: calls f(body, place). A grid and a slice set the place of their body; all other
/// statements pass `place`, which is theirs, on.
template <class AnyStatement, class F>
auto for_each_body(const Machine& machine, AnyStatement& statement, const ExecutionScope& place, F&& f)
{
    ExecutionScope inside = place;
    if (const auto* grid = std::get_if<Grid>(&statement.what)) inside = scope_of(machine, *grid);
    if (const auto* slice = std::get_if<Slice>(&statement.what)) inside = scope_of(place, *slice);
    return for_each_body(statement, [&](auto& body) { return f(body, std::as_const(inside)); });
}

/// `for_each_statement` with the place of each statement: calls f(statement, place) for all statements of a body, whose place is
/// `place`, and of all bodies within. It always visits all of them.
template <class F>
void for_each_statement(const Machine& machine, const Body& body, const ExecutionScope& place, F&& f)
{
    for (const Statement& statement : body) {
        f(statement, place);
        for_each_body(machine, statement, place,
                      [&](const Body& inner, const ExecutionScope& inside) { for_each_statement(machine, inner, inside, f); });
    }
}

} // namespace v0
} // namespace axe

#endif
