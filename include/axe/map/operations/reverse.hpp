// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_REVERSE_HPP
#define AXE_MAP_OPERATIONS_REVERSE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[…, i, …] = x[…, n − 1 − i, …] along each of `dimensions`.
struct Reverse {
    std::vector<std::int64_t> dimensions{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        const IndexShape& shape = operands[0];
        if (const Status e = detail::check_dimensions(dimensions, detail::count(shape)); !e.ok()) return e;
        IndexingMap map = detail::identity_map(shape);
        for (const std::int64_t d : dimensions) {
            IndexExpr& r = detail::entry(map.results, d);
            r = map.pool.add(map.pool.mul(r, -1), detail::entry(shape, d) - 1);
        }
        return detail::moves_elements("reverse", operands, shape, map, map);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
