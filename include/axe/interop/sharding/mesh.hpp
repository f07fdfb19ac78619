// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_MESH_HPP
#define AXE_INTEROP_SHARDING_MESH_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/name.hpp>
#include <axe/layout/group.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// The axis that counts devices, in the layouts of this folder; places within one device are on `m`.
inline constexpr Axis device_axis{"gpuid"};

inline constexpr int max_mesh_axes = 16;

/// One axis of a mesh: a name, and how many places it has.
struct MeshAxis {
    Name name;
    std::int64_t size;

    MeshAxis() = default; // trivial, so that unused room costs nothing
    constexpr MeshAxis(const Name& called, std::int64_t places) noexcept : name(called), size(places) {}
    friend constexpr bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// A step through the devices: place i of a digit of `axis` is `i·stride` devices on.
struct DeviceDigit {
    int axis;
    std::int64_t extent;
    std::int64_t stride;

    DeviceDigit() = default;
    constexpr DeviceDigit(int of_axis, std::int64_t n, std::int64_t s) noexcept : axis(of_axis), extent(n), stride(s) {}
    friend constexpr bool operator==(const DeviceDigit&, const DeviceDigit&) = default;
};

/// Named axes over devices, major to minor, and which device is at each place:
///
///   device(a_0, …, a_{r−1}) = first + Σ_k d_k·stride_k,   d the digits of the a_i, major first
///
/// A row-major mesh has one digit an axis, of stride Π of the sizes behind it; an order made by transposing has others, and an axis
/// may have several. Orders that are not such a sum (most lists of devices drawn up by hand) are not a value of this type.
struct Mesh {
    InlineVector<MeshAxis, max_mesh_axes> axes{};
    InlineVector<DeviceDigit, max_mesh_axes> digits{}; ///< axis by axis; none of extent 1
    std::int64_t first = 0;

    friend constexpr bool operator==(const Mesh&, const Mesh&) = default;
};

using MeshAxes = InlineVector<MeshAxis, max_mesh_axes>;
/// Steps through devices that belong to no axis yet.
using DeviceOrder = InlineVector<Iter, max_mesh_axes>;

namespace detail {

using namespace axe::detail;

constexpr Error device_numbers_overflow() noexcept { return Error(errc::overflow, -1, "the numbers of the devices overflow"); }

/// Do the steps, all of extents above 1, reach each of n devices in a row once? Then the least device is `low`.
///
/// So they do exactly when the sizes of their strides, in order, are 1, n₁, n₁n₂, …
template <class List>
constexpr Status check_steps(const List& list, std::int64_t first, std::int64_t& count, std::int64_t& low) noexcept
{
    count = 1;
    low = first;
    for (const auto& it : list) // the least integer has no size
        if (it.stride == INT64_MIN || (it.stride < 0 && !add_product(it.extent - 1, it.stride, low)))
            return device_numbers_overflow();
    for (int found = 0; found < list.size(); ++found) {
        const auto* next = list.begin();
        std::int64_t least = INT64_MAX;
        for (const auto& it : list) {
            if (magnitude(it.stride) == count) next = &it;
            if (magnitude(it.stride) == count) least = count;
            if (magnitude(it.stride) > count && magnitude(it.stride) < least) least = magnitude(it.stride);
        }
        if (least != count)
            return Error(errc::no_layout, -1,
                         "the steps cover {0} consecutive devices, then advance by {1}; a mesh has each number of a range once",
                         count, least == INT64_MAX ? magnitude(list[found].stride) : least);
        if (!mul(count, next->extent, count)) return device_numbers_overflow();
    }
    std::int64_t past = 0;
    if (!add(low, count, past)) return device_numbers_overflow();
    if (low < 0) return negative_device(low);
    return {};
}

/// Makes `to`, which is empty, the list `from`: only the items that there are, which are few of those that there could be.
template <class List>
constexpr void take(List& to, const List& from) noexcept
{
    to.count = from.count;
    for (int i = 0; i < from.count && i < List::capacity; ++i) to.items[i] = from.items[i];
}
constexpr void take(Mesh& to, const Mesh& from) noexcept
{
    take(to.axes, from.axes);
    take(to.digits, from.digits);
    to.first = from.first;
}

constexpr Status check_names(const MeshAxes& axes) noexcept
{
    if (axes.overfull())
        return Error(errc::capacity, max_mesh_axes, "a mesh has at most {0} axes, this one has {1}", max_mesh_axes, axes.count);
    std::int64_t devices = 1;
    for (int i = 0; i < axes.size(); ++i) {
        if (axes[i].size < 1)
            return Error(errc::bad_extent, i, "mesh axis {0} has {1} places; it must have at least 1", i, axes[i].size);
        if (!mul(devices, axes[i].size, devices))
            return Error(errc::overflow, i, "the number of devices overflows at mesh axis {0}", i);
        for (int k = 0; k < i; ++k)
            if (axes[k].name == axes[i].name) return Error(errc::bad_axis, i, "mesh axes {0} and {1} have the same name", k, i);
    }
    return {};
}

} // namespace detail

/// The number of devices; of a mesh that passed `check`.
constexpr std::int64_t device_count(const Mesh& mesh) noexcept
{
    std::int64_t n = 1;
    for (const MeshAxis& axis : mesh.axes) n *= axis.size;
    return n;
}

/// Is the value a mesh? Sizes of at least 1, names each once, digits that make up each axis in order, and devices that are all the
/// numbers of a range from 0 or above, each once.
constexpr Status check(const Mesh& mesh) noexcept
{
    if (const Status e = detail::check_names(mesh.axes); !e.ok()) return e;
    if (mesh.digits.overfull()) return detail::order_capacity(max_mesh_axes);
    int at = 0;
    for (int i = 0; i < mesh.axes.size(); ++i) {
        std::int64_t places = 1;
        for (; at < mesh.digits.size() && mesh.digits[at].axis == i; ++at) {
            if (mesh.digits[at].extent < 2)
                return Error(errc::bad_extent, at, "digit {0} of the devices has an extent below 2", at);
            if (!detail::mul(places, mesh.digits[at].extent, places)) places = -1;
        }
        if (places != mesh.axes[i].size)
            return Error(errc::size_mismatch, i, "the digits of mesh axis {0} do not make up its {1} places", i, mesh.axes[i].size);
    }
    if (at != mesh.digits.size())
        return Error(errc::bad_axis, at, "digit {0} of the devices belongs to no mesh axis, or is out of order", at);
    std::int64_t count = 0, low = 0;
    return detail::check_steps(mesh.digits, mesh.first, count, low);
}

namespace detail {

/// Gives a mesh, of which axes and first device are set, the digits of an order.
constexpr Status put_in_order(Mesh& mesh, const DeviceOrder& order) noexcept
{
    if (const Status e = check_names(mesh.axes); !e.ok()) return e;
    const MeshAxes& axes = mesh.axes;
    std::int64_t sizes[max_mesh_axes]{}, steps = 1;
    int ends[max_mesh_axes]{};
    for (int i = 0; i < axes.size(); ++i) sizes[i] = axes[i].size;
    if (order.overfull()) return order_capacity(max_mesh_axes);
    for (const Iter& it : order) {
        if (it.extent < 1) return empty_step(it.extent);
        std::int64_t footprint = 0; // where it fits, so do the strides of what the step is cut into
        if (!mul(steps, it.extent, steps) || !mul(it.extent, it.stride, footprint)) return device_numbers_overflow();
    }
    if (steps != device_count(mesh))
        return Error(errc::size_mismatch, -1, "the mesh has {0} places, the order of its devices {1}", device_count(mesh), steps);
    DeviceOrder digits;
    if (const Status e = cut(order, sizes, axes.size(), digits, ends); !e.ok()) {
        if (e.code() == errc::capacity) return e;
        return Error(errc::not_grouped, e.error().position, "the order of the devices does not split at mesh axis {0}",
                     e.error().position);
    }
    for (int i = 0, at = 0; i < axes.size(); ++i)
        for (; at < ends[i]; ++at)
            if (digits[at].extent > 1) mesh.digits.push_back({i, digits[at].extent, digits[at].stride});
    std::int64_t count = 0, low = 0; // the digits make up the axes: they were cut so
    return check_steps(mesh.digits, mesh.first, count, low);
}

} // namespace detail

/// The mesh of these axes whose devices, in row-major order of the places, are `first + ` the values of the steps, major first.
///
/// `errc::not_grouped` with the axis when the steps do not split where the axes do: then a place along that axis is not a fixed number of
/// devices on. Else the errors of `check`.
constexpr Result<Mesh> make_mesh(const MeshAxes& axes, const DeviceOrder& order, std::int64_t first = 0) noexcept
{
    Result<Mesh> result;
    detail::take(result->axes, axes);
    result->first = first;
    if (const Status e = detail::put_in_order(*result, order); !e.ok()) result = e;
    return result;
}

/// The row-major mesh: the last axis counts neighbors.
constexpr Result<Mesh> make_mesh(const MeshAxes& axes, std::int64_t first = 0) noexcept
{
    DeviceOrder order;
    std::int64_t devices = 1;
    if (axes.overfull()) return detail::check_names(axes);
    for (const MeshAxis& axis : axes)
        if (axis.size < 1 || !detail::mul(devices, axis.size, devices)) return detail::check_names(axes);
    order.push_back(Iter(devices, 1, device_axis));
    return make_mesh(axes, order, first);
}

/// The steps of an iota that is reshaped and transposed: position p of `[dims]T(order)` is the p-th element, row-major, of the array
/// 0, 1, … of shape `dims` with its dimensions in the order given.      [XLA, TileAssignment]
///
/// `errc::rank_mismatch`, `errc::bad_argument` when `order` is not a permutation, `errc::bad_extent`, `errc::overflow`.
constexpr Result<DeviceOrder> iota_order(const Shape& dims, const InlineVector<int, max_rank>& order) noexcept
{
    Result<DeviceOrder> result;
    if (const auto v = volume(dims); !v) return v.error();
    if (order.size() != dims.size())
        return Error(errc::rank_mismatch, -1, "the order has {1} entries, the mesh {0} dimensions", dims.size(), order.size());
    for (int i = 0; i < order.size(); ++i) {
        bool once = order[i] >= 0 && order[i] < dims.size();
        for (int k = 0; k < i; ++k) once = once && order[k] != order[i];
        if (!once)
            return Error(errc::bad_argument, i, "entry {0} of the order is {1}; the order must name each dimension once", i,
                         order[i]);
        std::int64_t stride = 1;
        for (int d = order[i] + 1; d < dims.size(); ++d) stride *= dims[d];
        result->push_back(Iter(dims[order[i]], stride, device_axis));
    }
    return result;
}

/// The axis of a name, −1 if none exists.
constexpr int find_axis(const Mesh& mesh, const Name& name) noexcept
{
    for (int i = 0; i < mesh.axes.size(); ++i)
        if (mesh.axes[i].name == name) return i;
    return -1;
}

/// The devices as a layout: from the row-major places of the mesh to `gpuid`.
constexpr Layout devices(const Mesh& mesh) noexcept
{
    Layout out;
    for (const DeviceDigit& digit : mesh.digits) out.shard.push_back(Iter(digit.extent, digit.stride, device_axis));
    if (mesh.first != 0) *out.offset.entry(device_axis) = mesh.first;
    return out;
}

/// The place of a device: its index along each axis. `errc::out_of_domain` for a device that the mesh does not have.
constexpr Result<Coord> place_of(const Mesh& mesh, std::int64_t device) noexcept
{
    Result<Coord> result;
    std::int64_t low = mesh.first;
    for (const DeviceDigit& digit : mesh.digits) low += digit.stride < 0 ? (digit.extent - 1) * digit.stride : 0;
    if (device < low || device - low >= device_count(mesh))
        return Error(errc::out_of_domain, -1, "device {0} is outside the mesh, which has devices [{1}, {2})", device, low,
                     low + device_count(mesh));
    result->count = mesh.axes.size();
    for (int i = 0; i < mesh.axes.size(); ++i) (*result)[i] = 0;
    for (const DeviceDigit& digit : mesh.digits) {
        const std::int64_t index = detail::quotient(device - low, detail::magnitude(digit.stride)) % digit.extent;
        (*result)[digit.axis] = (*result)[digit.axis] * digit.extent + (digit.stride < 0 ? digit.extent - 1 - index : index);
    }
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
