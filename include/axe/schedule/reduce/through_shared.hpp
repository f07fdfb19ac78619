// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_THROUGH_SHARED_HPP
#define AXE_SCHEDULE_REDUCE_THROUGH_SHARED_HPP

#include <axe/schedule/reduce/shuffle.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Every lane reduces its own terms, lanes that can exchange do, and what is left goes to shared memory, where the agents that need a result
/// reads all of it. A barrier between, and one after, so that the shared memory may be used again.
inline Result<Body, Problem> emit_through_shared(Request& request)
{
    const auto plan = plan_block_reduction(request);
    if (!plan) return plan.error();
    const Operation& o = request.operation();
    Body body;
    const auto partial = append_partial(request, body, *plan);
    if (!partial) return partial.error();
    const bool exchanges = has_shuffles(request.machine()) && storage_bytes(request.tensor(partial->registers.view).dtype) <= 4;
    std::vector<bool> done(partial->digits.size());
    ProgramTensor t;
    t.shape = {partial->kept};
    for (std::size_t i = 0; i < done.size(); ++i) {
        const OwnerDigit& digit = partial->digits[i];
        done[i] = exchanges && digit.is_lane && check_butterfly(request, *partial, i).ok();
        if (done[i])
            if (auto p = append_butterfly(request, body, o.function, *partial, i); !p.ok()) return p;
        if (!done[i]) t.shape.push_back(digit.extent);
    }
    if (t.shape.size() == 1)
        return Problem(errc::bad_argument, "the terms of {0} are in the registers of one agent each", {plan->a.placement.name});

    const Memory* shared = memory_for(request.machine(), Role::shared);
    if (shared->axes.size() != 1) return Problem(errc::bad_argument, several_address_axes(shared->name));
    const std::int64_t left = volume(t.shape).value_or(0);
    t.name = plan->d.placement.name + ".staged";
    t.dtype = request.tensor(partial->registers.view).dtype;
    t.memory = shared->name;
    t.layout.layout.shard = {{left, 1, shared->axes[0]}};
    const auto staged = placed(request, request.temporary(std::move(t)));
    if (!staged) return staged.error();

    LaneWork store(request);
    ReducedTerms terms(static_cast<std::size_t>(partial->kept));
    for (std::int32_t s = 0; s < left; ++s) {
        std::vector<std::int64_t> values(done.size());
        std::int64_t rest = s;
        for (std::size_t i = done.size(); i-- > 0;)
            if (!done[i]) {
                values[i] = rest % partial->digits[i].extent;
                rest /= partial->digits[i].extent;
            }
        const std::int32_t e = partial->element(rest, values);
        const auto first = partial->registers.placement.begin[static_cast<std::size_t>(e)];
        store.add(partial->registers.placement.owner[static_cast<std::size_t>(first)], s, e);
        terms[static_cast<std::size_t>(rest)].push_back(s);
    }
    append_move(request, body, *staged, partial->registers, store);
    Statement meeting;
    meeting.what = Barrier{};
    body.push_back(meeting);
    if (auto p = append_reduction(request, body, o.function, plan->d, *staged, terms, o.accumulate); !p.ok()) return p;
    body.push_back(meeting);
    request.decided(worded("{0} terms of each element through {1}", {terms[0].size(), shared->name}));
    return body;
}

inline bool stages_in_shared(const Machine& machine) noexcept
{
    return memory_for(machine, Role::shared) != nullptr && has_instruction(machine, "ld") && has_instruction(machine, "barrier");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
