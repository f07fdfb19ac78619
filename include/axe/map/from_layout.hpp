// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_FROM_LAYOUT_HPP
#define AXE_MAP_FROM_LAYOUT_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// A layout as an indexing map over a shape:  result j of d  =  the coordinate of L(linear_index(shape, d)) on axis j.
///
/// Dimensions are those of the shape; each replica that moves is a range variable, so that as a relation d belongs to the set L(d).
/// The results are the axes in the order given; without a list, the axes on which a coordinate is other than 0, in order of their names (as
/// in `points`), or `m` alone. Expressions are in simplest form: digits of each dimension where the shape groups the layout, of the row-major index
/// of as few neighboring dimensions as possible otherwise.
///
/// Errors: those of `check` and `volume`, `errc::size_mismatch`, `errc::bad_axis` for an axis named twice, `errc::unknown_axis`
/// when the layout moves on one that is not named, `errc::overflow` when a factor overflows.
/// Cost: linear in iters times dimensions and axes.
AXE_DECL Result<IndexingMap> to_map(const Layout& layout, const Shape& shape, const std::vector<Axis>& axes = {});

/// The same for a swizzled layout: an XOR of bits is their sum modulo 2, so each swizzled bit costs a division and a mod or two where
/// the layout does not determine it.
///
/// Errors: also those of `check` for the swizzle.
AXE_DECL Result<IndexingMap> to_map(const Swizzled<Layout>& layout, const Shape& shape, const std::vector<Axis>& axes = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/from_layout.hpp>
#endif

#endif
