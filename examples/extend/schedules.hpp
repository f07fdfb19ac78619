// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXTEND_SCHEDULES_HPP
#define EXTEND_SCHEDULES_HPP

#include "pool.hpp"

#include <axe/schedule/schedule.hpp>

namespace brook {

inline bool is_in(const axe::Request& request, int operand, const char* memory) { return request.tensor(operand).memory == memory; }

/// An instruction of the first agent that the operator is for, on whole views.
inline axe::Body on_engine(const axe::Request& request, const char* opcode, const char* text)
{
    axe::Instruction out;
    out.opcode = opcode;
    out.text = text;
    out.first_agent = request.execution_scope().first;
    for (const axe::View& v : request.operation().operands) out.operands.push_back({v, nullptr});
    return axe::Body{axe::Statement{-1, std::move(out)}};
}

/// An operator of the library, done in a new way: copies between device memory and the pond by the stream engine, which does what the
/// library's opcode `dma` does.
inline axe::Result<axe::Body, axe::Problem> emit_stream(axe::Request& request)
{
    if (!request.execution_scope().in_block) return axe::Problem(axe::errc::no_layout, "the stream engine is a core's");
    if (!(is_in(request, 0, "pond") && is_in(request, 1, "dram")) && !(is_in(request, 0, "dram") && is_in(request, 1, "pond")))
        return axe::Problem(axe::errc::no_layout, "the stream engine moves between dram and pond, not from " +
                                                      request.tensor(1).memory + " to " + request.tensor(0).memory);
    if (request.tensor(0).dtype != request.tensor(1).dtype)
        return axe::Problem(axe::errc::no_layout, "the stream engine does not convert");
    request.decided("by the stream engine of agent " + std::to_string(request.execution_scope().first));
    return on_engine(request, "dma", "stream");
}

/// An operator that the library does not have.
inline axe::Result<axe::Body, axe::Problem> emit_pool(axe::Request& request)
{
    if (!request.execution_scope().in_block) return axe::Problem(axe::errc::no_layout, "the pooling engine is a core's");
    for (const int o : {0, 1})
        if (!is_in(request, o, "pond"))
            return axe::Problem(axe::errc::no_layout, "the pooling engine works in the pond; " + request.tensor(o).name +
                                                          " is in " + request.tensor(o).memory);
    request.decided("by the pooling engine of agent " + std::to_string(request.execution_scope().first));
    return on_engine(request, "pool_2x2", "pool.2x2");
}

inline constexpr axe::Schedule schedules[] = {
    {axe::Op::copy, "stream", 60, "stream", "the stream engine of a core, between dram and pond",
     [](const axe::Machine& m) { return axe::has_instruction(m, "stream"); }, emit_stream},
    {pool, "pool_engine", 50, "pool.2x2", "the pooling engine of a core",
     [](const axe::Machine& m) { return axe::has_instruction(m, "pool.2x2"); }, emit_pool},
};

} // namespace brook

#endif
