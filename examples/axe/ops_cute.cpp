// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's operations on CuTe's layouts, and the way to layouts and back.
#include "cute_text.hpp"
#include "operation.hpp"

#include <axe/interop/cute.hpp>

namespace axe_cli {
namespace {

using Layout = Parsed<axe::cute::parse_layout>;
using Composed = Parsed<axe::cute::parse_composed>;
using Target = Parsed<parse_cute_target>; ///< a layout, or one for each mode
using Coordinate = Parsed<axe::cute::parse_coordinate>;
using axe::Shape;

/// `linear` or `coordinate`: what is the result to be the same function of?
axe::Result<bool> parse_by_coordinate(const char* text, int length)
{
    const std::string_view word(text, static_cast<std::size_t>(length));
    if (word != "linear" && word != "coordinate")
        return axe::Error(axe::errc::bad_syntax, 0, "expected linear or coordinate at character {0}");
    return word == "coordinate";
}
using ByCoordinate = Parsed<parse_by_coordinate>;

/// A layout without swizzle and offset keeps the axes of its basis.
bool is_bare(const axe::cute::Composed& c) { return c.swizzle == axe::Swizzle{} && c.offset == 0 && c.element_bits == 0; }

/// `L on S`, a layout for the coordinates of a shape.
template <class OnShape>
void give_on_shape(Reply& reply, const axe::Result<OnShape>& result)
{
    if (!result) return reply.refuse(result.error());
    give(reply, result->layout);
    append(reply.text += " on ", result->shape);
    if (reply.json()) write(reply.fields.key("shape"), result->shape);
}

/// A number, or a point where strides are along a basis.
void eval(Reply& reply, const axe::cute::Composed& c, const axe::cute::Coordinate& at)
{
    const auto index = axe::cute::linear_index(c.layout, at);
    if (!index) return reply.refuse(index.error());
    if (axe::cute::is_plain(c.layout)) return give(reply, axe::cute::evaluate(c, *index));
    const auto layout = axe::cute::to_axe_linear(c.layout);
    if (!layout) return reply.refuse(layout.error());
    const axe::Point point = *axe::points(*layout, *index).begin();
    reply.text = text_of(point);
    if (reply.json()) write(reply.fields.key("point"), point);
}

void to_axe(Reply& reply, const axe::cute::Composed& c, bool by_coordinate)
{
    if (!by_coordinate)
        return is_bare(c) ? give(reply, axe::cute::to_axe_linear(c.layout)) : give(reply, axe::cute::to_axe_linear(c));
    if (is_bare(c)) return give_on_shape(reply, axe::cute::to_axe_by_coordinate(c.layout));
    give_on_shape(reply, axe::cute::to_axe_by_coordinate(c));
}

void from_axe(Reply& reply, const SwizzledLayout& s, bool by_coordinate, const std::optional<Shape>& shape)
{
    const bool plain = is_plain(s);
    if (!by_coordinate)
        return plain ? give(reply, axe::cute::from_axe_linear(s.layout)) : give(reply, axe::cute::from_axe_linear(s));
    if (!shape) return reply.fail("bad_argument", "a function of the coordinate needs the shape of the coordinates");
    if (plain) return give(reply, axe::cute::from_axe_by_coordinate(s.layout, *shape));
    give(reply, axe::cute::from_axe_by_coordinate(s, *shape));
}

constexpr std::string_view tiler_words = "T is a layout, or one for each mode: <8:1,(2,4):(1,8)>; 8 stands for 8:1, _ keeps a mode";
constexpr std::string_view gather_words = "T is a layout, or one for each mode: <8:1,(2,4):(1,8)>; 8 stands for 8:1";
constexpr std::string_view divide_refusals = "none: tiles leave elements out, or the map is no layout\n"
                                             "rank_mismatch, bad_argument, overflow, capacity";
constexpr std::string_view product_refusals = "none: L has no complement, or the map is no layout\n"
                                              "rank_mismatch, bad_argument, overflow, capacity";

constexpr Operation rows[] = {
    operation("cute eval", "L COORD", "the value at a coordinate", "a number stands for a tuple: the index of all in it, or of L",
              "out_of_domain, rank_mismatch", "cute eval; ((2,4),8):((1,16),2); ((1,3),5)", "ok: 59",
              [](Reply& reply, const Composed& l, const Coordinate& at) { eval(reply, *l, *at); }),
    operation("cute composition", "A B", "one CuTe layout after another, or mode by mode",
              "R(x) = A(B(x)), of B's modes; the last leaf of A runs on\n"
              "B is a layout, or one for each mode: <2:1,(2,2):(1,4)>",
              "none: the map is no layout\n"
              "rank_mismatch, overflow, capacity, too_hard",
              "cute composition; (4,8):(8,1); (2,2):(1,4)", "ok: (2,2):(8,1)",
              [](const Layout& a, const Target& b) {
                  return std::visit([&](const auto& t) { return axe::cute::composition(*a, t); }, *b);
              }),
    operation("cute coalesce", "L [PROFILE]", "the fewest modes of the same map",
              "R(x) = L(x); PROFILE is any layout: R has its tuples, coalesced below each leaf", "rank_mismatch, overflow",
              "cute coalesce; (2,(1,6)):(1,(6,2))", "ok: 12:1",
              [](const Layout& l, const std::optional<Layout>& profile) {
                  return profile ? axe::cute::coalesce(*l, **profile) : axe::cute::coalesce(*l);
              }),
    operation("cute filter", "L [PROFILE]", "the modes that move something, coalesced",
              "every value of L, as many times fewer as strides of 0 repeat it; PROFILE as in coalesce", "rank_mismatch, overflow",
              "cute filter; (4,(2,8)):(1,(0,4))", "ok: 32:1",
              [](const Layout& l, const std::optional<Layout>& profile) {
                  return profile ? axe::cute::filter(*l, **profile) : axe::cute::filter(*l);
              }),
    operation("cute complement", "L N", "what fills the gaps up to N, rounded up",
              "all L(x) + M(y) differ; without holes where the strides are a chain of multiples",
              "none: modes interleave, or lead below 0\n"
              "bad_extent, bad_argument, overflow",
              "cute complement; (2,4):(1,6); 24", "ok: 3:2",
              [](const Layout& l, std::int64_t n) { return axe::cute::complement(*l, n); }),
    operation("cute left-inverse", "L", "the index of each value", "M(L(x)) = x, the digits of strides 0 left at 0",
              "none: no layout does that\n"
              "bad_argument, overflow, too_hard",
              "cute left-inverse; (4,2):(1,5)", "ok: (5,2):(1,4)", [](const Layout& l) { return axe::cute::left_inverse(*l); }),
    operation("cute right-inverse", "L", "the longest run of values 0, 1, 2, ... found again", "L(R(i)) = i",
              "bad_argument, overflow, too_hard", "cute right-inverse; (4,8):(8,1)", "ok: (8,4):(4,1)",
              [](const Layout& l) { return axe::cute::right_inverse(*l); }),
    operation("cute logical-divide", "L T", "tiles and how often they are found, or mode by mode", tiler_words, divide_refusals,
              "cute logical-divide; (4,2,3):(2,1,8); 4:2", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::logical_divide(*l, tiler); }, *t);
              }),
    operation("cute zipped-divide", "L T", "logical-divide with the tiles of all modes gathered, and the rests", gather_words,
              divide_refusals, "cute zipped-divide; (8,12):(12,1); <4,3>", "ok: ((4,3),(2,4)):((12,1),(48,3))",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::zipped_divide(*l, tiler); }, *t);
              }),
    operation("cute tiled-divide", "L T", "zipped-divide with the rests as modes of their own", gather_words, divide_refusals,
              "cute tiled-divide; (8,12):(12,1); <4,3>", "ok: ((4,3),2,4):((12,1),48,3)",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::tiled_divide(*l, tiler); }, *t);
              }),
    operation("cute flat-divide", "L T", "zipped-divide with tiles and rests as modes of their own", gather_words, divide_refusals,
              "cute flat-divide; (8,12):(12,1); <4,3>", "ok: (4,3,2,4):(12,1,48,3)",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::flat_divide(*l, tiler); }, *t);
              }),
    operation("cute logical-product", "L T", "copies of a layout, laid out by another, or mode by mode", tiler_words,
              product_refusals, "cute logical-product; (2,2):(4,1); 6:1", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::logical_product(*l, tiler); }, *t);
              }),
    operation("cute zipped-product", "L T", "logical-product with the blocks of all modes gathered, and the copies", gather_words,
              product_refusals, "cute zipped-product; (2,2):(1,8); <4:1,2:1>", "ok: ((2,2),(4,2)):((1,8),(2,1))",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::zipped_product(*l, tiler); }, *t);
              }),
    operation("cute tiled-product", "L T", "zipped-product with the copies as modes of their own", gather_words, product_refusals,
              "cute tiled-product; (2,2):(1,8); <4:1,2:1>", "ok: ((2,2),4,2):((1,8),2,1)",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::tiled_product(*l, tiler); }, *t);
              }),
    operation("cute flat-product", "L T", "zipped-product with blocks and copies as modes of their own", gather_words,
              product_refusals, "cute flat-product; (2,2):(1,8); <4:1,2:1>", "ok: (2,2,4,2):(1,8,2,1)",
              [](const Layout& l, const Target& t) {
                  return std::visit([&](const auto& tiler) { return axe::cute::flat_product(*l, tiler); }, *t);
              }),
    operation("cute blocked-product", "A B", "copies of A laid out by B, side by side in each mode",
              "R((x0,y0),(x1,y1),...) = logical-product(A, B)(x, y)",
              "none: A has no complement, or the map is no layout\n"
              "bad_argument, overflow, capacity",
              "cute blocked-product; (2,5):(5,1); (3,4):(1,3)", "ok: ((2,3),(5,4)):((5,10),(1,30))",
              [](const Layout& a, const Layout& b) { return axe::cute::blocked_product(*a, *b); }),
    operation("cute raked-product", "A B", "copies of A laid out by B, interleaved in each mode",
              "R((y0,x0),(y1,x1),...) = logical-product(A, B)(x, y)",
              "none: A has no complement, or the map is no layout\n"
              "bad_argument, overflow, capacity",
              "cute raked-product; (2,5):(5,1); (3,4):(1,3)", "ok: ((3,2),(4,5)):((10,5),(30,1))",
              [](const Layout& a, const Layout& b) { return axe::cute::raked_product(*a, *b); }),
    operation("cute tile-to-shape", "L SHAPE [ORDER]", "copies of a block up to a shape",
              "blocked-product with the compact layout of SHAPE over L's sizes, the dimension of least ORDER fastest",
              "none: L does not divide SHAPE, or has no complement\n"
              "rank_mismatch, bad_argument, overflow, capacity",
              "cute tile-to-shape; (8,4):(4,1); (16,8); (2,1)", "ok: ((8,2),(4,2)):((4,64),(1,32))",
              [](const Layout& l, const Shape& shape, const std::optional<Shape>& order) {
                  return axe::cute::tile_to_shape(*l, shape, order.value_or(Shape{}));
              }),
    operation("cute max-common-layout", "A B", "the longest run that both hold at 0, 1, 2, ... at the same indices",
              "A(R(i)) = B(R(i)) = i", "bad_argument, overflow, too_hard", "cute max-common-layout; (4,8):(8,1); (4,8):(16,1)",
              "ok: 8:4", [](const Layout& a, const Layout& b) { return axe::cute::max_common_layout(*a, *b); }),
    operation("cute max-common-vector", "A B", "for how many elements the same indices are at 0, 1, 2, ... in both",
              "the size of max-common-layout", "bad_argument, overflow, too_hard",
              "cute max-common-vector; (4,8):(8,1); (4,8):(16,1)", "ok: 8",
              [](const Layout& a, const Layout& b) { return axe::cute::max_common_vector(*a, *b); }),
    operation("cute upcast", "L N", "the words of N elements that a layout lies in",
              "R(floor(c/q)) = floor(L(c)/N), q = N/s where a stride s divides N, else 1",
              "none: words are cut in two\n"
              "bad_argument, overflow",
              "cute upcast; (8,8):(8,1); 4", "ok: (8,2):(2,1)",
              [](const Layout& l, std::int64_t n) { return axe::cute::upcast(*l, n); }),
    operation("cute downcast", "L N", "the N parts of each word of a layout",
              "R(c') = N*L(c) + r, where one mode of stride 1 takes the parts r",
              "none: no mode makes room for the parts\n"
              "bad_argument, overflow",
              "cute downcast; (8,2):(2,1); 4", "ok: (8,8):(8,1)",
              [](const Layout& l, std::int64_t n) { return axe::cute::downcast(*l, n); }),
    operation(
        "cute recast", "L OLD NEW", "the same memory as elements of another width",
        "upcast by NEW/OLD and downcast by OLD/NEW, in lowest terms",
        "none: words are cut in two, or no mode makes room for the parts\n"
        "bad_argument, overflow",
        "cute recast; (8,8):(8,1); 8; 32", "ok: (8,2):(2,1)",
        [](const Layout& l, std::int64_t old_bits, std::int64_t new_bits) { return axe::cute::recast(*l, old_bits, new_bits); }),
    operation("cute nullspace", "L", "the indices of the modes that move nothing",
              "L(x + N(i)) = L(x) for every x whose digits there are 0", "overflow", "cute nullspace; (4,(2,8)):(1,(0,4))",
              "ok: 2:4", [](const Layout& l) { return axe::cute::nullspace(*l); }),
    operation("cute domain-distribute", "L N", "places for N threads in the shape of L",
              "increasing; of a size that divides N, less than N where the shape has too few divisors in common with it",
              "bad_argument, overflow", "cute domain-distribute; (4,(6,8)):(0,(0,0)); 16", "ok: (8,2):(1,24)",
              [](const Layout& l, std::int64_t n) { return axe::cute::domain_distribute(*l, n); }),
    operation("cute to-axe", "L linear|coordinate", "the layout that is the same function of the index, or of the coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension; L may be swizzled",
              "bad_argument, bad_axis, capacity", "cute to-axe; (4,8):(1,16); linear", "ok: (8,4):(16,1)",
              [](Reply& reply, const Composed& l, const ByCoordinate& by) { to_axe(reply, *l, *by); }),
    operation("cute from-axe", "L linear|coordinate [SHAPE]",
              "the CuTe layout that is the same function of the index, or of SHAPE's coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension",
              "none: L begins elsewhere than at 0, or SHAPE does not group it\n"
              "bad_argument, bad_axis, not_single_valued, size_mismatch, capacity",
              "cute from-axe; (8,4):(16,1); coordinate; (8,4)", "ok: (8,4):(16,1)",
              [](Reply& reply, const SwizzledLayout& l, const ByCoordinate& by, const std::optional<Shape>& shape) {
                  from_axe(reply, l, *by, shape);
              }),
};

} // namespace

constinit const std::span<const Operation> cute_operations = rows;

} // namespace axe_cli
