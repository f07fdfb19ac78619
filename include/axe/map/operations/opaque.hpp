// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_OPAQUE_HPP
#define AXE_MAP_OPERATIONS_OPAQUE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// An operation of which nothing is known but the shapes of its results (a triangular solve, a custom call): all maps are undefined.
struct Opaque {
    std::string name = "opaque";
    std::vector<IndexShape> shapes{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, detail::count(operands)); !e.ok()) return e;
        OperationMaps out;
        for (const IndexShape& shape : shapes) {
            if (const Status e = detail::check_result_shape(shape); !e.ok()) return e;
            OperationMaps one = detail::one_result(name.c_str(), operands, shape);
            for (std::int64_t k = 0; k < detail::count(operands); ++k)
                detail::relate(one.results[0], k, IndexingMap::undefined(), IndexingMap::undefined());
            out.results.push_back(std::move(one.results[0]));
        }
        out.name = name;
        out.operands = operands;
        return out;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
