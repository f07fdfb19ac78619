// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_REDUCE_SCATTER_HPP
#define AXE_MAP_OPERATIONS_REDUCE_SCATTER_HPP

#include <axe/map/operations/device_groups.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Every device gets its part, along `dimension`, of the sum (or other reduction) over its group; dimension 0 is the device.
///
///   y[device, …, i, …] = Σ_s x[device s of the group, …, place·n + i, …]   with n the size of a part, place that in the group
struct ReduceScatter {
    std::int64_t dimension = 1;
    DeviceGroups groups{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const auto devices = detail::CheckedGroups::of(groups, operands);
        if (!devices) return devices.error();
        IndexShape shape = operands[0];
        const auto part = detail::check_parts(shape, dimension, devices->size());
        if (!part) return part.error();
        detail::entry(shape, dimension) = *part;

        IndexingMap from = detail::identity_map(shape, {devices->size()}), to = detail::identity_map(operands[0]);
        devices->put_part(from, dimension, *part);
        from.results[0] = devices->neighbor(from.pool, from.dimension(0), from.range(0));
        devices->take_part(to, dimension, *part);
        OperationMaps out = detail::one_result("reduce_scatter", operands, shape);
        detail::relate(out.results[0], 0, std::move(from), std::move(to));
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
