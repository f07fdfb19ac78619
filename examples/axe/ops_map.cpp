// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps: XLA's language of index arithmetic, and the way to layouts and back.
#include "map_text.hpp"
#include "operation.hpp"

#include <axe/map/attribute.hpp>
#include <axe/map/box.hpp>
#include <axe/map/coalescing.hpp>
#include <axe/map/compose.hpp>
#include <axe/map/count.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/launch.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/rescale.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/to_dimensions.hpp>
#include <axe/map/to_layout.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace axe_cli {
namespace {

using axe::IndexingMap;
using Map = Parsed<parse_map_argument>;
using Values = Parsed<parse_numbers>;

using Box = Parsed<parse_intervals>;

/// How `map parse` writes what it read.
enum class Spelling { xla, slash, generic, attribute };

axe::Result<Spelling> parse_spelling(const char* text, int length)
{
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

void equal(Reply& reply, const IndexingMap& a, const IndexingMap& b)
{
    using Difference = axe::MapVerdict::Difference;
    const auto verdict = axe::equal(a, b);
    if (!verdict) return reply.refuse(verdict.error());
    if (*verdict) return give_verdict(reply, true);
    const std::string at = text_of(verdict->point);
    if (verdict->difference != Difference::result) {
        const bool first = verdict->difference == Difference::first_only;
        give_verdict(reply, false, at + " is in the domain of the " + (first ? "first" : "second") + " map only");
        if (reply.json()) write(reply.fields.key("only").number(first ? 1 : 2).key("point"), verdict->point);
        return;
    }
    const auto i = static_cast<std::size_t>(verdict->result);
    const auto left = axe::evaluate_anywhere(a, verdict->point), right = axe::evaluate_anywhere(b, verdict->point);
    const auto value = [i](const auto& results) { return results ? std::to_string((*results)[i]) : "too large"; };
    give_verdict(reply, false, "result " + std::to_string(i) + " at " + at + " is " + value(left) + " and " + value(right));
    if (!reply.json()) return;
    write(reply.fields.key("result").number(verdict->result).key("point"), verdict->point);
    if (left) write(reply.fields.key("left"), *left);
    if (right) write(reply.fields.key("right"), *right);
}

void is_empty(Reply& reply, const IndexingMap& map)
{
    const auto point = axe::find_point(map);
    if (!point) return reply.refuse(point.error());
    if (!point->has_value()) return give_verdict(reply, true);
    give_verdict(reply, false, text_of(**point) + " is a point of it");
    if (reply.json()) write(reply.fields.key("point"), **point);
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

void coalescing(Reply& reply, const IndexingMap& map, std::int64_t bytes, const std::optional<std::int64_t>& wanted)
{
    const auto legal = axe::vector_width(map, bytes);
    if (!legal) return reply.refuse(legal.error());
    const std::int64_t width = wanted.value_or(*legal);
    const auto answer = axe::coalescing(map, bytes, width);
    if (!answer) return reply.refuse(answer.error());
    const axe::Coalescing& c = *answer;
    const std::pair<const char*, std::int64_t> counts[] = {
        {"vector_width", *legal},         {"width", width},       {"requests", c.requests},
        {"elements", c.elements},         {"sectors", c.sectors}, {"ideal_sectors", c.ideal_sectors},
        {"most_sectors", c.most_sectors}, {"lines", c.lines},     {"most_lines", c.most_lines},
    };
    for (const auto& [name, n] : counts) {
        std::string words = name;
        std::replace(words.begin(), words.end(), '_', ' ');
        reply.text.append(reply.text.empty() ? "" : "; ").append(words).append(" ").append(std::to_string(n));
        if (reply.json()) reply.fields.key(name).number(n);
    }
}

std::vector<axe::Axis> list_of(const std::optional<axe::Layout::Axes>& axes)
{
    return axes ? std::vector<axe::Axis>(axes->begin(), axes->end()) : std::vector<axe::Axis>{};
}

constexpr Operation rows[] = {
    operation("map parse", "M [xla|slash|generic|attribute]", "a map as it was understood, in one of four spellings",
              "nothing is simplified but sums and products of constants", "bad_argument, overflow",
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
        "map simplify", "M", "the same map on the same domain, as simple as it gets",
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
    operation("map inverse", "M", "the map back, where there is one",
              "R(M(d)) = d for every d of the domain, on the image of M alone; range and run-time variables are solved for",
              "not_single_valued, bad_argument, overflow, too_hard",
              "map inverse; (d0, d1) -> (d1 + 2, d0), domain: d0 in [0, 3], d1 in [0, 4]",
              "ok: (d0, d1) -> (d1, d0 - 2), domain: d0 in [2, 6], d1 in [0, 3]", [](const Map& m) { return axe::inverse(*m); }),
    operation("map equal", "A B", "are two maps one function on one domain?",
              "A(x) = B(x) for every x; no witness is smaller in lexicographic order where that could be found\n"
              "x is a value for every variable: dimensions, range and run-time variables alike",
              "rank_mismatch, bad_argument, overflow, too_hard",
              "map equal; (d0) -> (d0 mod 4), domain: d0 in [0, 7]; (d0) -> (d0 - (d0 floordiv 4) * 4), domain: d0 in [0, 7]",
              "ok: yes", [](Reply& reply, const Map& a, const Map& b) { equal(reply, *a, *b); }),
    operation("map empty", "M", "is the domain empty?", "if it is not, its first point in lexicographic order",
              "bad_argument, overflow, too_hard", "map empty; (d0) -> (d0), domain: d0 in [0, 9], d0 mod 4 in [3, 3]",
              "ok: no: (3) is a point of it", [](Reply& reply, const Map& m) { is_empty(reply, *m); }),
    operation("map count", "M", "how many points the domain has", "run-time variables counted like the others",
              "bad_argument, overflow, too_hard",
              "map count; (d0, d1) -> (d0), domain: d0 in [0, 999], d1 in [0, 999], d0 + d1 in [0, 999], d0 mod 3 in [1, 2]",
              "ok: 333333", [](const Map& m) { return axe::count_points(*m); }),
    operation("map image", "M", "the least and the greatest value of each result", "the smallest box that holds every M(x)",
              "bad_argument, overflow, too_hard", "map image; (d0) -> (d0 * 4, d0 mod 3), domain: d0 in [0, 9], d0 mod 4 in [3, 3]",
              "ok: [12, 28], [0, 1]", [](const Map& m) { return axe::image_box(*m); }),
    operation("map preimage", "M BOX", "the least and the greatest value of each variable at which the results lie in a box",
              "the smallest box that holds every x with M(x) in BOX", "rank_mismatch, bad_argument, overflow, too_hard",
              "map preimage; (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]; [2, 3], [1, 2]", "ok: [9, 14]",
              [](const Map& m, const Box& box) { return axe::preimage_box(*m, *box); }),
    operation("map remove-unused", "M", "without the variables that no result and no constraint that can fail speaks of", "",
              "capacity", "map remove-unused; (d0, d1)[s0] -> (d1), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 1]",
              "ok: (d0) -> (d0), domain: d0 in [0, 3]", [](const Map& m) { return axe::remove_unused(*m).map; }),
    operation("map rescale", "M", "range variables of which only every k-th value is allowed count those",
              "s mod k in [c, c] becomes s = k*s' + c", "capacity",
              "map rescale; (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 41], s0 mod 6 in [3, 3]",
              "ok: (d0)[s0] -> (d0 + (s0 * 6 + 3)), domain: d0 in [0, 3], s0 in [0, 6]",
              [](const Map& m) { return axe::rescale(*m); }),
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
            coalescing(reply, *m, bytes, width);
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

} // namespace

constinit const std::span<const Operation> map_operations = rows;

} // namespace axe_cli
