// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_REDUCE_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_REDUCE_HPP

#include <axe/target/nvidia/opcodes/bulk_reduce.hpp>
#include <axe/target/nvidia/schedules/bulk_copy.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

inline Result<Body, Problem> emit_bulk_reduce(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (!request.operation().options.async) return Problem(errc::bad_argument, "it is not asynchronous: `async` is not given");
    const Memory &to = request.memory(d), &from = request.memory(a);
    if (!to.roles.has(Role::global) || !from.roles.has(Role::shared))
        return Problem(errc::bad_argument,
                       worded("{0} is in {1} and {2} in {3}; the reduction must be from shared to global memory",
                              {request.tensor(a).name, from.name, request.tensor(d).name, to.name}));
    const Function function = request.operation().function;
    const DType type = request.tensor(d).dtype;
    if (!sim::has_bulk_reduction(function, type))
        return Problem(errc::bad_argument, worded("no bulk reduction of {0} by {1} exists", {name(type), function.row().name}));
    const Request starter = started_by_one(request);
    const auto bulk = plan_bulk(request, starter, TmaUse::reduce);
    if (!bulk) return bulk.error();
    Instruction out =
        make_instruction(starter, "bulk_reduce",
                         worded("cp.reduce.async.bulk{0}.global.shared::cta.bulk_group.{1}", {bulk->form, function.row().name}));
    out.function = function;
    out.parameters = {bulk->copies};
    out.operands = {{d, bulk->elements}, {a, bulk->elements}};
    out.async = true;
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Reductions of whole tiles into global memory that one agent starts.      [PTX, cp.reduce.async.bulk]
inline constexpr Schedule bulk_reduce_schedules[] = {
    {Op::atomic, "bulk_reduce", 30, "cp.async.bulk", "one agent starts a reduction of a tile of shared memory into global memory",
     detail::has_bulk_copies, detail::emit_bulk_reduce},
};

} // namespace v0
} // namespace axe

#endif
