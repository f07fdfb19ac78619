// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_CONSTANT_HPP
#define AXE_MAP_OPERATIONS_CONSTANT_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// An array that reads nothing; of one integer everywhere where `has_value` says so.
struct Constant {
    IndexShape shape{};
    bool has_value = false;
    std::int64_t value = 0;

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 0); !e.ok()) return e;
        if (const Status e = detail::check_result_shape(shape); !e.ok()) return e;
        OperationMaps out = detail::one_result("constant", operands, shape);
        if (has_value) detail::give_value(out, [this](IndexingMap& map) { return map.pool.constant(value); });
        return out;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
