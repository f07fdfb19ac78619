// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_UNTILE_HPP
#define AXE_LAYOUT_UNTILE_HPP

#include <axe/layout/exact/split_off.hpp>

namespace axe {
inline namespace v0 {

/// The outer layout C with  tile(C, S_A/S_B; B, S_B) = A.      [Axe App. D]
///
/// Exists iff S_B divides S_A, A is grouped by the interleaved shape, its inner groups are those of B, its outer strides and the
/// difference of the offsets are multiples of the span of B, and on each axis A's replica set is (span·R_C) ⊕ R_B;
/// `errc::not_grouped` or `errc::no_layout` otherwise. Errors: those of `tile`; `errc::too_hard` only for replica sets that break the
/// gap condition. Cost: linear in the number of iters.
template <AnyLayout L>
constexpr Result<L> untile(const L& tiled, const typename L::Shape& tiled_shape, const detail::same<L>& inner,
                           const typename L::Shape& inner_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::split_off<detail::Known::inner, true>(tiled, tiled_shape, inner, inner_shape, *result); !e.ok())
        result = e;
    return result;
}

/// The inner layout B with  tile(C, S_C; B, S_A/S_C) = A.      [Axe App. D]
///
/// The span that scales C is that of the B being sought; it follows from A's inner groups and replicas. Exists and errors as for
/// `untile`.
template <AnyLayout L>
constexpr Result<L> untile_outer(const L& tiled, const typename L::Shape& tiled_shape, const detail::same<L>& outer,
                                 const typename L::Shape& outer_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::split_off<detail::Known::outer, true>(tiled, tiled_shape, outer, outer_shape, *result); !e.ok())
        result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
