// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_OPERATION_HPP
#define AXE_MAP_OPERATIONS_OPERATION_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// The dimensions of an array, outermost first; none for a scalar, 0 where there are no elements.
using IndexShape = std::vector<std::int64_t>;

/// Where the value of a run-time variable is read: operand `operand`, at the index that `at` gives.
struct RuntimeSource {
    int operand = -1;
    IndexingMap at{}; ///< has the dimensions and the range variables of the map whose variable it is, and no run-time variables
};

/// A map between a result and an operand, with the source of each of its run-time variables in their order.
struct OperandMap {
    IndexingMap map{};
    std::vector<RuntimeSource> runtimes{};
};

/// How the elements of one result and those of the operands belong together.
struct ResultMaps {
    IndexShape shape{};
    /// For each operand the maps (index in the result)[ranges]{run-time} -> (index in the operand): that element reads these.
    /// No map when nothing is read, one mostly, `is_undefined` where it is not known.
    std::vector<std::vector<OperandMap>> from_output{};
    /// For each operand the maps (index in the operand)[ranges]{run-time} -> (index in the result): the transposed relation.
    std::vector<std::vector<OperandMap>> to_output{};
    /// (index in the result){rt0, …} -> (the element), where it is integer arithmetic on the index and on the elements that are
    /// read: run-time variable i is what operand i has at its map's place. Undefined where it is not.
    IndexingMap value = IndexingMap::undefined();
};

/// All that indexing analysis needs to know of an operation on arrays of given shapes.
struct OperationMaps {
    std::string name{};
    std::vector<IndexShape> operands{};
    std::vector<ResultMaps> results{}; ///< several for a variadic reduction or a tuple
};

} // namespace v0
} // namespace axe

#endif
