// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SPAN_HPP
#define AXE_LAYOUT_SPAN_HPP

#include <axe/layout/digits.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// `span` of a layout that has been checked.
template <class L>
constexpr typename L::integer span_of(const L& layout, const Axis& axis) noexcept
{
    typename L::integer span = 1;
    for (const auto& it : layout.shard)
        if (it.extent > 1 && it.axis == axis) span += (it.extent - 1) * magnitude(it.stride);
    for (const auto& it : layout.replica)
        if (it.extent > 1 && it.axis == axis) span += (it.extent - 1) * magnitude(it.stride);
    return span;
}

} // namespace detail

/// The room a layout takes on an axis:  span_a(L) = 1 + Σ (n−1)·|s|  over the iters of D and R on the axis.      [Axe 2.3, App. C]
///
/// 1 on an axis without iters; the offset is not in it. Errors: those of `check`.
template <AnyLayout L>
constexpr Result<typename L::integer> span(const L& layout, const Axis& axis) noexcept
{
    if (const Error e = check(layout)) return e;
    return detail::span_of(layout, axis);
}

} // namespace v0
} // namespace axe

#endif
