// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_TRANSPOSE_HPP
#define AXE_MAP_OPERATIONS_TRANSPOSE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// (d…) -> (d[order[0]], d[order[1]], …)
inline IndexingMap permuted_map(const IndexShape& shape, const std::vector<std::int64_t>& order)
{
    IndexingMap map = IndexingMap::over(shape);
    for (const std::int64_t d : order) map.results.push_back(map.dimension(static_cast<int>(d)));
    return map;
}
inline std::vector<std::int64_t> inverse_order(const std::vector<std::int64_t>& order)
{
    std::vector<std::int64_t> out(order.size());
    for (std::int64_t i = 0; i < count(order); ++i) entry(out, entry(order, i)) = i;
    return out;
}

} // namespace detail

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
        for (const std::int64_t d : order) shape.push_back(detail::entry(x, d));
        return detail::moves_elements("transpose", operands, shape, detail::permuted_map(shape, detail::inverse_order(order)),
                                      detail::permuted_map(x, order));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
