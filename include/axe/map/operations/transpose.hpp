// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_TRANSPOSE_HPP
#define AXE_MAP_OPERATIONS_TRANSPOSE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Dimension i of the result is dimension `order[i]` of the operand:  y[d] = x[e],  e(order[i]) = d(i)
struct Transpose {
    std::vector<std::int64_t> order{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        const IndexShape& x = operands[0];
        if (const Status e = detail::check_length(order, detail::count(x)); !e.ok()) return e;
        if (const Status e = detail::check_dimensions(order, detail::count(x)); !e.ok()) return e;
        IndexShape shape;
        IndexingMap to = IndexingMap::over(x);
        for (const std::int64_t d : order) {
            shape.push_back(detail::entry(x, d));
            to.results.push_back(to.dimension(static_cast<int>(d)));
        }
        IndexingMap from = IndexingMap::over(shape);
        from.results.resize(shape.size());
        for (int i = 0; i < from.dimensions; ++i) detail::entry(from.results, detail::entry(order, i)) = from.dimension(i);
        return detail::moves_elements("transpose", operands, shape, std::move(from), std::move(to));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
