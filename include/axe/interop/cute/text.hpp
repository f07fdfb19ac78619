// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_TEXT_HPP
#define AXE_INTEROP_CUTE_TEXT_HPP

#include <axe/interop/cute/read_text.hpp>
#include <axe/interop/cute/rearrange.hpp>
#include <axe/text/text.hpp>

#include <cstddef>

/// CuTe's own texts, read and printed.
///
///   layout   := shape ":" stride                    nested tuples of one profile, or two numbers
///   shape    := number | "(" [ shape { "," shape } ] ")"
///   stride   := number { "@" int } | "(" [ stride { "," stride } ] ")"
///   number   := [ "_" ] int                         `_8` is static: known to the compiler; `s@i@j` is along the basis E<j,i>
///   composed := "Sw<" bits "," base "," shift "> o " ( number | "smem_ptr[" bits "b](unset)" ) " o " layout | layout
///
/// Spaces are allowed between any two tokens, so that what pycute prints, `(4, 8):(8, 1)` and `(8,):(1,)`, is read as well, and so is
/// the Python spelling of a swizzle, `S<3,4,3> o 0 o …`. Where there is a shape or a coordinate alone its outermost tuple may be without
/// parentheses: `8,(2,4)`, and of extents `8x16`. A text is read whole. Errors are of a character: `errc::bad_syntax`;
/// `errc::rank_mismatch` where shape and stride part; `errc::bad_extent`, `errc::overflow`, `errc::capacity`, `errc::bad_argument`.
namespace axe {
inline namespace v0 {
namespace cute {

/// Reads a layout, `((2,4),8):((1,16),2)`.
constexpr Result<Layout> parse_layout(TextView text) noexcept
{
    Result<Layout> result;
    detail::Reader in(text);
    if (!detail::read_layout(in, *result) || !in.finish()) return in.error;
    return result;
}

/// Reads a shape, `((2,4),8)` or `8x16`: its compact layout, leftmost fastest, as in CuTe's `make_layout`.
constexpr Result<Layout> parse_shape(TextView text) noexcept
{
    Layout shape;
    detail::Reader in(text);
    if (!detail::read_whole_shape(text, in, shape)) return in.error;
    return compact(shape);
}

/// Reads a layout, or a shape alone, `((2,4),8)`, which stands for its compact layout, leftmost fastest, as in CuTe's `make_layout`.
constexpr Result<Layout> parse_layout_or_shape(TextView text) noexcept
{
    for (int i = 0; i < text.size; ++i)
        if (text.text[i] == ':') return cute::parse_layout(text);
    return cute::parse_shape(text);
}

/// Reads a layout under a swizzle, `Sw<3,4,3> o 0 o (8,64):(64,1)`; one without is of a swizzle and an offset that move nothing.
///
/// Errors: those above, and those of `check`.
constexpr Result<Composed> parse_composed(TextView text) noexcept
{
    Result<Composed> result;
    detail::Reader in(text);
    if (in.peek() == 'S' && !detail::read_swizzle(in, *result)) return in.error;
    if (!detail::read_layout(in, result->layout) || !in.finish()) return in.error;
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// Reads a coordinate, `((1,3),5)` or `3,5`.
constexpr Result<Coordinate> parse_coordinate(TextView text) noexcept
{
    Result<Coordinate> result;
    detail::Reader in(text);
    if (!detail::read_whole_coordinate(text, in, *result)) return in.error;
    return result;
}

/// Reads a coordinate of which some places stay open, `((1,_),5)`.
constexpr Result<Slicer> parse_slicer(TextView text) noexcept
{
    Result<Slicer> result;
    detail::Reader in(text);
    if (!detail::read_whole_coordinate(text, in, result->coordinate, &result->kept)) return in.error;
    return result;
}

namespace detail {

inline constexpr int number_width = 21;                            // _-9223372036854775808
inline constexpr int node_width = 2 * (number_width + 3) + 3 * 12; // tuples have brackets, strides a basis
inline constexpr int layout_width = Layout::max_nodes * node_width + 1;
inline constexpr int composed_width = 4 + 3 * 12 + 3 + number_width + 20 + 3 + layout_width;

template <int N>
constexpr void put_number(Text<N>& out, std::int64_t n, bool is_static) noexcept
{
    if (is_static) out.put('_');
    out.put_number(n);
}

/// The tree with what `leaf` puts of each leaf.
template <int N, class List, class Leaf>
constexpr void put_tree(Text<N>& out, const List& nodes, Leaf leaf) noexcept
{
    int open[List::capacity + 1]{}, level = 0; // items still to come at each level
    bool first = true;
    for (int i = 0; i < nodes.size() && i < List::capacity; ++i) {
        if (!first) out.put(',');
        first = nodes[i].children > 0;
        if (first) {
            out.put('(');
            open[++level] = nodes[i].children;
            continue;
        }
        if (nodes[i].children == 0)
            out.put("()");
        else
            leaf(nodes[i]);
        while (level > 0 && --open[level] == 0) {
            out.put(')');
            --level;
        }
    }
}

template <int N>
constexpr void put_layout(Text<N>& out, const Layout& layout) noexcept
{
    put_tree(out, layout.nodes, [&](const Node& node) { put_number(out, node.leaf.extent, node.static_extent); });
    out.put(':');
    put_tree(out, layout.nodes, [&](const Node& node) {
        put_number(out, node.leaf.stride, node.static_stride);
        const auto path = node.leaf.basis.path;
        for (int i = path.size() - 1; i >= 0; --i) {
            out.put('@');
            out.put_number(path[i]);
        }
    });
}

} // namespace detail

/// The text of a layout, as C++ CuTe prints it. Reading it gives the same layout.
constexpr Text<detail::layout_width> print(const Layout& layout) noexcept
{
    Text<detail::layout_width> out;
    detail::put_layout(out, layout);
    return out;
}

/// The text of a layout under a swizzle; that of the layout alone where swizzle and offset are those of none.
constexpr Text<detail::composed_width> print(const Composed& c) noexcept
{
    Text<detail::composed_width> out;
    if (!(c.swizzle == Swizzle{}) || c.offset != 0 || c.static_offset || c.element_bits != 0) {
        const char* before = "Sw<";
        for (const int n : {c.swizzle.bits, c.swizzle.base, c.swizzle.shift}) {
            out.put(before);
            out.put_number(n);
            before = ",";
        }
        out.put("> o ");
        if (c.element_bits == 0) {
            detail::put_number(out, c.offset, c.static_offset);
        } else {
            out.put("smem_ptr[");
            out.put_number(c.element_bits);
            out.put("b](unset)");
        }
        out.put(" o ");
    }
    detail::put_layout(out, c.layout);
    return out;
}

/// The text of a coordinate.
constexpr auto print(const Coordinate& at) noexcept
{
    Text<Coordinate::capacity*(detail::number_width + 3)> out;
    detail::put_tree(out, at, [&](const CoordinateNode& node) { out.put_number(node.index); });
    return out;
}

} // namespace cute

namespace literals {

/// A CuTe layout from its text, read by the compiler: `"(4,8):(8,1)"_cute`. A text that is not a layout does not compile; the message
/// holds the message of the error and the character.
consteval cute::Layout operator""_cute(const char* text, std::size_t length)
{
    return cute::parse_layout({text, static_cast<int>(length)}).value();
}

/// One under a swizzle: `"Sw<3,4,3> o 0 o (8,64):(64,1)"_composed`.
consteval cute::Composed operator""_composed(const char* text, std::size_t length)
{
    return cute::parse_composed({text, static_cast<int>(length)}).value();
}

} // namespace literals
} // namespace v0
} // namespace axe

#endif
