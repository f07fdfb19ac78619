// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as others describe them: strides, format tags, tiled layouts, operands of BLAS.
#include "operation.hpp"

#include <axe/interop/strides.hpp>

namespace axe_cli {
namespace {

using axe::Layout, axe::Shape;
using axe::Padded, axe::Strided;
using axe::onednn::Tag, axe::xla::TiledLayout;
using Tiled = Parsed<axe::xla::parse_tiled>;

constexpr std::string_view strided_refusals = "none: a dimension moves with more than one stride\n"
                                              "not_single_valued, bad_axis, size_mismatch";
constexpr std::string_view placed_refusals =
    "none: another first address than 0, strides below 1, overlaps, or gaps that no padding makes\n"
    "not_single_valued, bad_axis, size_mismatch, bad_argument (S2 is larger than S), capacity";

} // namespace

static void give(Reply& reply, const Tag& tag) { give_text(reply, print(tag).c_str()); }
static void give(Reply& reply, const TiledLayout& tiled) { give_text(reply, print(tiled).c_str()); }

/// `L on S`, and what of S there is.
static void give(Reply& reply, const Padded& padded)
{
    give(reply, padded.layout);
    append(reply.text += " on ", padded.shape);
    bool all = true;
    for (int d = 0; d < padded.shape.size(); ++d) all = all && padded.valid[d].hi == padded.shape[d];
    if (!all) append(reply.text += "; of which ", padded.valid);
    if (!reply.json()) return;
    axe::Coord valid;
    for (const axe::Range& r : padded.valid) valid.push_back(r.hi);
    write(reply.fields.key("shape"), padded.shape);
    write(reply.fields.key("valid"), valid);
    reply.fields.key("elements").number(padded.elements);
}

namespace {
namespace strides_table {

void append_contiguity(Reply& reply, const Strided& array)
{
    const bool c = axe::is_c_contiguous(array), f = axe::is_f_contiguous(array);
    if (c || f) reply.text.append(c && f ? "; C- and F-contiguous" : c ? "; C-contiguous" : "; F-contiguous");
    if (reply.json()) reply.fields.key("c_contiguous").boolean(c).key("f_contiguous").boolean(f);
}

/// The layout of an array whose least address is 0.
void from_numpy(Reply& reply, const Index& shape, const Index& strides, const std::optional<std::int64_t>& itemsize)
{
    axe::numpy::Array bytes{shape.coord, strides.coord, itemsize.value_or(1), 0};
    const auto below = axe::reach_below(axe::numpy::bytes_of(bytes));
    if (!below) return reply.refuse(below.error());
    bytes.offset = *below;
    const auto array = axe::numpy::to_strided(bytes);
    if (!array) return reply.refuse(array.error());
    const auto layout = axe::to_axe(*array);
    if (!layout) return reply.refuse(layout.error());
    give(reply, *layout);
    append_contiguity(reply, *array);
}

void to_numpy(Reply& reply, const Layout& layout, const Shape& shape, const std::optional<std::int64_t>& itemsize)
{
    const auto array = axe::to_strided(layout, shape);
    if (!array) return reply.refuse(array.error());
    const auto bytes = axe::numpy::from_strided(*array, itemsize.value_or(1));
    if (!bytes) return reply.refuse(bytes.error());
    append(reply.text, bytes->strides);
    if (bytes->offset != 0)
        reply.text.append("; the first element at ").append(itemsize ? "byte " : "").append(std::to_string(bytes->offset));
    if (reply.json()) {
        write(reply.fields.key("strides"), bytes->strides);
        reply.fields.key("first").number(bytes->offset);
    }
    append_contiguity(reply, *array);
}

void from_onednn(Reply& reply, const Text& text, const Shape& shape)
{
    const auto tag = axe::onednn::parse_tag(text, shape.size());
    if (!tag) return reply.misread(text.argument, text.words, tag.error());
    give(reply, axe::onednn::to_axe(*tag, shape));
}

void merge(Reply& reply, const TiledLayout& tiled, const Shape& shape)
{
    const auto merged = axe::xla::merge(tiled, shape);
    if (!merged) return reply.refuse(merged.error());
    give(reply, merged->layout);
    append(reply.text += " on ", merged->shape);
    if (reply.json()) write(reply.fields.key("shape"), merged->shape);
}

void to_vector(Reply& reply, const Layout& layout, const Shape& shape)
{
    const auto v = axe::blas::vector(layout, shape);
    if (!v) return reply.refuse(v.error());
    reply.text.append("inc ").append(std::to_string(v->inc));
    if (v->start != 0) reply.text.append("; from ").append(std::to_string(v->start));
    if (reply.json()) reply.fields.key("inc").number(v->inc).key("from").number(v->start);
}

/// The operand in both orders: what is N in one is T in the other, where it is not a vector.
void to_blas(Reply& reply, const Layout& layout, const Shape& shape)
{
    using axe::blas::Order;
    if (shape.size() == 1) return to_vector(reply, layout, shape);
    if (reply.json()) reply.fields.key("operands").open('[');
    for (const Order order : {Order::column_major, Order::row_major}) {
        const auto m = axe::blas::matrix(layout, shape, order);
        if (!m) return reply.refuse(m.error());
        const char* name = order == Order::column_major ? "column-major" : "row-major";
        const char* transpose = m->transpose == axe::blas::Transpose::yes ? "T" : "N";
        reply.text.append(reply.text.empty() ? "" : "; ").append(name).append(" ").append(transpose);
        reply.text.append(", ld ").append(std::to_string(m->ld));
        if (order == Order::row_major && m->offset != 0) reply.text.append("; from ").append(std::to_string(m->offset));
        if (!reply.json()) continue;
        reply.fields.open('{').key("order").string(name).key("transpose").string(transpose);
        reply.fields.key("ld").number(m->ld).key("from").number(m->offset).close('}');
    }
    if (reply.json()) reply.fields.close(']');
}

constexpr Operation rows[] = {
    operation(
        "strides numpy", "SHAPE STRIDES [ITEMSIZE]", "the layout of an array of NumPy, PyTorch or DLPack",
        "L(c) = sum of c_d * strides_d, the least address being 0; strides count elements, or bytes where an ITEMSIZE is given",
        "bad_extent (an empty array), bad_argument (strides between items), rank_mismatch, overflow, capacity",
        "strides numpy; (4,8); (32,4); 4", "ok: 32:1; C-contiguous",
        [](Reply& reply, const Index& shape, const Index& strides, const std::optional<std::int64_t>& itemsize) {
            from_numpy(reply, shape, strides, itemsize);
        }),
    operation("strides to-numpy", "L S [ITEMSIZE]", "the strides of a layout's dimensions, in elements, or in bytes of items",
              "an extent of 1 has the stride of a C-contiguous array", strided_refusals, "strides to-numpy; (4,8):(1,4); (4,8); 2",
              "ok: (2,8); F-contiguous",
              [](Reply& reply, const Layout& l, const Shape& s, const std::optional<std::int64_t>& itemsize) {
                  to_numpy(reply, l, s, itemsize);
              }),
    operation("strides onednn", "TAG SHAPE", "the layout of a tensor in a memory format of oneDNN",
              "each dimension is rounded up to a whole number of its blocks; TAG is nchw, nChw16c, aBcd8b, axb, ...",
              "bad_syntax, rank_mismatch, overflow, capacity", "strides onednn; nChw16c; (2,3,4,5)",
              "ok: (2,16,20):(320,1,16) on (2,16,4,5); of which [0:2, 0:3, 0:4, 0:5]",
              [](Reply& reply, const Text& tag, const Shape& s) { from_onednn(reply, tag, s); }),
    operation("strides to-onednn", "L S [S2]", "the format tag of a layout on the padded shape S, of which S2 are elements",
              "gaps are closed by padding dimensions at their end", placed_refusals,
              "strides to-onednn; (2,16,20):(320,1,16); (2,16,4,5); (2,3,4,5)", "ok: aBcd16b",
              [](const Layout& l, const Shape& s, const std::optional<Shape>& tensor) {
                  return axe::onednn::to_tag(l, s, tensor.value_or(s));
              }),
    operation("strides xla", "TEXT SHAPE", "the layout of an array in a tiled layout of XLA",
              "each tile pads the dimensions it is applied to; TEXT is {1,0:T(8,128)(2,1)}, as in HLO",
              "none: a tile cuts inside a digit\n"
              "bad_syntax, bad_extent, bad_argument, rank_mismatch, overflow, capacity",
              "strides xla; {1,0:T(2,2)}; (3,5)", "ok: (2,2,3,2):(12,2,4,1) on (4,6); of which [0:3, 0:5]",
              [](const Tiled& tiled, const Shape& s) { return axe::xla::to_axe(*tiled, s); }),
    operation("strides to-xla", "L S [S2]", "the tiled layout of a layout on the padded shape S, of which S2 are elements",
              "gaps are closed by padding dimensions at their end", placed_refusals,
              "strides to-xla; (2,2,3,2):(12,2,4,1); (4,6); (3,5)", "ok: {1,0:T(2,2)}",
              [](const Layout& l, const Shape& s, const std::optional<Shape>& tensor) {
                  return axe::xla::to_tiled(l, s, tensor.value_or(s));
              }),
    operation("strides xla-merge", "TEXT SHAPE", "the same array, the dimensions that the first tile combines as one",
              "element c of SHAPE is the row-major element of the new shape, physical dimension by physical dimension",
              "bad_syntax, bad_extent, bad_argument, rank_mismatch, overflow",
              "strides xla-merge; {4,3,2,1,0:T(*,*,2,*,3)}; (2,7,8,11,10)", "ok: {1,0:T(2,3)} on (112,110)",
              [](Reply& reply, const Tiled& tiled, const Shape& s) { merge(reply, *tiled, s); }),
    operation("strides blas", "L S", "how a BLAS routine is told of a matrix or a vector",
              "N or T and the leading dimension in either order, the increment of a vector; integers of 32 bits",
              "none: no stride is 1, or the other is not a leading dimension, or an increment of 0\n"
              "rank_mismatch, not_single_valued, bad_axis, size_mismatch",
              "strides blas; (3,5):(8,1); (3,5)", "ok: column-major T, ld 8; row-major N, ld 8",
              [](Reply& reply, const Layout& l, const Shape& s) { to_blas(reply, l, s); }),
};

} // namespace strides_table
} // namespace

constinit const std::span<const Operation> strides_operations = strides_table::rows;

} // namespace axe_cli
