// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_STORE_ASYNC_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_STORE_ASYNC_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_store_async(const Machine& machine) noexcept
{
    for (const Link& link : machine.links)
        for (const char* instruction : link.instructions)
            if (same_text(instruction, "st.async")) return true;
    return false;
}

inline Result<Body, Problem> emit_store_async(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (!d.block)
        return Problem(errc::bad_argument, "{0} is in the block's own memory; st.async is for that of a block of the cluster",
                       {request.tensor(d).name});
    if (!is_private(request.machine(), request.memory(a))) return Problem(errc::bad_argument, not_in_registers(request, a));
    if (request.operation().options.completes_on < 0)
        return Problem(errc::bad_argument, "st.async completes on an mbarrier, and no `completes_on` is given");
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    const auto move = plan_move(request, d, a, 16);
    if (!move) return move.error();
    const int bytes = move->distribution.vector * move->to.bytes;
    if (bytes < 4)
        return Problem(errc::bad_argument, "a lane would store {0} bytes per instruction; the least is 4: {1}",
                       {bytes, why_narrow(move->to, move->from)});
    Instruction out =
        make_instruction(request, "store_async",
                         worded("st.async.shared::cluster.mbarrier::complete_tx::bytes{0}", {std::string(bytes == 16  ? ".v4.b32"
                                                                                                         : bytes == 8 ? ".b64"
                                                                                                                      : ".b32")}));
    out.operands = {{d, move->distribution.elements}, {a, move->distribution.elements}};
    out.async = true;
    out.completes_on = request.operation().options.completes_on;
    request.decided(bytes_a_lane(bytes));
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Stores into the shared memory of a block of the cluster that an mbarrier there counts.      [PTX, st.async]
inline constexpr Schedule store_async_schedules[] = {
    {Op::copy_async, "store_async", 25, "st.async", "each lane stores registers into the shared memory of a block of the cluster",
     detail::has_store_async, detail::emit_store_async},
};

} // namespace v0
} // namespace axe

#endif
