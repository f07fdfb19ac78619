// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_BROADCAST_HPP
#define AXE_MAP_OPERATIONS_BROADCAST_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[d] = x[d(dimensions)]: dimension i of the operand becomes dimension `dimensions[i]` of the result; the rest repeat.
///
/// A dimension of size 1 may meet any size. The operand's element belongs to all of the dimensions that repeat, in their order.
struct Broadcast {
    IndexShape shape{};
    std::vector<std::int64_t> dimensions{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        if (const Status e = detail::check_result_shape(shape); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 0, detail::count(dimensions)); !e.ok()) return e;
        std::vector<bool> used(shape.size());
        if (const Status e = detail::check_dimensions(dimensions, used); !e.ok()) return e;
        const IndexShape& x = operands[0];
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::int64_t n = detail::entry(shape, dimensions[i]);
            if (x[i] == 1 && n != 1) used[static_cast<std::size_t>(dimensions[i])] = false;
            if (x[i] == 1) continue;
            if (const Status e = detail::check_dimension(operands, 0, static_cast<std::int64_t>(i), n); !e.ok()) return e;
        }

        IndexShape repeated;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (!used[d]) repeated.push_back(shape[d]);
        IndexingMap from = IndexingMap::over(shape), to = IndexingMap::over(x, repeated);
        to.results.resize(shape.size());
        for (std::size_t d = 0, range = 0; d < shape.size(); ++d)
            if (!used[d]) to.results[d] = to.range(static_cast<int>(range++));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto d = static_cast<std::size_t>(dimensions[i]);
            from.results.push_back(used[d] ? from.dimension(static_cast<int>(d)) : from.pool.constant(0));
            if (used[d]) to.results[d] = to.dimension(static_cast<int>(i));
        }
        return detail::moves_elements("broadcast", operands, shape, std::move(from), std::move(to));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
