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
        for (const IndexShape& shape : shapes)
            if (const Status e = detail::check_result_shape(shape); !e.ok()) return e;
        OperationMaps out = detail::with_results(name.c_str(), operands, shapes);
        for (ResultMaps& result : out.results)
            for (std::int64_t k = 0; k < detail::count(operands); ++k)
                detail::relate(result, k, IndexingMap::undefined(), IndexingMap::undefined());
        return out;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
