// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/fusion.hpp>
#include <axe/map/variables_of.hpp>
#include <tests/laws/map_arrays.hpp>
#include <tests/laws/map_tiles.hpp>

/// Tiles of a graph's result, through all operations on the way, against the graph: run on arrays whose elements know what they read.
namespace {

using axe::GraphValue;
using laws::elements;
using laws::GraphArray;
using laws::GraphElement;
using laws::Int;
using laws::Random;
using laws::RunGraph;
using laws::TileIndex;
using laws::TileOf;
using laws::TileSet;
using laws::TileTally;

TileIndex random_order(Random& r, Int rank)
{
    TileIndex out;
    for (Int k = 0; k < rank; ++k) out.insert(out.begin() + r.in(0, k), k);
    return out;
}

// ---- operations that `RunGraph` lacks, as they are defined -------------------------------------------------------------------------

GraphValue dot(Random& r, RunGraph& run, GraphValue x, std::size_t d)
{
    axe::IndexShape shape = run.graph.shape(x);
    const Int k = shape[d], n = r.in(1, 3);
    const GraphValue w = run.parameter({k, n}, r);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
    shape.push_back(n);
    return run.add(axe::op::Dot{{}, {}, {static_cast<Int>(d)}, {0}}, {x, w}, shape, [&](TileIndex i) {
        GraphElement out;
        const Int column = i.back();
        i.pop_back();
        i.insert(i.begin() + static_cast<std::ptrdiff_t>(d), 0);
        for (Int s = 0; s < k; ++s) {
            i[d] = s;
            out.also(run[x][i]);
            out.also(run[w][{s, column}]);
        }
        return out;
    });
}

/// The element that element s of the window at p meets; false where that is padding or a hole.
bool meets(const axe::op::WindowDimension& w, Int n, Int p, Int s, Int& at)
{
    at = p * w.stride + s * w.dilation - w.low;
    const bool is_element = at >= 0 && at % w.base_dilation == 0 && at / w.base_dilation < n;
    at /= w.base_dilation;
    return is_element;
}
Int places(const axe::op::WindowDimension& w, Int n)
{
    const Int padded = (n - 1) * w.base_dilation + 1 + w.low + w.high, reach = (w.size - 1) * w.dilation + 1;
    return padded < reach ? 0 : (padded - reach) / w.stride + 1;
}
axe::op::WindowDimension random_window(Random& r, Int n)
{
    axe::op::WindowDimension w{r.in(1, 3), r.in(1, 2), r.in(0, 1), r.in(0, 1), r.one_in(3) ? 2 : 1, r.one_in(4) ? 2 : 1};
    if (places(w, n) < 1) w = {1, 1, 0, 0, 1, 1};
    return w;
}

GraphValue reduce_window(Random& r, RunGraph& run, GraphValue x)
{
    std::vector<axe::op::WindowDimension> window;
    axe::IndexShape shape, sizes;
    for (const Int n : run.graph.shape(x)) {
        window.push_back(random_window(r, n));
        shape.push_back(places(window.back(), n));
        sizes.push_back(window.back().size);
    }
    const GraphValue initial = run.parameter({}, r);
    return run.add(axe::op::ReduceWindow{window}, {x, initial}, shape, [&](const TileIndex& p) {
        GraphElement out = run[initial].elements[0];
        GraphArray::every_index(sizes, [&](const TileIndex& s) {
            TileIndex at = p;
            bool is_element = true;
            for (std::size_t d = 0; d < p.size(); ++d)
                is_element = meets(window[d], run.graph.shape(x)[d], p[d], s[d], at[d]) && is_element;
            if (is_element) out.also(run[x][at]);
        });
        return out;
    });
}

/// x of (batch, features, n) by a kernel of (features, outputs, size).
GraphValue convolution(Random& r, RunGraph& run, GraphValue x)
{
    const axe::IndexShape in = run.graph.shape(x);
    const axe::op::WindowDimension w = random_window(r, in[2]);
    const GraphValue kernel = run.parameter({in[1], r.in(1, 2), w.size}, r);
    const axe::IndexShape shape{in[0], run.graph.shape(kernel)[1], places(w, in[2])};
    return run.add(axe::op::Convolution{{w}, {0, 1, {2}, 0, 1, {2}, 0, 1, {2}}, 1, 1}, {x, kernel}, shape, [&](const TileIndex& p) {
        GraphElement out;
        for (Int f = 0; f < in[1]; ++f) {
            for (Int s = 0; s < w.size; ++s) {
                out.also(run[kernel][{f, p[1], s}]);
                if (Int at = 0; meets(w, in[2], p[2], s, at)) out.also(run[x][{p[0], f, at}]);
            }
        }
        return out;
    });
}

/// The same memory under another shape; a layout lists the dimensions from the fastest on.
GraphValue bitcast(Random& r, RunGraph& run, GraphValue x, const axe::IndexShape& shape)
{
    const axe::IndexShape from = run.graph.shape(x);
    const TileIndex from_layout = random_order(r, static_cast<Int>(from.size())),
                    layout = random_order(r, static_cast<Int>(shape.size()));
    return run.add(axe::op::Bitcast{shape, from_layout, layout}, {x}, shape, [&](const TileIndex& i) {
        Int place = 0;
        for (std::size_t k = layout.size(); k-- > 0;)
            place = place * shape[static_cast<std::size_t>(layout[k])] + i[static_cast<std::size_t>(layout[k])];
        TileIndex at(from.size());
        for (const Int d : from_layout) {
            at[static_cast<std::size_t>(d)] = place % from[static_cast<std::size_t>(d)];
            place /= from[static_cast<std::size_t>(d)];
        }
        return run[x][at];
    });
}

/// An update, a parameter, over x; the elements that it hides count as read, as the operation's map says.
GraphValue dynamic_update_slice(Random& r, RunGraph& run, GraphValue x)
{
    const axe::IndexShape shape = run.graph.shape(x);
    axe::IndexShape sizes;
    for (const Int n : shape) sizes.push_back(r.in(1, n));
    std::vector<GraphValue> operands{x, run.parameter(sizes, r)};
    for (std::size_t d = 0; d < shape.size(); ++d) operands.push_back(run.parameter({}, r, 0, shape[d] - sizes[d]));
    return run.add(axe::op::DynamicUpdateSlice{}, operands, shape, [&](const TileIndex& i) {
        GraphElement out = run[x][i];
        TileIndex at = i;
        bool is_inside = true;
        for (std::size_t d = 0; d < i.size(); ++d) {
            const GraphElement& start = run[operands[d + 2]].elements[0];
            out.also(start);
            at[d] -= start.value;
            is_inside = is_inside && at[d] >= 0 && at[d] < sizes[d];
        }
        if (is_inside) out.also(run[operands[1]][at]);
        return out;
    });
}

enum class Way { plain, sums, windows, runtimes, all };

GraphValue random_operation(Random& r, RunGraph& run, GraphValue x, Way way)
{
    const axe::IndexShape shape = run.graph.shape(x);
    const Int rank = static_cast<Int>(shape.size()), n = elements(shape);
    if (rank == 0) return run.broadcast(x, 0, r.in(2, 6));
    const Int d = r.in(0, rank - 1);
    const std::vector<std::vector<Int>> choices{{0, 1, 2, 3, 4, 5, 6},
                                                {7, 8, 9, 2, 1},
                                                {10, 11, 1, 2, 6},
                                                {12, 13, 14, 1, 2},
                                                {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}};
    const auto& list = choices[static_cast<std::size_t>(way)];
    switch (list[static_cast<std::size_t>(r.in(0, static_cast<Int>(list.size()) - 1))]) {
    case 0: return run.reverse(x, d);
    case 1: return run.transpose(x, random_order(r, rank));
    case 2: return run.reshape(x, laws::random_index_shape(r, n));
    case 3: return bitcast(r, run, x, laws::random_index_shape(r, n));
    case 4: {
        TileIndex starts, limits, strides;
        for (const Int k : shape) {
            starts.push_back(r.in(0, k / 3));
            limits.push_back(k - r.in(0, k / 3));
            strides.push_back(r.in(1, 2));
        }
        return run.slice(x, starts, limits, strides);
    }
    case 5: {
        axe::IndexShape other = shape;
        other[static_cast<std::size_t>(d)] = r.in(1, 3);
        if (n > 30) return run.reverse(x, d);
        return r.one_in(2) ? run.concatenate(x, run.parameter(other, r), d) : run.concatenate(run.parameter(other, r), x, d);
    }
    case 6: {
        if (n > 24) return run.reverse(x, d);
        std::vector<axe::op::PadDimension> padding;
        for (const Int k : shape) padding.push_back({r.in(k > 2 ? -1 : 0, 2), r.in(0, 2), r.one_in(3) ? 1 : 0});
        return run.pad(x, run.parameter({}, r), padding);
    }
    case 7: return run.reduce(x, run.constant({}, 0), d);
    case 8: return n <= 36 ? dot(r, run, x, static_cast<std::size_t>(d)) : run.reduce(x, run.constant({}, 0), d);
    case 9:
        return n <= 24 && rank < 3 ? run.broadcast(x, r.in(0, rank), r.in(2, 3))
                                   : run.elementwise("add", x, run.parameter(shape, r));
    case 10: return reduce_window(r, run, x);
    case 11: return rank == 3 && shape[1] <= 4 ? convolution(r, run, x) : reduce_window(r, run, x);
    case 12: {
        axe::IndexShape sizes;
        std::vector<GraphValue> starts;
        for (const Int k : shape) {
            sizes.push_back(r.in((k + 1) / 2, k));
            starts.push_back(run.parameter({}, r, 0, k - sizes.back()));
        }
        return run.dynamic_slice(x, starts, sizes);
    }
    case 13: return dynamic_update_slice(r, run, x);
    default: {
        axe::IndexShape sizes = shape;
        sizes[0] = r.in(1, shape[0]);
        if (rank > 2 || n > 24) return run.elementwise("add", x, run.iota(shape, d));
        return run.gather(x, run.parameter({r.in(1, 2), 1}, r, 0, shape[0] - sizes[0]), sizes);
    }
    }
}

/// What the elements of the tile read of the parameter.
TileSet read(const RunGraph& run, GraphValue root, GraphValue parameter, const TileOf& tile)
{
    std::set<Int> places;
    std::vector<TileIndex> lists;
    for (std::size_t d = 0; d < tile.sizes.size(); ++d) {
        lists.emplace_back();
        for (Int k = 0; k < tile.sizes[d]; ++k)
            if (const Int i = tile.offsets[d] + k * tile.strides[d]; i < run.graph.shape(root)[d]) lists.back().push_back(i);
    }
    laws::each_of(lists, [&](const TileIndex& i) {
        for (const auto& [node, place] : run[root][i].reads)
            if (node == parameter.node) places.insert(place);
    });
    TileSet out;
    const axe::IndexShape& shape = run.graph.shape(parameter);
    for (Int place : places) {
        TileIndex at(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; place /= shape[d]) at[d] = place % shape[d];
        out.insert(at);
    }
    return out;
}

/// The values of the map's run-time variables, for the tile; false where they are not one value for all of it.
bool runtimes_of(const RunGraph& run, const axe::FusedMap& fused, const TileOf& tile, TileIndex& out)
{
    out.assign(fused.runtimes.size(), 0);
    // The source of a run-time variable may be at an index that a later one gives.
    for (std::size_t k = fused.runtimes.size(); k-- > 0;) {
        const axe::FusedRuntime& source = fused.runtimes[k];
        TileIndex point = tile.offsets;
        point.resize(fused.map.variables.size());
        std::copy(out.begin(), out.end(), point.end() - static_cast<std::ptrdiff_t>(out.size()));
        for (std::size_t i = 0; i < source.at.results.size(); ++i) {
            const std::vector<bool> used = axe::variables_of(source.at, source.at.results[i]);
            for (std::size_t v = 0; v < static_cast<std::size_t>(fused.map.first_runtime()); ++v)
                if (used[v] && (v >= tile.sizes.size() || tile.sizes[v] != 1)) return false;
        }
        const auto at = axe::evaluate_anywhere(source.at, point);
        REQUIRE(at.has_value());
        for (std::size_t i = 0; i < at->size(); ++i)
            if ((*at)[i] < 0 || (*at)[i] >= run.graph.shape(source.source)[i]) return false;
        out[k] = run[source.source][*at].value;
    }
    return true;
}

void check_graph(Random& r, const RunGraph& run, GraphValue root, TileTally& tally)
{
    const axe::IndexShape shape = run.graph.shape(root);
    for (const Int n : shape)
        if (n == 0) return;
    std::string names;
    for (int n = 0; n < run.graph.size(); ++n) names += " " + run.graph[n].operation.name;
    INFO(names);
    std::vector<TileOf> tiles;
    for (int i = 0; i < 16; ++i) tiles.push_back(laws::random_tile(r, shape, i % 2 == 0));
    const auto inputs = axe::output_to_inputs(run.graph, root);
    REQUIRE(inputs.has_value());
    for (const axe::ParameterMaps& p : *inputs) {
        std::vector<TileSet> found(tiles.size());
        std::vector<bool> is_known(tiles.size(), true);
        for (const axe::FusedMap& fused : p.maps) {
            laws::TileLaw law(fused.map, shape, tally);
            for (std::size_t i = 0; i < tiles.size(); ++i) {
                TileIndex runtimes;
                is_known[i] = is_known[i] && runtimes_of(run, fused, tiles[i], runtimes);
                if (!is_known[i]) continue;
                law.check(tiles[i], i % 2 == 0, runtimes);
                found[i].merge(laws::needed(fused.map, tiles[i], runtimes));
            }
        }
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            INFO("parameter " << p.parameter.node);
            if (is_known[i]) REQUIRE(found[i] == read(run, root, p.parameter, tiles[i]));
        }
    }
}

TileTally check_graphs(Way way, Int count)
{
    Random r(88);
    TileTally out;
    for (Int i = laws::cases(count); i > 0; --i) {
        RunGraph run;
        GraphValue x = run.parameter(laws::random_index_shape(r, r.in(4, 30)), r);
        for (Int k = r.in(1, 4); k > 0; --k) {
            const GraphValue y = random_operation(r, run, x, way);
            // Sometimes two paths that meet again.
            x = run.graph.shape(y) == run.graph.shape(x) && r.one_in(2) ? run.elementwise("add", x, y) : y;
            if (elements(run.graph.shape(x)) == 0) break;
        }
        check_graph(r, run, x, out);
    }
    UNSCOPED_INFO(laws::text(out));
    return out;
}

} // namespace

TEST_CASE("tiles of graphs: elements are moved")
{
    const TileTally t = check_graphs(Way::plain, 120);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 80);
}

TEST_CASE("tiles of graphs: reductions, dots and broadcasts")
{
    const TileTally t = check_graphs(Way::sums, 120);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 80);
}

TEST_CASE("tiles of graphs: windows and convolutions")
{
    const TileTally t = check_graphs(Way::windows, 80);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 50);
}

TEST_CASE("tiles of graphs: run-time offsets")
{
    const TileTally t = check_graphs(Way::runtimes, 120);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 80);
}

TEST_CASE("tiles of graphs: all operations")
{
    const TileTally t = check_graphs(Way::all, 120);
    CHECK(t.aligned_accepted * 100 >= t.aligned * 70);
}
