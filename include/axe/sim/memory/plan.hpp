// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_PLAN_HPP
#define AXE_SIM_MEMORY_PLAN_HPP

#include <axe/machine/axes.hpp>
#include <axe/program/program.hpp>
#include <axe/sim/memory/address.hpp>
#include <axe/sim/memory/order.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Whose copy of a tensor there is: one a device, one a block, or one a lane.
enum class Owner : std::uint8_t { device, block, lane };

/// How a tensor of the program lies in simulated memory: its layout, resolved once.
struct TensorPlan {
    const ProgramTensor* tensor = nullptr;
    const Memory* memory = nullptr;
    Owner owner = Owner::device;
    int width = 4;     ///< bytes of an element
    AxisMap address{}; ///< in elements; of memories with partitions, partition · pitch + free
    AxisMap device{}, agent{}, lane{};
    std::int64_t low = 0;   ///< the first address that the layout names
    std::int64_t count = 0; ///< addresses from `low` on
    std::int64_t pitch = 0; ///< elements between partitions; 0: one address axis
    Swizzle swizzle{};      ///< of addresses in elements
    std::int64_t base = 0;  ///< bytes, within the owner's memory
    int pack = 1; ///< of lanes: registers that lie together: element (reg, lane) is at (reg/pack·lanes + lane)·pack + reg%pack
    int lanes = 1;
    bool written = false; ///< by any instruction
    int granule = 0;      ///< bytes; the shadow's

    [[nodiscard]] const std::string& name() const noexcept { return tensor->name; }
    /// Where register `reg` of a lane is stored.
    [[nodiscard]] std::int64_t slot(std::int64_t reg, int l) const noexcept
    {
        reg -= low;
        return (reg / pack * lanes + l) * pack + reg % pack;
    }
    [[nodiscard]] std::int64_t bytes() const noexcept { return count * width; }
    /// "scratch partition 3, element 17": where a place of a memory is.
    [[nodiscard]] std::string place_text(std::int64_t place) const
    {
        const std::int64_t at = place + low;
        if (pitch > 0)
            return detail::worded("{0} partition {1}, element {2}",
                                  {tensor->memory, std::to_string(at / pitch), std::to_string(at % pitch)});
        return detail::worded("{0} byte {1}", {tensor->memory, std::to_string(base + at * width)});
    }
    /// The place of the copy that lies `shift` addresses after the one at `place`.
    [[nodiscard]] std::int64_t copy_place(std::int64_t place, std::int64_t shift) const noexcept
    {
        if (shift == 0 || swizzle.bits == 0) return place + shift;
        return swizzle(swizzle(place) + shift); // it is its own inverse
    }
};

/// The machine as the executor sees it.
struct Stage {
    int devices = 1;
    int lanes = 1;       ///< of an agent
    int block_scope = 1; ///< the level that owns the shared memory
    Axis device_axis{}, agent_axis{}, lane_axis{};
    bool has_agents = false, has_lanes = false;
    std::int64_t sector = 0; ///< bytes that global memory moves at least; 0: not counted
};

/// What of a machine is simulated: the outermost scope is the devices, the owner of the memory that plays the role `shared` the blocks,
/// the scopes after it agents and lanes.
///
/// `errc::bad_argument` without such a memory, `errc::capacity` with too many devices.
inline Outcome<Stage> stage_of(const Machine& machine)
{
    Stage stage;
    const Memory* shared = memory_for(machine, Role::shared);
    if (machine.scopes.size() < 2 || shared == nullptr)
        return Problem(errc::bad_argument,
                       detail::worded("{0} has no memory with the role \"shared\", whose owners are the blocks", {machine.name}));
    if (machine.scopes[0].count > max_devices)
        return Problem(errc::capacity,
                       detail::worded("{0} has {1} devices; at most {2} are simulated",
                                      {machine.name, std::to_string(machine.scopes[0].count), std::to_string(max_devices)}));
    stage.devices = static_cast<int>(std::max<std::int64_t>(machine.scopes[0].count, 1));
    stage.device_axis = machine.scopes[0].axis;
    if (const Limit* sector = find_limit(machine, "gmem.sector")) stage.sector = sector->value;
    stage.block_scope = scope_index(machine, shared->owner);
    const int agents = stage.block_scope + 1, lanes = agents + 1;
    if (agents < machine.scopes.size()) {
        stage.has_agents = true;
        stage.agent_axis = machine.scopes[agents].axis;
    }
    if (lanes < machine.scopes.size()) {
        stage.has_lanes = true;
        stage.lane_axis = machine.scopes[lanes].axis;
        stage.lanes = static_cast<int>(machine.scopes[lanes].count);
    }
    return stage;
}

/// Resolves a tensor's layout. The problem names the tensor, and what does not fit: an axis that is neither the memory's nor an
/// owner's, a memory that is too small.
inline Outcome<TensorPlan> plan_tensor(const Program& program, const Stage& stage, const ProgramTensor& named)
{
    TensorPlan plan;
    plan.tensor = &named;
    Tensor tensor = named;
    plan.width = storage_bytes(tensor.dtype);
    plan.memory = find_memory(program.machine, tensor.memory.c_str());
    const std::string who = "tensor " + tensor.name + ": ";
    if (plan.memory == nullptr) return Problem(errc::bad_argument, who + detail::worded("there is no memory {0}", {tensor.memory}));
    if (const Error e = check(tensor.layout)) return Problem(e, who);
    const auto admitted = admits(tensor.layout.layout, tensor.shape);
    if (!admitted) return Problem(admitted.error(), who);
    if (!*admitted)
        return Problem(errc::size_mismatch,
                       who + detail::worded("the layout has {0} elements, the shape {1}",
                                            {std::to_string(*size(tensor.layout.layout)), std::to_string(*volume(tensor.shape))}));
    const int owner = scope_index(program.machine, plan.memory->owner);
    plan.owner = owner == 0 ? Owner::device : owner <= stage.block_scope ? Owner::block : Owner::lane;
    plan.lanes = plan.owner == Owner::lane ? stage.lanes : 1;
    // Owners may be named by parts of their number: a device by its place in a mesh, a lane by its thread.
    Layout::Axes wanted;
    if (plan.owner == Owner::device) wanted.push_back(stage.device_axis);
    if (plan.owner == Owner::lane && stage.has_agents) wanted.push_back(stage.agent_axis);
    if (plan.owner == Owner::lane && stage.has_lanes) wanted.push_back(stage.lane_axis);
    const auto converted = convert_axes(program.machine, tensor.layout.layout, wanted);
    if (!converted) return Problem(converted.error(), who);
    tensor.layout.layout = *converted;

    const auto moves = [&](const Axis& axis) {
        for (const auto& it : tensor.layout.layout.shard)
            if (it.axis == axis && it.extent > 1 && it.stride != 0) return true;
        for (const auto& it : tensor.layout.layout.replica)
            if (it.axis == axis && it.extent > 1 && it.stride != 0) return true;
        return tensor.layout.layout.offset[axis] != 0;
    };
    const auto is_address = [&](const Axis& axis) {
        return std::find(plan.memory->axes.begin(), plan.memory->axes.end(), axis) != plan.memory->axes.end();
    };
    const auto allowed = [&](const Axis& axis) {
        return is_address(axis) || (plan.owner == Owner::device && axis == stage.device_axis) ||
               (plan.owner == Owner::lane &&
                ((stage.has_agents && axis == stage.agent_axis) || (stage.has_lanes && axis == stage.lane_axis)));
    };
    Problem strange;
    const auto look_at = [&](const Axis& axis) {
        if (!strange && moves(axis) && !allowed(axis))
            strange = Problem(errc::bad_axis,
                              who + detail::worded("its layout is on axis {0}, which is no address of {1} and owns none of it",
                                                   {axis.name().c_str(), tensor.memory}));
    };
    for (const auto& it : tensor.layout.layout.shard) look_at(it.axis);
    for (const auto& it : tensor.layout.layout.replica) look_at(it.axis);
    for (const auto& e : tensor.layout.layout.offset) look_at(e.axis);
    if (strange) return strange;

    // The last address axis runs fastest; each before it is a partition of the ones after.
    std::vector<WeightedAxis> weights;
    std::int64_t pitch = 1;
    for (int a = plan.memory->axes.size() - 1; a >= 0; --a) {
        auto map = axis_map(tensor, {{plan.memory->axes[a], 1}});
        if (!map) return map.error();
        const auto [low, high] = range_of(*map);
        const bool last = a == plan.memory->axes.size() - 1;
        const std::int64_t unit = last ? plan.width : 1, extent = plan.memory->extents[a];
        const std::int64_t first = low * unit + (last ? std::max<std::int64_t>(tensor.base, 0) : 0),
                           end = first + (high - low + 1) * unit;
        if (plan.owner != Owner::device && low < 0)
            return Problem(errc::out_of_domain, who + detail::worded("it begins at {0} on axis {1}; addresses begin at 0",
                                                                     {std::to_string(low), plan.memory->axes[a].name().c_str()}));
        if (extent > 0 && end > extent)
            return Problem(errc::capacity, who + detail::worded(last ? "it ends at {0} bytes on axis {1} of {2}, which has {3}"
                                                                     : "it ends at {0} on axis {1} of {2}, which has {3}",
                                                                {std::to_string(end), plan.memory->axes[a].name().c_str(),
                                                                 tensor.memory, std::to_string(extent)}));
        weights.push_back({plan.memory->axes[a], pitch});
        if (a > 0) {
            pitch *= high + 1;
            plan.pitch = pitch;
        }
    }
    const auto resolve = [&](AxisMap& into, const std::vector<WeightedAxis>& of) {
        auto map = axis_map(tensor, of);
        if (!map) return map.error();
        into = std::move(*map);
        return Problem{};
    };
    if (Problem p = resolve(plan.address, weights)) return p;
    if (Problem p = resolve(plan.device, {{stage.device_axis, 1}})) return p;
    if (const auto [first, last] = range_of(plan.device); first < 0 || last >= stage.devices)
        return Problem(errc::out_of_domain,
                       who + detail::worded("it is on device {0}, there are {1}",
                                            {std::to_string(first < 0 ? first : last), std::to_string(stage.devices)}));
    if (stage.has_agents)
        if (Problem p = resolve(plan.agent, {{stage.agent_axis, 1}})) return p;
    if (stage.has_lanes)
        if (Problem p = resolve(plan.lane, {{stage.lane_axis, 1}})) return p;
    const auto [low, high] = range_of(plan.address);
    plan.low = low;
    plan.count = high - low + 1;
    if (tensor.layout.swizzle.bits > 0) {
        plan.swizzle = detail::in_elements(tensor.layout);
        if (low < 0)
            return Problem(errc::out_of_domain,
                           who + detail::worded("it begins at address {0}, and a swizzle is of bits of addresses from 0 on",
                                                {std::to_string(low)}));
        plan.low = 0;
        const std::int64_t period = plan.swizzle.period();
        plan.count = (high + period) / period * period;
    }
    if (plan.owner == Owner::lane) {
        // Registers that one digit runs through lie together, so that a vector of them is one run of bytes.
        const auto& shard = tensor.layout.layout.shard;
        for (const auto& it : shard) {
            if (!is_address(it.axis) || it.stride != 1 || it.extent == 1 || it.extent * plan.width > 64 ||
                plan.count % it.extent != 0)
                continue;
            bool whole = true;
            for (const auto& other : shard)
                whole = whole && (!is_address(other.axis) || other.extent == 1 || &other == &it || other.stride % it.extent == 0);
            for (const auto& other : tensor.layout.layout.replica) whole = whole && !(is_address(other.axis) && other.extent > 1);
            if (whole) plan.pack = static_cast<int>(it.extent);
        }
    }
    return plan;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
