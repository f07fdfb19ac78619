// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_OPERATIONS_HPP
#define AXE_MAP_IMPL_OPERATIONS_HPP

#include <axe/map/operations.hpp>

#include <variant>

namespace axe {
inline namespace v0 {

AXE_DECL Result<OperationMaps> maps(const IndexOperation& operation, const std::vector<IndexShape>& operands)
{
    return std::visit([&](const auto& o) { return o.maps(operands); }, operation);
}

} // namespace v0
} // namespace axe

#endif
