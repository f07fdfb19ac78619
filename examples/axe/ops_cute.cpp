// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's operations on CuTe's layouts, and the way to layouts and back.
#include "cute_text.hpp"
#include "operation.hpp"

#include <axe/interop/cute.hpp>

namespace axe_cli {
namespace {
namespace cute_table {

using Composed = Parsed<parse_any_cute>; ///< a layout, under a swizzle or not, or a shape: its compact layout
template <Plain why>
using Layout = Parsed<parse_plain_cute<why>>; ///< the same without a swizzle
using Extents = Parsed<axe::cute::parse_shape>;
using Slicer = Parsed<axe::cute::parse_slicer>;
using Ordering = Parsed<parse_ordering>;
using Target = Parsed<parse_cute_target>;     ///< a layout, or one for each mode
using InnerTarget = Parsed<parse_cute_inner>; ///< the same; the layout may be under a swizzle
using Coordinate = Parsed<axe::cute::parse_coordinate>;
using axe::Shape;

enum class Of { linear, coordinate };

/// `linear` or `coordinate`: what is the result to be the same function of?
axe::Result<Of> parse_of(axe::TextView given)
{
    const auto [text, length] = given;
    const std::string_view word(text, static_cast<std::size_t>(length));
    if (word != "linear" && word != "coordinate")
        return axe::Error(axe::errc::bad_syntax, 0, "expected linear or coordinate at character {0}");
    return word == "coordinate" ? Of::coordinate : Of::linear;
}
using Function = Parsed<parse_of>;

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

/// The answer of an operation that takes layouts, under a swizzle or without.
template <class F>
void give_either(Reply& reply, const axe::cute::Composed& c, F operation)
{
    if (is_bare(c)) return give(reply, operation(c.layout));
    give(reply, operation(c));
}

/// The function of a row that takes a layout, under a swizzle or without, and more: `operation(layout, more...)` is the answer.
template <class... More, class F>
constexpr auto either(F /*operation*/)
{
    return [](Reply& reply, const Composed& c, const More&... more) {
        give_either(reply, *c, [&](const auto& layout) { return F{}(layout, more...); });
    };
}
/// The same of a layout and a tiler.
template <class F>
constexpr auto by_tiler(F /*operation*/)
{
    return either<Target>([](const auto& layout, const Target& target) {
        return std::visit([&](const auto& tiler) { return F{}(layout, tiler); }, *target);
    });
}

axe::cute::ThreadAxes thread_axes(const std::optional<std::int64_t>& lanes)
{
    axe::cute::ThreadAxes axes;
    axes.lanes = lanes.value_or(32);
    return axes;
}

void show(Reply& reply, const axe::cute::Composed& c)
{
    const auto number = [&](const char* name, std::int64_t value) {
        reply.text.append(reply.text.empty() ? "" : ", ").append(name).append(" ").append(std::to_string(value));
        if (reply.json()) reply.fields.key(name).number(value);
    };
    number("rank", axe::cute::rank(c.layout));
    number("depth", axe::cute::depth(c.layout));
    number("size", axe::cute::size(c.layout));
    if (is_bare(c) && axe::cute::is_plain(c.layout)) number("cosize", axe::cute::cosize(c.layout));
}

/// A(B(x)), where either may be under a swizzle.
void compose(Reply& reply, const axe::cute::Composed& a, const axe::cute::Composed& b)
{
    if (is_bare(a) && is_bare(b)) return give(reply, axe::cute::composition(a.layout, b.layout));
    give(reply, axe::cute::composition(a, b));
}
void compose(Reply& reply, const axe::cute::Composed& a, const axe::cute::Tiler& t)
{
    give_either(reply, a, [&](const auto& x) { return axe::cute::composition(x, t); });
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

void to_axe(Reply& reply, const axe::cute::Composed& c, Of of)
{
    if (of == Of::linear)
        return is_bare(c) ? give(reply, axe::cute::to_axe_linear(c.layout)) : give(reply, axe::cute::to_axe_linear(c));
    if (is_bare(c)) return give_on_shape(reply, axe::cute::to_axe_by_coordinate(c.layout));
    give_on_shape(reply, axe::cute::to_axe_by_coordinate(c));
}

/// The same map with the tuples of a shape in its modes.
template <class L>
axe::Result<L> with_tuples(const axe::Result<L>& flat, const axe::cute::Layout& shape)
{
    if (!flat || axe::cute::depth(shape) < 2) return flat;
    axe::cute::Tiler modes;
    for (int i = 0; i < axe::cute::rank(shape); ++i) {
        const auto mode = axe::cute::compact(axe::cute::mode(shape, i));
        if (!mode) return mode.error();
        if (!axe::cute::append_mode(modes.items, *mode)) return axe::cute::detail::nodes_capacity();
    }
    return axe::cute::composition(*flat, modes);
}

void from_axe(Reply& reply, const SwizzledLayout& s, Of of, const std::optional<Extents>& shape)
{
    const bool plain = is_plain(s);
    if (of == Of::linear)
        return plain ? give(reply, axe::cute::from_axe_linear(s.layout)) : give(reply, axe::cute::from_axe_linear(s));
    if (!shape) return reply.fail("bad_argument", "a function of the coordinate needs the shape of the coordinates");
    const Shape extents = mode_extents(**shape);
    if (plain) return give(reply, with_tuples(axe::cute::from_axe_by_coordinate(s.layout, extents), **shape));
    give(reply, with_tuples(axe::cute::from_axe_by_coordinate(s, extents), **shape));
}

constexpr std::string_view tiler_words =
    "T is a layout, or one for each mode: <8:1,(2,4):(1,8)>; 8 stands for 8:1, _ keeps a mode; (4,2) is <4,2>\n"
    "L may be swizzled, T not: S(o + ...) of the result for the layout inside";
constexpr std::string_view gather_words =
    "T is a layout, or one for each mode: <8:1,(2,4):(1,8)>; 8 stands for 8:1; (4,2) is <4,2>\n"
    "L may be swizzled, T not: S(o + ...) of the result for the layout inside";
constexpr std::string_view divide_refusals = "none: tiles leave elements out, or the map is not a layout\n"
                                             "rank_mismatch, bad_argument, overflow, capacity";
constexpr std::string_view product_refusals = "none: L has no complement, or the map is not a layout\n"
                                              "rank_mismatch, bad_argument, overflow, capacity";

constexpr Operation rows[] = {
    operation("cute show", "L", "rank, depth, size and cosize",
              "cosize is the room of the values, 1 + sum (n - 1)*|s|; left out under a swizzle and of strides along a basis", "",
              "cute show; ((2,4),8):((1,16),2)", "ok: rank 2, depth 2, size 64, cosize 64",
              [](Reply& reply, const Composed& l) { show(reply, *l); }),
    operation("cute eval", "L COORD", "the value at a coordinate", "a number denotes the index of a whole tuple, or of L",
              "out_of_domain, rank_mismatch", "cute eval; ((2,4),8):((1,16),2); ((1,3),5)", "ok: 59",
              [](Reply& reply, const Composed& l, const Coordinate& at) { eval(reply, *l, *at); }),
    operation("cute composition", "A B", "one CuTe layout after another, or mode by mode",
              "R(x) = A(B(x)), of B's modes; the last leaf of A runs on\n"
              "B is a layout, or one for each mode: <2:1,(2,2):(1,4)>; (4,2) is <4,2>\n"
              "the transpose of A, of modes of M and N elements, is composition(A, (N,M):(M,1))",
              "none: the map is not a layout\n"
              "rank_mismatch, overflow, capacity, too_hard",
              "cute composition; (4,8):(8,1); (2,2):(1,4)", "ok: (2,2):(8,1)",
              [](Reply& reply, const Composed& a, const InnerTarget& b) {
                  std::visit([&](const auto& t) { compose(reply, *a, t); }, *b);
              }),
    operation("cute coalesce", "L [PROFILE]", "the fewest modes of the same map",
              "R(x) = L(x); PROFILE is any layout: R has its tuples, coalesced below each leaf", "rank_mismatch, overflow",
              "cute coalesce; (2,(1,6)):(1,(6,2))", "ok: 12:1",
              either<std::optional<Composed>>([](const auto& x, const auto& profile) { return profile ? axe::cute::coalesce(x, (*profile)->layout) : axe::cute::coalesce(x); })),
    operation("cute filter", "L [PROFILE]", "the modes of nonzero stride, coalesced",
              "every value of L, as many times fewer as strides of 0 repeat it; PROFILE as in coalesce", "rank_mismatch, overflow",
              "cute filter; (4,(2,8)):(1,(0,4))", "ok: 32:1",
              either<std::optional<Composed>>([](const auto& x, const auto& profile) { return profile ? axe::cute::filter(x, (*profile)->layout) : axe::cute::filter(x); })),
    operation("cute complement", "L N|SHAPE", "the layout that fills the gaps up to N, rounded up",
              "all L(x) + M(y) differ; without holes where the strides are a chain of multiples\n"
              "a shape, (4,6), stands for its size; of strides along bases, 4:1@1, for the coordinates; N is (N)",
              "none: modes interleave, or lead below 0\n"
              "bad_argument: L is swizzled, as what is added is added before the swizzle\n"
              "bad_extent, overflow",
              "cute complement; (2,4):(1,6); 24", "ok: 3:2",
              [](const Layout<Plain::complement>& l, const Composed& bound) { return axe::cute::complement(*l, bound->layout); }),
    operation("cute left-inverse", "L", "the index of each value", "M(L(x)) = x, the digits of strides 0 left at 0",
              "none: no layout does that\n"
              "bad_argument, overflow, too_hard",
              "cute left-inverse; (4,2):(1,5)", "ok: (5,2):(1,4)", either([](const auto& x) { return axe::cute::left_inverse(x); })),
    operation("cute right-inverse", "L", "the longest run of values 0, 1, 2, ... found again", "L(R(i)) = i",
              "bad_argument, overflow, too_hard", "cute right-inverse; (4,8):(8,1)", "ok: (8,4):(4,1)",
              either([](const auto& x) { return axe::cute::right_inverse(x); })),
    operation("cute logical-divide", "L T", "tiles and how often they are found, or mode by mode", tiler_words, divide_refusals,
              "cute logical-divide; (4,2,3):(2,1,8); 4:2", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::logical_divide(x, t); })),
    operation("cute zipped-divide", "L T", "logical-divide with the tiles of all modes gathered, and the rests", gather_words,
              divide_refusals, "cute zipped-divide; (8,12):(12,1); <4,3>", "ok: ((4,3),(2,4)):((12,1),(48,3))",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::zipped_divide(x, t); })),
    operation("cute tiled-divide", "L T", "zipped-divide with the rests as separate modes", gather_words, divide_refusals,
              "cute tiled-divide; (8,12):(12,1); <4,3>", "ok: ((4,3),2,4):((12,1),48,3)",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::tiled_divide(x, t); })),
    operation("cute flat-divide", "L T", "zipped-divide with tiles and rests as separate modes", gather_words, divide_refusals,
              "cute flat-divide; (8,12):(12,1); <4,3>", "ok: (4,3,2,4):(12,1,48,3)",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::flat_divide(x, t); })),
    operation("cute logical-product", "L T", "copies of a layout, laid out by another, or mode by mode", tiler_words,
              product_refusals, "cute logical-product; (2,2):(4,1); 6:1", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::logical_product(x, t); })),
    operation("cute zipped-product", "L T", "logical-product with the blocks of all modes gathered, and the copies", gather_words,
              product_refusals, "cute zipped-product; (2,2):(1,8); <4:1,2:1>", "ok: ((2,2),(4,2)):((1,8),(2,1))",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::zipped_product(x, t); })),
    operation("cute tiled-product", "L T", "zipped-product with the copies as separate modes", gather_words, product_refusals,
              "cute tiled-product; (2,2):(1,8); <4:1,2:1>", "ok: ((2,2),4,2):((1,8),2,1)",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::tiled_product(x, t); })),
    operation("cute flat-product", "L T", "zipped-product with blocks and copies as separate modes", gather_words,
              product_refusals, "cute flat-product; (2,2):(1,8); <4:1,2:1>", "ok: (2,2,4,2):(1,8,2,1)",
              by_tiler([](const auto& x, const auto& t) { return axe::cute::flat_product(x, t); })),
    operation("cute blocked-product", "A B", "copies of A laid out by B, adjacent in each mode",
              "R((x0,y0),(x1,y1),...) = logical-product(A, B)(x, y); A may be swizzled, B not",
              "none: A has no complement, or the map is not a layout\n"
              "bad_argument, overflow, capacity",
              "cute blocked-product; (2,5):(5,1); (3,4):(1,3)", "ok: ((2,3),(5,4)):((5,10),(1,30))",
              either<Layout<Plain::tiler>>([](const auto& a, const auto& b) { return axe::cute::blocked_product(a, *b); })),
    operation("cute raked-product", "A B", "copies of A laid out by B, interleaved in each mode",
              "R((y0,x0),(y1,x1),...) = logical-product(A, B)(x, y); A may be swizzled, B not",
              "none: A has no complement, or the map is not a layout\n"
              "bad_argument, overflow, capacity",
              "cute raked-product; (2,5):(5,1); (3,4):(1,3)", "ok: ((3,2),(4,5)):((10,5),(30,1))",
              either<Layout<Plain::tiler>>([](const auto& a, const auto& b) { return axe::cute::raked_product(a, *b); })),
    operation("cute tile-to-shape", "L SHAPE [ORDER]", "copies of a block up to a shape",
              "blocked-product with the compact layout of SHAPE over L's sizes, the dimension of least ORDER fastest\n"
              "of a nested SHAPE, (4,(2,3)), the size of each mode counts",
              "none: L does not divide SHAPE, or has no complement\n"
              "rank_mismatch, bad_argument, overflow, capacity",
              "cute tile-to-shape; (8,4):(4,1); (16,8); (2,1)", "ok: ((8,2),(4,2)):((4,64),(1,32))",
              either<Extents, std::optional<Ordering>>([](const auto& x, const auto& shape, const auto& order) { return axe::cute::tile_to_shape(x, mode_extents(*shape), order ? **order : Shape{}); })),
    operation("cute max-common-layout", "A B", "the longest run that both hold at 0, 1, 2, ... at the same indices",
              "A(R(i)) = B(R(i)) = i; under different swizzles as far as both leave the values where they are",
              "bad_argument: an offset\n"
              "overflow, too_hard", "cute max-common-layout; (4,8):(8,1); (4,8):(16,1)",
              "ok: 8:4", [](Reply& reply, const Composed& a, const Composed& b) {
                  if (is_bare(*a) && is_bare(*b)) return give(reply, axe::cute::max_common_layout(a->layout, b->layout));
                  give(reply, axe::cute::max_common_layout(*a, *b));
              }),
    operation("cute max-common-vector", "A B", "for how many elements the same indices are at 0, 1, 2, ... in both",
              "the size of max-common-layout", "bad_argument, overflow, too_hard",
              "cute max-common-vector; (4,8):(8,1); (4,8):(16,1)", "ok: 8",
              [](const Composed& a, const Composed& b) {
                  if (is_bare(*a) && is_bare(*b)) return axe::cute::max_common_vector(a->layout, b->layout);
                  return axe::cute::max_common_vector(*a, *b);
              }),
    operation("cute upcast", "L N", "the words of N elements that contain a layout",
              "R(floor(c/q)) = floor(L(c)/N), q = N/s where a stride s divides N, else 1; a swizzle acts on words then",
              "none: words are cut in two, or a swizzle moves them by bits within a word\n"
              "bad_argument, overflow",
              "cute upcast; (8,8):(8,1); 4", "ok: (8,2):(2,1)",
              either<std::int64_t>([](const auto& x, std::int64_t n) { return axe::cute::upcast(x, n); })),
    operation("cute downcast", "L N", "the N parts of each word of a layout",
              "R(c') = N*L(c) + r, where one mode of stride 1 takes the parts r",
              "none: no mode makes room for the parts\n"
              "bad_argument, overflow",
              "cute downcast; (8,2):(2,1); 4", "ok: (8,8):(8,1)",
              either<std::int64_t>([](const auto& x, std::int64_t n) { return axe::cute::downcast(x, n); })),
    operation(
        "cute recast", "L OLD NEW", "the same memory as elements of another width",
        "upcast by NEW/OLD and downcast by OLD/NEW, in lowest terms",
        "none: words are cut in two, or no mode makes room for the parts\n"
        "bad_argument, overflow",
        "cute recast; (8,8):(8,1); 8; 32", "ok: (8,2):(2,1)",
        either<std::int64_t, std::int64_t>([](const auto& x, std::int64_t old_bits, std::int64_t new_bits) { return axe::cute::recast(x, old_bits, new_bits); })),
    operation("cute nullspace", "L", "the indices of the modes of stride 0",
              "L(x + N(i)) = L(x) for every x whose digits there are 0", "overflow", "cute nullspace; (4,(2,8)):(1,(0,4))",
              "ok: 2:4", [](const Composed& l) { return axe::cute::nullspace(l->layout); }),
    operation("cute domain-distribute", "L N", "places for N threads in the shape of L",
              "increasing; of a size that divides N, less than N where the shape has too few divisors in common with it",
              "bad_argument, overflow", "cute domain-distribute; (4,(6,8)):(0,(0,0)); 16", "ok: (8,2):(1,24)",
              [](const Composed& l, std::int64_t n) { return axe::cute::domain_distribute(l->layout, n); }),
    operation("cute flatten", "L", "the leaves as one tuple", "R(x) = L(x)", "", "cute flatten; ((2,4),8):((1,16),2)", "ok: (2,4,8):(1,16,2)",
              [](Reply& reply, const Composed& l) {
                  axe::cute::Composed flat = *l;
                  flat.layout = axe::cute::flatten(l->layout);
                  is_bare(flat) ? give(reply, flat.layout) : give(reply, flat);
              }),
    operation("cute group", "L BEGIN END", "modes BEGIN to END-1 as one mode", "R(x) = L(x)", "out_of_domain, capacity",
              "cute group; (2,4,8):(1,2,8); 0; 2", "ok: ((2,4),8):((1,2),8)",
              either<Dimension, Dimension>([](const auto& x, Dimension begin, Dimension end) { return axe::cute::group(x, begin.dim, end.dim); })),
    operation("cute sort", "L", "the leaves as one tuple, the least stride first", "the values of L at other indices; the strides are those before a swizzle", "",
              "cute sort; ((2,4),8):((64,1),4)", "ok: (4,8,2):(1,4,64)", either([](const auto& x) { return axe::cute::sort(x); })),
    operation("cute slice", "L COORD", "the modes that COORD leaves open by _, from where the others are",
              "R(x) = L(COORD with x in the open places); of a swizzled layout they begin before the swizzle", "out_of_domain, rank_mismatch, bad_argument",
              "cute slice; ((2,4),8):((1,16),2); ((1,_),5)", "ok: Sw<0,0,0> o 11 o (4):(16)",
              [](Reply& reply, const Composed& l, const Slicer& at) {
                  const auto result = is_bare(*l) ? axe::cute::slice(l->layout, *at) : axe::cute::slice(*l, *at);
                  if (!result) return reply.refuse(result.error());
                  is_bare(*result) ? give(reply, result->layout) : give(reply, *result);
              }),
    operation("cute idx2crd", "L INDEX", "the coordinate at an index", "an index of each leaf, the leftmost fastest; only the shape counts", "out_of_domain",
              "cute idx2crd; ((2,4),8):((1,16),2); 47", "ok: ((1,3),5)",
              [](Reply& reply, const Composed& l, std::int64_t index) {
                  const auto at = axe::cute::coordinate(l->layout, index);
                  if (!at) return reply.refuse(at.error());
                  reply.text = axe::cute::print(*at).c_str();
                  if (reply.json()) reply.fields.key("coordinate").string(reply.text);
              }),
    operation("cute crd2idx", "L COORD", "the index of a coordinate", "idx2crd(crd2idx(c)) = c", "out_of_domain, rank_mismatch",
              "cute crd2idx; ((2,4),8):((1,16),2); ((1,3),5)", "ok: 47",
              [](const Composed& l, const Coordinate& at) { return axe::cute::linear_index(l->layout, *at); }),
    operation("cute compatible", "A B", "is every coordinate of A one of B?",
              "B's shape is that of A, some extents nested further into tuples of the same size; a no has the first mode that is not", "",
              "cute compatible; (8,4); ((2,4),4)", "ok: yes",
              [](Reply& reply, const Composed& a, const Composed& b) {
                  const std::string differs = not_compatible(a->layout, b->layout);
                  give_decision(reply, axe::cute::compatible(a->layout, b->layout), differs);
              }),
    operation("cute congruent", "A B", "are the tuples of both the same?", "whatever their numbers; a no has the first mode that differs", "",
              "cute congruent; (8,4); (2,3)", "ok: yes",
              [](Reply& reply, const Composed& a, const Composed& b) {
                  const std::string differs = not_congruent(a->layout, b->layout);
                  give_decision(reply, axe::cute::congruent(a->layout, b->layout), differs);
              }),
    operation("cute to-tile", "TV SHAPE [LANES]", "the layout of a tile from CuTe's layout of threads and values",
              "TV maps (thread, value) to the tile's elements, leftmost dimension fastest; the answer maps an element to reg, and to\n"
              "lane and warp of thread = LANES*warp + lane; LANES is 32, and 0 leaves threads on one axis; TV is not swizzled",
              "none: elements are not held equally often, or a dimension ends inside a digit\n"
              "rank_mismatch, size_mismatch",
              "cute to-tile; ((4,8),(2,2)):((32,1),(16,8)); (16,8)", "ok: (2,32,2):(2@reg,1@lane,1@reg)",
              [](const Layout<Plain::tile>& tv, const Extents& tile, const std::optional<std::int64_t>& lanes) {
                  return axe::cute::to_axe_thread_value(*tv, mode_extents(*tile), thread_axes(lanes));
              }),
    operation("cute from-tile", "L SHAPE [LANES]", "CuTe's layout of threads and values from the layout of a tile",
              "the inverse of to-tile",
              "none: threads or values are not 0, 1, ..., or pairs hold other than one element\n"
              "unknown_axis, out_of_domain, size_mismatch",
              "cute from-tile; (2,8,4,2):(2@reg,4@lane,1@lane,1@reg); (16,8)", "ok: ((4,8),(2,2)):((32,1),(16,8))",
              [](const axe::Layout& l, const Extents& tile, const std::optional<std::int64_t>& lanes) {
                  return axe::cute::from_axe_thread_value(l, mode_extents(*tile), thread_axes(lanes));
              }),
    operation("cute to-axe", "L linear|coordinate", "the layout that is the same function of the index, or of the coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension; L may be swizzled",
              "bad_argument, bad_axis, capacity", "cute to-axe; (4,8):(1,16); linear", "ok: (8,4):(16,1)",
              [](Reply& reply, const Composed& l, const Function& of) { to_axe(reply, *l, *of); }),
    operation("cute from-axe", "L linear|coordinate [SHAPE]",
              "the CuTe layout that is the same function of the index, or of SHAPE's coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension; the result has the tuples of SHAPE",
              "none: L begins elsewhere than at 0, or SHAPE does not group it\n"
              "bad_argument, bad_axis, not_single_valued, size_mismatch, capacity",
              "cute from-axe; (8,4):(16,1); coordinate; (8,4)", "ok: (8,4):(16,1)",
              [](Reply& reply, const SwizzledLayout& l, const Function& of, const std::optional<Extents>& shape) {
                  from_axe(reply, l, *of, shape);
              }),
};

} // namespace cute_table
} // namespace

constinit const std::span<const Operation> cute_operations = cute_table::rows;

} // namespace axe_cli
