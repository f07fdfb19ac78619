// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SUM_HPP
#define AXE_LAYOUT_SUM_HPP

#include <axe/layout/exact/interleave.hpp>

namespace axe {
inline namespace v0 {

/// The direct sum on the interleaved domain:  (A+B)(z‖y) = A(z) ⊕ B(y)      [Axe App. F]
///
/// Tiling without the scale: it also describes what no tiling does, such as the quadrants (2,2):(8,2) of tiles (2,2):(4,1), which
/// sum to 16:1. Exists iff both shapes group their layouts (`errc::not_grouped` otherwise). Errors and cost are those of `tile`.
template <AnyLayout L>
constexpr Result<L> sum(const L& left, const typename L::Shape& left_shape, const detail::same<L>& right,
                        const typename L::Shape& right_shape) noexcept
{
    Result<L> result;
    if (const Status e = detail::interleave<false>(left, left_shape, right, right_shape, *result); !e.ok()) result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
