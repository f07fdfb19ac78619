// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/fusion.hpp>
#include <axe/map/operations.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

namespace {

using axe::GraphValue;
using axe::IndexGraph;
namespace op = axe::op;

/// The maps of each parameter, a line each, or what is wrong.
std::vector<std::string> texts(const IndexGraph& g, const axe::Result<GraphValue>& root)
{
    if (!root) return {root.error().message().c_str()};
    const auto inputs = axe::output_to_inputs(g, *root);
    if (!inputs) return {inputs.error().message().c_str()};
    std::vector<std::string> out;
    for (const axe::ParameterMaps& p : *inputs) {
        out.emplace_back();
        for (const axe::FusedMap& m : p.maps) out.back() += (out.back().empty() ? "" : "\n") + axe::print(m.map);
    }
    return out;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("fusion: the composition of the operations")
{
    IndexGraph g;
    const auto x = g.parameter({150, 64, 1024});
    const auto once = g.add(op::Slice{{5, 0, 50}, {21, 64, 434}, {1, 2, 3}}, {x}).value();
    const auto twice = g.add(op::Slice{{3, 4, 5}, {16, 30, 100}, {2, 3, 4}}, {once});
    CHECK(texts(g, twice) == Lines{"(d0, d1, d2) -> (d0 * 2 + 8, d1 * 6 + 8, d2 * 12 + 65), "
                                   "domain: d0 in [0, 6], d1 in [0, 8], d2 in [0, 23]"});
    const auto zero = g.parameter({});
    const auto sum = g.add(op::Reduce{{0, 2}}, {once, zero});
    CHECK(texts(g, sum) ==
          Lines{"(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50), domain: d0 in [0, 31], s0 in [0, 15], s1 in [0, 127]",
                "(d0) -> (), domain: d0 in [0, 31]"});
}

TEST_CASE("fusion: range variables of the inner operation come first")
{
    IndexGraph g;
    const auto x = g.parameter({150, 20, 10, 50}), zero = g.parameter({});
    const auto once = g.add(op::Reduce{{0, 3}}, {x, zero}).value();
    CHECK(texts(g, g.add(op::Reduce{{0}}, {once, zero})) ==
          Lines{"(d0)[s0, s1, s2] -> (s0, s2, d0, s1), domain: d0 in [0, 9], s0 in [0, 149], s1 in [0, 49], s2 in [0, 19]",
                "(d0) -> (), domain: d0 in [0, 9]"});
}

TEST_CASE("fusion: paths that come to one map keep one, others each their own")
{
    IndexGraph g;
    const auto x = g.parameter({20, 10, 50});
    // 20 10 50 -> 10 20 50 -> 10 50 20 by two ways
    const auto a = g.add(op::Transpose{{1, 0, 2}}, {x}).value();
    const auto left = g.add(op::Transpose{{0, 2, 1}}, {a}).value();
    const auto b = g.add(op::Transpose{{1, 2, 0}}, {x}).value();
    CHECK(texts(g, g.add(op::Elementwise{"add"}, {left, b})) ==
          Lines{"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"});

    IndexGraph h;
    const auto y = h.parameter({8});
    const auto back = h.add(op::Reverse{{0}}, {y}).value();
    CHECK(texts(h, h.add(op::Elementwise{"add"}, {y, back})) ==
          Lines{"(d0) -> (d0), domain: d0 in [0, 7]\n(d0) -> (-d0 + 7), domain: d0 in [0, 7]"});
}

TEST_CASE("fusion: twenty forks and meetings are twenty steps")
{
    IndexGraph g;
    GraphValue v = g.parameter({6, 6});
    for (int i = 0; i < 20; ++i) {
        const auto turned = g.add(op::Transpose{{1, 0}}, {v}).value();
        v = g.add(op::Elementwise{"add"}, {v, turned}).value();
    }
    // 2^20 paths, two maps
    CHECK(texts(g, v) == Lines{"(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 5]\n"
                               "(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 5]"});
}

TEST_CASE("fusion: operands that are not read have no map")
{
    IndexGraph g;
    const auto a = g.parameter({2, 5, 7}), b = g.parameter({2, 11, 7}), c = g.parameter({2, 17, 7});
    const auto all = g.add(op::Concatenate{1}, {a, b, c}).value();
    CHECK(texts(g, g.add(op::Slice{{0, 0, 0}, {2, 5, 7}, {1, 2, 1}}, {all})) ==
          Lines{"(d0, d1, d2) -> (d0, d1 * 2, d2), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 6]", "", ""});
    CHECK(texts(g, g.add(op::Slice{{0, 0, 0}, {2, 33, 7}, {1, 3, 1}}, {all})) ==
          Lines{"(d0, d1, d2) -> (d0, d1 * 3, d2), domain: d0 in [0, 1], d1 in [0, 1], d2 in [0, 6]",
                "(d0, d1, d2) -> (d0, d1 * 3 - 5, d2), domain: d0 in [0, 1], d1 in [2, 5], d2 in [0, 6]",
                "(d0, d1, d2) -> (d0, d1 * 3 - 16, d2), domain: d0 in [0, 1], d1 in [6, 10], d2 in [0, 6]"});
}

TEST_CASE("fusion: reshapes that undo each other, or split what was joined")
{
    const auto through = [](axe::IndexShape from, axe::IndexShape by, axe::IndexShape to) {
        IndexGraph g;
        const auto x = g.parameter(from);
        const auto middle = g.add(op::Reshape{by}, {x}).value();
        return texts(g, g.add(op::Reshape{to}, {middle}));
    };
    CHECK(through({128}, {8, 16}, {128}) == Lines{"(d0) -> (d0), domain: d0 in [0, 127]"});
    CHECK(through({8, 16}, {128}, {8, 16}) == Lines{"(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]"});
    CHECK(through({10, 10, 10}, {50, 20}, {10, 10, 10}) ==
          Lines{"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"});
    IndexGraph g;
    const auto a = g.parameter({2}), b = g.parameter({30});
    const auto both = g.add(op::Concatenate{0}, {a, b}).value();
    const auto lines = texts(g, g.add(op::Reshape{{4, 8}}, {both}));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "(d0, d1) -> (d1), domain: d0 in [0, 0], d1 in [0, 1]");
    CHECK(lines[1] == "(d0, d1) -> (d0 * 8 + d1 - 2), domain: d0 in [0, 3], d1 in [0, 7], d0 * 8 + d1 in [2, 31]");
}

TEST_CASE("fusion: tuples and operations of several results")
{
    IndexGraph g;
    const auto x = g.parameter({4, 6}), y = g.parameter({4, 6}), zero = g.parameter({});
    const auto sums = g.add(op::Reduce{{1}}, {x, y, zero, zero}).value();
    const auto back = g.add(op::Reverse{{0}}, {{sums.node, 1}}).value();
    const auto both = g.add(op::Tuple{}, {sums, back}).value();
    // The first reads both arrays, as a variadic reduction does; the second is the other way round.
    const std::string first = "(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 5]";
    const std::string second = "(d0)[s0] -> (-d0 + 3, s0), domain: d0 in [0, 3], s0 in [0, 5]";
    const std::string of_zero = "(d0) -> (), domain: d0 in [0, 3]";
    CHECK(texts(g, both) == Lines{first, first, of_zero});
    CHECK(texts(g, GraphValue{both.node, 1}) == Lines{second, second, of_zero});
}

TEST_CASE("fusion: an operation without maps makes what it reads undefined")
{
    IndexGraph g;
    const auto x = g.parameter({4}), y = g.parameter({4});
    const auto solved = g.add(op::Opaque{"solve", {{4}}}, {x}).value();
    CHECK(texts(g, g.add(op::Elementwise{"add"}, {solved, y})) == Lines{"UNDEFINED", "(d0) -> (d0), domain: d0 in [0, 3]"});
}

TEST_CASE("fusion: run-time variables keep their sources, at the place where they are read")
{
    IndexGraph g;
    const auto x = g.parameter({20, 8}), indices = g.parameter({5, 1});
    const auto rows = g.add(op::Gather{{1, 8}}, {x, indices}).value();
    const auto flat = g.add(op::Reshape{{5, 8}}, {rows}).value();
    const auto turned = g.add(op::Transpose{{1, 0}}, {flat});
    REQUIRE(turned.has_value());
    const auto inputs = axe::output_to_inputs(g, *turned).value();
    REQUIRE(inputs[0].maps.size() == 1);
    const axe::FusedMap& m = inputs[0].maps[0];
    CHECK(axe::print(m.map) == "(d0, d1){rt0} -> (rt0, d0), domain: d0 in [0, 7], d1 in [0, 4], rt0 in [0, 19]");
    REQUIRE(m.runtimes.size() == 1);
    CHECK(m.runtimes[0].source == indices);
    CHECK(m.runtimes[0].bounds == axe::IndexInterval{0, 19});
    CHECK(axe::print(m.runtimes[0].at) == "(d0, d1){rt0} -> (d1, 0), domain: d0 in [0, 7], d1 in [0, 4], rt0 in [0, 19]");
}

TEST_CASE("fusion: a run-time variable that a domain narrows stays")
{
    // Row 0 of four is read only when the slice starts there: that the result does not mention the start is not enough.
    IndexGraph g;
    const auto x = g.parameter({1}), y = g.parameter({3}), start = g.parameter({});
    const auto both = g.add(op::Concatenate{0}, {x, y}).value();
    const auto inputs = axe::output_to_inputs(g, g.add(op::DynamicSlice{{1}}, {both, start}).value()).value();
    REQUIRE(inputs[0].maps.size() == 1);
    CHECK(axe::print(inputs[0].maps[0].map) == "(d0){rt0} -> (0), domain: d0 in [0, 0], rt0 in [0, 0]");
    CHECK(inputs[0].maps[0].runtimes[0].bounds == axe::IndexInterval{0, 3});
}

TEST_CASE("fusion: input to output")
{
    IndexGraph g;
    const auto x = g.parameter({6, 4}), zero = g.parameter({});
    const auto flat = g.add(op::Reshape{{24}}, {x}).value();
    const auto part = g.add(op::Slice{{8}, {24}, {1}}, {flat}).value();
    const auto out = axe::input_to_output(g, x, part);
    REQUIRE(out.has_value());
    REQUIRE(out->size() == 1);
    CHECK(axe::print((*out)[0].map) == "(d0, d1) -> (d0 * 4 + d1 - 8), domain: d0 in [2, 5], d1 in [0, 3]");
    const auto sum = g.add(op::Reduce{{0}}, {x, zero}).value();
    CHECK(axe::print((*axe::input_to_output(g, x, sum))[0].map) == "(d0, d1) -> (d1), domain: d0 in [0, 5], d1 in [0, 3]");
    CHECK(axe::print((*axe::input_to_output(g, zero, sum))[0].map) == "()[s0] -> (s0), domain: s0 in [0, 3]");
    CHECK(axe::input_to_output(g, sum, x)->empty());
    CHECK(axe::print((*axe::input_to_output(g, x, x))[0].map) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 3]");
}

TEST_CASE("fusion: roots that do not exist")
{
    IndexGraph g;
    const auto x = g.parameter({4});
    const auto gone = axe::output_to_inputs(g, {0, 1});
    CHECK(gone.code() == axe::errc::out_of_domain);
    CHECK(std::string(gone.error().message().c_str()) == "the graph of 1 node has no result 1 of node 0");
    CHECK(axe::input_to_output(g, x, {7, 0}).code() == axe::errc::out_of_domain);
    CHECK(axe::input_to_output(g, {-1, 0}, x).code() == axe::errc::out_of_domain);
}

TEST_CASE("fusion: more maps than are kept are too hard")
{
    // x(i + 1) + x(i), and so on with 2, 4, …: each of 2^11 offsets is a map of its own.
    IndexGraph g;
    GraphValue v = g.parameter({1 << 12});
    for (int k = 0; k < 11; ++k) {
        const std::int64_t n = g.shape(v)[0], step = std::int64_t{1} << k;
        const auto low = g.add(op::Slice{{0}, {n - step}, {1}}, {v}).value(),
                   high = g.add(op::Slice{{step}, {n}, {1}}, {v}).value();
        v = g.add(op::Elementwise{"add"}, {low, high}).value();
    }
    const auto inputs = axe::output_to_inputs(g, v);
    CHECK(inputs.code() == axe::errc::too_hard);
    CHECK(std::string(inputs.error().message().c_str()) ==
          "not decided: an array of the graph is read by more than 1024 different maps");
}
