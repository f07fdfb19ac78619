// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_GATHER_HPP
#define AXE_MAP_OPERATIONS_GATHER_HPP

#include <axe/map/operations/starts.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[i, d…] = x[d + start],  start = indices[i, …] for the first dimensions of x and 0 for the rest
///
/// Operands: x of r dimensions, indices of shape (n, k) with k ≤ r; the result is (n, sizes…). The starts are run-time variables in
/// [0, n − size], as the operation clamps them. Which elements of x belong to what is known only at run time: its map to the output
/// is undefined. Source: XLA's gather as its gather simplifier leaves it (no dimension collapsed, the starts in order).
struct Gather {
    IndexShape sizes{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 2); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 0, detail::count(sizes)); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 1, 2); !e.ok()) return e;
        if (const Status e = detail::check_slice_sizes(sizes, operands[0]); !e.ok()) return e;
        const IndexShape &x = operands[0], &indices = operands[1];
        if (indices[1] > detail::count(x))
            return Error(errc::size_mismatch, 1,
                         "dimension 1 of the indices is {0}; it must be at most {1}, the operand's dimensions", indices[1],
                         detail::count(x));
        IndexShape shape{indices[0]};
        shape.insert(shape.end(), sizes.begin(), sizes.end());

        OperandMap from{IndexingMap::over(shape), {}};
        for (std::int64_t i = 0; i < indices[1]; ++i) {
            IndexingMap at = IndexingMap::over(shape);
            at.results = {at.dimension(0), at.pool.constant(i)};
            detail::add_runtime(from, {0, detail::entry(x, i) - detail::entry(sizes, i)}, 1, std::move(at));
        }
        for (std::int64_t i = 0; i < detail::count(x); ++i) {
            const IndexExpr d = from.map.dimension(static_cast<int>(i) + 1);
            from.map.results.push_back(i < indices[1] ? from.map.pool.add(d, from.map.runtime(static_cast<int>(i))) : d);
        }
        IndexingMap from_indices = IndexingMap::over(shape, {indices[1]}), to_indices = IndexingMap::over(indices, sizes);
        from_indices.results = {from_indices.dimension(0), from_indices.range(0)};
        to_indices.results.push_back(to_indices.dimension(0));
        for (int i = 0; i < to_indices.ranges; ++i) to_indices.results.push_back(to_indices.range(i));

        OperationMaps out = detail::one_result("gather", operands, shape);
        detail::relate(out.results[0], 0, std::move(from), OperandMap{IndexingMap::undefined(), {}});
        detail::relate(out.results[0], 1, std::move(from_indices), std::move(to_indices));
        detail::copies_operand(out, 0);
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
