// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps: XLA's language of index arithmetic, and the way to layouts and back.
#include "map_answers.hpp"
#include "operation.hpp"

#include <axe/map/attribute.hpp>
#include <axe/map/box.hpp>
#include <axe/map/coalescing.hpp>
#include <axe/map/compose.hpp>
#include <axe/map/count.hpp>
#include <axe/map/count_image.hpp>
#include <axe/map/deduplicate.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/launch.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/rescale.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/to_dimensions.hpp>
#include <axe/map/to_layout.hpp>

#include <string>

namespace axe_cli {
namespace {
namespace map_table {

using axe::IndexingMap;
using Map = Parsed<parse_map_argument>;
using Values = Parsed<parse_numbers>;

using Box = Parsed<parse_intervals>;

/// How `map parse` writes what it read.
enum class Spelling { xla, slash, generic, attribute };

axe::Result<Spelling> parse_spelling(axe::TextView given)
{
    const auto [text, length] = given;
    constexpr std::string_view names[] = {"xla", "slash", "generic", "attribute"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (names[i] == std::string_view(text, static_cast<std::size_t>(length))) return static_cast<Spelling>(i);
    return axe::Error(axe::errc::bad_syntax, 0, "expected xla, slash, generic or attribute at character {0}");
}

void parse(Reply& reply, const IndexingMap& map, Spelling spelling)
{
    if (spelling == Spelling::attribute) return give_text(reply, axe::print_attribute(map));
    give_map(reply, map, {.slash = spelling == Spelling::slash, .generic = spelling == Spelling::generic});
}

void to_dimensions(Reply& reply, const IndexingMap& map, const std::optional<Values>& which)
{
    if (!which) return give(reply, axe::symbols_to_dimensions(map));
    std::vector<int> indices;
    for (const std::int64_t n : **which) indices.push_back(n < 0 || n >= map.ranges ? map.ranges : static_cast<int>(n));
    give(reply, axe::ranges_to_dimensions(map, indices));
}

void launch(Reply& reply, const axe::Shape& shape, std::int64_t threads, std::int64_t vector)
{
    give(reply, axe::launch_map({shape.begin(), shape.end()}, threads, vector));
}

void deduplicate(Reply& reply, const Map& first, const std::vector<Map>& more)
{
    std::vector<IndexingMap> maps{*first};
    for (const Map& map : more) maps.push_back(*map);
    give(reply, axe::deduplicate(maps));
}

std::vector<axe::Axis> list_of(const std::optional<axe::Layout::Axes>& axes)
{
    return axes ? std::vector<axe::Axis>(axes->begin(), axes->end()) : std::vector<axe::Axis>{};
}

constexpr Operation rows[] = {
    operation("map parse", "M [xla|slash|generic|attribute]", "a map as parsed, in one of four notations",
              "only sums and products of constants are simplified", "bad_argument, overflow",
              "map parse; (d0) -> (d0 % 2 * 30 + d0 / 2) domain: d0 in [0, 19]",
              "ok: (d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]",
              [](Reply& reply, const Map& m, const std::optional<Parsed<parse_spelling>>& s) {
                  parse(reply, *m, s ? **s : Spelling::xla);
              }),
    operation("map eval", "M VALUES", "the results at a point of the domain", "a value for every variable, in their order",
              "rank_mismatch, out_of_domain, overflow",
              "map eval; (d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 3]; (2,3)", "ok: (11)",
              [](const Map& m, const Values& v) { return axe::evaluate(*m, *v); }),
    operation(
        "map simplify", "M", "the same map on the same domain, in its simplest form",
        "R(x) = M(x); the fewest divisions and remainders, bounds as tight as constraints make them, no constraint that is implied",
        "capacity", "map simplify; (d0) -> (d0 mod 8), domain: d0 in [0, 7]", "ok: (d0) -> (d0), domain: d0 in [0, 7]",
        [](const Map& m) { return axe::simplify(*m); }),
    operation("map compose", "A B", "one map after another",
              "R(x) = B(A(x)), not simplified; range variables: B's, then A's; run-time variables likewise\n"
              "each result of A is constrained to the domain of B",
              "rank_mismatch, overflow",
              "map compose; (d0) -> (d0 floordiv 4), domain: d0 in [0, 31]; (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 7], s0 in "
              "[0, 1]",
              "ok: (d0)[s0] -> ((d0 floordiv 4) * 2 + s0), domain: d0 in [0, 31], s0 in [0, 1]",
              [](const Map& a, const Map& b) { return axe::compose(*a, *b); }),
    operation("map inverse", "M", "the inverse map, if one exists",
              "R(M(d)) = d for every d of the domain, on the image of M alone; range and run-time variables are solved for",
              "not_single_valued, bad_argument, overflow, too_hard",
              "map inverse; (d0, d1) -> (d1 + 2, d0), domain: d0 in [0, 3], d1 in [0, 4]",
              "ok: (d0, d1) -> (d1, d0 - 2), domain: d0 in [2, 6], d1 in [0, 3]", [](const Map& m) { return axe::inverse(*m); }),
    operation("map equal", "A B", "are two maps the same function on the same domain?",
              "A(x) = B(x) for every x; the witness is the first in lexicographic order where that could be decided\n"
              "x is a value for every variable: dimensions, range and run-time variables alike",
              "rank_mismatch, bad_argument, overflow, too_hard",
              "map equal; (d0) -> (d0 mod 4), domain: d0 in [0, 7]; (d0) -> (d0 - (d0 floordiv 4) * 4), domain: d0 in [0, 7]",
              "ok: yes", [](Reply& reply, const Map& a, const Map& b) { answer_equal(reply, *a, *b); }),
    operation("map empty", "M", "is the domain empty?", "if it is not, its first point in lexicographic order",
              "bad_argument, overflow, too_hard", "map empty; (d0) -> (d0), domain: d0 in [0, 9], d0 mod 4 in [3, 3]",
              "ok: no: (3) is a point of it", [](Reply& reply, const Map& m) { answer_empty(reply, *m); }),
    operation("map count", "M", "the number of points in the domain", "run-time variables counted like the others",
              "bad_argument, overflow, too_hard",
              "map count; (d0, d1) -> (d0), domain: d0 in [0, 999], d1 in [0, 999], d0 + d1 in [0, 999], d0 mod 3 in [1, 2]",
              "ok: 333333", [](const Map& m) { return axe::count_points(*m); }),
    operation("map count-image", "M", "the number of different results of the map", "|{ M(x) : x in the domain }|",
              "bad_argument, overflow, too_hard",
              "map count-image; (d0) -> ((d0 floordiv 4 mod 8) * 16 + d0 mod 4), domain: d0 in [0, 1099511627775]", "ok: 32",
              [](const Map& m) { return axe::count_image(*m); }),
    operation("map image", "M", "the least and the greatest value of each result", "the smallest box that holds every M(x)",
              "bad_argument, overflow, too_hard", "map image; (d0) -> (d0 * 4, d0 mod 3), domain: d0 in [0, 9], d0 mod 4 in [3, 3]",
              "ok: [12, 28], [0, 1]", [](const Map& m) { return axe::image_box(*m); }),
    operation("map preimage", "M BOX", "the least and the greatest value of each variable at which the results are in a box",
              "the smallest box that holds every x with M(x) in BOX", "rank_mismatch, bad_argument, overflow, too_hard",
              "map preimage; (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]; [2, 3], [1, 2]", "ok: [9, 14]",
              [](const Map& m, const Box& box) { return axe::preimage_box(*m, *box); }),
    operation("map remove-unused", "M", "the map without variables that no result and no constraint that can fail uses", "",
              "capacity", "map remove-unused; (d0, d1)[s0] -> (d1), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 1]",
              "ok: (d0) -> (d0), domain: d0 in [0, 3]", [](const Map& m) { return axe::remove_unused(*m).map; }),
    operation("map rescale", "M", "range variables of which only every k-th value is allowed count those",
              "s mod k in [c, c] becomes s = k*s' + c", "capacity",
              "map rescale; (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 41], s0 mod 6 in [3, 3]",
              "ok: (d0)[s0] -> (d0 + (s0 * 6 + 3)), domain: d0 in [0, 3], s0 in [0, 6]",
              [](const Map& m) { return axe::rescale(*m); }),
    operation("map deduplicate", "M [M ...]", "the different ones of the maps, simplified",
              "in the order in which each comes first; two are one that are written alike after `map simplify`", "capacity",
              "map deduplicate; (d0) -> (d0 mod 8), domain: d0 in [0, 7]; (d0) -> (d0 * 2), domain: d0 in [0, 7]; (d0) -> (d0), "
              "domain: d0 in [0, 7]",
              "ok: (d0) -> (d0), domain: d0 in [0, 7]\n(d0) -> (d0 * 2), domain: d0 in [0, 7]",
              [](Reply& reply, const Map& first, const std::vector<Map>& more) { deduplicate(reply, first, more); }),
    operation("map to-dimensions", "M [RANGES]", "range variables as further dimensions",
              "all range and run-time variables when no numbers are given", "bad_argument",
              "map to-dimensions; (d0)[s0, s1] -> (d0 + s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 2]; (1)",
              "ok: (d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]",
              [](Reply& reply, const Map& m, const std::optional<Values>& which) { to_dimensions(reply, *m, which); }),
    operation("map launch", "S THREADS [VECTOR]", "the elements of each thread of an elementwise kernel",
              "element (bl_x * THREADS + th_x) * VECTOR + vector_elem of S, row-major; as many blocks as that takes",
              "bad_argument, overflow", "map launch; (4,64); 32; 2",
              "ok: (th_x, th_y, th_z, bl_x, bl_y, bl_z)[vector_elem] -> (bl_x, th_x * 2 + vector_elem), domain: th_x in [0, 31], "
              "th_y in [0, 0], th_z in [0, 0], bl_x in [0, 3], bl_y in [0, 0], bl_z in [0, 0], vector_elem in [0, 1]",
              [](Reply& reply, const axe::Shape& s, std::int64_t threads, const std::optional<std::int64_t>& vector) {
                  launch(reply, s, threads, vector.value_or(1));
              }),
    operation(
        "map coalescing", "M ITEMSIZE [WIDTH]", "what the warps of a launch ask of memory, counted",
        "M is from threads (th_x, ...), blocks and vector_elem to one element of an array that begins at a multiple of 128 bytes\n"
        "a request is 32 threads at WIDTH elements each, the legal vector width unless given; sectors are 32 bytes, lines 128\n"
        "ideal are the sectors that the bytes asked for would fill",
        "rank_mismatch, bad_argument, overflow, too_hard",
        "map coalescing; (th_x, bl_x)[vector_elem] -> (bl_x * 256 + th_x * 2 + vector_elem), domain: th_x in [0, 127], bl_x in [0, "
        "9], "
        "vector_elem in [0, 1]; 4",
        "ok: vector width 2; width 2; requests 40; elements 2560; sectors 320; ideal sectors 320; most sectors 8; lines 80; most "
        "lines 2",
        [](Reply& reply, const Map& m, std::int64_t bytes, const std::optional<std::int64_t>& width) {
            answer_coalescing(reply, *m, bytes, width);
        }),
    operation(
        "map vector-width", "M ITEMSIZE", "how many elements one instruction may move, 16 bytes at most",
        "M is as `map coalescing` takes it; the elements follow one another as vector_elem runs, are aligned, and are in\n"
        "the domain together",
        "rank_mismatch, bad_argument, overflow, too_hard",
        "map vector-width; (th_x, bl_x)[vector_elem] -> (bl_x * 512 + th_x * 4 + vector_elem), domain: th_x in [0, 127], bl_x "
        "in [0, 9], vector_elem in [0, 3]; 2",
        "ok: 4", [](const Map& m, std::int64_t bytes) { return axe::vector_width(*m, bytes); }),
    operation("map peel", "M VARIABLE", "the domain split along a variable, so that most of it needs fewer constraints",
              "the parts before, within and after, each simplified; they are disjoint, and together the domain", "bad_argument",
              "map peel; (d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 99], s0 in [0, 2], d0 + s0 in [1, 100]; d0",
              "ok: (d0)[s0] -> (s0 - 1), domain: d0 in [0, 0], s0 in [1, 2]\n"
              "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [1, 98], s0 in [0, 2]\n"
              "(d0)[s0] -> (s0 + 98), domain: d0 in [99, 99], s0 in [0, 1]",
              [](Reply& reply, const Map& m, const Text& variable) { answer_peel(reply, *m, variable); }),
    operation("map tile", "M [SHAPE]", "what tiles of the dimensions need of each result: offset + [0, size) * stride",
              "for tiles with the offsets o0, ..., the sizes z0, ... and the strides t0, ...; a line a case, with its conditions\n"
              "where no case holds nothing is said; SHAPE is that of the tiled array, the domain's unless given",
              "none: no size was found at which tiles need a box\n"
              "bad_argument, rank_mismatch, overflow, too_hard, capacity",
              "map tile; (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
              "ok: (o0 floordiv 4, o0 mod 4 + [0, z0) * t0) if o0 mod 4 + (z0 - 1) * t0 <= 3\n"
              "(o0 floordiv 4 + [0, z0) * (t0 floordiv 4) in [0, 2], o0 mod 4) if t0 mod 4 = 0\n"
              "(o0 floordiv 4 + [0, z0 floordiv 4) in [0, 2], [0, 4)) if t0 = 1, o0 mod 4 = 0, z0 mod 4 = 0",
              [](Reply& reply, const Map& m, const std::optional<axe::Shape>& shape) { answer_tile(reply, *m, shape, false); }),
    operation("map tile-grid", "M [SHAPE]", "the part of each result that tiles in a grid need: offset + [0, size) * stride",
              "`map tile` for offsets that are multiples of the sizes, and strides of 1: as where an array is cut into tiles\n"
              "a case holds for all tiles of a grid; conditions are on the sizes alone, `z0 divides 4`, `z0 mod 4 = 0`",
              "none: no case holds for all tiles of any grid\n"
              "bad_argument, rank_mismatch, overflow, too_hard, capacity",
              "map tile-grid; (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
              "ok: (o0 floordiv 4, o0 mod 4 + [0, z0)) if z0 divides 4\n"
              "(o0 floordiv 4 + [0, z0 floordiv 4) in [0, 2], [0, 4)) if z0 mod 4 = 0",
              [](Reply& reply, const Map& m, const std::optional<axe::Shape>& shape) { answer_tile(reply, *m, shape, true); }),
    operation(
        "map tile-at", "M TILE [SHAPE]", "what one tile of the dimensions needs of each result: offset + [0, size) * stride",
        "by the first case of `map tile` that holds; `in [low, high]` where the domain cuts it off",
        "none: no size was found at which tiles need a box\n"
        "out_of_domain (no case holds, or the tile begins outside of the shape), rank_mismatch, bad_argument, overflow, too_hard",
        "map tile-at; (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]; (4,8,1)", "ok: 1 + [0, 2), [0, 4)",
        [](Reply& reply, const Map& m, const Values& tile, const std::optional<axe::Shape>& shape) {
            answer_tile_at(reply, *m, *tile, shape);
        }),
    operation("map emit-c", "M [KEY=VALUE ...]", "the map as a function of C++",
              "name=WORD     of the function; map unless given\n"
              "checks=no     the caller knows that the point is in the domain, and the function does not ask\n"
              "of a batch and as JSON's answer in one line, which is the same code; `text` of JSON has the lines",
              "bad_argument, overflow (a value may overflow 64 bits), capacity",
              "map emit-c; (d0, d1) -> (d0 * 4 + d1 floordiv 8), domain: d0 in [0, 9], d1 in [0, 63]; name=place; checks=no",
              "ok: static inline void place(int d0, int d1, int* r)\n{\n    r[0] = d0 * 4 + (d1 >> 3);\n}",
              [](Reply& reply, const Map& m, const std::vector<Setting>& settings) { answer_emit_c(reply, *m, settings); }),
    operation(
        "map emit-loops", "S M SHAPE [M SHAPE ...] [KEY=VALUE ...]", "the loops of an operation as a function of C++",
        "r[d] of shape S is combined of elements of the operands; each has a map from the index of r to its own, and a shape\n"
        "name=WORD     of the function; kernel unless given\n"
        "type=T        of the elements; float unless given\n"
        "initial=E     what r begins with; 0 unless given\n"
        "combine=E     the next value of acc, from x0, x1, ..., the elements; acc + x0, or acc + x0 * x1 * ... unless given\n"
        "peel=no       one loop nest with its guards, not one for each part of the domain",
        "rank_mismatch, bad_argument, overflow (an address may overflow 64 bits), capacity",
        "map emit-loops; 4; (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 2]; (4,3); name=rows",
        "ok: static inline void rows(const float* a0, float* r)\n"
        "{\n"
        "    for (long long i = 0; i < 4; ++i) r[i] = 0;\n"
        "    {\n"
        "        for (int d0 = 0; d0 <= 3; ++d0) {\n"
        "            float acc = 0;\n"
        "            for (int s0 = 0; s0 <= 2; ++s0) {\n"
        "                const float x0 = a0[d0 * 3 + s0];\n"
        "                acc = acc + x0;\n"
        "            }\n"
        "            r[d0] = acc;\n"
        "        }\n"
        "    }\n"
        "}",
        [](Reply& reply, const axe::Shape& s, const Text& m, const Text& shape, const std::vector<Text>& more) {
            std::vector<Text> rest{m, shape};
            rest.insert(rest.end(), more.begin(), more.end());
            answer_emit_loops(reply, s, rest);
        }),
    operation("map from-layout", "L S [AXES]", "a layout over a shape as a map",
              "result j of d is the coordinate of L(d) on axis j, replicas being range variables; without AXES all that L has",
              "bad_axis, size_mismatch, unknown_axis, overflow", "map from-layout; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg); (8,16)",
              "ok: (d0, d1) -> (d0 * 4 + (d1 floordiv 2) mod 4, d1 mod 2, d1 floordiv 8), domain: d0 in [0, 7], d1 in [0, 15]",
              [](const axe::Layout& l, const axe::Shape& s, const std::optional<axe::Layout::Axes>& axes) {
                  return axe::to_map(l, s, list_of(axes));
              }),
    operation("map to-layout", "M [AXES]", "the layout that a map is",
              "L(d) = M(d), dimensions counted from their least values, range variables as replicas\n"
              "the results are on m, or on r0, r1, ..., unless AXES names them",
              "none: no layout does that\n"
              "bad_argument, rank_mismatch, bad_axis, overflow, capacity, too_hard",
              "map to-layout; (d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]", "ok: (10,2):(1,30)",
              [](const Map& m, const std::optional<axe::Layout::Axes>& axes) { return axe::from_map(*m, list_of(axes)); }),
};

} // namespace map_table
} // namespace

constinit const std::span<const Operation> map_operations = map_table::rows;

} // namespace axe_cli
