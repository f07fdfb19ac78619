// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FUSED_MAP_HPP
#define AXE_MAP_FUSED_MAP_HPP

#include <axe/map/graph.hpp>

namespace axe {
inline namespace v0 {

/// Where the value of a run-time variable is read: the element of `source` at the index that `at` gives.
struct FusedRuntime {
    GraphValue source{};
    IndexInterval
        bounds{};     ///< holds every value, as the operation says. The map holds where the value is in its variable's interval
    IndexingMap at{}; ///< has the variables of the map whose variable it is, all of them, and no constraints
};

/// A map between two values of a graph, with the source of each of its run-time variables in their order.
struct FusedMap {
    IndexingMap map{};
    std::vector<FusedRuntime> runtimes{};
};

} // namespace v0
} // namespace axe

#endif
