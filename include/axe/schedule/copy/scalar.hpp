// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_SCALAR_HPP
#define AXE_SCHEDULE_COPY_SCALAR_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<void, Problem> check_memory(const Move& move)
{
    if (!move.to.is_private || !move.from.is_private) return {};
    return Problem(errc::bad_argument, "both operands are in registers, and none in a memory");
}

inline Result<Body, Problem> emit_scalar_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const auto move = plan_move(request, d, a, 0);
    if (!move) return move.error();
    if (const auto e = check_memory(*move); !e.ok()) return e;
    request.decided("one element a lane");
    return move_statements(request, d, a, *move);
}

inline Result<Body, Problem> emit_vector_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const auto move = plan_move(request, d, a, widest_access(request));
    if (!move) return move.error();
    if (const auto e = check_memory(*move); !e.ok()) return e;
    if (move->distribution.vector == 1) return Problem(errc::bad_argument, why_narrow(move->to, move->from));
    const int bytes = move->to.is_private     ? move->from.bytes
                      : move->from.is_private ? move->to.bytes
                                              : std::max(move->to.bytes, move->from.bytes);
    request.decided(bytes_a_lane(move->distribution.vector * bytes));
    return move_statements(request, d, a, *move);
}

inline Result<Body, Problem> emit_register_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    for (const View* v : {&d, &a})
        if (!is_private(request.machine(), request.memory(*v))) return Problem(errc::bad_argument, not_in_registers(request, *v));
    const auto move = plan_move(request, d, a, 0);
    if (!move) return move.error();
    request.decided("each lane by itself");
    return move_statements(request, d, a, *move);
}

} // namespace detail

/// Copies by loads and stores of single elements, of vectors, and from register to register.
inline constexpr Schedule move_schedules[] = {
    {Op::copy, "registers", 30, "ld", "each lane moves what it holds of both operands", detail::has_lanes_that_load,
     detail::emit_register_copy},
    {Op::copy,
     "vector",
     20,
     "ld",
     "each lane moves 2 to 16 bytes at once, consecutive and aligned in memory",
     detail::has_lanes_that_load,
     detail::emit_vector_copy,
     0,
     nullptr,
     false,
     {.cache_hints = true}},
    {Op::copy,
     "scalar",
     10,
     "ld",
     "each lane moves an element at a time",
     detail::has_lanes_that_load,
     detail::emit_scalar_copy,
     0,
     nullptr,
     false,
     {.cache_hints = true}},
};

} // namespace v0
} // namespace axe

#endif
