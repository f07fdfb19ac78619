// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_CLASSIFY_HPP
#define AXE_SCHEDULE_COLLECTIVE_CLASSIFY_HPP

#include <axe/machine/axes.hpp>
#include <axe/mesh/collective_kind.hpp>
#include <axe/schedule/collective/holdings.hpp>

namespace axe {
inline namespace v0 {

/// A collective, and who takes part. Of those that are made of parts (all kinds but local, broadcast, permute and reshard) `groups`
/// lists the devices of each group, in the order of the parts that they have before (of a scatter, after).
struct Collective {
    CollectiveKind kind = CollectiveKind::local;
    std::vector<std::vector<std::int64_t>> groups{};
};

namespace detail {

/// What the movement within one component is. A copy, or a reduction whose terms each of its devices has in part.
inline Collective component_kind(const Component& c)
{
    using Kind = CollectiveKind;
    const auto devices = static_cast<std::int64_t>(c.devices.size());
    const auto whole = static_cast<std::int64_t>(c.wanted_elements);
    const EvenParts after = even_parts_of(c.after, whole);
    if (c.is_reduction) {
        const EvenParts terms = even_parts_of(c.before, c.held_elements);
        if (terms.parts < 2 || terms.parts * terms.copies != devices) return {Kind::reshard, {}};
        if (after.parts == 1 && after.copies == devices) return {Kind::all_reduce, groups_of(terms)};
        if (after.parts == 1 && after.copies <= terms.copies) return {Kind::reduce, groups_of(terms)};
        if (after.parts == terms.parts && after.copies == terms.copies) return {Kind::reduce_scatter, groups_of(terms, after)};
        return {Kind::reshard, {}};
    }
    if (is_permute(c)) return {Kind::permute, {}};
    const EvenParts before = even_parts_of(c.before, whole);
    const bool parts_everywhere = before.parts > 1 && before.parts * before.copies == devices;
    if (before.parts == 1 && after.parts == 1 && after.copies == devices) return {Kind::broadcast, {}};
    if (before.parts == 1 && after.parts > 1 && after.parts * after.copies == devices && after.copies <= before.copies)
        return {Kind::scatter, groups_of(after)};
    if (parts_everywhere && after.parts == 1 && after.copies == devices) return {Kind::all_gather, groups_of(before)};
    if (parts_everywhere && after.parts == 1 && after.copies <= before.copies) return {Kind::gather, groups_of(before)};
    if (parts_everywhere && after.parts == before.parts && after.copies == before.copies && meet_evenly(before, after, whole))
        return {Kind::all_to_all, groups_of(before, after)};
    return {Kind::reshard, {}};
}

inline Collective kind_of(const Movement& movement)
{
    Collective out;
    for (const Component& c : components_of(movement)) {
        const Collective one = component_kind(c);
        const bool first = out.kind == CollectiveKind::local;
        const bool alike = first || (out.kind == one.kind && (one.groups.empty() || one.groups[0].size() == out.groups[0].size()));
        if (!alike || one.kind == CollectiveKind::reshard) return {CollectiveKind::reshard, {}};
        out.kind = one.kind;
        out.groups.insert(out.groups.end(), one.groups.begin(), one.groups.end());
    }
    return out;
}

} // namespace detail

/// Which collective the reduction of `from`, on `shape`, over the dimensions `reduced` is, its result placed as in `to`, on the shape
/// without them. Without reduced dimensions: which one the copy is.      [a copy between layouts that differ on `gpuid`: Axe 3.2]
///
/// Only what the layouts say of the device axis counts. With H(d) and H′(d) the elements that device d has before and after, devices
/// are connected that have or want one element, and each component decides by itself (docs/reference/collectives.md has the rules and
/// the table); components where all have what they want are idle, the others must agree. Exact for all layouts: it is decided on the
/// joint digits of the two that move an element, or, where the dimensions do not group them, element by element.
/// `errc::too_hard` when those are more than 2^22; the errors of `device_map`.
/// Cost: as many steps as there are combinations of these digits, times copies: extents that stay on a device do not matter.
inline Result<Collective, Problem> classify_reduction(const Layout& from, const Shape& shape,
                                                      const InlineVector<int, max_rank>& reduced, const Layout& to,
                                                      const Axis& axis = "gpuid")
{
    const auto map = device_map(from, to, shape, reduced, axis);
    if (!map && map.error().code != errc::not_grouped) return map.error();
    const auto movement = map ? detail::movement_of(*map, reduced) : detail::movement_of(from, to, shape, reduced, axis);
    if (!movement) return movement.error();
    return detail::kind_of(*movement);
}

/// Which collective the copy  to = from  is; the same for two layouts of one size.
inline Result<Collective, Problem> classify_copy(const Layout& from, const Layout& to, const Axis& axis = "gpuid")
{
    const auto n = size(from);
    if (!n) return n.error();
    return classify_reduction(from, Shape{*n}, {}, to, axis);
}

/// The axis of the devices of a machine.
constexpr Axis device_axis(const Machine& machine) noexcept
{
    return machine.scopes.empty() ? Axis("gpuid") : machine.scopes[0].axis;
}

/// The same for layouts that name devices as the machine does, by their number or by their place in a mesh.
///
/// Also the errors of `convert_axes`.
inline Result<Collective, Problem> classify_reduction(const Machine& machine, const Layout& from, const Shape& shape,
                                                      const InlineVector<int, max_rank>& reduced, const Layout& to)
{
    const Axis axis = device_axis(machine);
    const auto before = convert_axes(machine, from, {axis}), after = convert_axes(machine, to, {axis});
    if (!before) return before.error();
    if (!after) return after.error();
    return classify_reduction(*before, shape, reduced, *after, axis);
}
inline Result<Collective, Problem> classify_copy(const Machine& machine, const Layout& from, const Layout& to)
{
    const auto n = size(from);
    if (!n) return n.error();
    return classify_reduction(machine, from, Shape{*n}, {}, to);
}

} // namespace v0
} // namespace axe

#endif
