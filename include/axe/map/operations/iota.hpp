// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_IOTA_HPP
#define AXE_MAP_OPERATIONS_IOTA_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[d] = d(dimension): the index itself. Reads nothing.
struct Iota {
    IndexShape shape{};
    std::int64_t dimension = 0;

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 0); !e.ok()) return e;
        if (const Status e = detail::check_result_shape(shape); !e.ok()) return e;
        if (const Status e = detail::check_dimensions({dimension}, detail::count(shape)); !e.ok()) return e;
        OperationMaps out = detail::one_result("iota", operands, shape);
        detail::give_value(out, [this](IndexingMap& map) { return map.dimension(static_cast<int>(dimension)); });
        return out;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
