// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_RED_ASYNC_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_RED_ASYNC_HPP

#include <axe/target/nvidia/opcodes/red_async.hpp>
#include <axe/target/nvidia/schedules/bulk_reduce.hpp>
#include <axe/target/nvidia/schedules/store_async.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<Body, Problem> emit_red_async(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (!d.block)
        return Problem(errc::bad_argument, "{0} is in the block's own memory; red.async is for that of a block of the cluster",
                       {request.tensor(d).name});
    if (!is_private(request.machine(), request.memory(a))) return Problem(errc::bad_argument, not_in_registers(request, a));
    if (request.operation().options.completes_on < 0)
        return Problem(errc::bad_argument, "red.async completes on an mbarrier, and no `completes_on` is given");
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    const Function function = request.operation().function;
    const DType type = request.tensor(d).dtype;
    if (!sim::has_async_reduction(function, type))
        return Problem(errc::bad_argument, "no red.async of {0} by {1} exists", {name(type), function.row().name});
    const auto move = plan_move(request, d, a, storage_bytes(type));
    if (!move) return move.error();
    Instruction out = make_instruction(request, "red_async",
                                       worded("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{0}",
                                              {reduction_text(function, type, true)}));
    out.function = function;
    out.operands = {{d, move->distribution.elements}, {a, move->distribution.elements}};
    out.async = true;
    out.completes_on = request.operation().options.completes_on;
    request.decided("an element of each lane at a time");
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Reductions in the shared memory of a block of the cluster that an mbarrier there counts.      [PTX, red.async]
inline constexpr Schedule red_async_schedules[] = {
    {Op::atomic,
     "red_async",
     25,
     "red.async",
     "each lane combines a register with the shared memory of a block of the cluster",
     detail::has_store_async,
     detail::emit_red_async,
     0,
     nullptr,
     false,
     {.mbarriers = true}},
};

} // namespace v0
} // namespace axe

#endif
