// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_TILE_HPP
#define AXE_LAYOUT_TILE_HPP

#include <axe/layout/exact/interleave.hpp>

namespace axe {
inline namespace v0 {

/// Lays tiles of `inner` out by `outer`:  T(z‖y) = span(inner) ⊙ outer(z) + inner(y)      [Axe 3.3, App. C]
///
/// The domain is the interleaved shape (o_0, i_0, o_1, i_1, …). Strides, replica strides and offset of `outer` are scaled, axis by
/// axis, by the span of `inner`, replicas included; sets add as Minkowski sums.
///
/// Exists iff both shapes group their layouts (`errc::not_grouped` with the dimension otherwise). Errors: `errc::rank_mismatch` of
/// the shapes, `errc::size_mismatch`, `errc::overflow` when a stride overflows, `errc::capacity`.
/// Cost: linear in the number of iters; nothing is allocated.
template <AnyLayout L>
constexpr Result<L> tile(const L& outer, const typename L::Shape& outer_shape, const detail::same<L>& inner,
                         const typename L::Shape& inner_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::interleave<true>(outer, outer_shape, inner, inner_shape, *result); !e.ok()) result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
