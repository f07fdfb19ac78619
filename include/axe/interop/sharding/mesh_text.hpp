// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_MESH_TEXT_HPP
#define AXE_INTEROP_SHARDING_MESH_TEXT_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/order.hpp>
#include <axe/interop/sharding/read.hpp>

/// Meshes in the notations of Shardy, JAX and XLA.
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// What follows "[" of an iota: `4,2]`, and `T(1,0)` if that comes.
constexpr bool read_iota(Reader& in, Shape& dims, InlineVector<int, max_rank>& order) noexcept
{
    const auto dim = [&] {
        std::int64_t n = 0;
        return read_size(in, n, "expected the size of a dimension at character {0}") && keep(in, dims, n);
    };
    if (!read_list(in, ']', "expected ',' or ']' in the dimensions at character {0}", dim)) return false;
    if (!accept_all(in, "T")) {
        for (int d = 0; d < dims.size(); ++d) order.push_back(d);
        return true;
    }
    const int where = in.at;
    const auto entry = [&] {
        std::int64_t d = 0;
        in.peek();
        const int at = in.at;
        if (!in.integer(d, "expected the number of a dimension at character {0}")) return false;
        if (d < 0 || d >= dims.size())
            return in.fail(errc::bad_argument, at, "the order at character {0} names dimension {1}, which does not exist", d);
        for (int before : order)
            if (before == d) return in.fail(errc::bad_argument, at, "the order at character {0} names dimension {1} twice", d);
        return keep(in, order, static_cast<int>(d));
    };
    if (!in.expect('(', "expected '(' after T at character {0}") ||
        !read_list(in, ')', "expected ',' or ')' in the order at character {0}", entry))
        return false;
    return order.size() == dims.size() ||
           in.fail(errc::rank_mismatch, where, "the order at character {0} has {1} entries, not one for each dimension",
                   order.size());
}

/// What follows "[" of a list of devices; the steps that make it.
constexpr bool read_devices(Reader& in, OrderFinder& finder) noexcept
{
    return read_list(in, ']', "expected ',' or ']' in the devices at character {0}", [&] {
        std::int64_t device = 0;
        in.peek();
        const int where = in.at;
        if (!in.integer(device, "expected the number of a device at character {0}")) return false;
        if (device < 0) return negative_device(in, where, device);
        return finder.add(device) ||
               in.fail(errc::no_layout, where,
                       "the device list is not a product of steps: device {1} at character {0} breaks the pattern", device);
    });
}

/// Has the axis, whose name begins at a character, a separate name?
constexpr bool is_new_name(Reader& in, const MeshAxes& axes, const Name& name, int where) noexcept
{
    for (int k = 0; k < axes.size(); ++k)
        if (axes[k].name == name && in.error.ok())
            in.error = Error(errc::bad_axis, where, "mesh axes {0} and {1} have the same name, the second at character {2}", k,
                             axes.size(), where);
    return in.error.ok();
}

/// Was it made? Of an order that has other devices than the mesh places, its character is said.
constexpr bool is_made(Reader& in, const Result<Mesh>& made, int order) noexcept
{
    if (made) return true;
    const Error& e = in.error = made.error();
    if (e.code == errc::size_mismatch)
        in.error = Error(errc::size_mismatch, order, "the mesh has {0} places, the order of its devices at character {2} has {1}",
                         e.numbers[0], e.numbers[1], order);
    return false;
}

constexpr bool read_axis_size(Reader& in, std::int64_t& size) noexcept
{
    return read_size(in, size, "expected the size of the axis at character {0}");
}

/// What follows "<" of Shardy's mesh: `["x"=2, "y"=4], device_ids=[…]>`.
constexpr bool read_sdy_mesh(Reader& in, Result<Mesh>& out) noexcept
{
    MeshAxes axes;
    const auto axis = [&] {
        MeshAxis one{};
        in.peek();
        const int at = in.at;
        return read_quoted(in, one.name, "expected the name of a mesh axis in quotes at character {0}") &&
               is_new_name(in, axes, one.name, at) && in.expect('=', "expected '=' after the name of the axis at character {0}") &&
               read_axis_size(in, one.size) && keep(in, axes, one);
    };
    if (!in.expect('[', "expected '[' before the axes of the mesh at character {0}") ||
        !read_list(in, ']', "expected ',' or ']' after the axis at character {0}", axis))
        return false;
    OrderFinder finder;
    int where = in.at;
    if (in.accept(',')) {
        in.peek();
        where = in.at;
        if (!accept_all(in, "device_ids")) return in.expected("expected device_ids at character {0}");
        if (!in.expect('=', "expected '=' after device_ids at character {0}") ||
            !in.expect('[', "expected '[' before the devices at character {0}") || !read_devices(in, finder))
            return false;
    }
    if (!in.expect('>', "expected '>' after the mesh at character {0}")) return false;
    if (finder.count() == 0) {
        out = make_mesh(axes);
    } else {
        const auto order = finder.order();
        out = order ? make_mesh(axes, *order, finder.first()) : Result<Mesh>(order.error());
    }
    return is_made(in, out, where);
}

/// What follows "(" of JAX's: `'x': 2, 'y': 4)`; the types of the axes, which move nothing, may follow.
constexpr bool read_jax_mesh(Reader& in, Result<Mesh>& out) noexcept
{
    MeshAxes axes;
    const auto axis = [&] {
        if (accept_all(in, "axis_types")) {
            if (!in.expect('=', "expected '=' after axis_types at character {0}") ||
                !in.expect('(', "expected '(' before the types of the axes at character {0}"))
                return false;
            while (in.peek() != ')' && in.at < in.length) ++in.at;
            return in.expect(')', "expected ')' after the types of the axes at character {0}");
        }
        MeshAxis one{};
        in.peek();
        const int at = in.at;
        return read_quoted(in, one.name, "expected the name of a mesh axis in quotes at character {0}") &&
               is_new_name(in, axes, one.name, at) && in.expect(':', "expected ':' after the name of the axis at character {0}") &&
               read_axis_size(in, one.size) && keep(in, axes, one);
    };
    if (!read_list(in, ')', "expected ',' or ')' after the axis at character {0}", axis)) return false;
    out = make_mesh(axes);
    return is_made(in, out, in.at);
}

/// What follows the bracket of plain sizes: `2,4]`, and `<=[4,2]T(1,0)` if that comes.
constexpr bool read_plain_mesh(Reader& in, char close, Result<Mesh>& out) noexcept
{
    MeshAxes axes;
    int where = in.at;
    const auto axis = [&] {
        MeshAxis one(numbered_name(axes.size()), 0);
        return read_axis_size(in, one.size) && keep(in, axes, one);
    };
    if (!read_list(in, close, "expected ',' or a bracket after the size at character {0}", axis)) return false;
    if (!accept_all(in, "<=")) {
        out = make_mesh(axes);
    } else {
        Shape dims;
        InlineVector<int, max_rank> order;
        in.peek();
        where = in.at;
        if (!open_iota(in) || !read_iota(in, dims, order)) return false;
        const auto steps = iota_order(dims, order);
        out = steps ? make_mesh(axes, *steps) : Result<Mesh>(steps.error());
    }
    return is_made(in, out, where);
}

/// A mesh in any of the notations, its prefix still to come.
constexpr bool read_mesh(Reader& in, Result<Mesh>& out) noexcept
{
    if (accept_all(in, "sdy.mesh")) {
        if (!in.expect('@', "expected '@' and the name of the mesh at character {0}")) return false;
        while (in.at < in.length && !Reader::is_space(in.text[in.at]) && in.text[in.at] != '=') ++in.at;
        if (!in.expect('=', "expected '=' after the name of the mesh at character {0}")) return false;
        accept_all(in, "#sdy.mesh");
    } else if (accept_all(in, "Mesh")) {
        return in.expect('(', "expected '(' after Mesh at character {0}") && read_jax_mesh(in, out);
    } else if (!accept_all(in, "#sdy.mesh")) {
        accept_word(in, "mesh");
    }
    if (in.accept('<')) return read_sdy_mesh(in, out);
    if (in.accept('(')) return read_plain_mesh(in, ')', out);
    if (in.accept('[')) return read_plain_mesh(in, ']', out);
    return in.expected("expected a mesh, <[\"x\"=2]>, Mesh('x': 2) or (2,4), at character {0}");
}

} // namespace detail

/// Reads a mesh:
///
///   `<["x"=2, "y"=4]>`, `<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`, after `mesh`, `#sdy.mesh` or `sdy.mesh @m =`   [Shardy]
///   `Mesh('x': 2, 'y': 4)`                                                                                          [JAX]
///   `(2,4)`, `[2,4]<=[4,2]T(1,0)`, its axes called `_axis_0`, `_axis_1`, …                          [XLA, IotaTileAssignment]
///
/// `errc::no_layout` at the device where a list stops being steps, `errc::not_grouped` when the order does not split where the axes
/// do; `errc::bad_syntax` with the character, and what `check` says of the mesh.
constexpr Result<Mesh> parse_mesh(TextView text) noexcept
{
    Result<Mesh> result;
    detail::Reader in(text);
    if (!detail::read_mesh(in, result) || !in.finish()) return in.error;
    return result;
}

namespace detail {

/// The most devices that are printed one by one.
inline constexpr int most_listed = 256;

/// The device at a row-major place of a mesh.
constexpr std::int64_t device_at(const Mesh& mesh, std::int64_t place) noexcept
{
    std::int64_t device = mesh.first;
    for (int k = mesh.digits.size() - 1; k >= 0; --k) {
        device += place % mesh.digits[k].extent * mesh.digits[k].stride;
        place /= mesh.digits[k].extent;
    }
    return device;
}

constexpr bool is_row_major(const Mesh& mesh) noexcept
{
    std::int64_t stride = 1;
    for (int k = mesh.digits.size() - 1; k >= 0; --k) {
        if (mesh.digits[k].stride != stride) return false;
        stride *= mesh.digits[k].extent;
    }
    return mesh.first == 0;
}

template <int N>
constexpr Status put_sdy_mesh(Text<N>& out, const Mesh& mesh) noexcept
{
    out.put("<[");
    for (int i = 0; i < mesh.axes.size(); ++i) {
        if (i > 0) out.put(", ");
        put_name(out, '"', mesh.axes[i].name);
        out.put('=');
        out.put_number(mesh.axes[i].size);
    }
    out.put(']');
    if (!is_row_major(mesh)) {
        if (device_count(mesh) > most_listed) return too_many_listed(device_count(mesh), most_listed);
        out.put(", device_ids=[");
        for (std::int64_t i = 0; i < device_count(mesh); ++i) {
            if (i > 0) out.put(", ");
            out.put_number(device_at(mesh, i));
        }
        out.put(']');
    }
    out.put('>');
    return {};
}

} // namespace detail

/// Shardy's text of a mesh: `<["x"=2, "y"=4]>`, with `device_ids` where the order is not row-major.
/// `errc::capacity` when more than 256 devices would be listed; the errors of `check`.
constexpr Result<SpecText> print_mesh(const Mesh& mesh) noexcept
{
    Result<SpecText> result;
    if (const Status e = check(mesh); !e.ok()) return e;
    if (const Status e = detail::put_sdy_mesh(*result, mesh); !e.ok()) return e;
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
