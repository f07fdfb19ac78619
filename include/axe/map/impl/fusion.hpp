// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_FUSION_HPP
#define AXE_MAP_IMPL_FUSION_HPP

#include <axe/map/fusion.hpp>
#include <axe/map/impl/fused_map.hpp>
namespace axe {
inline namespace v0 {
namespace detail {

/// So many different maps of one array are kept; a graph that needs more is too hard.
inline constexpr std::size_t most_fused_maps = 1024;

inline Status check_value(const IndexGraph& graph, const GraphValue& v)
{
    if (graph.has(v)) return {};
    return Error(errc::out_of_domain, -1, "the graph of {0} nodes has no result {2} of node {1}", graph.size(), v.node, v.result);
}

/// The different maps to each result of each node: [node][result].
using ReachedMaps = std::vector<std::vector<std::vector<JointMap>>>;

inline std::vector<JointMap>& reached_at(ReachedMaps& reached, const GraphValue& v)
{
    return reached[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.result)];
}
/// The start alone: its identity.
inline ReachedMaps reached_first(const IndexGraph& graph, const GraphValue& start)
{
    ReachedMaps out(static_cast<std::size_t>(graph.size()));
    for (int n = 0; n < graph.size(); ++n) out[static_cast<std::size_t>(n)].resize(graph[n].operation.results.size());
    JointMap identity{IndexingMap::over(graph.shape(start)), graph.shape(start).size(), {}};
    identity.map.results = identity.map.pool.variables(identity.rank);
    reached_at(out, start).push_back(std::move(identity));
    return out;
}
/// Adds what the maps in `from`, to an array of that shape, become by each of `steps`, but for the empty ones and those that `to` has.
inline Status reach(const std::vector<JointMap>& from, const IndexShape& shape, const std::vector<OperandMap>& steps,
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

/// From the results of a node to its operands, or from these to its results.
inline Status reach_through(const IndexGraph& graph, int n, bool to_operands, ReachedMaps& reached)
{
    const GraphNode& node = graph[n];
    for (int r = 0; r < static_cast<int>(node.operation.results.size()); ++r) {
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
            const ResultMaps& result = graph.result({n, r});
            std::vector<JointMap>&of_result = reached_at(reached, {n, r}), &of_operand = reached_at(reached, node.operands[k]);
            const Status e = to_operands
                                 ? reach(of_result, result.shape, result.from_output[k], node.operands, of_operand)
                                 : reach(of_operand, graph.shape(node.operands[k]), result.to_output[k], node.operands, of_result);
            if (!e.ok()) return e;
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

AXE_DECL Result<std::vector<ParameterMaps>> output_to_inputs(const IndexGraph& graph, const GraphValue& root)
{
    if (const Status e = detail::check_value(graph, root); !e.ok()) return e;
    detail::ReachedMaps reached = detail::reached_first(graph, root);
    for (int n = root.node; n >= 0; --n) // users come after what they read
        if (const Status e = detail::reach_through(graph, n, true, reached); !e.ok()) return e;
    std::vector<ParameterMaps> out;
    for (int n = 0; n < graph.size(); ++n)
        if (graph[n].is_parameter) out.push_back({{n, 0}, detail::all_parted(detail::reached_at(reached, {n, 0}))});
    return out;
}

AXE_DECL Result<std::vector<FusedMap>> input_to_output(const IndexGraph& graph, const GraphValue& input, const GraphValue& root)
{
    if (const Status e = detail::check_value(graph, input); !e.ok()) return e;
    if (const Status e = detail::check_value(graph, root); !e.ok()) return e;
    detail::ReachedMaps reached = detail::reached_first(graph, input);
    for (int n = input.node + 1; n <= root.node; ++n)
        if (const Status e = detail::reach_through(graph, n, false, reached); !e.ok()) return e;
    return detail::all_parted(detail::reached_at(reached, root));
}

} // namespace v0
} // namespace axe

#endif
