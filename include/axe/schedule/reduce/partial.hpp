// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_PARTIAL_HPP
#define AXE_SCHEDULE_REDUCE_PARTIAL_HPP

#include <axe/schedule/collective/device_view.hpp>
#include <axe/schedule/reduce/lane_reduction.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline std::string holds_no_term(const Owner& o, std::int32_t element, const std::string& tensor)
{
    return worded("lane {0} of agent {1} needs element {2} of {3} but holds none of its terms", {o.lane, o.agent, element, tensor});
}
/// Of the operand that is not in registers.
inline std::string every_lane_reads(const Request& request, const std::string& tensor)
{
    return worded("{0} is in {1}, where every lane reads it", {tensor, request.memory(request.view(1)).name});
}

/// A digit of the reduced dimensions that names a lane or an agent.
struct OwnerDigit {
    std::int64_t extent = 1, stride = 1;
    bool is_lane = false;
};

/// What each lane has left of a register tensor when it has reduced its own terms: a register tensor of the kept dimensions, and for each
/// digit of the reduced ones that names a lane or an agent, a dimension after them.
struct Partial {
    Placed registers{};
    ReducedTerms terms{}; ///< of the operand, for each element
    std::int64_t kept = 1;
    std::vector<OwnerDigit> digits{};

    /// The element of x where the digits have these values.
    [[nodiscard]] std::int32_t element(std::int64_t x, const std::vector<std::int64_t>& values) const
    {
        for (std::size_t i = 0; i < digits.size(); ++i) x = x * digits[i].extent + values[i];
        return static_cast<std::int32_t>(x);
    }
    /// How many elements each x has.
    [[nodiscard]] std::int64_t spread() const
    {
        std::int64_t n = 1;
        for (const OwnerDigit& digit : digits) n *= digit.extent;
        return n;
    }
    /// The values of the digits at an element.
    [[nodiscard]] std::vector<std::int64_t> values(std::int64_t element) const
    {
        std::vector<std::int64_t> out(digits.size());
        for (std::size_t i = digits.size(); i-- > 0; element /= digits[i].extent) out[i] = element % digits[i].extent;
        return out;
    }
};

/// The layout of a register view on agents, lanes and registers.
inline Result<Layout, Problem> owner_layout(const Request& request, const View& view)
{
    const BlockScopes scopes = block_scopes(request.machine());
    Layout::Axes wanted;
    if (scopes.agent != nullptr) wanted.push_back(scopes.agent->axis);
    if (scopes.lane != nullptr) wanted.push_back(scopes.lane->axis);
    const auto layout = convert_axes(request.machine(), request.tensor(view).layout.layout, wanted);
    if (!layout) return Problem(layout.error(), layout_of(request.tensor(view)));
    return view_layout(request, view, *layout);
}

/// Registers for what is left of a register view, and which of its elements each of them is the reduction of.
///
/// `errc::not_grouped` where the view's dimensions do not group its layout; the errors of `element_placement` and `convert_axes`.
inline Result<Partial, Problem> partial_of(Request& request, const View& a, const InlineVector<int, max_rank>& reduced, DType type)
{
    const auto layout = owner_layout(request, a);
    if (!layout) return layout.error();
    const auto grouped = group(*layout, a.extents);
    if (!grouped) return Problem(grouped.error(), layout_of(request.tensor(a)));
    const BlockScopes scopes = block_scopes(request.machine());
    const auto is_lane = [&](const Iter& it) { return it.stride != 0 && scopes.lane != nullptr && it.axis == scopes.lane->axis; };
    const auto is_agent = [&](const Iter& it) {
        return it.stride != 0 && scopes.agent != nullptr && it.axis == scopes.agent->axis;
    };

    Partial out;
    ProgramTensor t;
    t.name = request.tensor(a).name + ".partial";
    t.dtype = type;
    t.memory = request.tensor(a).memory;
    const Memory& memory = request.memory(a);
    const Axis reg = memory.axes[memory.axes.size() - 1];
    std::vector<Iter> kept, owners;
    struct Digit {
        std::int64_t extent, weight;
        int owner; ///< place in `owners`, or −1
        bool is_kept;
    };
    std::vector<Digit> digits; // of the row-major number in the view, outermost first
    for (int d = 0; d < a.rank(); ++d) {
        const bool is_reduced = is_among(reduced, d);
        if (!is_reduced) {
            t.shape.push_back(a.extents[d]);
            out.kept *= a.extents[d];
        }
        for (const Iter& it : block_of(*grouped, d)) {
            const bool owns = is_lane(it) || is_agent(it);
            digits.push_back({it.extent, 1, is_reduced && owns ? static_cast<int>(owners.size()) : -1, !is_reduced});
            if (!is_reduced) kept.push_back(owns ? it : Iter{it.extent, 0, reg});
            if (is_reduced && owns) {
                owners.push_back(it);
                out.digits.push_back({it.extent, it.stride, is_lane(it)});
            }
        }
    }
    std::int64_t next = 1; // registers, compactly
    for (std::size_t i = kept.size(); i-- > 0;)
        if (kept[i].axis == reg && kept[i].stride == 0) {
            kept[i].stride = next;
            next *= kept[i].extent;
        }
    bool room = true;
    for (const Iter& it : kept) room = t.layout.layout.shard.push_back(it) && room;
    for (const Iter& it : owners) {
        room = t.layout.layout.shard.push_back(it) && room;
        room = t.shape.push_back(it.extent) && room;
    }
    if (!room) return Problem(errc::capacity, "the partial result of {0} has too many dimensions", {request.tensor(a).name});
    for (const Iter& it : grouped->layout.replica)
        if (is_lane(it) || is_agent(it)) t.layout.layout.replica.push_back(it);
    for (const auto& e : grouped->layout.offset)
        if ((scopes.lane != nullptr && e.axis == scopes.lane->axis) || (scopes.agent != nullptr && e.axis == scopes.agent->axis))
            *t.layout.layout.offset.entry(e.axis) = e.value;

    auto registers = placed(request, request.temporary(std::move(t)));
    if (!registers) return registers.error();
    out.registers = std::move(*registers);
    std::int64_t weight = 1;
    for (std::size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) digits[i].weight = weight;
    out.terms.resize(static_cast<std::size_t>(out.kept * out.spread()));
    std::vector<std::int64_t> values(owners.size());
    for (std::int64_t i = 0; i < weight; ++i) {
        std::int64_t x = 0;
        for (const Digit& digit : digits) {
            const std::int64_t value = i / digit.weight % digit.extent;
            if (digit.is_kept) x = x * digit.extent + value;
            if (digit.owner >= 0) values[static_cast<std::size_t>(digit.owner)] = value;
        }
        out.terms[static_cast<std::size_t>(out.element(x, values))].push_back(static_cast<std::int32_t>(i));
    }
    return out;
}

/// The elements of D, each with what is left of it on a lane: on every lane that holds it, where D is in registers.
inline Result<void, Problem> results_for(const Request& request, const Placed& d, const Partial& p, LaneWork& out)
{
    if (!d.placement.is_private) {
        for (std::int32_t x = 0; x < d.placement.count; ++x) {
            const auto first = p.registers.placement.begin[static_cast<std::size_t>(x * p.spread())];
            const Owner& o = p.registers.placement.owner[static_cast<std::size_t>(first)];
            out.add(o, x, static_cast<std::int32_t>(x * p.spread()));
        }
        return {};
    }
    // What each lane has of the element x, by lane: of all that it has, the first.
    std::vector<std::pair<Owner, std::int32_t>> held;
    std::int32_t of = -1;
    const ElementPlacement& from = p.registers.placement;
    return for_each_owner(request, d.placement, [&](std::int32_t x, const Owner& o) -> Result<void, Problem> {
        if (x != of) {
            of = x;
            held.clear();
            for (std::int64_t i = 0; i < p.spread(); ++i) {
                const auto e = static_cast<std::int32_t>(x * p.spread() + i);
                for (auto k = from.begin[static_cast<std::size_t>(e)]; k < from.begin[static_cast<std::size_t>(e) + 1]; ++k) {
                    const Owner& owner = from.owner[static_cast<std::size_t>(k)];
                    held.push_back({{owner.agent, owner.lane, 0}, e});
                }
            }
            std::sort(held.begin(), held.end());
        }
        const auto found = std::lower_bound(held.begin(), held.end(), std::pair{Owner{o.agent, o.lane, 0}, std::int32_t{0}});
        if (found != held.end() && found->first == Owner{o.agent, o.lane, 0}) {
            out.add(o, x, found->second);
            return {};
        }
        return {errc::bad_argument, holds_no_term(o, x, d.placement.name)};
    });
}

/// What is left of the source of a reduction within a block, after each lane has reduced its own terms.
inline Result<Partial, Problem> append_partial(Request& request, Body& body, const BlockReduction& plan)
{
    const Operation& o = request.operation();
    if (!plan.a.placement.is_private) return Problem(errc::bad_argument, every_lane_reads(request, plan.a.placement.name));
    const DType grow = growing_type(request.tensor(1).dtype, request.tensor(0).dtype);
    auto partial = partial_of(request, request.view(1), o.axes, grow);
    if (!partial) return partial;
    if (auto p = append_lane_reduction(request, body, o.function, partial->registers, plan.a, partial->terms, false); !p.ok())
        return p;
    return partial;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
