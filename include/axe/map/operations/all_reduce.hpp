// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_ALL_REDUCE_HPP
#define AXE_MAP_OPERATIONS_ALL_REDUCE_HPP

#include <axe/map/operations/device_groups.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Every device gets the sum (or other reduction) of what those of its group have; dimension 0 of the arrays is the device.
///
///   y[device, …] = Σ_s x[device s of the group, …]
struct AllReduce {
    DeviceGroups groups{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const auto devices = detail::CheckedGroups::of(groups, operands);
        if (!devices) return devices.error();
        // The same both ways: devices of one group belong together.
        IndexingMap map = detail::identity_map(operands[0], {devices->size()});
        map.results[0] = devices->neighbor(map.pool, map.dimension(0), map.range(0));
        OperationMaps out = detail::one_result("all_reduce", operands, operands[0]);
        detail::relate(out.results[0], 0, map, map);
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
