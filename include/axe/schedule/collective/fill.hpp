// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_FILL_HPP
#define AXE_SCHEDULE_COLLECTIVE_FILL_HPP

#include <axe/schedule/collective/peer.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Each device fills what it holds itself.
inline Result<Body, Problem> emit_device_fill(Request& request)
{
    if (request.execution_scope().in_block) return not_of_devices();
    const View& d = request.view(0);
    if (!request.memory(d).roles.has(Role::global))
        return Problem(errc::bad_argument, not_of_other_devices(request.tensor(d).name, request.memory(d).name));
    if (request.execution_scope().count < request.machine().scopes[0].count) {
        // Some devices only: those that hold it are to be among them, as those that a copy of it onto itself asks for.
        Operation copy = request.operation();
        copy.op = Op::copy;
        copy.operands = {d, d};
        if (const auto plan = plan_collective(Request(request.program(), request.target(), copy, request.execution_scope())); !plan)
            return plan.error();
    }
    Instruction out;
    out.opcode = "peer_fill";
    out.text = has_instruction(request.machine(), "ld") ? "st" : "dma";
    out.operands = {{d, nullptr}};
    out.number = request.operation().number;
    request.decided("each device what it holds");
    return Body{make_statement(std::move(out))};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
