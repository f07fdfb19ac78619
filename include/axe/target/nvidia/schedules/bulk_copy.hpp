// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_bulk_copies(const Machine& machine) noexcept { return has_instruction(machine, "cp.async.bulk"); }

inline Result<Body, Problem> emit_bulk_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const auto is = [&](const View& v, Role role) { return request.memory(v).roles.has(role); };
    const bool loads = is(d, Role::shared) && is(a, Role::global);
    if (!loads && !(is(d, Role::global) && is(a, Role::shared)))
        return Problem(errc::bad_argument,
                       worded("{0} is in {1} and {2} in {3}; the copy must be between global and shared memory",
                              {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name}));
    const int completes_on = request.operation().options.completes_on;
    if (loads && completes_on < 0)
        return Problem(errc::bad_argument, "a bulk copy to shared memory completes on an mbarrier, and no `completes_on` is given");
    if (!loads && completes_on >= 0)
        return Problem(errc::bad_argument,
                       worded("a bulk copy to global memory completes by commit and wait, not on mbarrier {0}", {completes_on}));
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    ExecutionScope one = request.execution_scope();
    one.count = 1;
    const Request starter(request.program(), request.target(), request.operation(), one);
    const auto move = plan_move(starter, d, a, 16);
    if (!move) return move.error();
    const int bytes = move->distribution.vector * move->to.bytes;
    if (bytes % 16 != 0)
        return Problem(errc::bad_argument, worded("the tile has pieces of {0} bytes; they must be multiples of 16: {1}",
                                                  {bytes, why_narrow(move->to, move->from)}));
    Instruction out = make_instruction(starter, "bulk_copy",
                                       loads ? "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
                                             : "cp.async.bulk.global.shared::cta.bulk_group");
    out.operands = {{d, move->distribution.elements}, {a, move->distribution.elements}};
    out.async = true;
    out.completes_on = completes_on;
    request.decided(worded("started by agent {0}", {one.first}));
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Copies of whole tiles that one agent starts.      [PTX, cp.async.bulk]
inline constexpr Schedule bulk_copy_schedules[] = {
    {Op::copy_async, "bulk_copy", 30, "cp.async.bulk", "one agent starts a copy of a tile between global and shared memory",
     detail::has_bulk_copies, detail::emit_bulk_copy},
};

} // namespace v0
} // namespace axe

#endif
