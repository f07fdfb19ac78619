// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_SCHEDULES_HPP
#define AXE_TARGET_SPYRE_SCHEDULES_HPP

#include <axe/target/spyre/schedules/dma.hpp>
#include <axe/target/spyre/schedules/matmul.hpp>
#include <axe/target/spyre/schedules/sfp.hpp>

namespace axe {
inline namespace v0 {

/// The schedules of machines whose memories are addressed in sticks.
inline constexpr Schedule spyre_schedules[] = {
    {Op::gemm, "pt_matmul", 100, "stick.bytes", "the matrix unit, sticks of A along K, of B and D along N",
     detail::sticks::has_sticks, emit_stick_matmul},
    {Op::copy, "stick_dma", 100, "stick.bytes", "DMA: host and card by elements, on the card whole sticks, or restickify",
     detail::sticks::has_sticks, emit_stick_dma},
    {Op::copy, "sfp_convert", 90, "stick.bytes", "the vector unit, in the scratchpad, from type to type",
     detail::sticks::has_sticks, emit_stick_convert},
    {Op::copy_async, "stick_dma", 100, "stick.bytes", "DMA that goes on by itself", detail::sticks::has_sticks, emit_stick_dma},
    {Op::fill, "sfp_fill", 100, "stick.bytes", "the vector unit, whole sticks of the scratchpad", detail::sticks::has_sticks,
     emit_stick_fill},
    {Op::map, "sfp_map", 100, "stick.bytes", "the vector unit, operands in sticks along one dimension", detail::sticks::has_sticks,
     emit_stick_map},
    {Op::reduce, "sfp_reduce", 100, "stick.bytes", "the vector unit; along sticks, to one element a stick",
     detail::sticks::has_sticks, emit_stick_reduce},
};

} // namespace v0
} // namespace axe

#endif
