// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_FILL_HPP
#define AXE_SCHEDULE_FILL_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<Body, Problem> emit_fill(Request& request)
{
    return emit_written(request, "fill", [&](Instruction& out) { out.number = request.operation().number; });
}

} // namespace detail

/// Fills, in registers and in memories.
inline constexpr Schedule fill_schedules[] = {
    {Op::fill, "vector", 20, "st", "each lane writes its registers, or up to 16 bytes of memory at once",
     detail::has_lanes_that_load, detail::emit_fill},
};

} // namespace v0
} // namespace axe

#endif
