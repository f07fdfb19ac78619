// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_STARTS_HPP
#define AXE_MAP_OPERATIONS_STARTS_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Does a slice of these sizes fit into the operand?
inline Status check_slice_sizes(const IndexShape& sizes, const IndexShape& operand)
{
    for (std::int64_t i = 0; i < count(sizes); ++i)
        if (entry(sizes, i) < 0 || entry(sizes, i) > entry(operand, i))
            return Error(errc::out_of_domain, static_cast<int>(i), "dimension {0} of the slice is {1}; it must be in [0, {2}]", i,
                         entry(sizes, i), entry(operand, i));
    return {};
}

/// (d…){start…} -> (start + d…), or with direction −1 its inverse (d…){start…} -> (d − start…), constrained to the slice.
///
/// The starts are in [0, n − size], and scalar operands from `first` on have them.
inline OperandMap at_starts(const IndexShape& shape, const IndexShape& whole, const IndexShape& sizes, std::int64_t first,
                            std::int64_t direction)
{
    OperandMap out{IndexingMap::over(shape), {}};
    for (std::int64_t i = 0; i < count(shape); ++i) {
        const IndexExpr start = add_runtime(out, {0, entry(whole, i) - entry(sizes, i)}, first + i, IndexingMap::over(shape));
        const IndexExpr place = out.map.pool.add(out.map.dimension(static_cast<int>(i)), out.map.pool.mul(start, direction));
        if (direction < 0) constrain(out.map, place, {0, entry(sizes, i) - 1});
        out.map.results.push_back(place);
    }
    return out;
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
