// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_DISTRIBUTED_HPP
#define AXE_TENSOR_DISTRIBUTED_HPP

#include <axe/tensor/array.hpp>
#include <axe/tensor/local.hpp>

#include <vector>

/// Between a tensor that is spread over devices and the arrays that the devices hold, each on its own.
namespace axe {
inline namespace v0 {

/// What device d holds of an array with the tensor's layout: its part, row-major.
///
/// Errors: those of `local`; `errc::size_mismatch` and `errc::bad_argument` for an array of another shape or type than the tensor.
/// Cost: linear in the elements of the part.
AXE_DECL Result<Array, Problem> part_of(const Tensor& whole, const Array& array, std::int64_t device, const Axis& axis = "gpuid");

/// The array that devices hold together, `parts[d]` being that of device d (null where it holds nothing): the check of a distributed
/// tensor against its declared layout, before a run.
///
/// `errc::size_mismatch` for another number of devices or a part of another shape, `errc::bad_argument` for another type, a part that is
/// missing or not asked for, and copies of one element that differ; the message names device and element. Cost: linear in the parts.
AXE_DECL Result<Array, Problem> assemble(const Tensor& whole, const std::vector<const Array*>& parts, const Axis& axis = "gpuid");

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/distributed.hpp>
#endif

#endif
