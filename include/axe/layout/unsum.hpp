// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_UNSUM_HPP
#define AXE_LAYOUT_UNSUM_HPP

#include <axe/layout/exact/split_off.hpp>

namespace axe {
inline namespace v0 {

/// The left term X with  sum(X, S_A/S_B; B, S_B) = A.
///
/// Exists iff S_B divides S_A, A is grouped by the interleaved shape, its inner groups are those of B, and on each axis a set R_X
/// has R_X ⊕ R_B = R_A; `errc::not_grouped` or `errc::no_layout` otherwise. Of the sets that serve, one with the fewest points is
/// given: where the sets sum without overlap it is known; where they overlap it is searched for, in sets of up to 2^12 points
/// (`errc::too_hard` beyond), and a search that takes more than 2^24 steps gives the fewest it has found.
/// Other errors: those of `sum`. Cost: linear in the number of iters without overlap.
template <AnyLayout L>
constexpr Result<L> unsum_left(const L& whole, const typename L::Shape& whole_shape, const detail::same<L>& right,
                               const typename L::Shape& right_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::split_off<detail::Known::inner, false>(whole, whole_shape, right, right_shape, *result); !e.ok())
        result = e;
    return result;
}

/// The right term X with  sum(B, S_B; X, S_A/S_B) = A. Exists and errors as for `unsum_left`.
template <AnyLayout L>
constexpr Result<L> unsum_right(const L& whole, const typename L::Shape& whole_shape, const detail::same<L>& left,
                                const typename L::Shape& left_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::split_off<detail::Known::outer, false>(whole, whole_shape, left, left_shape, *result); !e.ok())
        result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
