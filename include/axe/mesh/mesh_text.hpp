// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_MESH_TEXT_HPP
#define AXE_MESH_MESH_TEXT_HPP

#include <axe/mesh/mesh_sharding.hpp>
#include <axe/mesh/sub_mesh.hpp>
#include <axe/text/common/reader.hpp>
#include <axe/text/print.hpp>

/// The written form of meshes, keys and shardings.
///
///   mesh     := level { "," level }          level := scope "(" axes ")" | axis "=" int         scope := node | device | cluster | block
///   axes     := axis "=" int { "," axis "=" int }
///   key      := "[" entry { "," entry } "]"  entry := int | [int] ":" [int] [ ":" [int] ] | "..."
///   sharding := "[" [ split { "," split } ] "]" { "P" "(" names ")" | "U" "(" names ")" }       split := axis | "[" [ names ] "]"
///
/// An axis that is called as a scope is of that scope, others are of devices; `block_cluster` is another name of `cluster`. Names of
/// axes may be in double quotes.
namespace axe {
inline namespace v0 {

/// A text of a mesh or a sharding.
using MeshText = Text<1024 + decltype(print(Layout{}))::capacity>;

namespace detail {

/// The name of an axis of a mesh.
constexpr bool read_mesh_name(Reader& in, Axis& out) noexcept
{
    const bool quoted = in.accept('"');
    return in.axis(out, "expected the name of a mesh axis at character {0}") &&
           (!quoted || in.expect('"', "expected '\"' after the name of the mesh axis at character {0}"));
}

/// The scope of this name; false if none has it.
constexpr bool find_scope_of(const Axis& called, MeshScope& out) noexcept
{
    if (called == Axis("block_cluster")) out = MeshScope::cluster;
    for (int i = 0; i < mesh_scopes; ++i) {
        const char* word = name(static_cast<MeshScope>(i));
        if (!(called == *Axis::make(word))) continue;
        out = static_cast<MeshScope>(i);
        return true;
    }
    return called == Axis("block_cluster");
}

/// Axes as they are read, and where their names begin.
struct ReadTopology {
    MeshTopology axes{};
    InlineVector<int, max_rank> places{};
};

/// `=4`: what follows the name of an axis, which begins at a character.
constexpr bool read_mesh_size(Reader& in, const Axis& called, MeshScope scope, int where, ReadTopology& out) noexcept
{
    std::int64_t size = 0;
    if (!in.expect('=', "expected '=' after the name of the mesh axis at character {0}") ||
        !in.integer(size, "expected the size of a mesh axis at character {0}"))
        return false;
    out.axes.push_back(MeshAxis(called, size, scope));
    out.places.push_back(where);
    return true;
}

constexpr bool read_mesh_level(Reader& in, ReadTopology& out) noexcept
{
    Axis called{};
    MeshScope scope = MeshScope::device;
    in.peek();
    int where = in.at;
    if (!read_mesh_name(in, called)) return false;
    const bool is_scope = find_scope_of(called, scope);
    if (!is_scope || !in.accept('(')) return read_mesh_size(in, called, scope, where, out);
    do {
        in.peek();
        where = in.at;
        if (!read_mesh_name(in, called) || !read_mesh_size(in, called, scope, where, out)) return false;
    } while (in.accept(','));
    return in.expect(')', "expected ',' or ')' after the axis at character {0}");
}

constexpr bool read_mesh_index(Reader& in, MeshKey& out) noexcept
{
    const auto keep = [&](const MeshIndex& entry) {
        return out.push_back(entry) ||
               in.fail(errc::capacity, in.at, "the key at character {0} has more than {1} entries", MeshKey::capacity);
    };
    if (in.accept('.')) {
        const char* words = "expected '...' at character {0}";
        return in.expect('.', words) && in.expect('.', words) && keep(MeshIndex::rest());
    }
    MeshIndex entry;
    const char* words = "expected an index or a slice at character {0}";
    entry.has_first = in.peek() != ':';
    if (entry.has_first && !in.integer(entry.first, words)) return false;
    if (!in.accept(':')) {
        entry.has_first = false;
        entry.kind = MeshIndex::Kind::index;
        return keep(entry);
    }
    const auto ends = [&] { return in.peek() == ':' || in.peek() == ',' || in.peek() == ']'; };
    entry.has_past = !ends();
    if (entry.has_past && !in.integer(entry.past, words)) return false;
    if (in.accept(':') && !ends() && !in.integer(entry.step, words)) return false;
    return keep(entry);
}

/// Names up to a bracket, which has been opened.
constexpr bool read_mesh_names(Reader& in, char close, MeshAxes& out) noexcept
{
    return read_list(in, close,
                     close == ')' ? "expected ',' or ')' after the axis at character {0}"
                                  : "expected ',' or ']' after the axis at character {0}",
                     [&] {
                         Axis name{};
                         return read_mesh_name(in, name) && read_item(out, name);
                     });
}

/// The names of some axes, with commas between them.
constexpr void put_names(MeshText& out, const Sharding& sharding, const int* begin, const int* end) noexcept
{
    for (const int* axis = begin; axis != end; ++axis) {
        if (axis != begin) out.put(',');
        out.put(sharding.mesh.names[*axis]);
    }
}

/// Is the axis read with its scope where no scope is written?
constexpr bool says_scope(const MeshAxis& axis) noexcept
{
    MeshScope known = MeshScope::device;
    find_scope_of(axis.name, known);
    return known == axis.scope;
}

} // namespace detail

/// Reads a mesh, `node(node_x=2,node_y=2),device=4`. `errc::bad_syntax` with the character; the errors of `device_mesh` with that of the
/// axis.
constexpr Result<Mesh> parse_device_mesh(TextView text) noexcept
{
    detail::ReadTopology topology;
    detail::Reader in(text);
    do {
        if (!detail::read_mesh_level(in, topology)) return in.error;
    } while (in.accept(','));
    if (!in.finish("expected ',' or the end of the mesh at character {0}")) return in.error;
    const auto made = device_mesh(topology.axes);
    if (made || made.error().position < 0 || made.error().position >= topology.places.size()) return made;
    Error error = made.error();
    error.position = topology.places[error.position];
    return error;
}

/// Reads a key, `[1, :, -2:4:2]`. `errc::bad_syntax` with the character.
constexpr Result<MeshKey> parse_mesh_key(TextView text) noexcept
{
    Result<MeshKey> result;
    detail::Reader in(text);
    if (!in.open_bracket() ||
        !detail::read_list(in, ']', "expected ',' or ']' in the key at character {0}",
                           [&] { return detail::read_mesh_index(in, *result); }) ||
        !in.finish())
        return in.error;
    return result;
}

/// Reads a sharding over a mesh, `[[x,y],[]] P(z)`. `errc::bad_syntax` with the character; the errors of `make_sharding`.
constexpr Result<Sharding> parse_mesh_sharding(TextView text, const Mesh& mesh) noexcept
{
    MeshSplit split;
    MeshAxes partial, undistributed;
    detail::Reader in(text);
    const auto dimension = [&] {
        MeshAxes names;
        Axis name{};
        const bool read = in.accept('[')                     ? detail::read_mesh_names(in, ']', names)
                          : detail::read_mesh_name(in, name) ? detail::read_item(names, name)
                                                             : false;
        return read && detail::read_item(split, names);
    };
    if (!in.open_bracket() || !detail::read_list(in, ']', "expected ',' or ']' in the sharding at character {0}", dimension))
        return in.error;
    for (char which = in.peek(); which == 'P' || which == 'U'; which = in.peek()) {
        ++in.at;
        if (!in.expect('(', "expected '(' after P or U at character {0}") ||
            !detail::read_mesh_names(in, ')', which == 'P' ? partial : undistributed))
            return in.error;
    }
    if (!in.finish("expected P(…), U(…) or the end of the sharding at character {0}")) return in.error;
    return make_sharding(mesh, split, partial, undistributed);
}

/// The launch mesh, as `parse_device_mesh` reads it.
constexpr MeshText print_launch(const Mesh& mesh) noexcept
{
    MeshText out;
    const MeshTopology& axes = mesh.launch;
    for (int i = 0; i < axes.size();) {
        int end = i;
        bool bare = true;
        for (; end < axes.size() && axes[end].scope == axes[i].scope; ++end) bare = bare && detail::says_scope(axes[end]);
        if (i > 0) out.put(',');
        if (!bare) {
            out.put(name(axes[i].scope));
            out.put('(');
        }
        for (int first = i; i < end; ++i) {
            if (i > first) out.put(',');
            out.put(axes[i].name);
            out.put('=');
            out.put_number(axes[i].size);
        }
        if (!bare) out.put(')');
    }
    return out;
}

/// The dimensions and the layout of a mesh: `(node_y=2) -> 2:4@id + 10@id`.
constexpr MeshText print(const Mesh& mesh) noexcept
{
    MeshText out;
    out.put('(');
    for (int d = 0; d < mesh.rank(); ++d) {
        if (d > 0) out.put(',');
        out.put(mesh.names[d]);
        out.put('=');
        out.put_number(mesh.shape[d]);
    }
    out.put(") -> ");
    out.put(print(mesh.ids).c_str());
    return out;
}

/// A sharding, as `parse_mesh_sharding` reads it: `[[x,y],[]] P(z)`.
constexpr MeshText print(const Sharding& sharding) noexcept
{
    MeshText out;
    const int* axes = sharding.axes.begin();
    out.put('[');
    for (int d = 0; d < sharding.rank(); ++d) {
        out.put(d > 0 ? ",[" : "[");
        detail::put_names(out, sharding, axes + sharding.begin(d), axes + sharding.end(d));
        out.put(']');
    }
    out.put(']');
    const auto put_state = [&](const char* open, const Sharding::List& list) {
        if (list.empty()) return;
        out.put(open);
        detail::put_names(out, sharding, list.begin(), list.end());
        out.put(')');
    };
    put_state(" P(", sharding.partial);
    put_state(" U(", sharding.undistributed);
    return out;
}

} // namespace v0
} // namespace axe

#endif
