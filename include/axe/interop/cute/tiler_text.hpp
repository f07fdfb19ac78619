// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_TILER_TEXT_HPP
#define AXE_INTEROP_CUTE_TILER_TEXT_HPP

#include <axe/interop/cute/text.hpp>
#include <axe/interop/cute/tiler.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// A layout of a tiler, `8` or `8:1`.
constexpr bool read_tile(Reader& in, Layout& out) noexcept
{
    const int start = in.at;
    std::int64_t extent = 0;
    if (in.peek() != '(' && in.peek() != '_' && in.integer(extent, "expected a layout, an extent or _ at character {0}") &&
        (in.peek() == ',' || in.peek() == '>')) {
        if (extent < 1) return in.small_extent(start, extent);
        out = from_leaves({Leaf(extent, 1)});
        return true;
    }
    if (!in.error.ok()) return false;
    in.at = start;
    return read_layout(in, out);
}

/// Appends all of a layout, or reports that there is no room.
constexpr bool put_nodes(Reader& in, Layout& to, const Layout& from, int where) noexcept
{
    return put_part(to, whole(from)) ||
           in.fail(errc::capacity, where, "the layouts have more than {1} nodes at character {0}", Layout::max_nodes);
}

/// What follows '<'; `item` counts the layouts so far.
constexpr bool read_tiler(Reader& in, Tiler& out, int& item) noexcept
{
    const int tuple = out.items.nodes.size();
    Layout opened;
    opened.nodes.push_back(Node{});
    if (!put_nodes(in, out.items, opened, in.at - 1)) return false;
    if (tuple > 0) out.nested |= std::uint64_t{1} << tuple; // the outermost always is one
    if (in.accept('>')) return true;
    do {
        ++out.items.nodes[tuple].children;
        if (in.accept('<')) {
            if (!read_tiler(in, out, item)) return false;
            continue;
        }
        const bool kept = at_underscore(in);
        const int where = in.at;
        Layout tile = from_leaves({}); // 1:0
        if (kept)
            ++in.at;
        else if (!read_tile(in, tile = Layout{}))
            return false;
        if (!put_nodes(in, out.items, tile, where)) return false;
        out.kept |= std::uint64_t{kept} << item++;
    } while (in.accept(','));
    return in.expect('>', "expected ',' or '>' after a mode at character {0}");
}

/// A tuple of integers, `(4,_,(2,8))`, with its '('; without where it is the outermost and has a separator.
constexpr bool read_integers(Reader& in, Tiler& out, int& item, char separator = '\0') noexcept
{
    const int tuple = out.items.nodes.size();
    Layout opened;
    opened.nodes.push_back(Node{});
    if (!put_nodes(in, out.items, opened, in.at)) return false;
    if (tuple > 0) out.nested |= std::uint64_t{1} << tuple;
    const auto one = [&] {
        if (in.peek() == '(') return read_integers(in, out, item);
        const int where = in.at;
        std::int64_t extent = 1;
        const bool kept = at_underscore(in);
        if (kept)
            ++in.at;
        else if (!in.integer(extent, "expected an extent, _ or '(' at character {0}"))
            return false;
        if (extent < 1) return in.small_extent(where, extent);
        out.kept |= std::uint64_t{kept} << item++;
        return put_nodes(in, out.items, from_leaves({Leaf(extent, kept ? 0 : 1)}), where);
    };
    int items = 0;
    if (separator != '\0') {
        if (!read_bare_tuple(in, items, separator, one)) return false;
        out.items.nodes[tuple].children = items;
        return true;
    }
    ++in.at;
    if (!read_tuple(in, items, "expected ',' or ')' after an extent at character {0}", one)) return false;
    out.items.nodes[tuple].children = items;
    return true;
}

} // namespace detail

/// Reads a tiler, `<4:1,_,<8,(2,2):(1,8)>>`: a layout for each mode, `8` for `8:1`, `_` for a mode that stays, and `<…>` again for
/// the modes of a mode. It is the inverse of no printer: CuTe prints tuples of layouts, and integers in them, in this way. A tuple of
/// integers, `(4,_,(8,2))`, is the same as `<4,_,<8,2>>`, and so is one without its outermost parentheses, `4,_,(8,2)`, or `4x8`. One
/// without items, `<>`, keeps all modes.
///
/// Errors, of a character: `errc::bad_syntax`, `errc::bad_extent`, `errc::capacity`; those of `parse_layout` for each layout. All of them
/// together are checked by the operation that takes them.
constexpr Result<Tiler> parse_tiler(TextView text) noexcept
{
    Result<Tiler> result;
    detail::Reader in(text);
    int item = 0;
    const char separator = in.peek() == '<' ? '\0' : detail::separator_outside(text, true);
    if (separator != '\0' || in.peek() == '(') {
        if (!detail::read_integers(in, *result, item, separator) || !in.finish()) return in.error;
        return result;
    }
    if (!in.expect('<', "expected '<' before a tiler at character {0}") || !detail::read_tiler(in, *result, item) || !in.finish())
        return in.error;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
