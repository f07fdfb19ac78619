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
        return Problem(errc::bad_argument, "{0} needs elements on devices where {1} does not have them: the copy is {2}",
                       {request.tensor(0).name, request.tensor(1).name, name(plan->collective.kind)});
    request.decided("each device by itself");
    return peer_copy(request, "ld + st", false);
}

/// Do all devices run the operator, and are both tensors in memory that devices access, on devices that there are? Then a copy may find
/// at run time what each device needs.
inline bool is_run_by_all(const Request& request)
{
    const ExecutionScope& scope = request.execution_scope();
    if (scope.in_block || scope.first != 0 || scope.stride != 1 || scope.count != request.machine().scopes[0].count) return false;
    for (const int i : {0, 1}) {
        const ProgramTensor& t = request.tensor(i);
        if (!request.memory(request.view(i)).roles.has(Role::global)) return false;
        View whole = request.view(i);
        whole.origin.assign(static_cast<std::size_t>(t.shape.size()), Affine(0));
        whole.extents = t.shape;
        whole.dims.clear(), whole.steps.clear();
        for (int d = 0; d < t.shape.size(); ++d) whole.dims.push_back(d), whole.steps.push_back(1);
        if (!device_layout(request, whole)) return false;
    }
    return true;
}

/// Each device reads what it wants. Where the views are at places that no plan has, as tiles that move from one device's share to
/// another's, or are cut by an edge, it finds them when it comes to the statement.
inline Result<Body, Problem> emit_peer_copy(Request& request)
{
    const auto plan = plan_collective(request);
    const bool moves = !plan && (!device_layout(request, request.view(0)) || !device_layout(request, request.view(1)));
    if (moves && is_run_by_all(request)) {
        request.decided("tiles over the shares of several devices, each device reads the elements that it needs");
        return peer_copy(request, "ld.peer + st", false);
    }
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
