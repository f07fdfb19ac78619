// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_HLO_HPP
#define AXE_INTEROP_SHARDING_HLO_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/find.hpp>
#include <axe/interop/sharding/hlo_sharding.hpp>
#include <axe/support/errors.hpp>

/// The way of XLA's shardings to and from a spec, and to and from a layout; the text is in hlo_text.hpp.
namespace axe {
inline namespace v0 {
namespace sharding {

namespace detail {

/// What of it is not a placement.
constexpr Status check_placement(const HloSharding& hlo) noexcept
{
    bool manual = hlo.kind == HloSharding::Kind::manual;
    for (const auto kind : hlo.subgroups) manual = manual || kind == HloSharding::Kind::manual;
    if (manual)
        return Error(errc::no_layout, -1,
                     "the sharding is manual: the program decides where the parts are, and the text does not give it");
    if (hlo.kind == HloSharding::Kind::unknown)
        return Error(errc::no_layout, -1, "the sharding is unknown: the text does not give the placement of the array");
    return {};
}

} // namespace detail

namespace detail {

/// `to_spec`, into an empty value; what it writes, `check` takes.
constexpr Status write_spec(const HloSharding& hlo, int rank, std::int64_t devices, Spec& spec) noexcept
{
    using Kind = HloSharding::Kind;
    if (const Status e = check(hlo); !e.ok()) return e;
    if (const Status e = check_placement(hlo); !e.ok()) return e;
    if (rank < 0 || rank > max_rank) return axe::detail::shape_capacity(max_rank, rank);
    if (hlo.kind != Kind::tiled) {
        for (int d = 0; d < rank; ++d) spec.dims.push_back(Dimension(0));
        if (hlo.kind == Kind::maximal) {
            spec.mesh.first = hlo.device;
            return check(spec);
        }
        if (devices < 1)
            return Error(errc::bad_argument, -1,
                         "the array is replicated or unreduced over all devices, but the text does not give their number");
        spec.mesh.axes.push_back(MeshAxis(numbered_name(0), devices));
        DeviceOrder order;
        order.push_back(Iter(devices, 1, device_axis));
        if (const Status e = put_in_order(spec.mesh, order); !e.ok()) return e;
        if (hlo.kind == Kind::unreduced) spec.unreduced.push_back(Unreduced(whole_axis(spec.mesh, 0), Reduction::sum));
        return {};
    }
    const int extra = hlo.subgroups.size();
    if (hlo.tile.size() != rank + extra)
        return Error(errc::rank_mismatch, -1, "the tile assignment has {0} dimensions, {1} of them subgroups; the shape has {2}",
                     hlo.tile.size(), extra, rank);
    int axis_of[max_rank]{};
    for (int d = 0; d < hlo.tile.size(); ++d) {
        axis_of[d] = hlo.tile[d] > 1 ? spec.mesh.axes.size() : -1;
        if (hlo.tile[d] > 1) spec.mesh.axes.push_back(MeshAxis(numbered_name(spec.mesh.axes.size()), hlo.tile[d]));
    }
    spec.mesh.first = hlo.first;
    if (const Status e = put_in_order(spec.mesh, hlo.order); !e.ok()) return e;
    if (devices > 0 && device_count(spec.mesh) != devices)
        return Error(errc::bad_argument, -1, "the tile assignment has {0} devices; expected {1}", device_count(spec.mesh), devices);
    for (int d = 0; d < rank; ++d) {
        if (axis_of[d] >= 0) spec.parts.push_back(whole_axis(spec.mesh, axis_of[d]));
        spec.dims.push_back(Dimension(spec.parts.size()));
    }
    for (int g = 0; g < extra; ++g)
        if (hlo.subgroups[g] == Kind::unreduced && axis_of[rank + g] >= 0)
            spec.unreduced.push_back(Unreduced(whole_axis(spec.mesh, axis_of[rank + g]), Reduction::sum));
    return {};
}

/// `place` where the order does not split between dimensions: those with one element a tile joined with the ones behind them.
constexpr Status place_joined(const HloSharding& hlo, const Shape& shape, std::int64_t devices, const Error& apart,
                              Placed& out) noexcept
{
    HloSharding joined = hlo;
    Shape dims;
    joined.tile.clear();
    for (int d = 0; d < shape.size(); ++d) {
        if (d > 0 && shape[d - 1] == hlo.tile[d - 1]) {
            if (!mul(dims.back(), shape[d], dims.back())) return volume(shape).error();
            joined.tile.back() *= hlo.tile[d];
        } else {
            dims.push_back(shape[d]);
            joined.tile.push_back(hlo.tile[d]);
        }
    }
    for (int d = shape.size(); d < hlo.tile.size(); ++d) joined.tile.push_back(hlo.tile[d]);
    Spec spec;
    if (!write_spec(joined, dims.size(), devices, spec).ok()) return apart;
    return place_checked(spec, dims, out);
}

} // namespace detail

/// The spec of an HLO sharding for an array of `rank` dimensions: its mesh has an axis, `_axis_0`, …, for each tile dimension above 1.
///
/// @param devices how many there are, which `{replicated}` and `{unreduced}` leave open; 0 where it is not known
/// `errc::no_layout` for manual and unknown ones, and for orders that are not all numbers from 0 on, each once; `errc::not_grouped` when
/// the order does not split where the tiles do; `errc::bad_argument` where the devices are not known, or are others;
/// `errc::rank_mismatch`. Cost: dimensions times digits of the order.
constexpr Result<Spec> to_spec(const HloSharding& hlo, int rank, std::int64_t devices = 0) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::write_spec(hlo, rank, devices, *result); !e.ok()) result = e;
    return result;
}

/// The layout of an array:  place(to_spec(hlo), shape), and also where the order splits only because tiles of one element are adjacent.
///
/// A dimension with one element a tile and the one behind it are one dimension, with the tiles of both: only the borders of those
/// that are left have to be borders in the order, which decides exactly whether a layout exists.
/// Errors: those of `to_spec` and `place`. Cost: twice theirs.
constexpr Result<Placed> place(const HloSharding& hlo, const Shape& shape, std::int64_t devices = 0) noexcept
{
    Result<Placed> result;
    Spec spec;
    const auto v = volume(shape);
    Status e = v ? detail::write_spec(hlo, shape.size(), devices, spec) : v.error();
    if (e.ok())
        e = detail::place_checked(spec, shape, *result);
    else if (e.code() == errc::not_grouped)
        e = detail::place_joined(hlo, shape, devices, e.error(), *result);
    if (!e.ok()) result = e;
    return result;
}

namespace detail {

/// `to_hlo` of a spec that is a `placement_of`, into an empty value; the parts are used up.
constexpr Status write_hlo(Spec& spec, HloSharding& hlo) noexcept
{
    using Kind = HloSharding::Kind;
    const std::int64_t count = device_count(spec.mesh);
    if (count == 1) {
        hlo.kind = Kind::maximal;
        hlo.device = spec.mesh.first;
        return {};
    }
    std::int64_t tiles = 1, low = spec.mesh.first;
    for (const DeviceDigit& digit : spec.mesh.digits) low += digit.stride < 0 ? (digit.extent - 1) * digit.stride : 0;
    if (low != 0) return Error(errc::no_layout, -1, "the devices of an HLO sharding start at 0, these at {0}", low);
    hlo.first = spec.mesh.first;
    for (int d = 0; d < spec.rank(); ++d) {
        const Splits n = splits(spec, d);
        if (n.within > 1) return parts_stay(d, n.within);
        if (!hlo.tile.push_back(n.across)) return too_many_tiles();
        tiles *= n.across;
        for (int i = spec.begin(d); i < spec.end(d); ++i)
            if (const Status e = append_steps(spec.mesh, spec.parts[i], hlo.order); !e.ok()) return e;
    }
    const auto subgroup = [&](Kind kind, DeviceOrder& steps) {
        std::int64_t size = 1;
        for (Iter& it : steps) { // a set of devices: in order, upwards
            size *= it.extent;
            if (it.stride < 0) hlo.first += (it.extent - 1) * it.stride;
            it.stride = magnitude(it.stride);
        }
        for (int i = 1; i < steps.size(); ++i)
            for (int k = i; k > 0 && steps[k].stride > steps[k - 1].stride; --k) {
                const Iter moved = steps[k];
                steps[k] = steps[k - 1];
                steps[k - 1] = moved;
            }
        if (size == 1) return Error{};
        for (const Iter& it : steps)
            if (!hlo.order.push_back(it)) return too_many_tiles();
        hlo.subgroups.push_back(kind);
        return hlo.tile.push_back(size) ? Error{} : too_many_tiles();
    };
    DeviceOrder terms, copies;
    for (const Unreduced& u : spec.unreduced) {
        if (u.reduction != Reduction::sum)
            return Error(errc::no_layout, -1, "XLA's unreduced shardings are sums; these terms have a different reduction");
        if (const Status e = append_steps(spec.mesh, u.part, terms); !e.ok()) return e;
        if (!spec.parts.push_back(u.part)) return too_many_tiles(); // so that they are not among the rest
    }
    for (int axis = 0; axis < spec.mesh.axes.size(); ++axis)
        if (const Status e = append_rest(spec, axis, copies); !e.ok()) return e;
    if (tiles == 1 && (terms.empty() || copies.empty())) { // one word says it
        hlo.kind = terms.empty() ? Kind::replicated : Kind::unreduced;
        hlo.tile.clear();
        hlo.order.clear();
        hlo.first = 0;
        return {};
    }
    if (const Status e = subgroup(Kind::unreduced, terms); !e.ok()) return e;
    if (const Status e = subgroup(Kind::replicated, copies); !e.ok()) return e;
    hlo.kind = Kind::tiled;
    return {};
}

/// Gives the tiles of joined dimensions, of which `first` are the first in the shape, to all dimensions.
constexpr Status spread_tiles(const Shape& shape, const InlineVector<int, max_rank>& first, HloSharding& hlo) noexcept
{
    Shape tile;
    for (int j = 0; j < first.size(); ++j) {
        const int end = j + 1 < first.size() ? first[j + 1] : shape.size();
        std::int64_t tiles = hlo.tile[j];
        for (int d = first[j]; d < end; ++d) {
            const std::int64_t here = d + 1 < end ? shape[d] : tiles;
            if (!divides(here, tiles) || !divides(here, shape[d]))
                return Error(
                    errc::not_grouped, d,
                    "dimension {0} of extent {1} ends inside a step of the layout, and its tiles have more than one element", d,
                    shape[d]);
            tile.push_back(here);
            tiles = quotient(tiles, here);
        }
    }
    for (int d = first.size(); d < hlo.tile.size(); ++d)
        if (!tile.push_back(hlo.tile[d])) return too_many_tiles();
    hlo.tile = tile;
    return {};
}

constexpr Status find_hlo_into(const Placed& placed, const Shape& shape, HloSharding& hlo) noexcept
{
    Shape dims;
    InlineVector<int, max_rank> first; // of each joined dimension
    take(dims, shape);
    for (int d = 0; d < shape.size() && !shape.overfull(); ++d) first.push_back(d);
    while (true) {
        auto grouped = group(placed.layout, dims);
        if (grouped) {
            Spec found, spec;
            if (const Status e = find_own(placed.terms, dims, *grouped, found); !e.ok()) return e;
            take(spec.mesh, found.mesh);
            append_placement(found, spec);
            if (const Status e = write_hlo(spec, hlo); !e.ok()) return e;
            if (hlo.kind != HloSharding::Kind::tiled || dims.size() == shape.size()) return {};
            return spread_tiles(shape, first, hlo);
        }
        const int d = grouped.error().position;
        if (grouped.code() != errc::not_grouped || d + 1 >= dims.size()) return grouped.error();
        dims[d] *= dims[d + 1]; // a factor of the size, which fits
        dims.erase(d + 1);
        first.erase(d + 1);
    }
}

} // namespace detail

/// The HLO sharding that places as the spec does, in XLA's canonical form: subgroups of one kind joined and at the end, copies in
/// order of device, one word where one says it all.
///
/// What a spec says to a compiler is left out. `errc::no_layout` for devices that do not begin at 0, parts that stay on a device, and
/// reductions other than sums. Cost: parts times digits of the mesh.
constexpr Result<HloSharding> to_hlo(const Spec& given) noexcept
{
    Result<HloSharding> result;
    Status e = check(given);
    if (e.ok()) {
        Spec spec = placement_of(given);
        e = detail::write_hlo(spec, *result);
    }
    if (!e.ok()) result = e;
    return result;
}

/// The HLO sharding of a layout:  place(find_hlo(placed, shape), shape, devices) = placed.
///
/// Where the layout does not split between two dimensions, the first can only have one element a tile: the two are one dimension,
/// with the tiles of both. Errors: those of `find_spec` and `to_hlo`. Cost: dimensions times that of `group`.
constexpr Result<HloSharding> find_hlo(const Placed& placed, const Shape& shape) noexcept
{
    Result<HloSharding> result;
    if (const Status e = detail::find_hlo_into(placed, shape, *result); !e.ok()) result = e;
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
