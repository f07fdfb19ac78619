// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_HPP

#include <axe/target/trainium/schedules/dma.hpp>
#include <axe/target/trainium/schedules/matmul.hpp>
#include <axe/target/trainium/schedules/reduce.hpp>

namespace axe {
inline namespace v0 {
namespace detail::trainium {

constexpr bool has_engines(const Machine& machine) noexcept { return has_instruction(machine, "nc_matmul"); }

} // namespace detail::trainium

/// The schedules of machines with a systolic array, engines and DMA.
inline constexpr Schedule trainium_schedules[] = {
    {Op::gemm, "nc_matmul", 100, "nc_matmul", "the systolic array, from SBUF to PSUM", detail::trainium::has_engines,
     emit_nc_matmul},
    {Op::copy, "engine_copy", 100, "tensor_copy", "an engine, between SBUF and PSUM", detail::trainium::has_engines,
     emit_engine_copy},
    {Op::copy, "dma", 90, "dma", "DMA, between HBM and SBUF, in any layouts", detail::trainium::has_engines, emit_dma},
    {Op::copy, "through_sbuf", 80, "dma, tensor_copy", "DMA and an engine, through a tensor in SBUF", detail::trainium::has_engines,
     emit_through_sbuf},
    {Op::copy_async, "engine_copy", 100, "tensor_copy", "an engine, complete at once", detail::trainium::has_engines,
     emit_engine_copy},
    {Op::copy_async, "dma", 90, "dma", "DMA that goes on by itself", detail::trainium::has_engines, emit_dma},
    {Op::copy_async, "through_sbuf", 80, "dma, tensor_copy", "an engine and DMA, complete at once", detail::trainium::has_engines,
     emit_through_sbuf},
    {Op::fill, "engine_fill", 100, "memset", "an engine, in SBUF or PSUM", detail::trainium::has_engines, emit_engine_fill},
    {Op::map, "engine_map", 100, "tensor_tensor, activation", "the vector or the scalar engine, partition by partition",
     detail::trainium::has_engines, emit_engine_map},
    {Op::reduce, "engine_reduce", 100, "tensor_reduce", "the vector engine, along the free dimension",
     detail::trainium::has_engines, emit_engine_reduce},
};

} // namespace v0
} // namespace axe

#endif
