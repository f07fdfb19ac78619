// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_RING_HPP
#define AXE_SCHEDULE_COLLECTIVE_RING_HPP

#include <axe/schedule/collective/parts.hpp>

/// Collectives from neighbor to neighbor: n − 1 steps in which each of n devices reads a part from the one before it.
namespace axe {
inline namespace v0 {
namespace detail {

using Group = std::vector<std::int64_t>;

inline std::int64_t around(std::int64_t i, const Group& group)
{
    const auto n = static_cast<std::int64_t>(group.size());
    return (i % n + n) % n;
}
inline std::int64_t member(const Group& group, std::int64_t i) { return group[static_cast<std::size_t>(around(i, group))]; }

/// What a ring asks, whatever it does: digits that group, no asynchrony.
inline Result<void, Problem> ring_applies(const Request& request, const CollectivePlan& plan)
{
    if (request.operation().op == Op::copy_async || request.operation().options.async)
        return {errc::bad_argument, "its steps wait for each other, so it cannot be asynchronous"};
    if (!plan.map)
        return Problem(errc::not_grouped, "{0} and {1} are spread over devices across their dimensions: {2}",
                       {request.tensor(1).name, request.tensor(0).name, plan.ungrouped});
    return {};
}

/// A ring's statements as they are written: what each device does, and the meetings between.
class RingWriter {
  public:
    explicit RingWriter(const Request& request)
        : local_(has_peer_loads(request.machine()) ? "ld + st" : "dma"),
          peer_(has_peer_loads(request.machine()) ? "ld.peer + st" : "dma")
    {
    }

    void copy(std::int64_t device, const View& d, const View& a, bool from_peer)
    {
        Instruction out = device_instruction("peer_copy", from_peer ? peer_ : local_, d, a);
        out.parameters = {0};
        put(device, std::move(out));
    }
    /// d = f(d, a) or d = a, a reduced over some dimensions; all on one device.
    void combine(std::int64_t device, Function f, const View& d, const View& a, const InlineVector<int, max_rank>& reduced,
                 bool accumulate)
    {
        if (reduced.empty() && !accumulate) return copy(device, d, a, false);
        put(device, peer_reduce(f, local_ == "dma" ? local_ : std::string("ld + ") + name(f), d, a, reduced, accumulate));
    }
    void meet()
    {
        for (auto& [device, list] : step_) body_.push_back(on_device(device, std::move(list)));
        step_.clear();
        body_.push_back(meeting());
    }
    [[nodiscard]] Body finish()
    {
        for (auto& [device, list] : step_) body_.push_back(on_device(device, std::move(list)));
        step_.clear();
        return std::move(body_);
    }

  private:
    void put(std::int64_t device, Instruction instruction) { step_[device].push_back(make_statement(std::move(instruction))); }

    std::string local_, peer_;
    std::map<std::int64_t, Body> step_{};
    Body body_{};
};

/// The extents of each part, by group and place in it; nothing for a part without elements.
using PartExtents = std::vector<std::vector<std::optional<Shape>>>;

/// n − 1 steps: in step t the device at place i reads from the one before it what that got in the step before, part i − 1 − t. Slot c of
/// each device gets part c; its own is there. A meeting before the first step, and after each.
inline void gather_steps(RingWriter& write, const std::vector<Group>& groups, const Slots& slots, const PartExtents& extents)
{
    const auto n = static_cast<std::int64_t>(groups[0].size());
    for (std::int64_t t = 0; t + 1 < n; ++t) {
        write.meet();
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t part = around(i - 1 - t, groups[g]);
                const auto& shape = extents[g][static_cast<std::size_t>(part)];
                if (!shape) continue;
                const std::int64_t device = member(groups[g], i), before = member(groups[g], i - 1);
                write.copy(device, slots.at(device, part, *shape), slots.at(before, part, *shape), true);
            }
    }
    write.meet();
}

inline std::string ring_words(const Collective& collective)
{
    return worded("{0}, rings: {1} of {2}", {name(collective.kind), collective.groups.size(), collective.groups[0].size()});
}

/// all_gather: each device puts its part into its slot, the slots go round, and each device copies them to where they belong.
inline Result<Body, Problem> emit_ring_gather(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    const View &d = request.view(0), &a = request.view(1);
    if (plan->collective.kind != CollectiveKind::all_gather)
        return Problem(errc::bad_argument, "the copy from {0} to {1} is {2}, not all_gather",
                       {request.tensor(1).name, request.tensor(0).name, name(plan->collective.kind)});
    if (auto p = ring_applies(request, *plan); !p.ok()) return p;
    const auto held = fixed_on_devices(*plan->map, true, request.tensor(1).name);
    if (!held) return held.error();
    const auto& groups = plan->collective.groups;
    const auto n = static_cast<std::int64_t>(groups[0].size());

    std::vector<std::vector<Box>> to(groups.size()), from(groups.size());
    PartExtents extents(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const std::int64_t device : groups[g]) {
            auto part = box_of(a, *plan->map, held->at(device), {}, true),
                 place = box_of(d, *plan->map, held->at(device), {}, true);
            if (!part) return part.error();
            if (!place) return place.error();
            extents[g].emplace_back(part->view.extents);
            from[g].push_back(std::move(*part));
            to[g].push_back(std::move(*place));
        }
    const auto slots = slots_of(request, "ring", request.tensor(1).dtype, n, *extents[0][0]);
    if (!slots) return slots.error();

    RingWriter write(request);
    const auto each = [&](const auto& what) {
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (std::size_t i = 0; i < groups[g].size(); ++i) what(g, i, groups[g][i]);
    };
    each([&](std::size_t g, std::size_t i, std::int64_t device) {
        write.copy(device, slots->at(device, static_cast<std::int64_t>(i), *extents[g][i]), from[g][i].view, false);
    });
    gather_steps(write, groups, *slots, extents);
    each([&](std::size_t g, std::size_t, std::int64_t device) {
        for (std::size_t c = 0; c < groups[g].size(); ++c)
            write.copy(device, to[g][c].view, slots->at(device, static_cast<std::int64_t>(c), *extents[g][c]), false);
    });
    request.decided(ring_words(plan->collective));
    return write.finish();
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
