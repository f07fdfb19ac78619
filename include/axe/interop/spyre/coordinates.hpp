// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_COORDINATES_HPP
#define AXE_INTEROP_SPYRE_COORDINATES_HPP

#include <axe/interop/spyre/tensor.hpp>
#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The device coordinates of the host offsets that a loop nest reaches, as a map of the same variables.
///
///   Σ_j d_j·stride_map_j = index  and  0 ≤ d_j < device_size_j,  both everywhere in the domain
/// Offsets are taken apart by the stride map, the largest step first; where that is not unique, the larger step takes all it can. A
/// constant in the index is carried like everything else, so that no coordinate leaves its range: p3 + 200 is (p3 + 200) mod 64 within
/// a stick, where upstream has p3 mod 64 + 8. Coordinates that no step reaches are 0. Expressions are simplified.
///
/// @param index  one result: the offset from the tensor's first element, in host elements
/// @returns `errc::out_of_domain` with the device dimension whose coordinate would leave its range; `errc::no_layout` where an offset is
///          no sum of steps; `errc::rank_mismatch`, `errc::bad_argument`, the errors of `check` and of `is_always`.
/// Cost: that of `simplify`, and one decision for each dimension.                      [torch-spyre, compute_coordinates and its tests]
AXE_DECL Result<IndexingMap> device_coordinates(const SpyreLayout& layout, const IndexingMap& index);

/// The same of a tensor, by its dimensions first: an offset is an element of the tensor, and that has a place.
///
///   result = device_coordinate(tensor, c)  with  offset + Σ c_i·strides_i = index
/// So a view of the tensor's storage, its index over the storage, is at these coordinates of the tensor's device.
///
/// @param index  one result: the offset in the storage. The tensor's steps are taken the largest first; one of 0 is passed over.
/// @returns `errc::out_of_domain` with the host dimension that is left; else as of the layout.
AXE_DECL Result<IndexingMap> device_coordinates(const Tensor& tensor, const IndexingMap& index);

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/interop/spyre/impl/coordinates.hpp>
#endif

#endif
