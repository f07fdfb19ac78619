// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/fold_runtime.hpp>
#include <axe/map/fusion.hpp>
#include <axe/map/operations.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

namespace {

using axe::GraphValue;
using axe::IndexGraph;
namespace op = axe::op;

/// The one map from the root to the parameter, folded.
axe::FusedMap folded(const IndexGraph& g, GraphValue root, GraphValue parameter)
{
    const auto inputs = axe::output_to_inputs(g, root).value();
    for (const axe::ParameterMaps& p : inputs) {
        if (!(p.parameter == parameter)) continue;
        REQUIRE(p.maps.size() == 1);
        return axe::fold_runtime(g, p.maps[0]).value();
    }
    return {};
}

/// x of 48 numbers, and a row of it for each of the indices that `make` puts into the graph.
template <class Make>
std::string gathered(Make make)
{
    IndexGraph g;
    const auto x = g.parameter({48});
    const GraphValue indices = make(g);
    const auto rows = g.add(op::Gather{{1}}, {x, g.add(op::Reshape{{g.shape(indices)[0], 1}}, {indices}).value()}).value();
    return axe::print(folded(g, g.add(op::Reshape{{g.shape(indices)[0]}}, {rows}).value(), x).map);
}

} // namespace

TEST_CASE("fold_runtime: iotas, constants and arithmetic on them")
{
    CHECK(gathered([](IndexGraph& g) { return g.add(op::Iota{{12}, 0}, {}).value(); }) == "(d0) -> (d0), domain: d0 in [0, 11]");
    CHECK(gathered([](IndexGraph& g) { return g.add(op::Constant{{12}, true, 7}, {}).value(); }) ==
          "(d0) -> (7), domain: d0 in [0, 11]");
    CHECK(gathered([](IndexGraph& g) {
              const auto i = g.add(op::Iota{{12}, 0}, {}).value(), c = g.add(op::Constant{{12}, true, 3}, {}).value();
              const auto product = g.add(op::Elementwise{"multiply"}, {i, c}).value();
              return g.add(op::Elementwise{"subtract"}, {product, g.add(op::Elementwise{"negate"}, {c}).value()}).value();
          }) == "(d0) -> (d0 * 3 + 3), domain: d0 in [0, 11]");
}

TEST_CASE("fold_runtime: the interval stays as a constraint")
{
    // The slides' example: 42 + 2·d0 reaches 64 for d0 = 11, and the map holds in [0, 47].
    IndexGraph g;
    const auto x = g.parameter({48});
    const auto c = g.add(op::Constant{{}, true, 42}, {}).value();
    const auto all = g.add(op::Broadcast{{12, 13, 24}, {}}, {c}).value();
    const auto i = g.add(op::Iota{{12, 13, 24}, 2}, {}).value();
    const auto sum = g.add(op::Elementwise{"add"}, {all, i}).value();
    // element (d0, 7, 2·d0) of the sum
    const auto row = g.add(op::Slice{{0, 7, 0}, {12, 8, 24}, {1, 1, 1}}, {sum}).value();
    const auto flat = g.add(op::Reshape{{12 * 24}}, {row}).value();
    const auto diagonal = g.add(op::Slice{{0}, {12 * 24}, {26}}, {flat}).value();
    const auto indices = g.add(op::Reshape{{12, 1}}, {diagonal}).value();
    const auto rows = g.add(op::Gather{{1}}, {x, indices}).value();
    const auto m = folded(g, g.add(op::Reshape{{12}}, {rows}).value(), x);
    CHECK(m.runtimes.empty());
    CHECK(axe::print(m.map) == "(d0) -> (d0 * 2 + 42), domain: d0 in [0, 2]");
}

TEST_CASE("fold_runtime: reshape, transpose, slice, reverse and broadcast of what is known")
{
    CHECK(gathered([](IndexGraph& g) {
              const auto i = g.add(op::Iota{{4, 6}, 1}, {}).value();
              return g.add(op::Reshape{{24}}, {g.add(op::Transpose{{1, 0}}, {i}).value()}).value();
          }) == "(d0) -> (d0 floordiv 4), domain: d0 in [0, 23]");
    CHECK(gathered([](IndexGraph& g) {
              const auto i = g.add(op::Iota{{20}, 0}, {}).value();
              return g.add(op::Slice{{0}, {20}, {3}}, {g.add(op::Reverse{{0}}, {i}).value()}).value();
          }) == "(d0) -> (d0 * -3 + 19), domain: d0 in [0, 6]");
    CHECK(gathered([](IndexGraph& g) {
              const auto i = g.add(op::Iota{{4}, 0}, {}).value();
              return g.add(op::Reshape{{12}}, {g.add(op::Broadcast{{4, 3}, {0}}, {i}).value()}).value();
          }) == "(d0) -> (d0 floordiv 3), domain: d0 in [0, 11]");
}

TEST_CASE("fold_runtime: what the graph does not compute of indices stays, read where its elements come from")
{
    IndexGraph g;
    const auto x = g.parameter({48}), i = g.parameter({3, 4});
    const auto flat = g.add(op::Reshape{{12, 1}}, {g.add(op::Transpose{{1, 0}}, {i}).value()}).value();
    const auto rows = g.add(op::Gather{{1}}, {x, flat}).value();
    const auto m = folded(g, g.add(op::Reshape{{12}}, {rows}).value(), x);
    CHECK(axe::print(m.map) == "(d0){rt0} -> (rt0), domain: d0 in [0, 11], rt0 in [0, 47]");
    REQUIRE(m.runtimes.size() == 1);
    CHECK(m.runtimes[0].source == i);
    CHECK(axe::print(m.runtimes[0].at) == "(d0){rt0} -> (d0 mod 3, d0 floordiv 3), domain: d0 in [0, 11], rt0 in [0, 47]");

    // A sum with a parameter is not known, nor is a constant without a value.
    CHECK(gathered([](IndexGraph& h) {
              return h.add(op::Elementwise{"add"}, {h.parameter({12}), h.add(op::Iota{{12}, 0}, {}).value()}).value();
          }) == "(d0){rt0} -> (rt0), domain: d0 in [0, 11], rt0 in [0, 47]");
    CHECK(gathered([](IndexGraph& h) { return h.add(op::Constant{{12}, false, 0}, {}).value(); }) ==
          "(d0){rt0} -> (rt0), domain: d0 in [0, 11], rt0 in [0, 47]");
    // Nor a concatenation, which has one value here and another there.
    CHECK(gathered([](IndexGraph& h) {
              const auto line = h.add(op::Iota{{6}, 0}, {}).value();
              return h.add(op::Concatenate{0}, {line, line}).value();
          }) == "(d0){rt0} -> (rt0), domain: d0 in [0, 11], rt0 in [0, 47]");
}

TEST_CASE("fold_runtime: one variable at the place that another one gives")
{
    // x[t[i]] with t[i] read at i = 2·d0, which a gather of an iota gives; only the inner index is known.
    IndexGraph g;
    const auto x = g.parameter({48}), t = g.parameter({30});
    const auto i = g.add(op::Iota{{10, 1}, 0}, {}).value();
    const auto twice = g.add(op::Elementwise{"add"}, {i, i}).value();
    const auto inner = g.add(op::Gather{{1}}, {t, twice}).value();
    const auto rows = g.add(op::Gather{{1}}, {x, inner}).value();
    const auto m = folded(g, g.add(op::Reshape{{10}}, {rows}).value(), x);
    CHECK(m.map.runtimes() == 1);
    REQUIRE(m.runtimes.size() == 1);
    // The inner gather moves elements by a run-time index: it is the source.
    CHECK(m.runtimes[0].source == inner);
}

TEST_CASE("fold_runtime: several variables of one map, some of them known")
{
    IndexGraph g;
    const auto x = g.parameter({30, 40}), start = g.parameter({});
    const auto five = g.add(op::Constant{{}, true, 5}, {}).value();
    const auto part = g.add(op::DynamicSlice{{10, 10}}, {x, start, five}).value();
    const auto m = folded(g, part, x);
    CHECK(axe::print(m.map) == "(d0, d1){rt0} -> (d0 + rt0, d1 + 5), domain: d0 in [0, 9], d1 in [0, 9], rt0 in [0, 20]");
    REQUIRE(m.runtimes.size() == 1);
    CHECK(m.runtimes[0].source == start);
    // A start outside the interval is clamped by the operation, and the map holds nowhere.
    const auto fifty = g.add(op::Constant{{}, true, 50}, {}).value();
    const auto clamped = folded(g, g.add(op::DynamicSlice{{10, 10}}, {x, start, fifty}).value(), x);
    CHECK(clamped.map.has_empty_interval());
    CHECK(clamped.runtimes.empty());
}

TEST_CASE("fold_runtime: maps without run-time variables, and undefined ones")
{
    IndexGraph g;
    const auto x = g.parameter({4});
    const auto m = axe::output_to_inputs(g, x).value()[0].maps[0];
    CHECK(axe::print(axe::fold_runtime(g, m)->map) == axe::print(m.map));
    CHECK(axe::fold_runtime(g, {axe::IndexingMap::undefined(), {}})->map.is_undefined);
}

TEST_CASE("fold_runtime: a constant that overflows is an error")
{
    IndexGraph g;
    const auto x = g.parameter({48});
    const auto large = g.add(op::Constant{{}, true, std::int64_t{1} << 40}, {}).value();
    const auto square = g.add(op::Elementwise{"multiply"}, {large, large}).value();
    const auto part = g.add(op::DynamicSlice{{1}}, {x, square}).value();
    const auto m = axe::output_to_inputs(g, part).value()[0].maps[0];
    CHECK(axe::fold_runtime(g, m).code() == axe::errc::overflow);
}
