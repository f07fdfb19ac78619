// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_PLACE_PLACEMENTS_HPP
#define AXE_INTEROP_SHARDING_PLACE_PLACEMENTS_HPP

#include <axe/interop/sharding/boxes.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

inline constexpr const char* boxes_hint = "boxes_of lists the boxes";

/// Elements [lo, hi) of a dimension on the device `device` steps from the first, from `place` on in what it holds of the dimension.
struct HeldPiece {
    Range range;
    std::int64_t device, place;
};

/// How many devices on the place `index` of an axis is.
constexpr std::int64_t steps_along(const Mesh& mesh, int axis, std::int64_t index) noexcept
{
    std::int64_t steps = 0;
    for (int k = mesh.digits.size() - 1; k >= 0; --k)
        if (mesh.digits[k].axis == axis) {
            steps += index % mesh.digits[k].extent * mesh.digits[k].stride;
            index /= mesh.digits[k].extent;
        }
    return steps;
}

/// The placements that split dimension `dim`, as of a tensor of this dimension alone; the others replicate.
constexpr Placements of_dimension(const Placements& placements, int dim, int rank) noexcept
{
    Placements out;
    for (const Placement& p : placements) {
        const bool splits = p.kind == Placement::Kind::shard && (p.dim < 0 ? p.dim + rank : p.dim) == dim;
        out.push_back(splits ? Placement::shard(0, p.factor) : Placement::replicate());
    }
    return out;
}

/// Appends what the devices hold of one dimension after placement `axis` on, of which those before left `held` on the devices
/// `device` steps from the first. Places that hold nothing are the last of an axis: they are not looked at.
inline Status append_pieces(const Placements& splits, const Mesh& mesh, int axis, const Intervals& held, std::int64_t device,
                            int dim, std::vector<HeldPiece>& out)
{
    while (axis < splits.size() && (splits[axis].kind != Placement::Kind::shard || mesh.axes[axis].size == 1)) ++axis;
    if (axis == splits.size()) {
        std::int64_t place = 0;
        for (const Range& r : held) {
            out.push_back({r, device, place});
            place += r.hi - r.lo;
        }
        return static_cast<std::int64_t>(out.size()) > max_boxes ? Status(too_many_boxes(dim)) : Status();
    }
    const std::int64_t places = mesh.axes[axis].size;
    for (std::int64_t i = 0; i < places; ++i) {
        Intervals positions, next;
        if (const Status e = cut_strided(count_of(held), splits[axis].factor, places, i, LastChunk::chunked, dim, positions);
            !e.ok())
            return e;
        if (positions.empty()) break;
        if (const Status e = pick(held, positions, dim, next); !e.ok()) return e;
        if (const Status e = append_pieces(splits, mesh, axis + 1, next, device + steps_along(mesh, axis, i), dim, out); !e.ok())
            return e;
    }
    return {};
}

/// Why the dimension is not a layout: the first placement whose parts are not equal.
inline Error uneven_dimension(const Placements& splits, const Mesh& mesh, std::int64_t size, int dim)
{
    Intervals held{{0, size}};
    for (int i = 0; i < splits.size(); ++i) {
        if (splits[i].kind != Placement::Kind::shard || mesh.axes[i].size == 1) continue;
        const std::int64_t n = count_of(held), places = mesh.axes[i].size, factor = splits[i].factor;
        if (n / factor < places || n / factor % places != 0 || n % factor != 0) {
            std::int64_t parts = 0;
            if (!mul(factor, places, parts)) parts = INT64_MAX;
            return Error(errc::no_layout, dim, "dimension {0} is not a layout: {1} elements leave a remainder over {2} parts", dim,
                         n, parts)
                .with_hint(boxes_hint);
        }
        Intervals positions, next;
        if (!cut_strided(n, factor, places, 0, LastChunk::chunked, dim, positions).ok() || !pick(held, positions, dim, next).ok())
            break;
        held = std::move(next);
    }
    return Error(errc::no_layout, dim, "dimension {0} is not a layout: the parts of one placement cross those of another", dim)
        .with_hint(boxes_hint);
}

/// The digits of a dimension that placements do not divide evenly, innermost last: equal blocks of elements in a row, and how they
/// go through devices and places on them. There are such digits iff the dimension is a layout.
inline Result<Layout::Shard> uneven_digits(const Placements& splits, const Mesh& mesh, std::int64_t size, int dim)
{
    using Value = std::pair<std::int64_t, std::int64_t>; // steps through devices, place on the device
    std::vector<HeldPiece> pieces;
    if (const Status e = append_pieces(splits, mesh, 0, {{0, size}}, 0, dim, pieces); !e.ok()) return e;
    std::sort(pieces.begin(), pieces.end(), [](const HeldPiece& a, const HeldPiece& b) { return a.range.lo < b.range.lo; });
    const std::int64_t block = pieces.front().range.hi;
    for (const HeldPiece& p : pieces)
        if ((p.range.hi - p.range.lo) % block != 0) return uneven_dimension(splits, mesh, size, dim);
    if (size / block > max_boxes) return too_many_boxes(dim);
    std::vector<Value> values;
    for (const HeldPiece& p : pieces)
        for (std::int64_t x = p.range.lo; x < p.range.hi; x += block) values.emplace_back(p.device, p.place + (x - p.range.lo));
    Layout::Shard out;
    if (block > 1) out.push_back(Iter(block, 1));
    // The innermost digit is as long as the values rise evenly from the first; every round of it must repeat that.   [Axe 3.3, App. A]
    while (values.size() > 1) {
        const auto minus = [](const Value& a, const Value& b) { return Value(a.first - b.first, a.second - b.second); };
        const Value step = minus(values[1], values[0]);
        std::size_t extent = 1;
        while (extent < values.size() && minus(values[extent], values[extent - 1]) == step) ++extent;
        bool repeats = values.size() % extent == 0 && (step.first == 0 || step.second == 0); // an iter moves on one axis
        std::vector<Value> rounds;
        for (std::size_t i = 0; repeats && i < values.size(); ++i) {
            if (i % extent == 0) rounds.push_back(values[i]);
            repeats = minus(values[i], rounds.back()) == minus(values[i % extent], values[0]);
        }
        if (!repeats) return uneven_dimension(splits, mesh, size, dim);
        const auto n = static_cast<std::int64_t>(extent);
        if (!out.insert(0, step.second == 0 ? Iter(n, step.first, device_axis) : Iter(n, step.second))) return too_many_iters();
        values = std::move(rounds);
    }
    return out;
}

/// The digits of a dimension that every placement divides; none, of a status that is ok, where one does not.
constexpr Status even_digits(const Placements& splits, const Mesh& mesh, std::int64_t size, int dim, Layout::Shard& out) noexcept
{
    DimensionParts parts;
    for (int i = 0; i < splits.size(); ++i) {
        if (splits[i].kind != Placement::Kind::shard) continue;
        const Status e = take_digits(parts, splits[i].factor, whole_axis(mesh, i), dim);
        if (e.code() == errc::not_grouped) return {};
        if (!e.ok()) return e;
    }
    std::int64_t across = 1, within = 1, all = 1;
    for (const Part& part : parts)
        if (!mul(part.stays() ? within : across, part.size, part.stays() ? within : across) || !mul(across, within, all)) return {};
    if (all > size || size % all != 0) return {};
    std::int64_t inner = quotient(size, across);
    bool room = true;
    for (const Part& part : parts) {
        if (!part.stays()) {
            if (const Status e = append_steps(mesh, part, out); !e.ok()) return e;
            continue;
        }
        inner = quotient(inner, part.size);
        room = room && out.push_back(Iter(part.size, inner));
    }
    if (!room || (!out.push_back(Iter(inner, 1)))) return too_many_iters();
    return {};
}

} // namespace detail

/// The layout of a tensor under placements, by PyTorch's rule for dimensions that do not divide (`boxes_of`): its layout over the shape, the
/// device on `gpuid`, the element within the device's part, row-major, on `m`. Devices that hold nothing do not occur in it.
///
/// It exists iff each dimension is a layout by itself. Where every placement divides it is, and this is `place(to_spec(…), shape)`. Else iff
/// elements in a row on one device make blocks of one size that fill the dimension, and the blocks' devices, or places, are a sum
/// of digits: 6 elements over 4 devices are (3,2):(1@gpuid,1), and 7 are not. Then all devices that hold something hold equally much.
///
/// `errc::no_layout` with the dimension otherwise; the errors of `boxes_of`. Cost: of what divides, as `place`; of the rest, the intervals
/// of all devices.
inline Result<Placed> place(const Placements& placements, const Mesh& mesh, const Shape& shape)
{
    using namespace detail;
    if (const Status e = check_placements(placements, mesh, shape.size()); !e.ok()) return e;
    if (const auto v = volume(shape); !v) return v.error();
    Result<Placed> result;
    Layout& out = result->layout;
    std::int64_t pitch = 1; // of one element of the dimension, on a device
    for (int d = shape.size() - 1; d >= 0; --d) {
        const Placements splits = of_dimension(placements, d, shape.size());
        Layout::Shard digits;
        if (const Status e = even_digits(splits, mesh, shape[d], d, digits); !e.ok()) return e;
        if (digits.empty()) {
            const auto found = uneven_digits(splits, mesh, shape[d], d);
            if (!found) return found.error();
            digits = *found;
        }
        std::int64_t held = 1;
        for (int i = digits.size() - 1; i >= 0; --i) {
            Iter it = digits[i];
            if (it.extent == 1) continue;
            if (!(it.axis == device_axis)) {
                held *= it.extent;
                it.stride *= pitch;
            }
            if (!out.shard.insert(0, it)) return too_many_iters();
        }
        pitch *= held;
    }
    if (mesh.first != 0) *out.offset.entry(device_axis) = mesh.first;
    for (int i = 0; i < placements.size(); ++i) {
        const Placement& p = placements[i];
        if (p.kind == Placement::Kind::shard) continue;
        const int before = out.replica.size();
        if (const Status e = append_steps(mesh, whole_axis(mesh, i), out.replica); !e.ok()) return e;
        for (int k = before; p.kind == Placement::Kind::partial && k < out.replica.size(); ++k)
            if (!result->terms.push_back(Term(out.replica[k].extent, out.replica[k].stride, p.reduction))) return too_many_terms();
    }
    normalize(result->terms);
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
