// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_ALL_GATHER_HPP
#define AXE_MAP_OPERATIONS_ALL_GATHER_HPP

#include <axe/map/operations/device_groups.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Every device gets what those of its group have, one after another along `dimension`; dimension 0 of the arrays is the device.
///
///   y[device, …, j·n + i, …] = x[device j of the group, …, i, …]   with n the operand's size
struct AllGather {
    std::int64_t dimension = 1;
    DeviceGroups groups{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const auto devices = detail::CheckedGroups::of(groups, operands);
        if (!devices) return devices.error();
        IndexShape shape = operands[0];
        if (const auto e = detail::check_parts(shape, dimension, 1); !e) return e.error();
        const std::int64_t n = detail::entry(shape, dimension);
        if (!detail::mul(n, devices->size(), detail::entry(shape, dimension)))
            return Error(errc::overflow, -1, "the size of the gathered dimension overflows");

        IndexingMap from = detail::identity_map(shape), to = detail::identity_map(operands[0], {devices->size()});
        devices->take_part(from, dimension, n);
        devices->put_part(to, dimension, n);
        to.results[0] = devices->neighbor(to.pool, to.dimension(0), to.range(0));
        return detail::moves_elements("all_gather", operands, shape, std::move(from), std::move(to));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
