// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_TENSOR_HPP
#define AXE_TENSOR_TENSOR_HPP

#include <axe/layout/local.hpp>
#include <axe/layout/swizzle.hpp>
#include <axe/tensor/dtype.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// A named array of elements, each of which lives where the layout says: element c of `shape`, row-major, is at the points
/// `layout(c)`; its coordinates on the memory's address axes count elements from `base` (bytes) on, its other coordinates name the
/// owner (device, warp, lane). On axes that the layout does not name it is at 0.
///
/// @note `layout.width` is the bytes of an element where there is a swizzle.
struct Tensor {
    std::string name{};
    Shape shape{};
    DType dtype = DType::f32;
    Swizzled<Layout> layout{};
    std::string memory{};   ///< the name of one of the machine's memories
    std::int64_t base = -1; ///< the first byte within its owner's memory; −1: the allocator chooses

    friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// Row-major:  c ↦ Σ c_d · Π_{e>d} S_e  on `axis`.
inline Result<Layout> row_major(const Shape& shape, const Axis& axis = {}) noexcept
{
    const auto n = volume(shape);
    if (!n) return n.error();
    Layout layout;
    layout.shard.push_back({*n, 1, axis});
    return layout;
}

} // namespace v0
} // namespace axe

#endif
