// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_SYNCHRONOUS_HPP
#define AXE_SCHEDULE_COPY_SYNCHRONOUS_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/dispatch.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Does an instruction of the machine copy on its own, while the agent that started it continues?
inline bool has_async_copies(const Machine& machine) noexcept
{
    return has_instruction(machine, "cp.async") || has_instruction(machine, "dma");
}

/// `copy_async` of a machine without asynchronous copies: a copy, which is complete at once; commit and wait have nothing to wait for.
inline Result<Body, Problem> emit_synchronous_copy(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    Operation copy = request.operation();
    copy.op = Op::copy;
    copy.options.schedule.clear();
    auto body = emit_nested(request, copy);
    if (body) request.decided(worded("{0} has no asynchronous copies: a copy, complete at once", {request.machine().name}));
    return body;
}

} // namespace detail

/// What stands in for asynchronous copies.
inline constexpr Schedule synchronous_schedules[] = {
    {Op::copy_async, "synchronous", 1, "ld, and no asynchronous copies", "a copy by the lanes, complete at once",
     [](const Machine& machine) { return detail::has_lanes_that_load(machine) && !detail::has_async_copies(machine); },
     detail::emit_synchronous_copy},
};

} // namespace v0
} // namespace axe

#endif
