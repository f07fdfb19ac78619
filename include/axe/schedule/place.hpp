// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_PLACE_HPP
#define AXE_SCHEDULE_PLACE_HPP

#include <axe/program/levels.hpp>
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

} // namespace v0
} // namespace axe

#endif
