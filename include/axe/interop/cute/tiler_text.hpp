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
        if (extent < 1)
            return in.fail(errc::bad_extent, start, "the extent at character {0} is {1}; it must be at least 1", extent);
        out = from_leaves({Leaf(extent, 1)});
        return true;
    }
    if (in.error) return false;
    in.at = start;
    return read_layout(in, out);
}

/// Appends all of a layout, or says that there is no room.
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
    do {
        ++out.items.nodes[tuple].children;
        if (in.accept('<')) {
            if (!read_tiler(in, out, item)) return false;
            continue;
        }
        const bool kept = in.peek() == '_' && !(in.at + 1 < in.length && Reader::is_digit(in.text[in.at + 1]));
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

} // namespace detail

/// Reads a tiler, `<4:1,_,<8,(2,2):(1,8)>>`: a layout for each mode, `8` for `8:1`, `_` for a mode that stays, and `<…>` again for
/// the modes of a mode. It is the inverse of no printer: CuTe prints tuples of layouts, and integers in them, in this way.
///
/// Errors, of a character: `errc::bad_syntax`, `errc::bad_extent`, `errc::capacity`; those of `parse_layout` for each layout. All of them
/// together are checked by the operation that takes them.
constexpr Result<Tiler> parse_tiler(const char* text, int length) noexcept
{
    Result<Tiler> result;
    detail::Reader in(text, length);
    int item = 0;
    if (!in.expect('<', "expected '<' before a tiler at character {0}") || !detail::read_tiler(in, *result, item) || !in.finish())
        return in.error;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
