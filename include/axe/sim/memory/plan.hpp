// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_PLAN_HPP
#define AXE_SIM_MEMORY_PLAN_HPP

#include <axe/program/loops.hpp>
#include <axe/sim/memory/address.hpp>
#include <axe/sim/memory/order.hpp>

#include <memory>

namespace axe {
inline namespace v0 {
namespace sim {

/// Whose copy of a tensor there is: one a device, one a block, or one a lane.
enum class Owner : std::uint8_t { device, block, lane };

/// How a tensor of the program is stored in simulated memory: its layout, resolved once.
struct TensorPlan {
    const ProgramTensor* tensor = nullptr;
    const Memory* memory = nullptr;
    std::shared_ptr<const Loops> loops{}; ///< of the program
    Owner owner = Owner::device;
    int width = 4;             ///< bytes of an element
    int shared_bits = 0;       ///< of an element, where hardware has several in a byte; 0: each has bytes of its own
    std::int64_t elements = 0; ///< of the tensor
    AxisMap address{};         ///< in elements; of memories with partitions, partition · pitch + free
    AxisMap device{}, agent{}, lane{};
    std::int64_t low = 0;   ///< the first address that the layout names
    std::int64_t count = 0; ///< addresses from `low` on
    std::int64_t pitch = 0; ///< elements between partitions; 0: one address axis
    Swizzle swizzle{};      ///< of addresses in elements
    std::int64_t base = 0;  ///< bytes, within the owner's memory
    int pack = 1;           ///< of lanes: contiguous registers: element (reg, lane) is at (reg/pack·lanes + lane)·pack + reg%pack
    int lanes = 1;
    /// Addresses from one device to the next, where the tensor has remote views: the memories of all devices are one after the other. Else 0.
    std::int64_t apart = 0;
    int everywhere = -1;         ///< the plan of the same tensor as all those memories, if a view of any device needs it
    bool of_all_devices = false; ///< is it such a plan?
    bool written = false;        ///< by any instruction
    int granule = 0;             ///< bytes; the shadow's

    [[nodiscard]] const std::string& name() const noexcept { return tensor->name; }
    /// Where register `reg` of a lane is stored.
    [[nodiscard]] std::int64_t slot(std::int64_t reg, int l) const noexcept
    {
        reg -= low;
        if (pack == 1) return reg * lanes + l;
        return (reg / pack * lanes + l) * pack + reg % pack;
    }
    /// The register that a slot is of.
    [[nodiscard]] std::int64_t register_of(std::int64_t at) const noexcept
    {
        return at / (static_cast<std::int64_t>(lanes) * pack) * pack + at % pack;
    }
    [[nodiscard]] std::int64_t bytes() const noexcept { return count * width; }
    /// "scratch partition 3, element 17": where a place of a memory is.
    [[nodiscard]] std::string place_text(std::int64_t place) const
    {
        if (of_all_devices) return device_text(place);
        const std::int64_t at = place + low;
        if (pitch > 0) return detail::worded("{0} partition {1}, element {2}", {tensor->memory, at / pitch, at % pitch});
        return detail::worded("{0} byte {1}", {tensor->memory, base + at * width});
    }
    [[nodiscard]] std::string device_text(std::int64_t place) const
    {
        return detail::worded("{0} byte {1} on device {2}", {tensor->memory, base + (place % apart + low) * width, place / apart});
    }
    /// The place of the copy that is `shift` addresses after the one at `place`.
    [[nodiscard]] std::int64_t copy_place(std::int64_t place, std::int64_t shift) const noexcept
    {
        if (shift == 0 || swizzle.bits == 0) return place + shift;
        return swizzle(swizzle(place) + shift); // it is its own inverse
    }
};

/// The machine as the simulator sees it.
struct Stage {
    int devices = 1;
    int lanes = 1;       ///< of an agent
    int block_scope = 1; ///< the level that owns the shared memory
    Axis device_axis{}, agent_axis{}, lane_axis{};
    bool has_agents = false, has_lanes = false;
    std::int64_t sector = 0; ///< bytes that global memory moves at least; 0: not counted
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
