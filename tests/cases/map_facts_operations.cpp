// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/operations.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/simplify.hpp>
#include <nlohmann/json.hpp>
#include <tests/catch.hpp>
#include <tests/random.hpp>

#include <fstream>
#include <functional>
#include <map>
#include <set>

/// Maps of operations from XLA's tests (kind `hlo_op` of xla_facts.jsonl): ours relate the same indices. The operations stand here,
/// written from the row's text; a fusion is the composition along its paths.
namespace {

using namespace axe;
using nlohmann::json;
using Index = std::vector<std::int64_t>;
using Maps = std::vector<IndexingMap>;

template <class Op>
OperationMaps made(const Op& o, const std::vector<IndexShape>& operands)
{
    const auto out = o.maps(operands);
    REQUIRE(out);
    return *out;
}

/// For each operand its one map; every result of an operation has the same.
Maps listed(const OperationMaps& operation, bool from_output)
{
    Maps out;
    for (const auto& maps : from_output ? operation.results[0].from_output : operation.results[0].to_output) {
        REQUIRE(maps.size() == 1);
        out.push_back(maps[0].map);
    }
    return out;
}

/// Output to input through operations, the root first, each through the operand named.
IndexingMap through(const std::vector<std::pair<OperationMaps, std::size_t>>& path)
{
    IndexingMap out = path[0].first.results[0].from_output[path[0].second][0].map;
    for (std::size_t i = 1; i < path.size(); ++i) {
        const auto next = compose(out, path[i].first.results[0].from_output[path[i].second][0].map);
        REQUIRE(next);
        out = *next;
    }
    return out;
}

struct Fact {
    Maps output_to_input{}, input_to_output{};
};
Fact of(const OperationMaps& operation) { return {listed(operation, true), listed(operation, false)}; }

op::Convolution convolution(std::int64_t stride_of_kernel, std::int64_t stride_of_input, std::int64_t feature_groups)
{
    op::Convolution o;
    o.window.resize(2);
    for (op::WindowDimension& w : o.window) {
        w.dilation = stride_of_kernel;
        w.base_dilation = stride_of_input;
    }
    o.dimensions = {0, 3, {1, 2}, 0, 3, {1, 2}, 0, 3, {1, 2}};
    o.feature_groups = feature_groups;
    return o;
}

const std::vector<IndexShape> three{{2, 5, 7}, {2, 11, 7}, {2, 17, 7}};
const op::Slice strided{{5, 0, 50}, {21, 64, 434}, {1, 2, 3}};

/// The slice of a concatenation through each of its operands.
Maps slice_of_three(const op::Slice& slice)
{
    const auto joined = made(op::Concatenate{1}, three);
    Maps out;
    for (std::size_t k = 0; k < 3; ++k) out.push_back(through({{made(slice, {{2, 33, 7}}), 0}, {joined, k}}));
    return out;
}

const std::map<std::string, std::function<Fact()>> facts{
    {"xla0083", [] { return of(made(op::Bitcast{{30, 10, 20}, {1, 0, 2}, {}}, {{10, 20, 30}})); }},
    {"xla0084", [] { return of(made(op::Bitcast{{10, 20, 30}, {}, {1, 0, 2}}, {{30, 10, 20}})); }},
    {"xla0087", [] { return of(made(op::Reshape{{0}}, {{1, 0, 0}})); }},
    {"xla0092", [] { return of(made(op::Broadcast{{10, 20, 30}, {1}}, {{20}})); }},
    {"xla0094", [] { return of(made(op::Iota{{5, 5, 111, 42}, 0}, {})); }},
    {"xla0095", [] { return of(made(op::Concatenate{1}, three)); }},
    {"xla0103",
     [] {
         const auto inner = made(op::Reduce{{0, 3}}, {{150, 20, 10, 50}, {}}), outer = made(op::Reduce{{0}}, {{20, 10}, {}});
         return Fact{{through({{outer, 0}, {inner, 0}}), through({{outer, 0}, {inner, 1}})}, {}};
     }},
    {"xla0105",
     [] {
         const auto left = made(op::Transpose{{1, 0, 2}}, {{20, 10, 50}}), right = made(op::Transpose{{2, 1, 0}}, {{20, 10, 50}});
         const auto sum = made(op::Elementwise{"add"}, {{10, 50, 20}, {10, 50, 20}});
         return Fact{{through({{sum, 0}, {made(op::Transpose{{0, 2, 1}}, {{10, 20, 50}}), 0}, {left, 0}}),
                      through({{sum, 1}, {made(op::Transpose{{1, 0, 2}}, {{50, 10, 20}}), 0}, {right, 0}})},
                     {}};
     }},
    {"xla0106",
     [] {
         const auto sum = made(op::Reduce{{0, 2}}, {{16, 32, 128}, {}});
         return Fact{{through({{sum, 0}, {made(strided, {{150, 64, 1024}}), 0}}), through({{sum, 1}})}, {}};
     }},
    {"xla0107",
     [] { return Fact{{through({{made(op::Reshape{{128}}, {{8, 16}}), 0}, {made(op::Reshape{{8, 16}}, {{128}}), 0}})}, {}}; }},
    {"xla0108",
     [] { return Fact{{through({{made(op::Reshape{{8, 16}}, {{128}}), 0}, {made(op::Reshape{{128}}, {{8, 16}}), 0}})}, {}}; }},
    {"xla0109",
     [] {
         const auto there = made(op::Reshape{{50, 20}}, {{10, 10, 10}}), back = made(op::Reshape{{10, 10, 10}}, {{50, 20}});
         return Fact{{through({{back, 0}, {there, 0}})}, {}};
     }},
    {"xla0110",
     [] {
         const op::Slice outer{{3, 4, 5}, {16, 30, 100}, {2, 3, 4}};
         return Fact{{through({{made(outer, {{16, 32, 128}}), 0}, {made(strided, {{150, 64, 1024}}), 0}})}, {}};
     }},
    {"xla0112", [] { return Fact{slice_of_three({{0, 0, 0}, {2, 33, 7}, {1, 3, 1}}), {}}; }},
    {"xla0113", [] { return Fact{slice_of_three({{0, 0, 0}, {2, 5, 7}, {1, 2, 1}}), {}}; }},
    {"xla0114",
     [] {
         const auto split = made(op::Reshape{{4, 8}}, {{32}}), joined = made(op::Concatenate{0}, {{2}, {30}});
         return Fact{{through({{split, 0}, {joined, 0}}), through({{split, 0}, {joined, 1}})}, {}};
     }},
    {"xla0115", [] { return of(made(op::Reshape{{32}}, {{4, 8}})); }},
    {"xla0116", [] { return of(made(op::Reshape{{4, 8}}, {{32}})); }},
    {"xla0117", [] { return of(made(op::Reshape{{4, 4, 8}}, {{16, 8}})); }},
    {"xla0119", [] { return of(made(op::Reshape{{4, 8}}, {{2, 4, 4}})); }},
    {"xla0123", [] { return of(made(op::Pad{{{-3, -5, 1}}}, {{7}, {}})); }},
    {"xla0127", [] { return of(made(op::ReduceWindow{{{3, 2, 1, 1}, {2, 1, 0, 1}}}, {{13, 17}, {}})); }},
    {"xla0130", [] { return of(made(op::ReduceWindow{{{2}, {2}}}, {{2, 3}, {2, 3}, {}, {}})); }},
    {"xla0133", [] { return of(made(convolution(1, 2, 1), {{1, 12, 10, 4}, {4, 3, 5, 8}})); }},
    {"xla0134", [] { return of(made(convolution(2, 1, 1), {{1, 12, 10, 4}, {4, 3, 5, 8}})); }},
    {"xla0135", [] { return of(made(convolution(1, 1, 6), {{1, 12, 10, 24}, {4, 3, 5, 48}})); }},
    {"xla0139", [] { return of(made(op::Slice{{5, 3, 0}, {10, 20, 50}, {1, 7, 2}}, {{10, 20, 50}})); }},
    {"xla0140", [] { return of(made(op::Transpose{{0, 2, 3, 1}}, {{3, 12288, 6, 128}})); }},
    {"xla0141",
     [] { return of(made(op::Dot{{5, 1}, {1, 5}, {4, 2}, {3, 0}}, {{4, 38, 17, 11, 18, 10}, {17, 10, 16, 18, 22, 38}})); }},
    {"xla0142", [] { return of(made(op::Opaque{"triangular_solve", {{4, 4}}}, {{4, 4}, {4, 4}})); }},
};

/// All points of the intervals of variables `first` to `last`, or a sample of so many with the corners.
std::vector<Index> points(const std::vector<IndexInterval>& bounds, std::int64_t most)
{
    std::int64_t count = 1;
    for (const IndexInterval& b : bounds) {
        if (b.is_empty()) return {};
        count = count > most ? count : count * (b.high - b.low + 1);
    }
    std::vector<Index> out;
    const auto go = [&](const auto& self, Index& point, bool corners) -> void {
        if (point.size() == bounds.size()) {
            out.push_back(point);
            return;
        }
        const IndexInterval& b = bounds[point.size()];
        for (std::int64_t i = b.low; i <= b.high; i += corners && i < b.high ? b.high - b.low : 1) {
            point.push_back(i);
            self(self, point, corners);
            point.pop_back();
        }
    };
    Index point;
    go(go, point, count > most);
    if (count <= most) return out;
    static laws::Random r(94);
    while (static_cast<std::int64_t>(out.size()) < most) {
        out.emplace_back();
        for (const IndexInterval& b : bounds) out.back().push_back(r.in(b.low, b.high));
    }
    return out;
}

std::vector<IndexInterval> bounds_of(const IndexingMap& map, int first, int last)
{
    std::vector<IndexInterval> out;
    for (int v = first; v < last; ++v) out.push_back(map.variables[static_cast<std::size_t>(v)].bounds);
    return out;
}

std::set<Index> related(const IndexingMap& map, const Index& dimensions)
{
    std::set<Index> out;
    for (const Index& loops : points(bounds_of(map, map.first_range(), map.first_runtime()), 1 << 20)) {
        Index point = dimensions;
        point.insert(point.end(), loops.begin(), loops.end());
        if (contains(map, point).yes()) out.insert(*evaluate(map, point));
    }
    return out;
}

/// The same relation, at every index that either map has, or at many of them.
void check_same(const IndexingMap& got, const IndexingMap& expected, bool is_known_empty)
{
    if (is_known_empty) {
        for (const Index& d : points(bounds_of(got, 0, got.dimensions), 1 << 16)) CHECK(related(got, d).empty());
        return;
    }
    REQUIRE(got.dimensions == expected.dimensions);
    REQUIRE(got.results.size() == expected.results.size());
    REQUIRE(got.runtimes() == 0);
    REQUIRE(expected.runtimes() == 0);
    std::int64_t loops = 1;
    for (const IndexingMap* map : {&got, &expected}) {
        std::int64_t n = 1;
        for (const IndexInterval& b : bounds_of(*map, map->first_range(), map->first_runtime())) n *= b.high - b.low + 1;
        loops = std::max(loops, n);
    }
    auto bounds = bounds_of(got, 0, got.dimensions);
    for (std::size_t d = 0; d < bounds.size(); ++d) {
        bounds[d].low = std::min(bounds[d].low, expected.variables[d].bounds.low);
        bounds[d].high = std::max(bounds[d].high, expected.variables[d].bounds.high);
    }
    bool is_somewhere = false;
    for (const Index& d : points(bounds, std::max<std::int64_t>(20'000 / loops, 4))) {
        const auto here = related(got, d);
        is_somewhere = is_somewhere || !here.empty();
        CHECK(here == related(expected, d));
    }
    CHECK(is_somewhere);
}

/// Floor divisions and remainders in the results and constraints.
int divisions(const IndexingMap& map)
{
    std::vector<bool> needed(static_cast<std::size_t>(map.pool.size()));
    for (const IndexExpr e : map.results) needed[static_cast<std::size_t>(e.id)] = true;
    for (const IndexConstraint& c : map.constraints) needed[static_cast<std::size_t>(c.expression.id)] = true;
    int count = 0;
    for (std::size_t id = needed.size(); id-- > 0;) {
        if (!needed[id]) continue;
        const IndexNode& n = map.pool[{static_cast<std::int32_t>(id)}];
        count += n.op == IndexOp::floor_div || n.op == IndexOp::mod ? 1 : 0;
        for (const IndexExpr operand : {n.left, n.right})
            if (operand.id >= 0) needed[static_cast<std::size_t>(operand.id)] = true;
    }
    return count;
}

void check_list(const Maps& got, const json& expected)
{
    if (expected.is_null()) return;
    // Paths with one map are one line of the row.
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::string text = expected.at(expected.size() == 1 ? 0 : i);
        INFO("operand " << i << ": " << text);
        CHECK(got[i].is_undefined == (text == "unknown indexing"));
        if (got[i].is_undefined) continue;
        const auto map = parse_map(text);
        REQUIRE(map);
        check_same(got[i], *map, text == "KNOWN EMPTY");
        const IndexingMap simple = remove_unused(simplify(got[i]), UnusedKind::symbols).map;
        INFO("simplified: " << print(simple));
        CHECK(divisions(simple) <= divisions(*map));
        if (text == "KNOWN EMPTY") {
            CHECK(simple.has_empty_interval());
        } else {
            // The loops are the same ones in the same order, so the maps are equal as functions too: proven, not sampled.
            const auto verdict = equal(simple, *map);
            REQUIRE(verdict);
            CHECK(verdict.yes());
        }
    }
    CHECK((got.size() == expected.size() || expected.size() == 1));
}

} // namespace

TEST_CASE("operations: the maps of XLA's tests")
{
    std::ifstream file(AXE_TEST_DATA "/xla_facts.jsonl");
    REQUIRE(file);
    int count = 0;
    for (std::string line; std::getline(file, line);) {
        const json row = json::parse(line);
        if (row.at("kind") != "hlo_op") continue;
        INFO(row.at("id") << ": " << row.at("hlo"));
        ++count;
        const auto fact = facts.find(row.at("id"));
        REQUIRE(fact != facts.end());
        const Fact got = fact->second();
        check_list(got.output_to_input, row.at("output_to_input"));
        check_list(got.input_to_output, row.at("input_to_output"));
    }
    CHECK(count == 30);
    CHECK(facts.size() == 30);
}
