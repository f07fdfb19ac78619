// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_FUSED_MAP_IMPL_HPP
#define AXE_MAP_IMPL_FUSED_MAP_IMPL_HPP

#include <axe/map/compose.hpp>
#include <axe/map/constrain.hpp>
#include <axe/map/deduplicate.hpp>
#include <axe/map/fused_map.hpp>
#include <axe/map/graph.hpp>
#include <axe/map/impl/deduplicate.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/variables_of.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A fused map with the indices of its sources as further results, so that they go through every operation with it.
struct JointMap {
    struct Source {
        GraphValue value{};
        std::size_t rank = 0;
        IndexInterval bounds{};
    };
    IndexingMap map{}; ///< results: the index, then the index of each source
    std::size_t rank = 0;
    std::vector<Source> sources{};
};

inline JointMap joined(const FusedMap& fused)
{
    JointMap out{fused.map, fused.map.results.size(), {}};
    const std::vector<IndexExpr> places = out.map.pool.variables(out.map.variables.size());
    for (const FusedRuntime& r : fused.runtimes) {
        PoolCopy(out.map.pool, r.at.pool, places).append(out.map.results, r.at.results);
        out.sources.push_back({r.source, r.at.results.size(), r.bounds});
    }
    return out;
}

inline FusedMap parted(const JointMap& joint)
{
    FusedMap out{joint.map, {}};
    if (joint.map.is_undefined) return out;
    out.map.results.resize(joint.rank);
    auto next = joint.map.results.begin() + static_cast<std::ptrdiff_t>(joint.rank);
    for (const JointMap::Source& s : joint.sources) {
        FusedRuntime r{s.value, s.bounds, joint.map};
        r.at.constraints.clear();
        r.at.results.assign(next, next + static_cast<std::ptrdiff_t>(s.rank));
        next += static_cast<std::ptrdiff_t>(s.rank);
        out.runtimes.push_back(std::move(r));
    }
    return out;
}

/// The map without the symbols that it does not need. A run-time variable has one value, not whichever suits: it is needed where a
/// constraint mentions it, or its interval says more than its source.
inline Unused without_needless(IndexingMap map, const std::vector<JointMap::Source>& sources)
{
    std::vector<bool> needed(map.variables.size());
    for (const IndexConstraint& c : map.constraints) {
        const std::vector<bool> mentioned = variables_of(map, c.expression);
        for (std::size_t v = 0; v < needed.size(); ++v) needed[v] = needed[v] || mentioned[v];
    }
    const std::size_t results = map.results.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto v = static_cast<std::size_t>(map.first_runtime()) + i;
        // What a result mentions stays.
        if (needed[v] || !map.variables[v].bounds.contains(sources[i].bounds))
            map.results.push_back(map.variable(static_cast<int>(v)));
    }
    Unused out = remove_unused(map, UnusedKind::symbols);
    out.map.results.resize(results);
    return out;
}

/// Gives a map that has the results of all these sources those that stay, and takes the results of the others.
template <class Stays>
void keep_sources(JointMap& joint, const std::vector<JointMap::Source>& all, Stays stays)
{
    auto place = joint.map.results.begin() + static_cast<std::ptrdiff_t>(joint.rank);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto end = place + static_cast<std::ptrdiff_t>(all[i].rank);
        place = stays(i) ? end : joint.map.results.erase(place, end);
        if (stays(i)) joint.sources.push_back(all[i]);
    }
}

/// Simplified, and without the symbols that are not needed: a run-time variable's source goes with it, and may free others.
inline Result<JointMap> tidied(JointMap joint)
{
    while (true) {
        IndexingMap simple = simplify(joint.map);
        if (simple.is_undefined) return JointMap{std::move(simple), 0, {}};
        if (simple.has_empty_interval()) return JointMap{nowhere(joint.map, joint.rank), joint.rank, {}};
        if (simple.ranges == 0 && joint.sources.empty()) return JointMap{std::move(simple), joint.rank, {}};
        const int first_runtime = simple.first_runtime();
        Unused unused = without_needless(std::move(simple), joint.sources);
        JointMap next{std::move(unused.map), joint.rank, {}};
        keep_sources(next, joint.sources,
                     [&](std::size_t i) { return !unused.removed[static_cast<std::size_t>(first_runtime) + i]; });
        if (next.sources.size() == joint.sources.size()) return next;
        joint = std::move(next);
    }
}

/// The map of one operation, its sources as results, and with `passed` more dimensions that are more results.
inline IndexingMap with_sources(const OperandMap& step, int passed)
{
    IndexingMap out;
    out.dimensions = step.map.dimensions + passed;
    out.ranges = step.map.ranges;
    const auto old = step.map.variables.begin();
    out.variables.assign(old, old + step.map.dimensions);
    out.variables.resize(static_cast<std::size_t>(out.dimensions), {every_integer, {}, IndexKind::none});
    out.variables.insert(out.variables.end(), old + step.map.dimensions, step.map.variables.end());
    std::vector<IndexExpr> places;
    for (int v = 0; v < static_cast<int>(step.map.variables.size()); ++v)
        places.push_back(out.pool.variable(v < step.map.dimensions ? v : v + passed));
    append_replaced(out, step.map, places);
    for (const RuntimeSource& r : step.runtimes) PoolCopy(out.pool, r.at.pool, places).append(out.results, r.at.results);
    for (int i = 0; i < passed; ++i) out.results.push_back(out.dimension(step.map.dimensions + i));
    return out;
}

/// `joint`, which gives an index of an array of that shape, then a step whose sources are among `values`.
inline Result<JointMap> then(const JointMap& joint, const IndexShape& shape, const OperandMap& step,
                             const std::vector<GraphValue>& values)
{
    if (joint.map.is_undefined || step.map.is_undefined) return JointMap{IndexingMap::undefined(), 0, {}};
    std::vector<IndexInterval> indices;
    for (const std::int64_t n : shape) indices.push_back({0, n - 1});
    const int passed = static_cast<int>(joint.map.results.size() - joint.rank);
    const bool has_sources = passed > 0 || !step.runtimes.empty();
    const Result<IndexingMap> map = compose(joint.map, has_sources ? with_sources(step, passed) : step.map, indices);
    if (!map) return map.error();
    JointMap out{*map, step.map.results.size(), {}};
    for (std::size_t i = 0; i < step.runtimes.size(); ++i) {
        const RuntimeSource& r = step.runtimes[i];
        out.sources.push_back({values[static_cast<std::size_t>(r.operand)], r.at.results.size(),
                               step.map.variables[static_cast<std::size_t>(step.map.first_runtime()) + i].bounds});
    }
    out.sources.insert(out.sources.end(), joint.sources.begin(), joint.sources.end());
    return tidied(std::move(out));
}

inline bool is_same_joint(const JointMap& x, const JointMap& y)
{
    return std::equal(x.sources.begin(), x.sources.end(), y.sources.begin(), y.sources.end(),
                      [](const JointMap::Source& a, const JointMap::Source& b) { return a.value == b.value; }) &&
           is_same_map(x.map, y.map);
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
