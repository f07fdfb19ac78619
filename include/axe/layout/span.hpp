// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SPAN_HPP
#define AXE_LAYOUT_SPAN_HPP

#include <axe/layout/exact/digits.hpp>

namespace axe {
inline namespace v0 {
/// The room a layout takes on an axis:  span_a(L) = 1 + Σ (n−1)·|s|  over the iters of D and R on the axis.      [Axe 2.3, App. C]
///
/// 1 on an axis without iters; the offset is not in it. Errors: those of `check`.
template <AnyLayout L>
constexpr Result<typename L::integer> span(const L& layout, const Axis& axis) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return detail::span_of(layout, axis);
}

} // namespace v0
} // namespace axe

#endif
