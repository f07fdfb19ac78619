// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_CUT_HPP
#define AXE_LAYOUT_EXACT_CUT_HPP

#include <axe/layout/exact/canonical.hpp>

/// A layout held to a shape, and its D cut into one group of iters for each dimension.
namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error not_grouped_at(int dim, std::int64_t extent) noexcept
{
    return Error(errc::not_grouped, dim, "dimension {0} of extent {1} ends inside an iter and does not divide it", dim, extent);
}

template <class Int>
constexpr Status shape_admission(Int volume_of_shape, Int size_of_layout) noexcept
{
    if (volume_of_shape == size_of_layout) return {};
    return Error(errc::size_mismatch, -1, "the shape has {0} elements, the layout {1}", volume_of_shape, size_of_layout);
}

/// Checks a layout against a shape: both well-formed, and of one size.
template <class L>
constexpr Status check_admission(const L& layout, const typename L::Shape& shape) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    const auto v = volume(shape);
    if (!v) return v.error();
    return shape_admission(*v, product(layout.shard));
}

/// Cuts the canonical form of a list of iters into dimension groups, one for each of `rank` dimensions of the extents given (of the same
/// product), splitting an iter only where a dimension ends inside it. `ends` gets the end of each group. Dimensions are told by their number over `per_dimension`.
///
/// The digits of one dimension are those between two suffix products q of the shape, so each q must be a boundary or divide
/// through the iter it falls in: (n, s) becomes (n/k, k·s), (k, s).      [Axe App. B]
template <template <class> class Reader = CanonicalReader, class Int, class List, class Out>
constexpr Status cut(const List& digits, const Int* extents, int rank, Out& out, int* ends, int per_dimension = 1) noexcept
{
    // Left to right: the part of the current iter not yet handed out has extent `left` and is above `stride`.
    Reader<Int> reader(digits.begin(), digits.end());
    BasicIter<Int> it{1, 0};
    Int left = 1;
    for (int d = 0; d < rank; ++d) {
        Int want = extents[d];
        while (want > 1) {
            if (left == 1) {
                it = reader.next();
                left = it.extent;
            }
            Int piece = left, stride = it.stride;
            if (left < want) { // all that is left of the iter belongs here
                const Int rest = quotient(want, left);
                if (rest * left != want) return not_grouped_at(d / per_dimension, extents[d]);
                want = rest;
                left = 1;
            } else {
                piece = want;
                if (left > want) { // split it: (left, s) = (want, left/want·s), (left/want, s)
                    const Int rest = quotient(left, want);
                    if (rest * want != left) return not_grouped_at(d / per_dimension, extents[d]);
                    stride *= rest;
                    left = rest;
                } else {
                    left = 1;
                }
                want = 1;
            }
            if (!out.push_back(BasicIter<Int>{piece, stride, it.axis}))
                return Error(errc::capacity, Out::capacity, "the dimension groups need more than {0} iters", Out::capacity);
        }
        ends[d] = out.size();
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
