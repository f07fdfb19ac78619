// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_FIND_HPP
#define AXE_INTEROP_SHARDING_FIND_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/place.hpp>

/// From a layout back to what frameworks say: over a mesh that is given, or over one that is found.
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// A layout taken apart: the digits of each dimension, and the steps of the copies.
struct Pieces {
    Grouped<Layout>& grouped; ///< its replicas are canonical, all on the device axis
    DeviceOrder steps{};      ///< of dimensions and copies, in this order
    std::int64_t count = 1;   ///< of devices, which are
    std::int64_t low = 0;     ///< the numbers from here on

    constexpr explicit Pieces(Grouped<Layout>& of) noexcept : grouped(of) {}
};

/// Splits the copies where terms begin and end, so that each is all term or none: `errc::bad_argument` for terms that are not copies.
constexpr Status split_at_terms(const Terms& terms, Layout::Replica& copies) noexcept
{
    for (int t = 0; t < terms.size(); ++t) {
        const Term& term = terms[t];
        bool found = false;
        if (t > 0 && quotient(term.stride, greatest(terms[t - 1].extent, std::int64_t{1})) < terms[t - 1].stride)
            return Error(errc::bad_argument, t, "entry {0} of the terms is not in order of stride, or names a device twice", t);
        for (int i = 0; i < copies.size() && !found; ++i) {
            const Iter copy = copies[i];
            std::int64_t footprint = 0, end = 0;
            if (!mul(term.stride, term.extent, footprint) || !mul(copy.stride, copy.extent, end)) continue;
            if (term.extent < 2 || term.stride < copy.stride || footprint > end || !divides(copy.stride, term.stride) ||
                !divides(footprint, end))
                continue;
            found = true;
            copies.erase(i);
            const Iter cut[] = {Iter(quotient(term.stride, copy.stride), copy.stride, copy.axis),
                                Iter(term.extent, term.stride, copy.axis), Iter(quotient(end, footprint), footprint, copy.axis)};
            for (int k = 2; k >= 0; --k)
                if (cut[k].extent > 1 && !copies.insert(i, cut[k]))
                    return Error(errc::capacity, Layout::max_replica, "the copies and terms need more than {0} iters",
                                 Layout::max_replica);
        }
        if (!found)
            return Error(errc::bad_argument, t, "the layout has no {0} copies {1} devices apart for the terms", term.extent,
                         term.stride);
    }
    return {};
}

/// Fills the rest of the pieces of a layout that is grouped by the shape.
constexpr Status take_apart(const Terms& terms, const Shape& shape, Pieces& out) noexcept
{
    Layout& layout = out.grouped.layout;
    for (const auto& e : layout.offset)
        if (!(e.axis == device_axis) && e.value != 0)
            return Error(errc::no_layout, -1,
                         "the layout has offset {0} on an axis other than gpuid; the part of a device starts at 0", e.value);
    std::int64_t pitch = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
        // Within a device the part is row-major: the innermost digit of `m` steps by the size of what is inside.
        for (int i = out.grouped.end(d) - 1; i >= out.grouped.begin(d); --i) {
            const Iter& it = layout.shard[i];
            if (it.axis == device_axis && it.stride != 0) continue;
            if (!(it.axis == Axis{})) return Error(errc::no_layout, d, "dimension {0} moves on an axis other than gpuid and m", d);
            if (it.stride != pitch)
                return Error(errc::no_layout, d, "dimension {0} has stride {1} on m; a row-major part has {2}", d, it.stride,
                             pitch);
            pitch *= it.extent;
        }
    }
    for (const Iter& it : layout.shard)
        if (it.axis == device_axis && it.stride != 0) out.steps.push_back(it);
    for (const Iter& it : layout.replica)
        if (!(it.axis == device_axis)) return Error(errc::no_layout, -1, "{0} copies are on an axis other than gpuid", it.extent);
    if (const Status e = split_at_terms(terms, layout.replica); !e.ok()) return e;
    for (const Iter& it : layout.replica)
        if (!out.steps.push_back(it))
            return Error(errc::capacity, max_mesh_axes, "the layout has more than {0} digits on gpuid", max_mesh_axes);
    return check_steps(out.steps, layout.offset[device_axis], out.count, out.low);
}

/// The parts of a mesh that make steps of `it`, major first, put in at `at`; a step along a digit of the mesh but against its
/// direction is rejected unless `any_direction`.
template <class List>
constexpr Status express(const Mesh& mesh, const Iter& it, bool any_direction, int at, List& parts, int where) noexcept
{
    std::int64_t extent = it.extent, stride = magnitude(it.stride);
    while (extent > 1) {
        const DeviceDigit* digit = nullptr;
        std::int64_t before = 1; // of the digit
        for (const DeviceDigit& candidate : mesh.digits) {
            const std::int64_t size = magnitude(candidate.stride);
            if (size <= stride && quotient(stride, size) < candidate.extent) digit = &candidate;
        }
        // The mesh has as many devices as the layout, and its steps reach them all: some digit holds the stride.
        for (const DeviceDigit* d = mesh.digits.begin(); d != digit; ++d)
            if (d->axis == digit->axis) before *= d->extent;
        const std::int64_t inner = quotient(stride, magnitude(digit->stride)), room = quotient(digit->extent, inner);
        const std::int64_t size = least(extent, room);
        if (!divides(magnitude(digit->stride), stride) || !divides(inner, digit->extent) || !divides(size, room) ||
            !divides(size, extent))
            return Error(errc::not_grouped, where, "steps of {0} through the devices do not split at mesh axis {1} of {2} places",
                         stride, digit->axis, mesh.axes[digit->axis].size);
        if (!any_direction && (digit->stride < 0) != (it.stride < 0))
            return Error(errc::no_layout, where, "dimension {0} traverses mesh axis {1} backwards", where, digit->axis);
        Part part(digit->axis, before * quotient(room, size), size);
        Part* next = parts.size() > at ? &parts[at] : nullptr;
        if (next != nullptr && next->axis == part.axis && part.before * part.size == next->before) {
            *next = Part(part.axis, part.before, part.size * next->size);
        } else if (!parts.insert(at, part)) {
            return parts_capacity(List::capacity);
        }
        extent = quotient(extent, size);
        stride *= size;
    }
    return {};
}

} // namespace detail

namespace detail {

/// The mesh whose axes are the steps of a layout, largest first.
constexpr void mesh_of(const Pieces& pieces, Mesh& mesh) noexcept
{
    DeviceOrder steps = pieces.steps;
    for (int i = 1; i < steps.size(); ++i)
        for (int k = i; k > 0 && magnitude(steps[k].stride) > magnitude(steps[k - 1].stride); --k) {
            const Iter moved = steps[k];
            steps[k] = steps[k - 1];
            steps[k - 1] = moved;
        }
    mesh.first = pieces.grouped.layout.offset[device_axis];
    for (int i = 0; i < steps.size(); ++i) {
        mesh.axes.push_back(MeshAxis(numbered_name(i), steps[i].extent));
        mesh.digits.push_back(DeviceDigit(i, steps[i].extent, steps[i].stride));
    }
}

/// The parts of dimensions and terms over the mesh of `spec`, which has the devices of the layout.
constexpr Status write_parts(const Pieces& pieces, const Terms& terms, int rank, Spec& spec) noexcept
{
    for (int d = 0; d < rank; ++d) {
        const int begin = spec.parts.size();
        for (int i = pieces.grouped.end(d) - 1; i >= pieces.grouped.begin(d); --i) {
            const Iter& it = pieces.grouped.layout.shard[i];
            const bool moves = it.axis == device_axis && it.stride != 0;
            if (moves) {
                if (const Status e = express(spec.mesh, it, false, begin, spec.parts, d); !e.ok()) return e;
            } else if (i + 1 < pieces.grouped.end(d)) { // the innermost digit on m needs no word
                if (!spec.parts.insert(begin, Part(-1, 1, it.extent))) return parts_capacity(Spec::max_parts);
            }
        }
        spec.dims.push_back(Dimension(spec.parts.size()));
    }
    // Copies need no word either, but those that are terms.
    for (const Term& term : terms) {
        InlineVector<Part, Spec::max_marks> parts;
        if (const Status e = express(spec.mesh, Iter(term.extent, term.stride, device_axis), true, 0, parts, -1); !e.ok()) return e;
        for (const Part& part : parts)
            if (!spec.unreduced.push_back(Unreduced(part, term.reduction))) return too_many_terms();
    }
    join(spec.unreduced);
    return {};
}

} // namespace detail

namespace detail {

constexpr Status find_over(const Placed& placed, const Shape& shape, const Mesh& mesh, Spec& out) noexcept
{
    if (const Status e = check(mesh); !e.ok()) return e;
    auto grouped = group(placed.layout, shape);
    if (!grouped) return grouped.error();
    Pieces pieces(*grouped);
    if (const Status e = take_apart(placed.terms, shape, pieces); !e.ok()) return e;
    std::int64_t low = mesh.first;
    for (const DeviceDigit& digit : mesh.digits) low += digit.stride < 0 ? (digit.extent - 1) * digit.stride : 0;
    if (pieces.count != device_count(mesh))
        return Error(errc::no_layout, -1, "{0} devices hold the tensor, but the mesh has {1}", pieces.count, device_count(mesh));
    if (pieces.low != low)
        return Error(errc::no_layout, -1, "the devices that hold the tensor start at {0}, those of the mesh at {1}", pieces.low,
                     low);
    take(out.mesh, mesh);
    return write_parts(pieces, placed.terms, shape.size(), out);
}

/// The mesh that a grouped layout makes, and the spec over it.
constexpr Status find_own(const Terms& terms, const Shape& shape, Grouped<Layout>& grouped, Spec& out) noexcept
{
    Pieces pieces(grouped);
    if (const Status e = take_apart(terms, shape, pieces); !e.ok()) return e;
    mesh_of(pieces, out.mesh);
    return write_parts(pieces, terms, shape.size(), out);
}

constexpr Status find_own(const Placed& placed, const Shape& shape, Spec& out) noexcept
{
    auto grouped = group(placed.layout, shape);
    return grouped ? find_own(placed.terms, shape, *grouped, out) : grouped.error();
}

} // namespace detail

/// The spec over a given mesh that places a tensor of this shape as the layout does:  place(spec, shape) = placed.
///
/// Exists when the mesh has exactly the devices that hold the tensor, each device one row-major part, and the digits of `gpuid` are
/// products of parts of mesh axes. Sub-axes are used where whole axes do not do. `errc::no_layout` or `errc::not_grouped` says what
/// no spec, or none over this mesh, expresses. Cost: iters times digits of the mesh.
constexpr Result<Spec> find_spec(const Placed& placed, const Shape& shape, const Mesh& mesh) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::find_over(placed, shape, mesh, *result); !e.ok()) result = e;
    return result;
}

/// The mesh that a layout itself makes: one axis for each digit of `gpuid`, largest step first, so that a device's number is its
/// row-major place. Axes are called `_axis_0`, …; only a digit that goes backwards makes an order other than row-major.
///
/// Errors: as of `find_spec`. Cost: quadratic in the number of iters.
constexpr Result<Mesh> find_mesh(const Placed& placed, const Shape& shape) noexcept
{
    auto grouped = group(placed.layout, shape);
    if (!grouped) return grouped.error();
    detail::Pieces pieces(*grouped);
    if (const Status e = detail::take_apart(placed.terms, shape, pieces); !e.ok()) return e;
    Result<Mesh> result;
    detail::mesh_of(pieces, *result);
    return result;
}

/// The spec over the mesh that the layout itself makes.
constexpr Result<Spec> find_spec(const Placed& placed, const Shape& shape) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::find_own(placed, shape, *result); !e.ok()) result = e;
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
