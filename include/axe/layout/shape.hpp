// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SHAPE_HPP
#define AXE_LAYOUT_SHAPE_HPP

#include <axe/support/errors.hpp>
#include <axe/support/inline_vector.hpp>
#include <axe/support/integer.hpp>
#include <axe/support/result.hpp>

namespace axe {
inline namespace v0 {

/// The most dimensions of a shape.
inline constexpr int max_rank = 16;

/// The extents of a tensor, last dimension fastest. Each is at least 1; the empty shape has one element.
template <class Int>
using BasicShape = InlineVector<Int, max_rank>;
/// One index for each dimension of a shape.
template <class Int>
using BasicCoord = InlineVector<Int, max_rank>;

/// The half-open interval [lo, hi) of one dimension.
template <class Int>
struct BasicRange {
    Int lo = 0;
    Int hi = 0;
    friend constexpr bool operator==(const BasicRange&, const BasicRange&) = default;
    friend constexpr std::strong_ordering operator<=>(const BasicRange&, const BasicRange&) = default;
};
/// A box: one interval for each dimension.
template <class Int>
using BasicRegion = InlineVector<BasicRange<Int>, max_rank>;

using Shape = BasicShape<std::int64_t>;
using Coord = BasicCoord<std::int64_t>;
using Range = BasicRange<std::int64_t>;
using Region = BasicRegion<std::int64_t>;

/// The number of elements of a shape: the product of its extents.
///
/// `errc::bad_extent` with the dimension when one is below 1, `errc::overflow` when the product overflows,
/// `errc::capacity` when there are more dimensions than a shape holds.
template <class Int>
constexpr Result<Int> volume(const BasicShape<Int>& shape) noexcept
{
    if (shape.overfull()) return detail::shape_capacity(max_rank, shape.size());
    Int product = 1;
    for (int d = 0; d < shape.size(); ++d) {
        if (shape[d] < 1)
            return Error(errc::bad_extent, d, "dimension {0} of the shape is {1}; it must be at least 1", d, shape[d]);
        if (!detail::mul(product, shape[d], product)) return detail::shape_overflows(d);
    }
    return product;
}

/// The row-major position of a coordinate:  Σ c_d · Π_{e>d} S_e.
///
/// `errc::rank_mismatch`, or `errc::out_of_domain` with the dimension whose index is not in [0, S_d); the shape's own errors.
template <class Int>
constexpr Result<Int> linear_index(const BasicShape<Int>& shape, const BasicCoord<Int>& coord) noexcept
{
    if (const auto v = volume(shape); !v) return v;
    if (coord.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the coordinate has {0} indices, the shape {1} dimensions", coord.size(),
                     shape.size());
    Int index = 0;
    for (int d = 0; d < shape.size(); ++d) {
        if (coord[d] < 0 || coord[d] >= shape[d]) return detail::outside_dimension(d, coord[d], shape[d]);
        index = index * shape[d] + coord[d];
    }
    return index;
}

/// The coordinate at a row-major position, the inverse of `linear_index`: for 0 ≤ index < volume(shape).
template <class Int>
constexpr BasicCoord<Int> coordinate(const BasicShape<Int>& shape, Int index) noexcept
{
    BasicCoord<Int> coord;
    coord.count = shape.size();
    for (int d = shape.held() - 1; d >= 0; --d) {
        const Int q = detail::quotient(index, shape[d]);
        coord[d] = index - q * shape[d];
        index = q;
    }
    return coord;
}

} // namespace v0
} // namespace axe

#endif
