// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/fold_runtime.hpp>
#include <axe/map/fusion.hpp>
#include <tests/laws/map_arrays.hpp>

/// Maps through graphs against the graphs, run on small arrays whose elements know what went into them.
namespace {

using laws::elements;
using laws::Int;
using laws::Numbers;
using laws::RunGraph;

/// All (index of the map, index of its result) of a map between arrays of the graph; its run-time variables are what the graph has.
std::set<std::pair<Numbers, Numbers>> relation(const RunGraph& run, const axe::FusedMap& fused)
{
    std::set<std::pair<Numbers, Numbers>> out;
    const axe::IndexingMap& m = fused.map;
    REQUIRE(m.runtimes() == static_cast<int>(fused.runtimes.size()));
    std::vector<axe::IndexInterval> box = laws::box(m);
    for (int v = m.first_runtime(); v < static_cast<int>(box.size()); ++v) box[static_cast<std::size_t>(v)] = {0, 0};
    laws::every_point(box, [&](const Numbers& p) {
        Numbers point = p;
        // The source of a run-time variable may be at an index that a later one gives.
        for (int k = m.runtimes() - 1; k >= 0; --k) {
            const axe::FusedRuntime& r = fused.runtimes[static_cast<std::size_t>(k)];
            const auto at = axe::evaluate_anywhere(r.at, point);
            REQUIRE(at.has_value());
            for (std::size_t i = 0; i < at->size(); ++i)
                if ((*at)[i] < 0 || (*at)[i] >= run.graph.shape(r.source)[i])
                    return; // outside the domain, or it would be a mistake
            point[static_cast<std::size_t>(m.first_runtime() + k)] = run[r.source][*at].value;
        }
        if (axe::contains(m, point).no()) return;
        out.insert({Numbers(point.begin(), point.begin() + m.dimensions), *axe::evaluate_anywhere(m, point)});
    });
    return out;
}

std::string text(const std::vector<axe::FusedMap>& maps)
{
    std::string out;
    for (const auto& m : maps) out += "\n  " + axe::print(m.map);
    return out;
}

/// Do the maps from `root` to every parameter, folded and not, and those back, say what the elements of `root` know?
void check_root(const RunGraph& run, const axe::GraphValue& root)
{
    std::string names;
    for (int n = 0; n < run.graph.size(); ++n) names += " " + run.graph[n].operation.name;
    INFO(names);
    const auto inputs = axe::output_to_inputs(run.graph, root);
    REQUIRE(inputs.has_value());
    for (const axe::ParameterMaps& p : *inputs) {
        std::set<std::pair<Numbers, Numbers>> truth, back;
        laws::GraphArray::every_index(run.graph.shape(root), [&](const Numbers& i) {
            laws::GraphArray::every_index(run.graph.shape(p.parameter), [&](const Numbers& k) {
                if (run[root][i].reads.count({p.parameter.node, run[p.parameter].place(k)}) == 0) return;
                truth.insert({i, k});
                back.insert({k, i});
            });
        });
        std::set<std::pair<Numbers, Numbers>> read, folded;
        INFO("parameter " << p.parameter.node << text(p.maps));
        for (const axe::FusedMap& m : p.maps) {
            REQUIRE_FALSE(m.map.is_undefined);
            read.merge(relation(run, m));
            const auto f = axe::fold_runtime(run.graph, m);
            REQUIRE(f.has_value());
            INFO("folded " << axe::print(f->map));
            REQUIRE(f->runtimes.size() <= m.runtimes.size());
            folded.merge(relation(run, *f));
        }
        REQUIRE(read == truth);
        REQUIRE(folded == truth);

        const auto outputs = axe::input_to_output(run.graph, p.parameter, root);
        REQUIRE(outputs.has_value());
        bool is_known = true;
        std::set<std::pair<Numbers, Numbers>> reached;
        for (const axe::FusedMap& m : *outputs) {
            is_known = is_known && !m.map.is_undefined;
            if (is_known) reached.merge(relation(run, m));
        }
        INFO("back" << text(*outputs));
        if (is_known) REQUIRE(reached == back);
    }
}

/// A value in [0, most] that is known at run time: a parameter's, or what constants and iotas make.
axe::GraphValue random_start(laws::Random& r, RunGraph& run, Int most)
{
    if (r.one_in(3)) return run.parameter({}, r, 0, most);
    const Int wanted = r.in(0, most);
    if (r.one_in(3)) return run.constant({}, wanted);
    // (i + d)·1 − d of an iota, at the place where that is wanted
    const auto line = run.iota({2, most + 1}, 1);
    const Int shift = r.in(-3, 3);
    const auto sum = run.elementwise("add", line, run.constant({2, most + 1}, shift));
    const auto back = run.elementwise("subtract", sum, run.constant({2, most + 1}, shift));
    return run.reshape(run.slice(back, {1, wanted}, {2, wanted + 1}, {1, 1}), {});
}

axe::IndexShape random_factors(laws::Random& r, Int n)
{
    axe::IndexShape out;
    while (n > 1 && out.size() < 3) {
        const Int f = r.in(1, n);
        if (n % f != 0) continue;
        out.push_back(out.size() == 2 ? n : f);
        n /= out.back();
    }
    if (n > 1 || out.empty()) out.push_back(n);
    return out;
}

/// One more operation on x, and perhaps on another array.
axe::GraphValue random_operation(laws::Random& r, RunGraph& run, axe::GraphValue x, const std::vector<axe::GraphValue>& others)
{
    const axe::IndexShape shape = run.graph.shape(x);
    const Int rank = static_cast<Int>(shape.size());
    const Int d = rank > 0 ? r.in(0, rank - 1) : 0;
    const bool is_small = elements(shape) <= 40;
    switch (rank == 0 ? 1 : r.in(0, 11)) {
    case 0: {
        Numbers order;
        for (Int k = 0; k < rank; ++k) order.insert(order.begin() + r.in(0, k), k);
        return run.transpose(x, order);
    }
    case 1:
        if (is_small && rank < 3) return run.broadcast(x, r.in(0, rank), r.in(1, 3));
        return run.reshape(x, random_factors(r, elements(shape)));
    case 2:
    case 3: return run.reshape(x, random_factors(r, elements(shape)));
    case 4: {
        Numbers starts, limits, strides;
        for (const Int n : shape) {
            starts.push_back(r.in(0, (n - 1) / 2));
            limits.push_back(r.in(starts.back() + 1, n));
            strides.push_back(r.in(1, 2));
        }
        return run.slice(x, starts, limits, strides);
    }
    case 5: return run.reverse(x, d);
    case 6: {
        if (!is_small) return run.reverse(x, d);
        std::vector<axe::op::PadDimension> padding;
        for (const Int n : shape) padding.push_back({r.in(n > 1 ? -1 : 0, 2), r.in(0, 2), r.one_in(3) ? 1 : 0});
        return run.pad(x, run.parameter({}, r), padding);
    }
    case 7: return run.reduce(x, run.constant({}, 0), d);
    case 8: {
        axe::IndexShape sizes;
        std::vector<axe::GraphValue> starts;
        for (const Int n : shape) {
            sizes.push_back(r.in(1, n));
            starts.push_back(random_start(r, run, n - sizes.back()));
        }
        return run.dynamic_slice(x, starts, sizes);
    }
    case 9: {
        axe::IndexShape sizes = shape;
        sizes[0] = r.in(1, shape[0]);
        if (!is_small || rank > 2) return run.reverse(x, d);
        const Int count = r.in(1, shape[0] - sizes[0] + 1);
        if (r.one_in(2)) return run.gather(x, run.reshape(run.iota({count}, 0), {count, 1}), sizes);
        return run.gather(x, run.parameter({count, 1}, r, 0, shape[0] - sizes[0]), sizes);
    }
    default:
        for (const axe::GraphValue& y : others) {
            if (run.graph.shape(y) == shape && r.one_in(2)) return run.elementwise(r.one_in(2) ? "add" : "multiply", x, y);
            axe::IndexShape like = run.graph.shape(y);
            if (static_cast<Int>(like.size()) != rank) continue;
            like[static_cast<std::size_t>(d)] = shape[static_cast<std::size_t>(d)];
            if (like == shape && is_small) return run.concatenate(y, x, d);
        }
        return run.elementwise("add", x, run.reverse(x, d));
    }
}

} // namespace

TEST_CASE("graphs: maps of random graphs of up to 8 operations are what the graphs read")
{
    laws::Random r(2026);
    for (Int i = laws::cases(400); i > 0; --i) {
        RunGraph run;
        std::vector<axe::GraphValue> values;
        for (Int k = r.in(1, 2); k > 0; --k) {
            axe::IndexShape shape;
            for (Int rank = r.in(1, 3); rank > 0; --rank) shape.push_back(r.in(1, 4));
            values.push_back(run.parameter(shape, r));
        }
        for (Int k = r.in(1, 8); k > 0; --k) {
            // Mostly on, sometimes aside: so that paths part and meet.
            const auto x =
                r.one_in(4) ? values[static_cast<std::size_t>(r.in(0, static_cast<Int>(values.size()) - 1))] : values.back();
            values.push_back(random_operation(r, run, x, values));
        }
        check_root(run, values.back());
    }
}

TEST_CASE("graphs: devices are an ordinary axis of collectives among other operations")
{
    laws::Random r(41);
    const std::vector<axe::op::DeviceGroups> groupings{{{0, 1, 2, 3}},   {{3, 1, 0, 2}},   {{0, 1}, {2, 3}},
                                                       {{0, 2}, {1, 3}}, {{1, 3}, {2, 0}}, {{2}, {0}, {1}, {3}}};
    for (Int i = laws::cases(200); i > 0; --i) {
        RunGraph run;
        axe::GraphValue x = run.parameter({4, 4 * r.in(1, 2), 2 * r.in(1, 2)}, r);
        for (Int k = r.in(1, 4); k > 0; --k) {
            const axe::op::DeviceGroups& groups = groupings[static_cast<std::size_t>(r.in(0, 5))];
            const Int n = static_cast<Int>(groups[0].size());
            const axe::IndexShape shape = run.graph.shape(x);
            const auto d = static_cast<std::size_t>(r.in(1, static_cast<Int>(shape.size()) - 1));
            const auto e = static_cast<std::size_t>(r.in(1, static_cast<Int>(shape.size()) - 1));
            switch (r.in(0, 5)) {
            case 0: x = elements(shape) * n <= 256 ? run.all_gather(x, d, groups) : run.all_reduce(x, groups); break;
            case 1: x = run.all_reduce(x, groups); break;
            case 2: x = shape[d] % n == 0 ? run.reduce_scatter(x, d, groups) : run.all_reduce(x, groups); break;
            case 3: x = shape[d] % n == 0 ? run.all_to_all(x, d, e, groups) : run.reverse(x, 0); break;
            case 4: x = run.reverse(x, static_cast<Int>(d)); break;
            default: x = run.elementwise("add", x, run.reverse(x, 0)); break; // what the opposite device has
            }
        }
        check_root(run, x);
    }
}

TEST_CASE("graphs: a reduction that is scattered and gathered is the reduction for all")
{
    laws::Random r(42);
    for (const axe::op::DeviceGroups& groups : {axe::op::DeviceGroups{{0, 1, 2, 3}}, {{2, 0}, {1, 3}}}) {
        RunGraph run;
        const auto x = run.parameter({4, 8, 3}, r);
        const auto all = run.all_reduce(x, groups);
        const auto scattered = run.all_gather(run.reduce_scatter(x, 1, groups), 1, groups);
        const auto maps = axe::output_to_inputs(run.graph, all).value(),
                   others = axe::output_to_inputs(run.graph, scattered).value();
        REQUIRE(maps[0].maps.size() == 1);
        REQUIRE(others[0].maps.size() == 1);
        INFO(text(maps[0].maps) << text(others[0].maps));
        CHECK(relation(run, maps[0].maps[0]) == relation(run, others[0].maps[0]));
        // and parts sent to and fro come back
        const auto back = run.all_to_all(run.all_to_all(x, 1, 2, groups), 2, 1, groups);
        const auto home = axe::output_to_inputs(run.graph, back).value();
        REQUIRE(home[0].maps.size() == 1);
        INFO(text(home[0].maps));
        CHECK(relation(run, home[0].maps[0]) == relation(run, axe::output_to_inputs(run.graph, x).value()[0].maps[0]));
    }
}
