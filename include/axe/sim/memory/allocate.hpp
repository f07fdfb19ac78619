// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_ALLOCATE_HPP
#define AXE_SIM_MEMORY_ALLOCATE_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/memory/plan.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Gives the tensors that a grid allocates, in statement `statement`, their places in their owner's memory: those that name none, one
/// after the other.
///
/// `errc::capacity` when a memory is too small, with the bytes asked and there; `errc::bad_argument` when two that name their places
/// overlap while both exist (all of one grid do).
inline Result<void, Problem> place_allocations(const Program& program, std::vector<TensorPlan>& plans,
                                               const std::vector<int>& tensors, int statement)
{
    const auto round_up = [](std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; };
    struct Used {
        std::int64_t first, end;
        const TensorPlan* plan;
    };
    for (const Memory& memory : program.machine.memories) {
        std::vector<Used> used;
        std::int64_t registers = 0;
        const std::string where = statement_text(program, statement) + ": ";
        // Bytes on the last address axis: in memories with partitions an allocation takes the same bytes of each.
        const auto bytes_of = [](const TensorPlan& p) { return p.pitch > 0 ? p.pitch * p.width : p.bytes(); };
        for (const bool named : {true, false})
            for (const int t : tensors) {
                TensorPlan& plan = plans[static_cast<std::size_t>(t)];
                if (plan.memory != &memory || (plan.tensor->base >= 0) != named) continue;
                if (plan.owner == Owner::lane) {
                    registers += round_up(plan.bytes(), 4);
                    continue;
                }
                std::int64_t first = plan.tensor->base;
                if (!named) {
                    const std::int64_t period = plan.swizzle.bits > 0 ? plan.swizzle.period() * plan.width : 1;
                    const std::int64_t alignment = std::max({memory.alignment, period, std::int64_t{16}});
                    first = 0;
                    for (const Used& u : used) first = std::max(first, u.end);
                    first = round_up(first, alignment);
                }
                const std::int64_t end = first + bytes_of(plan);
                for (const Used& u : used)
                    if (first < u.end && u.first < end)
                        return {errc::bad_argument,
                                where +
                                    detail::worded("tensors {0} (bytes {1} to {2}) and {3} (bytes {4} to {5}) overlap in {6}",
                                                   {u.plan->name(), u.first, u.end - 1, plan.name(), first, end - 1, memory.name})};
                plan.base = first;
                used.push_back({first, end, &plan});
            }
        const std::int64_t room = memory.axes.size() > 0 ? memory.extents[memory.axes.size() - 1] : memory.capacity;
        std::int64_t asked = registers;
        for (const Used& u : used) asked = std::max(asked, u.end);
        if (room > 0 && asked > room) {
            std::string list;
            for (const int t : tensors) {
                const TensorPlan& plan = plans[static_cast<std::size_t>(t)];
                if (plan.memory == &memory) list += (list.empty() ? "" : ", ") + plan.name() + " " + std::to_string(bytes_of(plan));
            }
            return {errc::capacity,
                    where + detail::worded(memory.axes.size() > 1
                                               ? "a block allocates {0} bytes of {1} in each partition; it has {2} ({3})"
                                               : "a block allocates {0} bytes of {1}; it has {2} ({3})",
                                           {asked, memory.name, room, list})};
        }
    }
    return {};
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
