// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_PLANNER_HPP
#define AXE_SIM_MEMORY_PLANNER_HPP

#include <axe/machine/axes.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/remote_views.hpp>
#include <axe/program/walk.hpp>
#include <axe/sim/memory/access.hpp>

/// From a program to its plans: what of the machine is simulated, and how each tensor is stored in its memories.
namespace axe {
inline namespace v0 {
namespace sim {

struct Plans {
    Stage stage{};
    std::vector<TensorPlan> tensors{}; ///< by number
};

/// The problem of a machine, or of a tensor, which it names first.
inline Problem plan_problem(errc code, const std::string& who, const char* message,
                            std::initializer_list<detail::MessageArgument> words)
{
    return {code, who + detail::worded(message, words)};
}
inline std::string named(const Tensor& tensor) { return "tensor " + tensor.name + ": "; }

/// The outermost scope is the devices, the owner of the memory that plays the role `shared` the blocks, the scopes after it agents
/// and lanes.
inline Stage stage_of(const Machine& machine)
{
    const Memory* shared = memory_for(machine, Role::shared);
    const Limit* sector = find_limit(machine, "gmem.sector");
    const auto& scopes = machine.scopes;
    Stage stage;
    stage.devices = static_cast<int>(std::max<std::int64_t>(scopes[0].count, 1));
    stage.device_axis = scopes[0].axis;
    if (sector != nullptr) stage.sector = sector->value;
    stage.block_scope = scope_index(machine, shared->owner);
    const int agents = stage.block_scope + 1, lanes = agents + 1;
    if (agents < scopes.size()) {
        stage.has_agents = true;
        stage.agent_axis = scopes[agents].axis;
    }
    if (lanes < scopes.size()) {
        stage.has_lanes = true;
        stage.lane_axis = scopes[lanes].axis;
        stage.lanes = static_cast<int>(scopes[lanes].count);
    }
    return stage;
}

inline bool is_address(const TensorPlan& plan, const Axis& axis)
{
    return std::find(plan.memory->axes.begin(), plan.memory->axes.end(), axis) != plan.memory->axes.end();
}

inline Result<void, Problem> find_owner(const Machine& machine, const Stage& stage, const Tensor& tensor, TensorPlan& plan)
{
    plan.width = storage_bytes(tensor.dtype);
    plan.memory = find_memory(machine, tensor.memory.c_str());
    if (plan.memory == nullptr)
        return plan_problem(errc::bad_argument, named(tensor), "the machine has no memory {0}", {tensor.memory});
    const int owner = scope_index(machine, plan.memory->owner);
    plan.owner = owner == 0 ? Owner::device : owner <= stage.block_scope ? Owner::block : Owner::lane;
    const bool is_shared = plan.owner == Owner::block && plan.memory->roles.has(Role::shared);
    if (const Limit* packed = find_limit(machine, is_shared ? "smem.packed_bits" : "gmem.packed_bits");
        packed != nullptr && (is_shared || plan.owner == Owner::device) && packed_bits(tensor.dtype) <= packed->value)
        plan.shared_bits = packed_bits(tensor.dtype);
    if (plan.owner != Owner::lane) return {};
    plan.lanes = stage.lanes;
    return {};
}

inline Result<void, Problem> check_layout(const Tensor& tensor, TensorPlan& plan)
{
    if (const Status e = check(tensor.layout); !e.ok()) return Problem(e.error(), named(tensor));
    if (tensor.layout.swizzle.bits > 0) plan.swizzle = in_elements(tensor.layout);
    const auto admitted = admits(tensor.layout.layout, tensor.shape);
    if (admitted.undecided()) return Problem(admitted.error(), named(tensor));
    plan.elements = *volume(tensor.shape);
    if (admitted) return {};
    return plan_problem(errc::size_mismatch, named(tensor), "the layout has {0} elements; the shape has {1}",
                        {*size(tensor.layout.layout), plan.elements});
}

/// Owners may be named by parts of their number: a device by its place in a mesh, a lane by its thread.
inline Result<void, Problem> name_owners(const Machine& machine, const Stage& stage, const TensorPlan& plan, Tensor& tensor)
{
    Layout::Axes owners;
    if (plan.owner == Owner::device) owners.push_back(stage.device_axis);
    if (plan.owner == Owner::lane && stage.has_agents) owners.push_back(stage.agent_axis);
    if (plan.owner == Owner::lane && stage.has_lanes) owners.push_back(stage.lane_axis);
    Layout& layout = tensor.layout.layout;
    const auto converted = convert_axes(machine, layout, owners);
    if (!converted) return Problem(converted.error(), named(tensor));
    layout = *converted;
    Problem strange;
    const auto look_at = [&](const Axis& axis, bool moves) {
        if (!strange.ok() || !moves || is_address(plan, axis) || std::find(owners.begin(), owners.end(), axis) != owners.end())
            return;
        strange = plan_problem(errc::bad_axis, named(tensor),
                               "its layout is on axis {0}, which is neither an address axis nor an owner of {1}",
                               {axis.name().c_str(), tensor.memory});
    };
    for (const auto& it : layout.shard) look_at(it.axis, it.extent > 1 && it.stride != 0);
    for (const auto& it : layout.replica) look_at(it.axis, it.extent > 1 && it.stride != 0);
    for (const auto& e : layout.offset) look_at(e.axis, e.value != 0);
    return strange;
}
inline Result<void, Problem> check_extent(const Tensor& tensor, const TensorPlan& plan, int a, const AxisMap& map)
{
    const Memory& memory = *plan.memory;
    const bool last = a == memory.axes.size() - 1;
    const std::int64_t unit = last ? plan.width : 1, extent = memory.extents[a] > 0 ? memory.extents[a] : most_memory_bytes;
    const std::int64_t first = limited_sum(limited_product(map.low, unit), last ? std::max<std::int64_t>(tensor.base, 0) : 0);
    const std::int64_t many = limited_sum(limited_sum(map.high, limited_product(map.low, -1)), 1);
    const std::int64_t end = limited_sum(first, limited_product(many, unit));
    if (first < -most_memory_bytes || many > most_memory_bytes)
        return plan_problem(errc::capacity, named(tensor), "its layout goes from {0} to {1} on axis {2}; an address is below 2^60",
                            {map.low, map.high, memory.axes[a].name().c_str()});
    if (plan.owner != Owner::device && map.low < 0)
        return plan_problem(errc::out_of_domain, named(tensor), "its least address on axis {1} is {0}; addresses begin at 0",
                            {map.low, memory.axes[a].name().c_str()});
    if (end <= extent) return {};
    return plan_problem(errc::capacity, named(tensor),
                        last ? "it ends at byte {0} on axis {1} of {2}, which has {3}"
                             : "it ends at {0} on axis {1} of {2}, which has {3}",
                        {end, memory.axes[a].name().c_str(), tensor.memory, extent});
}

/// Addresses, and the owners of elements. The last address axis runs fastest; each before it is a partition of the ones after.
inline Result<void, Problem> map_axes(const Stage& stage, const Tensor& tensor, TensorPlan& plan)
{
    const auto map_of = [&](AxisMap& into, const std::vector<WeightedAxis>& axes) {
        auto map = axis_map(tensor, axes);
        if (!map) return map.error();
        into = std::move(*map);
        return Problem{};
    };
    const Memory& memory = *plan.memory;
    std::vector<WeightedAxis> weights;
    std::int64_t pitch = 1;
    for (int a = memory.axes.size() - 1; a >= 0; --a) {
        AxisMap map;
        if (auto p = map_of(map, {{memory.axes[a], 1}}); !p.ok()) return p;
        if (auto p = check_extent(tensor, plan, a, map); !p.ok()) return p;
        weights.push_back({memory.axes[a], pitch});
        if (a > 0) plan.pitch = pitch *= map.high + 1;
    }
    if (auto p = map_of(plan.address, weights); !p.ok()) return p;
    if (auto p = map_of(plan.device, {{stage.device_axis, 1}}); !p.ok()) return p;
    if (stage.has_agents)
        if (auto p = map_of(plan.agent, {{stage.agent_axis, 1}}); !p.ok()) return p;
    if (stage.has_lanes)
        if (auto p = map_of(plan.lane, {{stage.lane_axis, 1}}); !p.ok()) return p;
    if (plan.device.low >= 0 && plan.device.high < stage.devices) return {};
    return plan_problem(errc::out_of_domain, named(tensor), "it is on device {0}; the machine has {1}",
                        {plan.device.low < 0 ? plan.device.low : plan.device.high, stage.devices});
}

/// The addresses that are used, those to which the swizzle takes some included.
inline Result<void, Problem> find_room(const Tensor& tensor, TensorPlan& plan)
{
    plan.low = plan.address.low;
    plan.count = plan.address.high - plan.low + 1;
    if (plan.swizzle.bits == 0) return {};
    if (plan.low < 0)
        return plan_problem(errc::out_of_domain, named(tensor), "it begins at address {0}; a tensor with a swizzle must begin at 0",
                            {plan.low});
    plan.low = 0;
    const std::int64_t period = plan.swizzle.period();
    plan.count = (plan.address.high + period) / period * period;
    return {};
}

/// Registers that one digit runs through are contiguous, so that a vector of them is one run of bytes.
inline void find_pack(const Tensor& tensor, TensorPlan& plan)
{
    const auto& shard = tensor.layout.layout.shard;
    for (const auto& it : shard) {
        if (!is_address(plan, it.axis) || it.stride != 1 || it.extent == 1 || it.extent * plan.width > 64 ||
            plan.count % it.extent != 0)
            continue;
        bool whole = true;
        for (const auto& other : shard)
            whole = whole && (!is_address(plan, other.axis) || other.extent == 1 || &other == &it || other.stride % it.extent == 0);
        for (const auto& other : tensor.layout.layout.replica) whole = whole && !(is_address(plan, other.axis) && other.extent > 1);
        if (whole) plan.pack = static_cast<int>(it.extent);
    }
}

inline Result<TensorPlan, Problem> plan_tensor(const Machine& machine, const Stage& stage, const ProgramTensor& declared)
{
    TensorPlan plan;
    plan.tensor = &declared;
    Tensor tensor = declared;
    if (auto p = find_owner(machine, stage, tensor, plan); !p.ok()) return p;
    if (auto p = check_layout(tensor, plan); !p.ok()) return p;
    if (auto p = name_owners(machine, stage, plan, tensor); !p.ok()) return p;
    if (auto p = map_axes(stage, tensor, plan); !p.ok()) return p;
    if (auto p = find_room(tensor, plan); !p.ok()) return p;
    if (plan.owner == Owner::lane) find_pack(tensor, plan);
    return plan;
}

/// Registers that a variable moves by less than a pack are stored one by one.
inline void unpack_moved(const Program& program, Plans& plans)
{
    const auto moves_within = [](const TensorPlan& plan, int d, const Values& origins) {
        if (origins.step == 0 || !plan.address.flat.empty()) return origins.step != 0;
        const DimensionMap& map = plan.address.dims[static_cast<std::size_t>(d)];
        return !map.is_linear() || limited_product(map.stride, origins.step) % plan.pack != 0;
    };
    for_each_statement(program.body, [&](const Statement& s) {
        const auto* instruction = std::get_if<Instruction>(&s.what);
        if (instruction == nullptr) return;
        for (const Access& a : instruction->operands) {
            TensorPlan& plan = plans.tensors[static_cast<std::size_t>(a.view.tensor)];
            for (int d = 0; d < plan.tensor->shape.size() && plan.pack > 1; ++d)
                if (moves_within(plan, d, plan.loops->of(a.view.origin[static_cast<std::size_t>(d)]))) plan.pack = 1;
        }
    });
}

/// Of tensors with remote views, which `share_problems` has looked at: how far apart the memories of devices are, and, for views of any
/// device, a plan of them all:   address(x) + apart·device(x)
inline Result<void, Problem> plan_remote(const Program& program, Plans& plans)
{
    std::vector<char> named(program.tensors.size()), any(program.tensors.size());
    for_each_statement(program.body, [&](const Statement& s) {
        for_each_view(s, [&](const View& v) {
            if (v.remote) (v.device ? named : any)[static_cast<std::size_t>(v.tensor)] = 1;
        });
    });
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        if (named[t] == 0 && any[t] == 0) continue;
        TensorPlan& plan = plans.tensors[t];
        // Whole pages, so that alignment, sectors and swizzles are those of one device.
        const std::int64_t page = std::max<std::int64_t>(4096 / plan.width, plan.swizzle.bits > 0 ? plan.swizzle.period() : 1);
        plan.apart = (plan.count + page - 1) / page * page;
        if (any[t] == 0) continue;
        TensorPlan all = plan;
        all.of_all_devices = true;
        Tensor tensor = *plan.tensor;
        if (auto p = name_owners(program.machine, plans.stage, plan, tensor); !p.ok()) return p;
        auto map = axis_map(tensor, {{plan.memory->axes[0], 1}, {plans.stage.device_axis, plan.apart}});
        if (!map) return map.error();
        all.address = std::move(*map);
        all.count = plan.apart * plans.stage.devices;
        all.device = AxisMap{}; // wherever the element
        plan.everywhere = static_cast<int>(plans.tensors.size());
        plans.tensors.push_back(std::move(all));
    }
    return {};
}

/// Resolves the machine and the layouts of a program, which must outlive the plans.
///
/// @pre `run_limit_problems` finds none
/// Of a tensor, which the problem names, what does not fit: an axis that is neither the memory's nor an owner's, a memory that is too small.
inline Result<Plans, Problem> plan_tensors(const Program& program)
{
    Plans plans;
    plans.stage = stage_of(program.machine);
    const auto loops = std::make_shared<const Loops>(program);
    for (const ProgramTensor& tensor : program.tensors) {
        auto plan = plan_tensor(program.machine, plans.stage, tensor);
        if (!plan) return plan.error();
        plan->loops = loops;
        plans.tensors.push_back(std::move(*plan));
    }
    unpack_moved(program, plans);
    if (auto p = plan_remote(program, plans); !p.ok()) return p.error();
    return plans;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
