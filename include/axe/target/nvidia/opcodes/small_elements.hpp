// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_SMALL_ELEMENTS_HPP
#define AXE_TARGET_NVIDIA_OPCODES_SMALL_ELEMENTS_HPP

#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/tma/dtype.hpp>

/// Elements of 4 and 6 bits, which have a byte each in simulated memories, and on hardware share bytes of global memory.
namespace axe {
inline namespace v0 {
namespace sim {

inline bool is_small(const LaneAccess& a) noexcept { return packed_bits(a.plan->tensor->dtype) < 8 * a.plan->width; }

/// The bytes of so many in simulated memory, as they are in global memory.
inline std::int64_t packed_bytes(const LaneAccess& a, std::int64_t bytes) noexcept
{
    return bytes / a.plan->width * packed_bits(a.plan->tensor->dtype) / 8;
}

/// The bytes of a sector of global memory; 0: they are not counted.
inline std::int64_t sector_of(const Preparation& p)
{
    const Limit* sector = find_limit(p.compiled->program->machine, "gmem.sector");
    return sector == nullptr ? 0 : sector->value;
}

/// Counts what a bulk copy accesses. In global memory elements follow each other by their bits, as packed ones do in shared memory; padded ones
/// leave gaps there.
inline void count_copied(Block& block, const Executable& e, int operand, int column, const LaneElements& places,
                         std::int64_t sector)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    if (!is_small(a)) return block.count(e, operand, column, places);
    const int bits = packed_bits(a.plan->tensor->dtype);
    const bool padded = a.plan->owner == Owner::block && (bits == 6 || pads_elements(a.plan->tensor->layout.swizzle));
    block.tally(e).operands[operand] +=
        traffic(a, *a.plan->memory, sector, places, operand > 0, padded ? 8 : bits, static_cast<int>(packed_bytes(a, a.bytes)));
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
