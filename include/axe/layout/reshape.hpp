// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_RESHAPE_HPP
#define AXE_LAYOUT_RESHAPE_HPP

#include <axe/layout/group.hpp>

namespace axe {
inline namespace v0 {
/// The same layout, seen on another shape:  reshape(L, S) = L, with Π S = size checked.      [Axe 2.3]
///
/// `errc::size_mismatch` when the shape has another number of elements. The order of elements is row-major before and after.
template <AnyLayout L>
constexpr Result<L> reshape(const L& layout, const typename L::Shape& shape) noexcept
{
    if (const Status e = detail::check_admission(layout, shape); !e.ok()) return e;
    return canonicalize(layout);
}

} // namespace v0
} // namespace axe

#endif
