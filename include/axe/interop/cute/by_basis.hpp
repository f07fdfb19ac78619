// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_BY_BASIS_HPP
#define AXE_INTEROP_CUTE_BY_BASIS_HPP

#include <axe/interop/cute/modes.hpp>

/// Layouts whose values are coordinates, taken apart by the places of the coordinate.
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// Is `path` where another begins?
constexpr bool begins(const Basis& path, const Basis& other) noexcept
{
    const int levels = path.path.size();
    if (levels > other.path.size()) return false;
    for (int i = 0; i < levels; ++i)
        if (path.path[i] != other.path[i]) return false;
    return true;
}
constexpr Basis within(const Basis& path, int place) noexcept
{
    Basis out = path;
    out.path.push_back(place);
    return out;
}

/// How many modes a coordinate has at one place of it: 0 where it is a number, which no sound layout has beside a tuple.
constexpr int modes_at(const Part& part, const Basis& path) noexcept
{
    int modes = 0;
    for (const Node& node : part)
        if (node.children < 0 && begins(path, node.leaf.basis) && node.leaf.basis.path.size() > path.path.size())
            modes = axe::detail::greatest(modes, node.leaf.basis.path[path.path.size()] + 1);
    return modes;
}

/// The same layout with plain integers, of which only what counts along one basis moves; the others step by `others`.
constexpr Layout at_place(const Part& part, const Basis& path, Int others = 0) noexcept
{
    Layout out;
    for (const Node& node : part) {
        out.nodes.push_back(node);
        Leaf& leaf = out.nodes.back().leaf;
        if (!(leaf.basis == path)) leaf.stride = others;
        leaf.basis = Basis{};
    }
    return out;
}

/// Appends what `operation(basis, out)` appends for each basis, in the tuples of the coordinate.
template <class Operation>
constexpr Status each_basis(const Part& part, const Basis& path, const Operation& operation, Layout& out) noexcept
{
    const int modes = modes_at(part, path);
    if (modes == 0) return operation(path, out);
    if (modes > Layout::max_nodes || !put_tuple(out, modes)) return nodes_capacity();
    for (int i = 0; i < modes; ++i)
        if (const Status e = each_basis(part, within(path, i), operation, out); !e.ok()) return e;
    return {};
}

/// The mode of A that a basis names.
constexpr Status mode_named(const Part& a, const Basis& basis, Part& out) noexcept
{
    out = a;
    for (int level = 0; level < basis.path.size(); ++level) {
        const int i = basis.path[level];
        if (!out.is_tuple())
            return Error(errc::rank_mismatch, -1,
                         "a basis names mode {0} where there is no tuple of modes, but a single extent, {1}", i, size_of(out));
        if (i >= out.rank())
            return Error(errc::rank_mismatch, -1, "a basis names mode {0}, but the layout has {1} modes there", i, out.rank());
        out = mode_of(out, i);
    }
    return {};
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
