// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_ITER_HPP
#define AXE_LAYOUT_ITER_HPP

#include <axe/layout/axis.hpp>

namespace axe {
inline namespace v0 {

/// One digit of a layout:  i ↦ i·stride@axis  for 0 ≤ i < extent.      [Axe 2.1]
///
/// The extent is at least 1. The stride may be negative; 0 means that the digit moves nothing.
template <class Int>
struct BasicIter {
    Int extent;
    Int stride;
    Axis axis;

    BasicIter() = default; // trivial, so that working memory costs nothing; `Iter{}`, all zeros, fills the unused places of a list
    constexpr BasicIter(Int n, Int s, Axis a = {}) noexcept : extent(n), stride(s), axis(a) {}

    friend constexpr bool operator==(const BasicIter& a, const BasicIter& b) noexcept
    {
        return a.extent == b.extent && a.stride == b.stride && a.axis == b.axis;
    }
    /// By extent, then stride, then axis.
    friend constexpr std::strong_ordering operator<=>(const BasicIter&, const BasicIter&) = default;
};
using Iter = BasicIter<std::int64_t>;

} // namespace v0
} // namespace axe

#endif
