// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_AXIS_LIST_HPP
#define AXE_LAYOUT_EXACT_AXIS_LIST_HPP

#include <axe/layout/layout.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Is `axis` one of the list?
template <class List>
constexpr bool named(const List& axes, const Axis& axis) noexcept
{
    for (const Axis& a : axes)
        if (a == axis) return true;
    return false;
}

/// The axes an operation is given: no more than a layout has, each with a name, none twice.
template <class List>
constexpr Status check_axis_list(const List& axes) noexcept
{
    if (axes.overfull())
        return Error(errc::capacity, List::capacity, "at most {0} axes can be named, not {1}", List::capacity, axes.size());
    for (int i = 0; i < axes.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (axes[k] == axes[i]) return axis_again(i, k);
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
