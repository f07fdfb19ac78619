// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_CP_ASYNC_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_CP_ASYNC_HPP

#include <axe/target/nvidia/schedules/bulk_options.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_cp_async(const Machine& machine) noexcept { return has_instruction(machine, "cp.async"); }

/// Is it from global to shared memory?
inline Result<void, Problem> check_to_shared(const Request& request, const View& d, const View& a)
{
    if (!request.memory(d).roles.has(Role::shared))
        return Problem(errc::bad_argument, "{0} is in {1}; the destination is shared memory",
                       {request.tensor(d).name, request.memory(d).name});
    if (!request.memory(a).roles.has(Role::global))
        return Problem(errc::bad_argument, "{0} is in {1}; the source is global memory",
                       {request.tensor(a).name, request.memory(a).name});
    return {};
}
inline std::string few_bytes_text(int bytes, const std::string& why)
{
    return worded("a lane would copy {0} bytes per instruction; the least is 4: {1}", {bytes, why});
}

inline Result<Body, Problem> emit_cp_async(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_to_shared(request, d, a); !e.ok()) return e;
    if (request.operation().options.completes_on >= 0)
        return Problem(errc::bad_argument, "it completes by commit and wait, not on mbarrier {0}",
                       {request.operation().options.completes_on});
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    const Limit* limit = find_limit(request.machine(), "cp.async.bytes");
    const int most = std::min(widest_access(request), limit == nullptr ? 16 : static_cast<int>(limit->value));
    const auto move = plan_move(request, d, a, most);
    if (!move) return move.error();
    const int bytes = move->distribution.vector * move->to.bytes;
    if (bytes < 4) return Problem(errc::bad_argument, few_bytes_text(bytes, why_narrow(move->to, move->from)));
    if (auto e = check_level_two(request); !e.ok()) return e;
    // Only whole 16 bytes may pass by the first-level cache.
    const char* const form = bytes == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";
    Instruction out = make_instruction(request, "cp_async", with_cache_policy(request, form) + " " + std::to_string(bytes));
    out.operands = {{d, move->distribution.elements}, {a, move->distribution.elements}};
    out.async = true;
    request.decided(bytes_a_lane(bytes));
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Copies that go on while their agent does something else.      [PTX, cp.async]
inline constexpr Schedule async_schedules[] = {
    {Op::copy_async,
     "cp_async",
     20,
     "cp.async",
     "each lane starts copies of 4, 8 or 16 bytes from global to shared memory",
     detail::has_cp_async,
     detail::emit_cp_async,
     0,
     nullptr,
     false,
     {.cache_hints = true}},
};

} // namespace v0
} // namespace axe

#endif
