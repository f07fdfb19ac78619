// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_SWIZZLED_AXES_HPP
#define AXE_MACHINE_SWIZZLED_AXES_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/machine/axes.hpp>

/// Axes of swizzled layouts, split and fused beside the swizzled one: the XOR is applied to the whole coordinate of its axis.
namespace axe {
inline namespace v0 {
namespace detail {

template <AnyLayout L>
constexpr bool involves_swizzled_axis(const Swizzled<L>& s, const AxisSplit& split) noexcept
{
    return s.swizzle.bits > 0 && (split.whole == s.axis || split.outer == s.axis || split.inner == s.axis);
}
constexpr Error swizzled_axis_in_parts() noexcept
{
    return Error(errc::bad_argument, -1,
                 "the swizzled axis is neither split nor fused: the XOR is applied to its whole coordinate");
}
template <AnyLayout L>
constexpr Result<Swizzled<L>> beside_the_swizzle(const Swizzled<L>& s, const Result<L>& layout) noexcept
{
    if (!layout) return layout.error();
    return Swizzled<L>{s.swizzle, s.axis, s.width, *layout};
}

} // namespace detail

/// One axis as two, as `split_axis` of the layout inside, where none of the three is the swizzled axis (`errc::bad_argument`).
template <AnyLayout L>
constexpr Result<Swizzled<L>> split_axis(const Swizzled<L>& s, const AxisSplit& split) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    if (detail::involves_swizzled_axis(s, split)) return detail::swizzled_axis_in_parts();
    return detail::beside_the_swizzle(s, split_axis(s.layout, split));
}

/// Two axes as one, as `fuse_axes` of the layout inside, where none of the three is the swizzled axis (`errc::bad_argument`).
template <AnyLayout L>
constexpr Result<Swizzled<L>> fuse_axes(const Swizzled<L>& s, const AxisSplit& split) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    if (detail::involves_swizzled_axis(s, split)) return detail::swizzled_axis_in_parts();
    return detail::beside_the_swizzle(s, fuse_axes(s.layout, split));
}

/// The layout on the axes that are wanted, as `convert_axes` of the layout inside, where no split of the machine is of the swizzled axis
/// (`errc::bad_argument`).
template <AnyLayout L>
constexpr Result<Swizzled<L>> convert_axes(const Machine& machine, const Swizzled<L>& s, const typename L::Axes& wanted) noexcept
{
    if (const Status e = check(s); !e.ok()) return e;
    for (const AxisSplit& split : machine.splits)
        if (detail::involves_swizzled_axis(s, split)) return detail::swizzled_axis_in_parts();
    return detail::beside_the_swizzle(s, convert_axes(machine, s.layout, wanted));
}

} // namespace v0
} // namespace axe

#endif
