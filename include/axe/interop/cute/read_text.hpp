// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_READ_TEXT_HPP
#define AXE_INTEROP_CUTE_READ_TEXT_HPP

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/coordinate.hpp>
#include <axe/text/read_layout.hpp>

/// What the readers of `text.hpp` share: the tree of the shape, and that of the stride, which must be the same.
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

using axe::detail::Reader;

/// Where in the text the numbers of each node are, so that what is wrong with a layout is said of a character.
struct TextPositions {
    int extent[Layout::max_nodes]{};
    int stride[Layout::max_nodes]{};
};

/// What separates the items of a tuple without parentheses: ',' of `8,(2,4)`, 'x' of `8x16` where extents are read; 0 for one item.
constexpr char separator_outside(TextView text, bool extents) noexcept
{
    int open = 0;
    for (int i = 0; i < text.size; ++i) {
        const char c = text.text[i];
        open += (c == '(') - (c == ')');
        if (open == 0 && (c == ',' || (c == 'x' && extents))) return c;
    }
    return '\0';
}

/// An integer, `_8` if static.
constexpr bool read_number(Reader& in, std::int64_t& out, bool& is_static, int& where, const char* words) noexcept
{
    const char first = in.peek();
    where = in.at;
    if (first == '?') return in.expected("the number at character {0} is known at run time only; a layout needs its value");
    is_static = in.accept('_');
    return in.integer(out, is_static ? "expected a number after _ at character {0}" : words);
}

/// The items of a tuple, whose '(' has been read. Python's `(8,)`, of one item, is read as well.
template <class Item>
constexpr bool read_tuple(Reader& in, int& children, const char* words, Item item) noexcept
{
    children = 0;
    if (in.accept(')')) return true;
    do {
        if (children == 1 && in.peek() == ')') break;
        if (!item()) return false;
        ++children;
    } while (in.accept(','));
    return in.expect(')', words);
}

/// The items of a tuple without parentheses.
template <class Item>
constexpr bool read_bare_tuple(Reader& in, int& children, char separator, Item item) noexcept
{
    children = 0;
    do {
        if (!item()) return false;
        ++children;
    } while (in.accept(separator));
    return true;
}

template <class List, class T>
constexpr bool add_node(Reader& in, List& nodes, const T& node, int where) noexcept
{
    return nodes.push_back(node) ||
           in.fail(errc::capacity, where, "the tuples have more than {1} nodes at character {0}", List::capacity);
}

/// A nested tuple of extents. A tuple is a node before its items, so that nesting is as deep as the nodes allow, and no deeper.
constexpr bool read_shape(Reader& in, Layout& out, TextPositions& places, std::int64_t& size) noexcept
{
    const bool is_tuple = in.peek() == '(';
    const int at = out.nodes.size(), where = in.at;
    if (!add_node(in, out.nodes, is_tuple ? Node{0, Leaf{}} : Node{-1, {1, 0}}, where)) return false;
    Node& node = out.nodes[at];
    if (is_tuple) {
        ++in.at;
        return read_tuple(in, node.children, "expected ',' or ')' in the shape at character {0}",
                          [&] { return read_shape(in, out, places, size); });
    }
    if (!read_number(in, node.leaf.extent, node.static_extent, places.extent[at], "expected an extent or '(' at character {0}"))
        return false;
    if (node.leaf.extent < 1) return in.small_extent(places.extent[at], node.leaf.extent);
    return axe::detail::mul(size, node.leaf.extent, size) ||
           in.fail(errc::overflow, places.extent[at], "the product of the extents overflows at character {0}");
}

/// A whole text of extents: `(8,16)`, `8,16`, `8x16` or `64`.
constexpr bool read_whole_shape(TextView text, Reader& in, Layout& out) noexcept
{
    TextPositions places;
    std::int64_t size = 1;
    const char separator = separator_outside(text, true);
    if (separator == '\0') return read_shape(in, out, places, size) && in.finish();
    out.nodes.push_back(Node{0, Leaf{}});
    return read_bare_tuple(in, out.nodes[0].children, separator, [&] { return read_shape(in, out, places, size); }) && in.finish();
}

/// `16`, `_16`, `16@1`, `1@1@0`: the innermost place of the basis comes first.
constexpr bool read_stride(Reader& in, Node& node, int& where) noexcept
{
    if (!read_number(in, node.leaf.stride, node.static_stride, where, "expected a stride at character {0}")) return false;
    while (in.accept('@')) {
        std::int64_t index = 0;
        in.peek();
        const int at = in.at;
        if (!in.integer(index, "expected the number of a basis after @ at character {0}")) return false;
        if (index < 0 || index > Basis::Path::largest)
            return in.fail(errc::bad_argument, at, "the index of a basis at character {0} is {1}; it must be in [0, 2097150]",
                           index);
        if (!node.leaf.basis.path.push_front(index))
            return in.fail(errc::capacity, at, "the basis at character {0} nests deeper than {1} levels",
                           node.leaf.basis.path.capacity);
    }
    return true;
}

/// The strides of node i of the shape and of all in it.
constexpr bool read_strides(Reader& in, Layout& out, int& i, TextPositions& places) noexcept
{
    Node& node = out.nodes[i];
    const bool is_tuple = in.peek() == '(';
    const int where = in.at;
    if (is_tuple && node.children < 0)
        return in.fail(errc::rank_mismatch, where, "the stride at character {0} is a tuple where the shape has one extent, {1}",
                       node.leaf.extent);
    if (!is_tuple) {
        if (node.children >= 0 && (Reader::is_digit(in.peek()) || in.peek() == '_' || in.peek() == '-'))
            return in.fail(errc::rank_mismatch, where,
                           "the stride at character {0} is one number where the shape has a tuple of {1}", node.children);
        if (node.children >= 0) return in.expected("expected '(' before the strides at character {0}");
        return read_stride(in, node, places.stride[i++]);
    }
    ++in.at;
    ++i;
    int items = 0;
    const auto item = [&] {
        if (items++ < node.children) return read_strides(in, out, i, places);
        in.peek();
        return in.fail(errc::rank_mismatch, in.at,
                       "the stride at character {0} is one more than the {1} entries of the tuple in the shape", node.children);
    };
    int count = 0;
    if (!read_tuple(in, count, "expected ',' or ')' in the strides at character {0}", item)) return false;
    return count == node.children ||
           in.fail(errc::rank_mismatch, in.at - 1, "the strides end at character {0}; the tuple of the shape has {1} entries",
                   node.children);
}

/// `shape:stride`, up to what follows.
constexpr bool read_layout(Reader& in, Layout& out) noexcept
{
    TextPositions places;
    std::int64_t size = 1;
    int i = 0;
    if (!read_shape(in, out, places, size) || !in.expect(':', "expected ':' after the shape at character {0}") ||
        !read_strides(in, out, i, places))
        return false;
    const Status e = check(out);
    if (e.ok()) return true;
    int leaf = -1, node = -1; // of what was read, only a stride can still be wrong
    while (leaf < e.error().position && ++node < out.nodes.size()) leaf += out.nodes[node].children < 0;
    const int where = node < 0 ? 0 : places.stride[node];
    if (e.code() == errc::overflow) return in.fail(e.code(), where, "the values of the layout overflow at character {0}");
    return in.fail(e.code(), where,
                   "the basis of the stride at character {0} contains another or is contained in it: their values cannot be added");
}

/// `Sw<3,4,3> o 0 o `, `Sw<3,4,3> o smem_ptr[16b](unset) o `, and what Python prints, `S<3,4,3> o 0 o `.
constexpr bool read_swizzle(Reader& in, Composed& out) noexcept
{
    const char* const o = "expected ' o ' at character {0}";
    ++in.at;
    if (in.at < in.length && in.text[in.at] == 'w') ++in.at;
    if (!in.expect('<', "expected '<' after Sw at character {0}") ||
        !axe::detail::read_swizzle_bits(in, out.swizzle.bits, out.swizzle.base, out.swizzle.shift) || !in.word("o", o))
        return false;
    int where = 0;
    if (in.peek() != 's')
        return read_number(in, out.offset, out.static_offset, where, "expected an offset or smem_ptr[16b] at character {0}") &&
               in.word("o", o);
    return in.word("smem_ptr", "expected an offset or smem_ptr[16b] at character {0}") &&
           in.expect('[', "expected '[' after smem_ptr at character {0}") &&
           axe::detail::read_small(in, out.element_bits, "expected the bits of an element at character {0}") &&
           in.expect('b', "expected 'b' after the bits of an element at character {0}") &&
           in.expect(']', "expected ']' after the bits of an element at character {0}") &&
           (!in.accept('(') ||
            (in.word("unset", "expected unset at character {0}") && in.expect(')', "expected ')' after unset at character {0}"))) &&
           in.word("o", o);
}

/// Is what follows `_` alone, not a static number?
constexpr bool at_underscore(Reader& in) noexcept
{
    return in.peek() == '_' && !(in.at + 1 < in.length && Reader::is_digit(in.text[in.at + 1]));
}

/// A nested tuple of indices; of `_` as well where `kept` is there to hold which nodes they are.
constexpr bool read_coordinate(Reader& in, Coordinate& out, std::uint64_t* kept = nullptr) noexcept
{
    const bool is_tuple = in.peek() == '(';
    const int at = out.size();
    if (!add_node(in, out, CoordinateNode{}, in.at)) return false;
    if (kept != nullptr && at_underscore(in)) {
        *kept |= std::uint64_t{1} << at;
        ++in.at;
        return true;
    }
    if (!is_tuple) return in.integer(out[at].index, "expected an index or '(' at character {0}");
    ++in.at;
    return read_tuple(in, out[at].children, "expected ',' or ')' in the coordinate at character {0}",
                      [&] { return read_coordinate(in, out, kept); });
}

/// A whole text of indices: `(1,(3,5))`, `1,(3,5)` or `5`.
constexpr bool read_whole_coordinate(TextView text, Reader& in, Coordinate& out, std::uint64_t* kept = nullptr) noexcept
{
    const char separator = separator_outside(text, false);
    if (separator == '\0') return read_coordinate(in, out, kept) && in.finish();
    out.push_back(CoordinateNode{});
    return read_bare_tuple(in, out[0].children, separator, [&] { return read_coordinate(in, out, kept); }) && in.finish();
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
