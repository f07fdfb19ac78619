// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PLACE_HPP
#define AXE_SCHEDULE_PLACE_HPP

#include <axe/program/levels.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/schedule.hpp>

namespace axe {
inline namespace v0 {

/// For whom what stands outside of grids is: all devices.
inline Place place_of(const Machine& machine) noexcept
{
    Place out;
    if (machine.scopes.size() > 0) out.count = static_cast<int>(std::max<std::int64_t>(1, machine.scopes[0].count));
    return out;
}

/// For whom the body of a grid is: all agents of a block.
inline Place place_of(const Machine& machine, const Grid& grid) noexcept
{
    return {true, 0, grid.agents, 1, static_cast<int>(levels_of(machine).lanes)};
}

/// For whom the body of a slice is. A slice counts in the block (or machine), whatever slice it stands in.
inline Place place_of(const Place& around, const Slice& slice) noexcept
{
    Place out = around;
    out.first = slice.first;
    out.count = slice.count;
    out.stride = slice.stride;
    return out;
}

/// `for_each_body` with the place of each body: calls f(body, place). A grid and a slice set the place of their body; all other
/// statements pass `place`, which is theirs, on.
template <class AnyStatement, class F>
auto for_each_body(const Machine& machine, AnyStatement& statement, const Place& place, F&& f)
{
    Place inside = place;
    if (const auto* grid = std::get_if<Grid>(&statement.what)) inside = place_of(machine, *grid);
    if (const auto* slice = std::get_if<Slice>(&statement.what)) inside = place_of(place, *slice);
    return for_each_body(statement, [&](auto& body) { return f(body, std::as_const(inside)); });
}

/// `for_each_statement` with the place of each statement: calls f(statement, place) for all statements of a body, whose place is
/// `place`, and of all bodies within. It always visits all of them.
template <class F>
void for_each_statement(const Machine& machine, const Body& body, const Place& place, F&& f)
{
    for (const Statement& statement : body) {
        f(statement, place);
        for_each_body(machine, statement, place,
                      [&](const Body& inner, const Place& inside) { for_each_statement(machine, inner, inside, f); });
    }
}

} // namespace v0
} // namespace axe

#endif
