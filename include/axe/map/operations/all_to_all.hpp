// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_ALL_TO_ALL_HPP
#define AXE_MAP_OPERATIONS_ALL_TO_ALL_HPP

#include <axe/map/errors.hpp>
#include <axe/map/operations/device_groups.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// Every device cuts its array along `split` and sends part j to device j of its group, which puts what it gets one after another
/// along `concatenate`; dimension 0 of the arrays is the device.
///
///   y[device, …, j·n + i, …, k, …] = x[device j of the group, …, i, …, place·m + k, …]
///
/// with m the size of a part along `split`, and n the size along `concatenate` of what is sent.
struct AllToAll {
    std::int64_t split = 1, concatenate = 1;
    DeviceGroups groups{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const auto devices = detail::CheckedGroups::of(groups, operands);
        if (!devices) return devices.error();
        IndexShape shape = operands[0];
        const auto part = detail::check_parts(shape, split, devices->size());
        if (!part) return part.error();
        if (const auto e = detail::check_parts(shape, concatenate, 1); !e) return e.error();
        detail::entry(shape, split) = *part;
        const std::int64_t sent = detail::entry(shape, concatenate);
        if (!detail::mul(sent, devices->size(), detail::entry(shape, concatenate))) return axe::detail::concatenation_overflows(-1);

        return detail::moves_elements("all_to_all", operands, shape, exchange(*devices, shape, concatenate, sent, split, *part),
                                      exchange(*devices, operands[0], split, *part, concatenate, sent));
    }

  private:
    /// One way as the other: device j is told by `from`, cut into parts of `size`, and one's own place shows in `to`.
    static IndexingMap exchange(const detail::CheckedGroups& devices, const IndexShape& shape, std::int64_t from, std::int64_t size,
                                std::int64_t to, std::int64_t to_size)
    {
        IndexingMap map = detail::identity_map(shape);
        devices.take_part(map, from, size);
        devices.put_part(map, to, to_size);
        return map;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
