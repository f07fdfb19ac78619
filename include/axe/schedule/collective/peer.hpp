// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_PEER_HPP
#define AXE_SCHEDULE_COLLECTIVE_PEER_HPP

#include <axe/schedule/collective/plan.hpp>

/// Copies between devices in one step.
namespace axe {
inline namespace v0 {
namespace detail {

inline Body peer_copy(const Request& request, const char* text, bool push)
{
    const bool loads = has_peer_loads(request.machine());
    Instruction out = device_instruction("peer_copy", loads ? text : "dma", request.view(0), request.view(1));
    out.parameters = {push ? 1 : 0};
    out.async = request.operation().op == Op::copy_async;
    return {make_statement(std::move(out))};
}

inline Result<Body, Problem> emit_local_copy(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    if (plan->collective.kind != CollectiveKind::local)
        return Problem(errc::bad_argument, worded("{0} needs elements on devices where {1} does not have them: the copy is {2}",
                                                  {request.tensor(0).name, request.tensor(1).name, name(plan->collective.kind)}));
    request.decided("each device by itself");
    return peer_copy(request, "ld + st", false);
}

inline Result<Body, Problem> emit_peer_copy(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    request.decided(worded("{0}, each device reads the elements that it needs", {name(plan->collective.kind)}));
    return peer_copy(request, "ld.peer + st", false);
}

inline Result<Body, Problem> emit_push_copy(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    if (auto p = devices_within(request.tensor(1).name, plan->sources, request.execution_scope(), true); !p.ok()) return p;
    request.decided(worded("{0}, each device writes the elements that others need", {name(plan->collective.kind)}));
    return peer_copy(request, "ld + st.peer", true);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
