// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/simplify/map_size.hpp>
#include <tests/laws/map_arrays.hpp>

/// Chains of 50 operations: composed and simplified step by step they stay small, and read what running them on arrays reads.
namespace {

using laws::elements;
using laws::Int;
using laws::Numbers;
using laws::RunGraph;

enum class ChainKind { layouts, slices, all };

axe::GraphValue random_step(laws::Random& r, RunGraph& run, axe::GraphValue x, axe::GraphValue padding, ChainKind kind)
{
    const axe::IndexShape shape = run.graph.shape(x);
    const Int choice = r.in(0, kind == ChainKind::layouts ? 3 : kind == ChainKind::slices ? 4 : 6);
    if (choice == 2) {
        Numbers order;
        for (Int k = 0; k < static_cast<Int>(shape.size()); ++k) order.insert(order.begin() + r.in(0, k), k);
        return run.transpose(x, order);
    }
    if (choice == 3) return run.reverse(x, r.in(0, static_cast<Int>(shape.size()) - 1));
    if (choice == 4 && elements(shape) > 100) {
        Numbers starts, limits, strides;
        for (const Int n : shape) {
            starts.push_back(r.in(0, n / 4));
            limits.push_back(n - r.in(0, n / 4));
            strides.push_back(n > 4 && r.one_in(4) ? 2 : 1);
        }
        return run.slice(x, starts, limits, strides);
    }
    if (choice > 4 && elements(shape) < 400) {
        std::vector<axe::op::PadDimension> edges;
        for (const Int n : shape) edges.push_back({r.in(n > 1 ? -1 : 0, 2), r.in(0, 2), r.one_in(6) ? 1 : 0});
        return run.pad(x, padding, edges);
    }
    return run.reshape(x, laws::random_index_shape(r, elements(shape)));
}

/// The largest numbers of nodes and of constraints along the chain, and how many of its maps are large: those are simplified by parts,
/// and a second time must change nothing either.
struct Growth {
    Int nodes = 0, constraints = 0, large = 0, kept = 0, others = 0;
};

Growth check_chain(laws::Random& r, ChainKind kind, int length)
{
    RunGraph run;
    const axe::GraphValue padding = run.constant({}, 0);
    const axe::GraphValue input =
        run.parameter(kind == ChainKind::layouts ? axe::IndexShape{8, 8, 8} : axe::IndexShape{6, 8, 9}, r);
    axe::GraphValue x = input;
    for (int k = 0; k < length; ++k) x = random_step(r, run, x, padding, kind);

    Growth out;
    const axe::GraphValue root = x;
    axe::IndexingMap m = axe::IndexingMap::over(run.graph.shape(root));
    for (int d = 0; d < m.dimensions; ++d) m.results.push_back(m.dimension(d));
    for (; !(x == input); x = run.graph.operand(x, 0)) {
        std::vector<axe::IndexInterval> indices;
        for (const Int n : run.graph.shape(x)) indices.push_back({0, n - 1});
        const auto c = axe::compose(m, run.graph.result(x).from_output[0][0].map, indices);
        REQUIRE(c.has_value());
        m = axe::simplify(*c);
        if (m.has_empty_interval()) return out; // only padding is left
        out.nodes = std::max<Int>(out.nodes, m.pool.size());
        // What was kept of the step before is what would be found anew: of large maps always, of others nearly.
        axe::IndexingMap afresh = m;
        afresh.simplified = {};
        const bool is_same = axe::print(axe::simplify(afresh)) == axe::print(m);
        if (axe::detail::nodes_of(m) > axe::detail::large_map) {
            ++out.large;
            REQUIRE(is_same);
        }
        out.kept += m.simplified.domain == 0 ? 0 : 1;
        out.others += is_same ? 0 : 1;
        out.constraints = std::max(out.constraints, static_cast<Int>(m.constraints.size()));
    }
    INFO(axe::print(m).substr(0, 1000));
    bool same = true;
    laws::GraphArray::every_index(run.graph.shape(root), [&](const Numbers& i) {
        const auto& reads = run[root][i].reads;
        const bool inside = axe::contains(m, i).yes();
        same = same && inside == !reads.empty();
        if (inside && same) same = reads.count({input.node, run[input].place(*axe::evaluate(m, i))}) == 1;
    });
    REQUIRE(same);
    return out;
}

/// Of 20 chains.
Growth check_chains(ChainKind kind, int length)
{
    laws::Random r(50);
    Growth out;
    for (Int i = laws::cases(20); i > 0; --i) {
        const Growth g = check_chain(r, kind, length);
        out.nodes = std::max(out.nodes, g.nodes);
        out.constraints = std::max(out.constraints, g.constraints);
        out.large += g.large;
        out.kept += g.kept;
        out.others += g.others;
    }
    CHECK(out.kept > 10);
    CHECK(out.others * 100 < out.kept);
    UNSCOPED_INFO("at most " << out.nodes << " nodes and " << out.constraints << " constraints; " << out.large << " large maps");
    return out;
}

} // namespace

TEST_CASE("chains: 50 reshapes, transpositions and reversals of powers of two")
{
    const Growth g = check_chains(ChainKind::layouts, 50);
    CHECK(g.constraints == 0);
    CHECK(g.nodes <= 100);
}

TEST_CASE("chains: 50 operations with slices")
{
    const Growth g = check_chains(ChainKind::slices, 50);
    CHECK(g.constraints == 0);
    CHECK(g.nodes <= 10 * 50);
    CHECK(g.large > 0);
}

TEST_CASE("chains: 50 operations with slices and pads")
{
    const Growth g = check_chains(ChainKind::all, 50);
    CHECK(g.constraints <= 3 * 50);
    CHECK(g.nodes <= 10 * 50);
    CHECK(g.large > 0);
}
