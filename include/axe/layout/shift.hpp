// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SHIFT_HPP
#define AXE_LAYOUT_SHIFT_HPP

#include <axe/layout/canonicalize.hpp>

namespace axe {
inline namespace v0 {
/// The layout moved by a point:  shift(L, p)(x) = L(x) + p.
///
/// `errc::bad_axis` when the point names an axis twice, `errc::overflow` when a coordinate overflows, `errc::capacity`.
template <AnyLayout L>
constexpr Result<L> shift(const L& layout, const typename L::Point& by) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    L moved;
    moved.offset = by;
    if (const Status e = check(moved); !e.ok()) return e;
    moved = layout;
    for (const auto& e : by)
        if (const Status f = detail::add_offset(moved.offset, e.axis, e.value); !f.ok()) return f;
    return canonicalize(moved);
}

} // namespace v0
} // namespace axe

#endif
