// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_TEXT_HPP
#define AXE_INTEROP_LINEAR_TEXT_HPP

#include <axe/interop/linear/read_linear.hpp>
#include <axe/text/print.hpp>

/// The written forms of a linear layout: one line of this library, and the bulleted list that Triton prints. Both are read.
///
///   linear := { name "=" "[" [ image { "," image } ] "]" } "->" { name ":" size }
///   image  := "(" [ int { "," int } ] ")" | int                          one for each bit, lowest first; an int alone is one coordinate
///   triton := { "-" input } "where out dims are: [" dims "]" | "(empty layout" [ " with out-dims [" dims "]" ] ")"
///   input  := name "is a size 1 dimension" | name "=1 ->" image { name "=2 ->" image … }
///   dims   := name "(size" int ")" { "," name "(size" int ")" }
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

inline constexpr int dims_width = 2 * LinearLayout::max_dims * (Axis::max_length + 30); // names, sizes and the words around them
// The digits of a basis: none of the dimensions has more bits than all together, and 62 bits are 19 digits.
inline constexpr int image_width = 4 * LinearLayout::max_dims + 20;
inline constexpr int line_width = LinearLayout::max_bits * image_width + dims_width;
inline constexpr int list_width = line_width + LinearLayout::max_bits * (Axis::max_length + 30);

constexpr std::int64_t coordinate(const LinearLayout& layout, int basis, int dim) noexcept
{
    return static_cast<std::int64_t>((layout.bases[basis] & mask_of(layout.out, dim)) >> first_bit(layout.out, dim));
}

template <int N>
constexpr void put_image(Text<N>& out, const LinearLayout& layout, int basis, const char* comma, bool bare) noexcept
{
    if (!bare) out.put('(');
    for (int d = 0; d < layout.out.size(); ++d) {
        if (d > 0) out.put(comma);
        out.put_number(coordinate(layout, basis, d));
    }
    if (!bare) out.put(')');
}

template <int N>
constexpr void put_triton_dims(Text<N>& out, const Dims& dims) noexcept
{
    out.put('[');
    for (int d = 0; d < dims.size(); ++d) {
        if (d > 0) out.put(", ");
        out.put(dims[d].name);
        out.put(" (size ");
        out.put_number(std::int64_t{1} << dims[d].bits);
        out.put(')');
    }
    out.put(']');
}

} // namespace detail

/// `register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4`: the images of the bits of each input dimension, lowest first, and the sizes
/// of the output. With one output dimension the images are plain numbers. For a value that `check` takes.
constexpr Text<detail::line_width> print(const LinearLayout& layout) noexcept
{
    Text<detail::line_width> out;
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        out.put(layout.in[i].name);
        out.put("=[");
        for (int b = 0; b < layout.in[i].bits; ++b, ++j) {
            if (b > 0) out.put(',');
            detail::put_image(out, layout, j, ",", layout.out.size() == 1);
        }
        out.put("] ");
    }
    out.put("->");
    for (const Dim& d : layout.out) {
        out.put(' ');
        out.put(d.name);
        out.put(':');
        out.put_number(std::int64_t{1} << d.bits);
    }
    return out;
}

/// The text that Triton's `toString` makes, character for character, with the newline at its beginning. For a value that `check` takes.
constexpr Text<detail::list_width> print_triton(const LinearLayout& layout) noexcept
{
    Text<detail::list_width> out;
    out.put('\n');
    if (layout.in.empty()) {
        out.put("(empty layout");
        if (!layout.out.empty()) {
            out.put(" with out-dims ");
            detail::put_triton_dims(out, layout.out);
        }
        out.put(')');
        return out;
    }
    for (int i = 0, j = 0; i < layout.in.size(); ++i) {
        out.put(" - ");
        if (layout.in[i].bits == 0) {
            out.put(layout.in[i].name);
            out.put(" is a size 1 dimension\n");
        }
        const auto name = layout.in[i].name.name();
        for (int b = 0; b < layout.in[i].bits; ++b, ++j) {
            if (b > 0) out.put("   ");
            out.put(name.c_str());
            out.put('=');
            out.put_number(std::int64_t{1} << b);
            out.put(" -> ");
            detail::put_image(out, layout, j, ", ", false);
            out.put('\n');
        }
    }
    out.put("where out dims are: ");
    detail::put_triton_dims(out, layout.out);
    return out;
}

/// Reads the one-line form, or Triton's.
///
/// `errc::bad_syntax`, `errc::bad_extent`, `errc::rank_mismatch`, `errc::out_of_domain`, `errc::capacity` and `errc::overflow` carry
/// the offset of the offending character, `errc::bad_axis` that of a name of more than 15 characters; a name that comes twice is
/// rejected as `check` does.
constexpr Result<LinearLayout> parse_linear(TextView text) noexcept
{
    Result<LinearLayout> result;
    detail::LinearReader reader(text, *result);
    if (!reader.read()) result = reader.in.error;
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
