// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FUSION_HPP
#define AXE_MAP_FUSION_HPP

#include <axe/map/fused_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// The maps between a root of a graph and one of its parameters.
struct ParameterMaps {
    GraphValue parameter{};
    std::vector<FusedMap> maps{};
};

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
AXE_DECL Result<std::vector<ParameterMaps>> output_to_inputs(const IndexGraph& graph, const GraphValue& root);

/// Which elements of `root` read an element of `input`: the different maps (index in input)[ranges]{run-time} -> (index in root).
///
/// The transposed relation of `output_to_inputs`, for any two values of the graph.
/// @returns errors, and cost: as there.
AXE_DECL Result<std::vector<FusedMap>> input_to_output(const IndexGraph& graph, const GraphValue& input, const GraphValue& root);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/fusion.hpp>
#endif

#endif
