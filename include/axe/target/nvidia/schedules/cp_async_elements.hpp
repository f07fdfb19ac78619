// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_CP_ASYNC_ELEMENTS_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_CP_ASYNC_ELEMENTS_HPP

#include <axe/schedule/gather_async.hpp>
#include <axe/target/nvidia/schedules/cp_async.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// An asynchronous gather from global to shared memory, of elements that one cp.async takes.
inline Result<Body, Problem> emit_cp_async_elements(Request& request)
{
    if (!request.operation().options.async)
        return Problem(errc::bad_argument, "it goes on by itself, and the gather is not asynchronous");
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_to_shared(request, d, a); !e.ok()) return e;
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    const int bytes = storage_bytes(request.tensor(a).dtype);
    if (bytes < 4) return Problem(errc::bad_argument, few_bytes_text(bytes, "an element has as many"));
    return gather_async(request, worded("cp.async.ca.shared.global {0} [index]", {bytes}));
}

} // namespace detail

/// Loads of chosen elements that go on while their agent does something else.      [PTX, cp.async]
inline constexpr Schedule async_element_schedules[] = {
    {Op::gather, "cp_async", 25, "cp.async", "each lane starts copies of its elements from global to shared memory",
     detail::has_cp_async, detail::emit_cp_async_elements},
};

} // namespace v0
} // namespace axe

#endif
