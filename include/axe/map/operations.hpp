// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_HPP
#define AXE_MAP_OPERATIONS_HPP

#include <axe/map/operations/all_gather.hpp>
#include <axe/map/operations/all_reduce.hpp>
#include <axe/map/operations/all_to_all.hpp>
#include <axe/map/operations/bitcast.hpp>
#include <axe/map/operations/broadcast.hpp>
#include <axe/map/operations/concatenate.hpp>
#include <axe/map/operations/constant.hpp>
#include <axe/map/operations/convolution.hpp>
#include <axe/map/operations/dot.hpp>
#include <axe/map/operations/dynamic_slice.hpp>
#include <axe/map/operations/dynamic_update_slice.hpp>
#include <axe/map/operations/elementwise.hpp>
#include <axe/map/operations/gather.hpp>
#include <axe/map/operations/iota.hpp>
#include <axe/map/operations/opaque.hpp>
#include <axe/map/operations/pad.hpp>
#include <axe/map/operations/reduce.hpp>
#include <axe/map/operations/reduce_scatter.hpp>
#include <axe/map/operations/reduce_window.hpp>
#include <axe/map/operations/reshape.hpp>
#include <axe/map/operations/reverse.hpp>
#include <axe/map/operations/slice.hpp>
#include <axe/map/operations/transpose.hpp>
#include <axe/map/operations/tuple.hpp>

#include <variant>
#include <vector>

namespace axe {
inline namespace v0 {

/// All operations that have indexing maps: to add one is to add its header and its line here.
using IndexOperation =
    std::variant<op::AllGather, op::AllReduce, op::AllToAll, op::Bitcast, op::Broadcast, op::Concatenate, op::Constant,
                 op::Convolution, op::Dot, op::DynamicSlice, op::DynamicUpdateSlice, op::Elementwise, op::Gather,
                 op::GetTupleElement, op::Iota, op::Opaque, op::Pad, op::Reduce, op::ReduceScatter, op::ReduceWindow, op::Reshape,
                 op::Reverse, op::Slice, op::Transpose, op::Tuple>;

/// The maps of any operation on operands of these shapes; the errors are its own.
AXE_DECL Result<OperationMaps> maps(const IndexOperation& operation, const std::vector<IndexShape>& operands);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/operations.hpp>
#endif

#endif
