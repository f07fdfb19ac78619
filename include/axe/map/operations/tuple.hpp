// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_TUPLE_HPP
#define AXE_MAP_OPERATIONS_TUPLE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Result k is operand k, whatever their shapes, and reads no other.
struct Tuple {
    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, detail::count(operands)); !e.ok()) return e;
        OperationMaps out = detail::with_results("tuple", operands, operands);
        for (std::int64_t k = 0; k < detail::count(operands); ++k) {
            const IndexingMap map = detail::identity_map(detail::entry(operands, k));
            detail::relate(detail::entry(out.results, k), k, map, map);
            detail::copies_operand(out, k, k);
        }
        return out;
    }
};

/// One of a tuple's elements, all of which are the operands.
struct GetTupleElement {
    std::int64_t index = 0;

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, detail::count(operands)); !e.ok()) return e;
        if (index < 0 || index >= detail::count(operands))
            return Error(errc::out_of_domain, -1, "element {0} does not exist; the tuple has {1}", index, detail::count(operands));
        const IndexShape& shape = detail::entry(operands, index);
        return detail::moves_elements("get_tuple_element", operands, shape, detail::identity_map(shape),
                                      detail::identity_map(shape), index);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
