// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton's linear layouts: their algebra, and the way to layouts and back.
#include "operation.hpp"

#include <axe/interop/linear.hpp>

namespace axe_cli {
namespace {

using axe::Layout;
using axe::linear::Dims;
using axe::linear::LinearLayout;
using axe::linear::Names;
using Linear = Parsed<axe::linear::parse_linear>;

void write_dims(JsonWriter& json, const char* key, const Dims& dims)
{
    json.key(key).open('[');
    for (const auto& d : dims)
        json.open('{').key("name").string(d.name.name().c_str()).key("size").number(std::int64_t{1} << d.bits).close('}');
    json.close(']');
}

} // namespace

static void give(Reply& reply, const LinearLayout& layout)
{
    reply.text = print(layout).c_str();
    if (!reply.json()) return;
    write_dims(reply.fields, "in", layout.in);
    write_dims(reply.fields, "out", layout.out);
    reply.fields.key("images").open('[');
    for (int j = 0; j < layout.bases.size(); ++j) {
        reply.fields.open('[');
        for (int d = 0; d < layout.out.size(); ++d) reply.fields.number(axe::linear::detail::coordinate(layout, j, d));
        reply.fields.close(']');
    }
    reply.fields.close(']');
}

namespace {
namespace linear_table {

/// What is known of a layout; on a page also the list that Triton prints.
void show(Reply& reply, const LinearLayout& layout)
{
    using namespace axe::linear;
    const int bits = *rank(layout);
    const auto masks = *free_variable_masks(layout);
    reply.text = print(layout).c_str();
    reply.text.append("; rank ").append(std::to_string(bits));
    reply.text.append(is_injective(layout) ? "; injective" : "; not injective");
    reply.text.append(is_surjective(layout) ? "; surjective" : "; not surjective");
    bool any = false;
    for (int i = 0; i < layout.in.size(); ++i) {
        if (masks[i] == 0) continue;
        reply.text.append(any ? " " : "; free bits ").append(layout.in[i].name.name().c_str()).append("=");
        reply.text.append(std::to_string(masks[i]));
        any = true;
    }
    if (reply.form == Form::page) reply.text += print_triton(layout).c_str();
    if (!reply.json()) return;
    reply.fields.key("rank").number(bits).key("injective").boolean(static_cast<bool>(is_injective(layout)));
    reply.fields.key("surjective").boolean(static_cast<bool>(is_surjective(layout))).key("free").open('[');
    for (const std::uint64_t mask : masks) reply.fields.number(static_cast<std::int64_t>(mask));
    reply.fields.close(']');
}

void to_axe(Reply& reply, const LinearLayout& layout, std::int64_t width)
{
    const auto result = axe::linear::to_swizzled(layout, width);
    if (!result) return reply.refuse(result.error());
    give(reply, *result);
    reply.text.append(" on ");
    append(reply.text, shape_of(layout));
    if (reply.json()) write(reply.fields.key("shape"), shape_of(layout));
}

constexpr std::string_view text_form =
    "the text is register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4, or the list that Triton prints";

constexpr Operation rows[] = {
    operation("linear show", "A", "rank, injective, surjective, free bits, and the list that Triton prints", text_form,
              "bad_syntax, bad_extent, rank_mismatch, out_of_domain, capacity", "linear show; lane=[1,2,3] -> dim0:4",
              "ok: lane=[1,2,3] -> dim0:4; rank 2; not injective; surjective; free bits lane=4\n"
              " - lane=1 -> (1)\n"
              "   lane=2 -> (2)\n"
              "   lane=4 -> (3)\n"
              "where out dims are: [dim0 (size 4)]",
              [](Reply& reply, const Linear& a) { show(reply, *a); }),
    operation("linear eval", "A POINT", "the output at a point of the input", "dimensions that the point does not name count as 0",
              "unknown_axis, out_of_domain",
              "linear eval; register=[(0,1),(0,2)] lane=[(1,3)] -> dim0:2 dim1:4; {lane:1, register:1}", "ok: {dim0:1, dim1:2}",
              [](Reply& reply, const Linear& a, const axe::Point& at) {
                  const auto point = evaluate(*a, at);
                  if (!point) return reply.refuse(point.error());
                  reply.text = text_of(*point);
                  if (reply.json()) write(reply.fields.key("point"), *point);
              }),
    operation("linear compose", "A B", "one linear layout after another", "x -> B(A(x)): the outputs of A are the inputs of B",
              "rank_mismatch, unknown_axis, size_mismatch", "linear compose; a=[2,1] -> x:4; x=[4,8] -> y:16",
              "ok: a=[8,4] -> y:16", [](const Linear& a, const Linear& b) { return axe::linear::compose(*a, *b); }),
    operation("linear invert", "A", "the inverse of a bijection", "invert(A)(A(x)) = x", "none: A is not a bijection",
              "linear invert; a=[1,3] -> x:4", "ok: x=[1,3] -> a:4", [](const Linear& a) { return axe::linear::invert(*a); }),
    operation("linear pseudo-invert", "A", "an input for each output, of a surjective linear layout", "A(pseudo-invert(A)(y)) = y",
              "none: A is not surjective", "linear pseudo-invert; a=[1,0,1,2] -> x:4", "ok: x=[1,8] -> a:16",
              [](const Linear& a) { return axe::linear::pseudo_invert(*a); }),
    operation("linear invert-and-compose", "A B", "how the inputs of A find those of B", "B(C(x)) = A(x)",
              "none: a value of A is none of B\n"
              "rank_mismatch, unknown_axis, size_mismatch",
              "linear invert-and-compose; lane=[2,1] -> x:4; offset=[1,3] -> x:4", "ok: lane=[3,1] -> offset:4",
              [](const Linear& a, const Linear& b) { return axe::linear::invert_and_compose(*a, *b); }),
    operation("linear product", "A B", "A on the low bits of each dimension, B above", "(A*B)(a + size(A)*b) = A(a) + size(A)*B(b)",
              "bad_axis, capacity", "linear product; a=[1] -> x:2; a=[1] -> y:2", "ok: a=[(1,0),(0,1)] -> x:2 y:2",
              [](const Linear& a, const Linear& b) { return axe::linear::product(*a, *b); }),
    operation("linear divide-left", "A B", "the C with B*C = A", "C has the dimensions of A", "none: A is no such product",
              "linear divide-left; a=[1,2] -> x:4; a=[1] -> x:2", "ok: a=[1] -> x:2",
              [](const Linear& a, const Linear& b) { return axe::linear::divide_left(*a, *b); }),
    operation("linear divide-right", "A B", "the C with C*B = A", "C has the dimensions of A", "none: A is no such product",
              "linear divide-right; a=[3,4] -> x:8; a=[1] -> x:2", "ok: a=[3] -> x:4",
              [](const Linear& a, const Linear& b) { return axe::linear::divide_right(*a, *b); }),
    operation("linear transpose-ins", "A NAMES", "the inputs in another order", "every input is named once",
              "rank_mismatch, unknown_axis, bad_axis", "linear transpose-ins; a=[1] b=[2] -> x:4; b,a", "ok: b=[2] a=[1] -> x:4",
              [](const Linear& a, const Names& names) { return transpose_ins(*a, names); }),
    operation("linear transpose-outs", "A NAMES", "the outputs in another order", "every output is named once",
              "rank_mismatch, unknown_axis, bad_axis", "linear transpose-outs; a=[(1,0)] -> x:2 y:1; y,x",
              "ok: a=[(0,1)] -> y:1 x:2", [](const Linear& a, const Names& names) { return transpose_outs(*a, names); }),
    operation("linear sublayout", "A INS OUTS", "some dimensions: the other inputs are 0, the other outputs dropped", "",
              "unknown_axis, bad_axis", "linear sublayout; a=[(1,0)] b=[(1,1)] -> x:2 y:2; b; x", "ok: b=[1] -> x:2",
              [](const Linear& a, const Names& ins, const Names& outs) { return sublayout(*a, ins, outs); }),
    operation("linear from-axe", "L S", "a layout in Triton's form: the element at each location", "T(p) = x where p is in L(x)",
              "none: the map of places is not linear over bits, or leaves places empty\n"
              "size_mismatch, capacity",
              "linear from-axe; (2,8,4,2):(2@reg,4@lane,1@lane,1@reg); (16,8)",
              "ok: register=[(0,1),(8,0)] lane=[(0,2),(0,4),(1,0),(2,0),(4,0)] warp=[] block=[] -> dim0:16 dim1:8",
              [](const SwizzledLayout& l, const axe::Shape& s) { return axe::linear::to_linear(l, s); }),
    operation(
        "linear to-axe", "A [WIDTH]", "a linear layout as a layout, swizzled where necessary, and its shape",
        "WIDTH: the bytes of an element, for the swizzle; 1 by default",
        "none: no layout does that, nor one swizzle of one axis\n"
        "bad_argument, bad_axis, capacity",
        "linear to-axe; offset=[(0,1),(0,2),(1,1),(2,2)] -> dim0:4 dim1:4; 2", "ok: swizzle<2,1,2>/2(16:1) on (4,4)",
        [](Reply& reply, const Linear& a, const std::optional<std::int64_t>& width) { to_axe(reply, *a, width.value_or(1)); }),
};

} // namespace linear_table
} // namespace

constinit const std::span<const Operation> linear_operations = linear_table::rows;

} // namespace axe_cli
