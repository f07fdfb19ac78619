// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_MAX_VECTOR_HPP
#define AXE_LAYOUT_MAX_VECTOR_HPP

#include <axe/layout/exact/cut.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The largest v for a dimension whose inner side, of extent P, is a boundary of iters: the innermost iter above it must be (n, 1@axis);
/// v divides n, the dimension, and every other stride and offset on the axis.
template <class L>
constexpr typename L::integer aligned_vector(const L& from, const Digits<typename L::integer>& digits, int inner_count,
                                             typename L::integer dimension, const Axis& axis) noexcept
{
    using Int = typename L::integer;
    const int place = digits.size() - inner_count - 1;
    if (place < 0 || !(digits[place].axis == axis) || digits[place].stride != 1) return 1;
    Int v = gcd(dimension, digits[place].extent);
    for (int i = 0; i < digits.size(); ++i)
        if (i != place && digits[i].axis == axis) v = gcd(v, digits[i].stride);
    for (const auto& it : from.replica)
        if (it.axis == axis) v = gcd(v, it.stride);
    return gcd(v, from.offset[axis]);
}

} // namespace detail

/// The longest vector along a dimension: the largest v dividing S_dim such that for every coordinate with c_dim a multiple of v the
/// next v elements of the dimension sit at successive coordinates of `axis`, from a multiple of v on, nothing else changing.
///
/// At least 1. In elements; times the element's width it is the width of a load. `errc::bad_argument` for a dimension the shape does
/// not have, `errc::unknown_axis` when the layout does not have the axis (see `rename`), `errc::size_mismatch`. Cost: linear in the iters.
template <AnyLayout L>
constexpr Result<typename L::integer> max_vector(const L& layout, const typename L::Shape& shape, int dim,
                                                 const Axis& axis) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    if (dim < 0 || dim >= shape.size())
        return Error(errc::bad_argument, -1, "dimension {0} does not exist; the shape has {1} dimensions", dim, shape.size());
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    bool known = false;
    for (const auto& it : from.shard) known = known || (it.stride != 0 && it.axis == axis);
    for (const auto& it : from.replica) known = known || (it.stride != 0 && it.axis == axis);
    for (const auto& e : from.offset) known = known || (e.value != 0 && e.axis == axis);
    if (!known) return Error(errc::unknown_axis, -1, "the layout does not have the axis of the vector");
    Int extents[2] = {1, 1}; // what is outside and inside the dimension's steps
    for (int d = 0; d < shape.size(); ++d) extents[d > dim] *= shape[d];
    Digits<Int> digits;
    int ends[2];
    // A step of the dimension that ends inside an iter leaves no vector. With p the elements in such a step, v >= 2 asks
    // L(x + p) = L(x) + 1 for 0 <= x < p. Of the innermost iter, n:s, either p < n, so that p*s = 1 and p = 1 ends no iter inside; or n
    // divides p, as the run of s that ends at n would else end at n + p too, inside a run. So with the next iter and p/n.
    if (!cut(from.shard, extents, 2, digits, ends).ok()) return Int{1};
    return aligned_vector(from, digits, digits.size() - ends[0], shape[dim], axis);
}

} // namespace v0
} // namespace axe

#endif
