// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_PLAN_HPP
#define AXE_SCHEDULE_COLLECTIVE_PLAN_HPP

#include <axe/schedule/collective/device_view.hpp>
#include <axe/schedule/copy/moves.hpp>

#include <optional>

namespace axe {
inline namespace v0 {
namespace detail {

/// A copy or reduction, as all schedules of collectives look at it.
struct CollectivePlan {
    Collective collective{};
    std::optional<DeviceMap> map{};   ///< where the dimensions group the layouts
    std::string ungrouped{};          ///< or why they do not
    std::set<std::int64_t> sources{}; ///< the devices that have elements before
};

inline std::string not_of_other_devices(const std::string& tensor, const char* memory)
{
    return worded("{0} is in {1}, which other devices cannot access", {tensor, memory});
}
inline Problem not_of_devices() { return {errc::bad_argument, "it is for whole devices, but the statement is in a block"}; }

/// The reason when an operand's devices are not among those allowed.
inline Result<void, Problem> devices_within(const std::string& name, const std::set<std::int64_t>& devices,
                                            const ExecutionScope& place, bool runs)
{
    const char* message = runs ? "{0} has elements on device {1}, which does not run this statement"
                               : "{0} has elements on device {1}, which the machine does not have";
    for (const std::int64_t d : devices) {
        const std::int64_t past = d - place.first;
        if (past >= 0 && past % place.stride == 0 && past / place.stride < place.count) continue;
        return Problem(errc::out_of_domain, message, {name, d});
    }
    return {};
}

inline Result<CollectivePlan, Problem> plan_collective(const Request& request)
{
    if (request.execution_scope().in_block) return not_of_devices();
    const Operation& operation = request.operation();
    for (const int i : {0, 1})
        if (!request.memory(request.view(i)).roles.has(Role::global))
            return Problem(errc::bad_argument, not_of_other_devices(request.tensor(i).name, request.memory(request.view(i)).name));
    const auto to = device_layout(request, request.view(0)), from = device_layout(request, request.view(1));
    if (!to) return to.error();
    if (!from) return from.error();
    const Axis axis = device_axis(request.machine());
    const Shape& shape = request.view(1).extents;
    InlineVector<int, max_rank> reduced;
    if (operation.op == Op::reduce) reduced = operation.axes;

    CollectivePlan out;
    auto map = device_map(*from, *to, shape, reduced, axis);
    if (!map && map.error().code != errc::not_grouped) return map.error();
    if (!map) out.ungrouped = map.error().text;
    const auto movement = map ? movement_of(*map, reduced) : movement_of(*from, *to, shape, reduced, axis);
    if (!movement) return movement.error();
    if (map) out.map = std::move(*map);
    out.collective = kind_of(*movement);

    std::set<std::int64_t> after;
    for (const auto& row : movement->rows)
        for (const std::int64_t copy : movement->from_copies) out.sources.insert(row.from + copy);
    for (const std::int64_t at : movement->to)
        for (const std::int64_t copy : movement->to_copies) after.insert(at + copy);
    const ExecutionScope everywhere{false, 0, static_cast<int>(request.machine().scopes[0].count), 1, 1};
    if (auto p = devices_within(request.tensor(1).name, out.sources, everywhere, false); !p.ok()) return p;
    if (auto p = devices_within(request.tensor(0).name, after, request.execution_scope(), true); !p.ok()) return p;
    return out;
}

/// An instruction that devices run for themselves: D = A, or D = f over dimensions of A.
inline Instruction device_instruction(const char* opcode, std::string text, const View& d, const View& a)
{
    Instruction out;
    out.opcode = opcode;
    out.text = std::move(text);
    out.operands = {{d, nullptr}, {a, nullptr}};
    return out;
}

/// How the machine's devices reach each other: by loads and stores, or by engines that move data.
inline bool has_peer_loads(const Machine& machine) noexcept { return has_instruction(machine, "ld"); }
inline bool moves_between_devices(const Machine& machine) noexcept
{
    return has_peer_loads(machine) || has_instruction(machine, "dma");
}
inline bool has_peers(const Machine& machine) noexcept
{
    return !machine.scopes.empty() && machine.scopes[0].count > 1 && moves_between_devices(machine);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
