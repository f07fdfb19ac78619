// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_RAW_HPP
#define AXE_SCHEDULE_RAW_HPP

#include <axe/program/raw_function.hpp>
#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<Body, Problem> emit_raw(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    for (const View& v : request.operation().operands)
        if (is_private(request.machine(), request.memory(v)))
            return Problem(errc::bad_argument, "{0} is in registers; a raw function takes what is in a memory",
                           {request.tensor(v).name});
    Instruction out = make_instruction(request, "raw", worded("call {0}", {request.operation().raw->name}));
    out.agents = 1;
    out.written = written_count(*request.operation().raw);
    out.raw = request.operation().raw;
    for (const View& v : request.operation().operands) out.operands.push_back({v, nullptr});
    request.decided(worded("by agent {0}", {request.execution_scope().first}));
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Functions of C++.
inline constexpr Schedule raw_schedules[] = {
    {Op::raw, "raw", 10, "nothing", "the first agent of the scope calls the function", [](const Machine&) { return true; },
     detail::emit_raw},
};

} // namespace v0
} // namespace axe

#endif
