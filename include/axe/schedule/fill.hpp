// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_FILL_HPP
#define AXE_SCHEDULE_FILL_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<Body, Problem> emit_fill(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View& d = request.view(0);
    const auto to = element_placement(request, d);
    if (!to) return to.error();
    const auto distributed = distribute(request, {&*to}, 0, widest_access(request));
    if (!distributed) return distributed.error();
    if (distributed->elements->issues == 0) return Body{};
    Instruction out = make_instruction(request, "fill",
                                       to->is_private ? "mov." + width_text(to->bytes, to->bytes)
                                                      : access_text("st", request.memory(d), *to, distributed->vector));
    out.operands = {{d, distributed->elements}};
    out.number = request.operation().number;
    request.decided(to->is_private ? "each lane its registers" : bytes_a_lane(distributed->vector * to->bytes));
    return Body{make_statement(std::move(out))};
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
