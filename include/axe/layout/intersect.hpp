// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_INTERSECT_HPP
#define AXE_LAYOUT_INTERSECT_HPP

#include <axe/layout/iter.hpp>
#include <axe/support/errors.hpp>
#include <axe/support/integer.hpp>

namespace axe {
inline namespace v0 {
/// The values that two iters of one axis have in common, as an iter from the same origin 0.      [Axe 3.4, K intersection]
///
/// { i·s : i < n } ∩ { j·t : j < m } on one axis: the multiples of lcm(s, t) up to where the shorter one ends; 1:0 when they share only
/// the origin. `errc::no_layout` on different axes. `errc::bad_extent` for an extent below 1.
template <class Int>
constexpr Result<BasicIter<Int>> intersect(const BasicIter<Int>& a, const BasicIter<Int>& b) noexcept
{
    for (int i = 0; i < 2; ++i) {
        const Int n = i == 0 ? a.extent : b.extent;
        if (n < 1) return detail::iter_extent(i, n);
    }
    if (!(a.axis == b.axis)) return Error(errc::no_layout, -1, "the iters are on different axes: they have no values in common");
    const BasicIter<Int> origin(1, 0, a.axis);
    if (a.extent == 1 || b.extent == 1 || a.stride == 0 || b.stride == 0 || (a.stride < 0) != (b.stride < 0)) return origin;
    using Wide = wider_t<Int>;
    const Wide s = detail::magnitude<Wide>(a.stride), t = detail::magnitude<Wide>(b.stride);
    const Wide common = s / detail::gcd<Wide>(s, t) * t;
    const Wide steps = detail::least<Wide>((a.extent - 1) * s / common, (b.extent - 1) * t / common);
    if (steps == 0) return origin;
    // At least one step is made, so the multiple is within both iters' reach.
    const Wide signed_stride = a.stride < 0 ? -common : common;
    BasicIter<Int> out(1, 0, a.axis);
    if (!detail::narrow<Int>(signed_stride, out.stride) || !detail::narrow<Int>(steps + 1, out.extent))
        return detail::result_overflow();
    return out;
}

} // namespace v0
} // namespace axe

#endif
