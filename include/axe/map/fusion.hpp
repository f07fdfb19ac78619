// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FUSION_HPP
#define AXE_MAP_FUSION_HPP

#include <axe/map/fused_map.hpp>

namespace axe {
inline namespace v0 {

/// The maps between a root of a graph and one of its parameters.
struct ParameterMaps {
    GraphValue parameter{};
    std::vector<FusedMap> maps{};
};

namespace detail {

/// So many different maps of one array are kept; a graph that needs more is too hard.
inline constexpr std::size_t most_fused_maps = 1024;

inline JointMap identity_joint(const IndexShape& shape)
{
    JointMap out{IndexingMap::over(shape), shape.size(), {}};
    for (int i = 0; i < out.map.dimensions; ++i) out.map.results.push_back(out.map.dimension(i));
    return out;
}

inline Error check_value(const IndexGraph& graph, const GraphValue& v)
{
    if (graph.has(v)) return {};
    return Error(errc::out_of_domain, -1, "the graph of {0} nodes has no result {2} of node {1}", graph.size(), v.node, v.result);
}

/// The different maps to each result of each node: [node][result].
using ReachedMaps = std::vector<std::vector<std::vector<JointMap>>>;

inline ReachedMaps nothing_reached(const IndexGraph& graph)
{
    ReachedMaps out(static_cast<std::size_t>(graph.size()));
    for (int n = 0; n < graph.size(); ++n) out[static_cast<std::size_t>(n)].resize(graph[n].operation.results.size());
    return out;
}
inline std::vector<JointMap>& reached_at(ReachedMaps& reached, const GraphValue& v)
{
    return reached[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.result)];
}

/// Adds what the maps in `from`, to an array of that shape, become by each of `steps`, but for the empty ones and those that `to` has.
inline Error reach(const std::vector<JointMap>& from, const IndexShape& shape, const std::vector<OperandMap>& steps,
                   const std::vector<GraphValue>& values, std::vector<JointMap>& to)
{
    for (const JointMap& joint : from) {
        for (const OperandMap& step : steps) {
            Result<JointMap> next = then(joint, shape, step, values);
            if (!next) return next.error();
            if (next->map.has_empty_interval()) continue;
            bool is_known = false;
            for (const JointMap& known : to) is_known = is_known || is_same_joint(known, *next);
            if (is_known) continue;
            if (to.size() == most_fused_maps)
                return Error(errc::too_hard, -1, "an array of the graph is read by more than {0} different maps",
                             static_cast<std::int64_t>(most_fused_maps));
            to.push_back(std::move(*next));
        }
    }
    return {};
}

inline std::vector<FusedMap> all_parted(const std::vector<JointMap>& joints)
{
    std::vector<FusedMap> out;
    for (const JointMap& j : joints) out.push_back(parted(j));
    return out;
}

} // namespace detail

/// What an element of `root` reads of each parameter of the graph: the composition of the operations along every path, simplified.
///
/// For each parameter, in their order, the different maps (index in root)[ranges]{run-time} -> (index in the parameter); none when
/// nothing is read, one that is undefined where an operation on the way has none. Symbols that a map does not need are removed.
/// A run-time variable is read from the array of the graph that its operation reads it from; `fold_runtime` goes on from there.
/// Of several roots, one is asked after the other.
/// @returns `errc::out_of_domain` for a root that is not there, `errc::too_hard` for more than 1024 maps of an array, and the
///          errors of `compose` and `simplify`.
/// Cost: a composition and a simplification for each map of each operand of a node, whatever the number of paths with equal maps.
/// Source: XLA's ComputeGroupedOutputToInputIndexing.
inline Result<std::vector<ParameterMaps>> output_to_inputs(const IndexGraph& graph, const GraphValue& root)
{
    if (const Error e = detail::check_value(graph, root)) return e;
    detail::ReachedMaps reached = detail::nothing_reached(graph);
    detail::reached_at(reached, root).push_back(detail::identity_joint(graph.shape(root)));
    for (int n = root.node; n >= 0; --n) { // users come after what they read
        const GraphNode& node = graph[n];
        for (std::size_t r = 0; r < node.operation.results.size(); ++r)
            for (std::size_t k = 0; k < node.operands.size(); ++k)
                if (const Error e = detail::reach(reached[static_cast<std::size_t>(n)][r], node.operation.results[r].shape,
                                                  node.operation.results[r].from_output[k], node.operands,
                                                  detail::reached_at(reached, node.operands[k])))
                    return e;
    }
    std::vector<ParameterMaps> out;
    for (int n = 0; n < graph.size(); ++n)
        if (graph[n].is_parameter) out.push_back({{n, 0}, detail::all_parted(detail::reached_at(reached, {n, 0}))});
    return out;
}

/// Which elements of `root` read an element of `input`: the different maps (index in input)[ranges]{run-time} -> (index in root).
///
/// The transposed relation of `output_to_inputs`, for any two values of the graph.
/// @returns errors, and cost: as there.
inline Result<std::vector<FusedMap>> input_to_output(const IndexGraph& graph, const GraphValue& input, const GraphValue& root)
{
    if (const Error e = detail::check_value(graph, input)) return e;
    if (const Error e = detail::check_value(graph, root)) return e;
    detail::ReachedMaps reached = detail::nothing_reached(graph);
    detail::reached_at(reached, input).push_back(detail::identity_joint(graph.shape(input)));
    for (int n = input.node + 1; n <= root.node; ++n) {
        const GraphNode& node = graph[n];
        for (std::size_t r = 0; r < node.operation.results.size(); ++r)
            for (std::size_t k = 0; k < node.operands.size(); ++k)
                if (const Error e = detail::reach(detail::reached_at(reached, node.operands[k]), graph.shape(node.operands[k]),
                                                  node.operation.results[r].to_output[k], node.operands,
                                                  reached[static_cast<std::size_t>(n)][r]))
                    return e;
    }
    return detail::all_parted(detail::reached_at(reached, root));
}

} // namespace v0
} // namespace axe

#endif
