// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_SDY_HPP
#define AXE_INTEROP_SHARDING_SDY_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/mesh_text.hpp>

/// Shardy's attribute:  [#sdy.sharding] < @mesh | mesh<…>, [dims] [, replicated={axes}] [, unreduced={axes}] >
///
///   dim  := "{" [axis {, axis}] [, "?"] "}" ["p" int]            an open dimension ends with ?
///   axis := "name" [":(" before ")" size]                        a sub-axis
///                                                                [openxla/shardy, docs/sharding_representation.md; sdy dialect tests]
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// `"y"`, or `"y":(1)2` of an axis of which that is a part.
constexpr bool read_axis_ref(Reader& in, const Mesh& mesh, Part& out) noexcept
{
    int axis = -1;
    in.peek();
    const int where = in.at;
    if (!read_axis(in, mesh, axis)) return false;
    out = whole_axis(mesh, axis);
    if (!in.accept(':')) return true;
    if (!in.expect('(', "expected '(' and the places before the sub-axis at character {0}") ||
        !read_size(in, out.before, "expected the product of the sub-axes before at character {0}") ||
        !in.expect(')', "expected ')' after the places before the sub-axis at character {0}") ||
        !read_size(in, out.size, "expected the size of the sub-axis at character {0}"))
        return false;
    if (!check_part(mesh, out, 0).ok())
        return in.fail(errc::bad_argument, where, "the sub-axis at character {0} does not divide the {1} places of its axis",
                       mesh.axes[axis].size);
    return true;
}

/// Are the places free, those that the spec names so far?
constexpr bool is_free(Reader& in, const Spec& spec, const Part& part, int where) noexcept
{
    const auto clashes = [&](const Part& other) { return other.axis == part.axis && !apart(other, part); };
    const bool whole_twice = [&] { // also of axes with one place
        for (const Part& other : spec.parts)
            if (other == part) return true;
        return false;
    }();
    bool taken = whole_twice;
    for (const Part& other : spec.parts) taken = taken || clashes(other);
    for (const Part& other : spec.replicated) taken = taken || clashes(other) || other == part;
    for (const Unreduced& other : spec.unreduced) taken = taken || clashes(other.part) || other.part == part;
    return !taken || in.fail(errc::bad_argument, where, "the places of the mesh axis at character {0} are already named");
}

/// What follows "[" of the dimensions.
constexpr bool read_sdy_dims(Reader& in, Spec& spec) noexcept
{
    return read_list(in, ']', "expected ',' or ']' after the dimension at character {0}", [&] {
        Dimension dim(0);
        const auto axis = [&] {
            in.peek();
            if (dim.open) return in.expected("expected '}' after the ? at character {0}");
            if (in.accept('?')) {
                dim.open = true;
                return true;
            }
            Part part;
            in.peek();
            const int where = in.at;
            return read_axis_ref(in, spec.mesh, part) && is_free(in, spec, part, where) && keep(in, spec.parts, part);
        };
        if (!in.expect('{', "expected '{' before the axes of a dimension at character {0}") || !read_axes(in, axis)) return false;
        if (in.accept('p')) {
            std::int64_t priority = 0;
            const int where = in.at;
            if (!in.integer(priority, "expected the priority after p at character {0}")) return false;
            if (priority < 0 || priority > 1'000'000)
                return in.fail(errc::bad_argument, where, "the priority at character {0} is {1}; it must be from 0 to 1000000",
                               priority);
            dim.priority = static_cast<int>(priority);
        }
        dim.end = spec.parts.size();
        return keep(in, spec.dims, dim);
    });
}

constexpr bool read_sdy(Reader& in, Spec& spec, const Mesh* mesh) noexcept
{
    accept_all(in, "#sdy.sharding");
    if (!in.expect('<', "expected '<' before the sharding at character {0}")) return false;
    const int where = in.at;
    if (in.accept('@')) {
        const int start = in.at;
        while (in.at < in.length && !Reader::is_space(in.text[in.at]) && in.text[in.at] != ',') ++in.at;
        if (in.at == start) return in.expected("expected the name of the mesh at character {0}");
        if (mesh == nullptr)
            return in.fail(errc::bad_argument, where, "the mesh at character {0} is given by name; pass its axes as well");
        take(spec.mesh, *mesh);
    } else {
        Result<Mesh> own;
        if (!read_mesh(in, own)) return false;
        take(spec.mesh, *own);
    }
    if (!in.expect(',', "expected ',' after the mesh at character {0}") ||
        !in.expect('[', "expected '[' before the dimensions at character {0}") || !read_sdy_dims(in, spec))
        return false;
    bool replicated = false, unreduced = false;
    while (in.accept(',')) {
        in.peek();
        const bool first = !replicated && !unreduced && accept_all(in, "replicated");
        if (!first && (unreduced || !accept_all(in, "unreduced")))
            return in.expected("expected replicated= or unreduced= at character {0}");
        (first ? replicated : unreduced) = true;
        const auto axis = [&] {
            Part part;
            in.peek();
            const int at = in.at;
            return read_axis_ref(in, spec.mesh, part) && is_free(in, spec, part, at) &&
                   (first ? keep(in, spec.replicated, part) : keep(in, spec.unreduced, Unreduced(part, Reduction::sum)));
        };
        if (!in.expect('=', "expected '=' before the axes at character {0}") ||
            !in.expect('{', "expected '{' before the axes at character {0}") || !read_axes(in, axis))
            return false;
    }
    return in.expect('>', "expected ',' or '>' after the sharding at character {0}") && in.finish();
}

template <int N>
constexpr void put_axis_ref(Text<N>& out, const Mesh& mesh, const Part& part) noexcept
{
    put_name(out, '"', mesh.axes[part.axis].name);
    if (part.size == mesh.axes[part.axis].size) return;
    out.put(":(");
    out.put_number(part.before);
    out.put(')');
    out.put_number(part.size);
}

/// In order of the mesh, and of a sub-axis's place in its axis.
template <class List, class Get>
constexpr List in_mesh_order(const List& list, Get part) noexcept
{
    List out = list;
    for (int i = 1; i < out.size(); ++i)
        for (int k = i; k > 0; --k) {
            const Part &a = part(out[k - 1]), &b = part(out[k]);
            if (a.axis < b.axis || (a.axis == b.axis && a.before <= b.before)) break;
            const auto moved = out[k];
            out[k] = out[k - 1];
            out[k - 1] = moved;
        }
    return out;
}

} // namespace detail

/// Reads `#sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"z"}, unreduced={"w"}>` over the mesh that its name stands for.
///
/// The name itself is not looked at. Terms are summed up: Shardy has no other reduction. `errc::bad_syntax` with the character,
/// `errc::unknown_axis`, `errc::bad_argument` for places named twice and for sub-axes that do not divide.
constexpr Result<Spec> parse_sdy(TextView text, const Mesh& mesh) noexcept
{
    Result<Spec> result;
    detail::Reader in(text);
    Status e = check(mesh);
    if (e.ok()) e = detail::read_sdy(in, *result, &mesh) ? detail::check_parts(*result) : in.error;
    if (!e.ok()) result = e;
    return result;
}

/// Reads a sharding that says its mesh: `#sdy.sharding<mesh<["x"=2, "y"=4]>, [{"x"}, {}]>`.
constexpr Result<Spec> parse_sdy(TextView text) noexcept
{
    Result<Spec> result;
    detail::Reader in(text);
    if (const Status e = detail::read_sdy(in, *result, nullptr) ? check(*result) : in.error; !e.ok()) result = e;
    return result;
}

/// Shardy's text of a spec; its mesh is written as the name, or within where that is null.
///
/// Replicated and unreduced axes are put in the order of the mesh, as Shardy demands. `errc::no_layout` for parts that stay on a
/// device and for reductions other than sums: Shardy has no word for them.
constexpr Result<SpecText> print_sdy(const Spec& spec, const char* mesh_name = "mesh") noexcept
{
    using namespace detail;
    Result<SpecText> result;
    SpecText& out = *result;
    if (const Status e = check(spec); !e.ok()) return e;
    out.put("#sdy.sharding<");
    if (mesh_name != nullptr) {
        out.put('@');
        out.put(mesh_name);
    } else {
        out.put("mesh");
        if (const Status e = put_sdy_mesh(out, spec.mesh); !e.ok()) return e;
    }
    out.put(", [");
    for (int d = 0; d < spec.rank(); ++d) {
        out.put(d == 0 ? "{" : ", {");
        bool first = true;
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            if (spec.parts[i].stays() && spec.parts[i].size == 1) continue; // nothing, which needs no word
            if (spec.parts[i].stays()) return detail::parts_stay(d, spec.parts[i].size);
            if (!first) out.put(", ");
            first = false;
            put_axis_ref(out, spec.mesh, spec.parts[i]);
        }
        if (spec.dims[d].open) out.put(first ? "?" : ", ?");
        out.put('}');
        if (spec.dims[d].priority < 0) continue;
        out.put('p');
        out.put_number(spec.dims[d].priority);
    }
    out.put(']');
    const auto marks = [&](const char* word, const auto& list, auto part) {
        if (list.empty()) return;
        out.put(word);
        for (int i = 0; i < list.size(); ++i) {
            if (i > 0) out.put(", ");
            put_axis_ref(out, spec.mesh, part(list[i]));
        }
        out.put('}');
    };
    const auto self = [](const Part& part) -> const Part& { return part; };
    const auto of_term = [](const Unreduced& u) -> const Part& { return u.part; };
    for (const Unreduced& u : spec.unreduced)
        if (u.reduction != Reduction::sum)
            return Error(errc::no_layout, -1, "Shardy's unreduced axes are sums; these terms have a different reduction");
    marks(", replicated={", in_mesh_order(spec.replicated, self), self);
    marks(", unreduced={", in_mesh_order(spec.unreduced, of_term), of_term);
    out.put('>');
    if (out.size == SpecText::capacity) // only a name can be so long
        return Error(errc::capacity, SpecText::capacity, "the text has more than {0} characters: the name of the mesh is too long",
                     SpecText::capacity - 1);
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
