// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_RING_REDUCE_HPP
#define AXE_SCHEDULE_COLLECTIVE_RING_REDUCE_HPP

#include <axe/schedule/collective/ring.hpp>
#include <axe/schedule/growing_type.hpp>

/// Reductions round a ring: each part of the result starts at the device after the one it is for, and every device that it comes by
/// adds its own terms. What all want then goes round once more.
namespace axe {
inline namespace v0 {
namespace detail {

/// One group's parts: where they go in D, and what each device has of them in A.
struct RingParts {
    std::vector<View> to{};                ///< by part
    std::vector<std::vector<Box>> terms{}; ///< by device, then part
    std::vector<std::optional<Shape>> extents{};
};

/// Of a reduce_scatter: the part of each device is what it holds of D.
inline Result<RingParts, Problem> scattered_parts(const Request& request, const DeviceMap& map, const Group& group,
                                                  const std::map<std::int64_t, Fixed>& terms,
                                                  const std::map<std::int64_t, Fixed>& wanted)
{
    const auto& reduced = request.operation().axes;
    RingParts out;
    for (const std::int64_t device : group) {
        auto to = box_of(request.view(0), map, wanted.at(device), reduced, false);
        if (!to) return to.error();
        out.extents.emplace_back(to->view.extents);
        out.to.push_back(std::move(to->view));
    }
    for (const std::int64_t device : group) {
        out.terms.emplace_back();
        for (const std::int64_t part : group) {
            const auto fixed = both_fixed(terms.at(device), wanted.at(part));
            if (!fixed)
                return Problem(errc::bad_argument, "device {0} has no terms of {1} for the part of device {2}",
                               {device, request.tensor(1).name, part});
            // what the digits of A fix on the kept dimensions, D's part must not leave free
            auto box = box_of(request.view(1), map, *fixed, reduced, true);
            auto there = box_of(request.view(0), map, *fixed, reduced, false);
            if (!box) return box.error();
            if (!there) return there.error();
            if (!(there->view.extents == *out.extents[out.terms.back().size()]))
                return Problem(errc::bad_argument, "device {0} has terms of {1} for only some elements of a part",
                               {device, request.tensor(1).name});
            out.terms.back().push_back(std::move(*box));
        }
    }
    return out;
}

/// Of an all_reduce: intervals of the longest dimension, the last ones shorter or empty where it does not divide.
inline Result<RingParts, Problem> cut_parts(const Request& request, const DeviceMap& map, const Group& group,
                                            const std::map<std::int64_t, Fixed>& terms, const std::map<std::int64_t, Fixed>& wanted)
{
    const auto& reduced = request.operation().axes;
    const auto n = static_cast<std::int64_t>(group.size());
    RingParts out;
    std::vector<Box> own;
    std::vector<View> places;
    for (const std::int64_t device : group) {
        const auto fixed = both_fixed(terms.at(device), wanted.at(device));
        if (!fixed) return Problem(errc::bad_argument, "device {0} has no terms of its results", {device});
        auto box = box_of(request.view(1), map, *fixed, reduced, true);
        auto to = box_of(request.view(0), map, *fixed, reduced, false);
        if (!box) return box.error();
        if (!to) return to.error();
        own.push_back(std::move(*box));
        places.push_back(std::move(to->view));
        if (!(places.back().extents == places[0].extents) || !(places.back().origin == places[0].origin))
            return Problem(errc::bad_argument, "device {0} has terms of {1} for only some elements of the whole",
                           {device, request.tensor(1).name});
    }
    const View& whole = places[0];
    int k = -1;
    for (int d = 0; d < whole.rank(); ++d)
        if (k < 0 || whole.extents[d] > whole.extents[k]) k = d;
    const std::int64_t length = k < 0 ? 1 : whole.extents[k], chunk = (length + n - 1) / n;
    out.terms.resize(group.size());
    for (std::int64_t c = 0; c < n; ++c) {
        const std::int64_t low = c * chunk, high = std::min(length, low + chunk);
        if (low >= high) {
            out.extents.emplace_back(std::nullopt);
            out.to.emplace_back();
            for (auto& list : out.terms) list.emplace_back();
            continue;
        }
        out.to.push_back(k < 0 ? whole : interval_of(whole, k, low, high));
        out.extents.emplace_back(out.to.back().extents);
        for (std::size_t i = 0; i < group.size(); ++i) {
            Box box = own[i];
            int of_a = k; // the same dimension in A's view, past the reduced ones
            for (const int r : box.reduced) of_a += r <= of_a ? 1 : 0;
            if (k >= 0) box.view = interval_of(box.view, of_a, low, high);
            out.terms[i].push_back(std::move(box));
        }
    }
    return out;
}

/// Part c starts at the device after place c, in slot 0; in step t the device at place i reads part i − 2 − t from the one before it
/// into the other slot and adds its own terms. After n − 1 steps each has its own part, in slot (n − 1) mod 2.
inline void reduce_steps(RingWriter& write, Function f, const std::vector<Group>& groups, const std::vector<RingParts>& parts,
                         const Slots& slots)
{
    const auto n = static_cast<std::int64_t>(groups[0].size());
    for (std::int64_t t = -1; t + 1 < n; ++t) {
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t part = around(i - 2 - t, groups[g]);
                const auto& shape = parts[g].extents[static_cast<std::size_t>(part)];
                if (!shape) continue;
                const std::int64_t device = member(groups[g], i), before = member(groups[g], i - 1);
                const View here = slots.at(device, (t + 1) % 2, *shape);
                const Box& own = parts[g].terms[static_cast<std::size_t>(i)][static_cast<std::size_t>(part)];
                if (t >= 0) write.copy(device, here, slots.at(before, t % 2, *shape), true);
                write.combine(device, f, here, own.view, own.reduced, t >= 0);
            }
        write.meet();
    }
}

inline Result<Body, Problem> emit_ring_reduce(Request& request)
{
    const auto plan = plan_collective(request);
    if (!plan) return plan.error();
    const Operation& operation = request.operation();
    const bool to_all = plan->collective.kind == CollectiveKind::all_reduce;
    if (!to_all && plan->collective.kind != CollectiveKind::reduce_scatter)
        return Problem(errc::bad_argument, "the reduction of {0} to {1} is {2}, not reduce_scatter or all_reduce",
                       {request.tensor(1).name, request.tensor(0).name, name(plan->collective.kind)});
    if (auto p = ring_applies(request, *plan); !p.ok()) return p;
    const auto terms = fixed_on_devices(*plan->map, true, request.tensor(1).name);
    const auto wanted = fixed_on_devices(*plan->map, false, request.tensor(0).name);
    if (!terms) return terms.error();
    if (!wanted) return wanted.error();
    const auto& groups = plan->collective.groups;
    const auto n = static_cast<std::int64_t>(groups[0].size());
    std::vector<RingParts> parts;
    PartExtents extents;
    for (const Group& group : groups) {
        auto one = (to_all ? cut_parts : scattered_parts)(request, *plan->map, group, *terms, *wanted);
        if (!one) return one.error();
        parts.push_back(std::move(*one));
        extents.push_back(parts.back().extents);
    }
    const DType a = request.tensor(1).dtype, d = request.tensor(0).dtype, sum = growing_type(a, d);
    const auto slots = slots_of(request, "ring", sum, 2, *extents[0][0]);
    if (!slots) return slots.error();

    RingWriter write(request);
    const Function f = operation.function;
    reduce_steps(write, f, groups, parts, *slots);
    const auto each = [&](const auto& what) {
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (std::size_t i = 0; i < groups[g].size(); ++i) what(g, i, groups[g][i]);
    };
    const auto result = [&](std::size_t g, std::size_t i) { return slots->at(groups[g][i], (n - 1) % 2, *extents[g][i]); };
    if (!to_all) {
        each([&](std::size_t g, std::size_t i, std::int64_t device) {
            write.combine(device, f, parts[g].to[i], result(g, i), {}, operation.accumulate);
        });
    } else {
        // the sums are final, so they may go round as D has them
        const auto whole = slots_of(request, "gather", operation.accumulate ? sum : d, n, *extents[0][0]);
        if (!whole) return whole.error();
        each([&](std::size_t g, std::size_t i, std::int64_t device) {
            if (extents[g][i])
                write.copy(device, whole->at(device, static_cast<std::int64_t>(i), *extents[g][i]), result(g, i), false);
        });
        gather_steps(write, groups, *whole, extents);
        each([&](std::size_t g, std::size_t, std::int64_t device) {
            for (std::size_t c = 0; c < groups[g].size(); ++c)
                if (extents[g][c])
                    write.combine(device, f, parts[g].to[c], whole->at(device, static_cast<std::int64_t>(c), *extents[g][c]), {},
                                  operation.accumulate);
        });
    }
    request.decided(ring_words(plan->collective));
    return write.finish();
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
