// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_MESH_HPP
#define AXE_MACHINE_MESH_HPP

#include <axe/machine/check_machine.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A name with a number of one digit.
constexpr Axis numbered(const char* stem, int number) noexcept
{
    char text[Axis::max_length + 1]{};
    int length = 0;
    for (; stem[length] != '\0'; ++length) text[length] = stem[length];
    text[length++] = static_cast<char>('0' + number);
    return *Axis::make(text, length);
}

/// Has the machine this axis already: a scope's, a memory's, or one of a split?
constexpr bool is_taken(const Machine& machine, const Axis& axis) noexcept
{
    for (const AxisSplit& split : machine.splits)
        if (split.whole == axis || split.outer == axis || split.inner == axis) return true;
    return scope_of_axis(machine, axis) >= 0 || is_address_axis(machine, axis);
}

} // namespace detail

/// The number of coordinates on an axis that counts members of a scope; 0 where a program says how many, or the axis counts none's.
///
/// A scope's own axis has its count. Of a split, the inner part has the extent, the outer one what that leaves of the whole, and
/// the whole the product. Cost: scopes times splits.
constexpr std::int64_t axis_extent(const Machine& machine, const Axis& axis) noexcept
{
    Axis at = axis;
    std::int64_t times = 1, parts = 1; // axis = at · times / parts
    for (int steps = 0; steps <= 2 * machine.splits.size(); ++steps) {
        for (const ScopeLevel& scope : machine.scopes)
            if (scope.axis == at) return scope.count * times / parts;
        const AxisSplit* within = nullptr;
        const AxisSplit* across = nullptr;
        for (const AxisSplit& split : machine.splits) {
            if (split.inner == at) return split.extent * times / parts;
            if (split.outer == at) within = &split;
            if (split.whole == at) across = &split;
        }
        if (within != nullptr) {
            at = within->whole;
            parts *= within->extent;
        } else if (across != nullptr) {
            at = across->outer;
            times *= across->extent;
        } else {
            return 0;
        }
    }
    return 0;
}

/// The machine with as many devices as a mesh has places, row-major, the last dimension fastest:  with shape (n_0, …, n_{r−1})
///   gpuid = ((a_0·n_1 + a_1)·n_2 + a_2)·…,   a_i on names[i], or `mesh0`, `mesh1`, … without names.
///
/// The splits that say so are added, with axes `mesh.rest1`, … between them; so `convert_axes` turns `gpuid` into places and back.
/// All else, the name too, stays: a mesh of a machine has its atoms and instructions.
/// Errors: those of `check`; `errc::bad_argument` without dimensions and for a machine of several devices; `errc::bad_extent`;
/// `errc::rank_mismatch` when names and dimensions differ in number; `errc::bad_axis` for a name that is taken; `errc::overflow`
/// when the product overflows; `errc::capacity` when there is no room for the splits.
constexpr Result<Machine> mesh(const Machine& machine, const Shape& shape, const InlineVector<Axis, 8>& names = {}) noexcept
{
    if (const Status e = check(machine); !e.ok()) return e;
    const int rank = shape.size();
    if (rank == 0) return Error(errc::bad_argument, -1, "a mesh needs at least one dimension");
    if (machine.scopes[0].count != 1)
        return Error(errc::bad_argument, -1, "the machine has {0} devices; a mesh needs a machine of one device",
                     machine.scopes[0].count);
    const Axis device = machine.scopes[0].axis;
    for (const AxisSplit& split : machine.splits)
        if (split.whole == device)
            return Error(errc::bad_argument, -1, "the machine is already a mesh; make one mesh of all dimensions");
    if (!names.empty() && names.size() != rank)
        return Error(errc::rank_mismatch, -1, "the mesh has {0} dimensions and {1} names", rank, names.size());
    if (rank > 8 || machine.splits.size() + (rank == 1 ? 1 : rank - 1) > machine.splits.capacity)
        return Error(errc::capacity, machine.splits.capacity, "a mesh of {0} dimensions needs more than {1} splits", rank,
                     machine.splits.capacity);
    for (int i = 0; i < rank; ++i)
        if (shape[i] < 1) return Error(errc::bad_extent, i, "dimension {0} of the mesh is {1}; it must be at least 1", i, shape[i]);
    const auto devices = volume(shape);
    if (!devices) return devices.error();

    Machine out = machine;
    Axis axis[8]{};
    for (int i = 0; i < rank; ++i) {
        axis[i] = names.empty() ? detail::numbered("mesh", i) : names[i];
        bool taken = detail::is_taken(machine, axis[i]);
        for (int k = 0; k < i; ++k) taken = taken || axis[k] == axis[i];
        if (taken) return Error(errc::bad_axis, i, "mesh dimension {0} has the name of another axis", i);
    }
    out.scopes[0].count = *devices;
    std::int64_t inside = *devices;
    Axis whole = device;
    // A single dimension is all of gpuid: what is inside it is one place.
    for (int i = 0; i + 1 < rank || i == 0; ++i) {
        inside /= shape[i];
        const bool last = i + 2 >= rank;
        const Axis rest = rank > 1 && last ? axis[i + 1] : detail::numbered("mesh.rest", i + 1);
        out.splits.push_back({whole, axis[i], rest, inside});
        whole = rest;
    }
    if (const Status e = check(out); !e.ok()) return e;
    return out;
}

} // namespace v0
} // namespace axe

#endif
