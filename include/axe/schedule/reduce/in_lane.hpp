// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_IN_LANE_HPP
#define AXE_SCHEDULE_REDUCE_IN_LANE_HPP

#include <axe/schedule/reduce/partial.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Of registers into a memory: the lanes that have the terms of an element bring its reduction there.
inline Result<Body, Problem> emit_in_lane_to_memory(Request& request, const BlockReduction& plan)
{
    const Operation& o = request.operation();
    Body body;
    const auto partial = append_partial(request, body, plan);
    if (!partial) return partial.error();
    if (!partial->digits.empty())
        return Problem(errc::bad_argument, "the terms of {0} are spread over {1} lanes or agents",
                       {plan.a.placement.name, partial->spread()});
    LaneWork results(request);
    if (auto p = results_for(request, plan.d, *partial, results); !p.ok()) return p;
    if (auto p = append_result(request, body, o.function, plan.d, partial->registers, results, o.accumulate); !p.ok()) return p;
    return body;
}

inline Result<Body, Problem> emit_in_lane(Request& request)
{
    const auto plan = plan_block_reduction(request);
    if (!plan) return plan.error();
    const Operation& o = request.operation();
    const std::size_t n = plan->terms.empty() ? 0 : plan->terms[0].size();
    request.decided(worded("each lane reduces {0} terms by itself", {n}));
    if (plan->a.placement.is_private && !plan->d.placement.is_private) return emit_in_lane_to_memory(request, *plan);
    Body body;
    if (auto p = append_reduction(request, body, o.function, plan->d, plan->a, plan->terms, o.accumulate); !p.ok()) return p;
    return body;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
