// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_DEVICE_GROUPS_HPP
#define AXE_MAP_OPERATIONS_DEVICE_GROUPS_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// The devices that work together, a list for each group; none: all devices in one group.
using DeviceGroups = std::vector<std::vector<std::int64_t>>;

} // namespace op

namespace detail {

/// The expression in [0, n) -> values[x] of any list, exactly.
///
/// A list that is counted by digits (0, 2, 4, 1, 3, 5) becomes v_0 + Σ stride·((x div period) mod extent); any other the steps
/// v_0 + slope·x + Σ_k jump_k·[x ≥ k] with [x ≥ k] = (x + n − k) div n. Cost: linear in n.
inline IndexExpr table_expression(IndexPool& pool, IndexExpr x, const std::vector<std::int64_t>& values)
{
    IndexExpr digits = pool.constant(values[0]);
    std::int64_t period = 1;
    for (std::vector<std::int64_t> rest = values; !rest.empty();) {
        if (rest.size() == 1) return digits;
        const std::int64_t stride = rest[1] - rest[0];
        std::size_t extent = 2;
        while (extent < rest.size() && rest[extent] - rest[extent - 1] == stride) ++extent;
        std::vector<std::int64_t> above;
        bool repeats = rest.size() % extent == 0;
        for (std::size_t i = 0; repeats && i < rest.size(); ++i) {
            if (i % extent == 0)
                above.push_back(rest[i]);
            else
                repeats = rest[i] - rest[i - 1] == stride;
        }
        if (!repeats) break;
        const IndexExpr digit = pool.floor_div(x, period);
        const IndexExpr bounded = above.size() == 1 ? digit : pool.mod(digit, static_cast<std::int64_t>(extent));
        digits = pool.add(digits, pool.mul(bounded, stride));
        period *= static_cast<std::int64_t>(extent);
        rest = std::move(above);
    }
    const std::int64_t n = count(values), slope = values[1] - values[0];
    IndexExpr steps = pool.add(pool.mul(x, slope), values[0]);
    for (std::int64_t k = 1; k < n; ++k)
        if (const std::int64_t jump = entry(values, k) - entry(values, k - 1) - slope; jump != 0)
            steps = pool.add(steps, pool.mul(pool.floor_div(pool.add(x, n - k), n), jump));
    return steps;
}

/// Groups of one size, checked: every device is in one of them, once.
class CheckedGroups {
  public:
    /// @param operands  of a collective operation: one array, whose dimension 0 is the device.
    static Result<CheckedGroups> of(const op::DeviceGroups& groups, const std::vector<IndexShape>& operands)
    {
        if (const Status e = check_operands(operands, 1); !e.ok()) return e;
        if (operands[0].empty())
            return Error(errc::rank_mismatch, 0, "the operand is a scalar; its dimension 0 must be the devices");
        CheckedGroups out;
        out.groups_ = groups;
        const std::int64_t devices = operands[0][0];
        out.size_ = groups.empty() ? devices : count(groups[0]);
        if (groups.empty()) return out;
        std::int64_t members = 0;
        for (std::int64_t g = 0; g < count(groups); ++g) {
            if (count(entry(groups, g)) != out.size_)
                return Error(errc::rank_mismatch, static_cast<int>(g),
                             "group {0} has {1} devices; it must have {2}, as the first has", g, count(entry(groups, g)),
                             out.size_);
            members += out.size_;
        }
        if (members != devices)
            return Error(errc::size_mismatch, -1, "the groups have {0} devices; dimension 0 of the operand has {1}", members,
                         devices);
        // As many as there are, and none twice: all.
        out.group_.assign(static_cast<std::size_t>(devices), -1);
        out.place_ = out.group_;
        for (std::int64_t g = 0; g < count(groups); ++g) {
            for (std::int64_t p = 0; p < out.size_; ++p) {
                const std::int64_t d = entry(entry(groups, g), p);
                if (d < 0 || d >= devices)
                    return Error(errc::out_of_domain, static_cast<int>(g), "group {0} has device {1}; it must be in [0, {2}]", g, d,
                                 devices - 1);
                if (entry(out.group_, d) >= 0)
                    return Error(errc::bad_argument, static_cast<int>(g), "device {0} is in groups {1} and {2}; it must be in one",
                                 d, entry(out.group_, d), g);
                entry(out.group_, d) = g;
                entry(out.place_, d) = p;
            }
        }
        return out;
    }

    /// How many devices a group has.
    [[nodiscard]] std::int64_t size() const { return size_; }
    /// The place of a device in its group.
    IndexExpr place(IndexPool& pool, IndexExpr device) const
    {
        return place_.empty() ? device : table_expression(pool, device, place_);
    }
    /// The device at `place` of the group that `device` is in.
    IndexExpr neighbor(IndexPool& pool, IndexExpr device, IndexExpr place) const
    {
        if (place_.empty()) return place;
        // Where the device is a sum of what its group and its place give, the expression is too.
        std::vector<std::int64_t> of_group, flat;
        bool is_sum = true;
        for (const std::vector<std::int64_t>& members : groups_) {
            of_group.push_back(members[0] - groups_[0][0]);
            for (std::size_t p = 0; p < members.size(); ++p) {
                is_sum = is_sum && members[p] - members[0] == groups_[0][p] - groups_[0][0];
                flat.push_back(members[p]);
            }
        }
        const IndexExpr group = table_expression(pool, device, group_);
        if (is_sum) return pool.add(table_expression(pool, group, of_group), table_expression(pool, place, groups_[0]));
        return table_expression(pool, pool.add(pool.mul(group, size_), place), flat);
    }

    /// Dimension d tells the device, in parts of n:  (device, …, i, …) -> (device i/n of the group, …, i mod n, …)
    void take_part(IndexingMap& map, std::int64_t d, std::int64_t n) const
    {
        IndexExpr& index = entry(map.results, d);
        const IndexExpr i = map.dimension(static_cast<int>(d));
        map.results[0] = neighbor(map.pool, map.dimension(0), floor_div_size(map.pool, i, n));
        index = mod_size(map.pool, i, n);
    }
    /// The device's own place tells the part:  index d of the results += place·n
    void put_part(IndexingMap& map, std::int64_t d, std::int64_t n) const
    {
        IndexExpr& index = entry(map.results, d);
        index = map.pool.add(map.pool.mul(place(map.pool, map.dimension(0)), n), index);
    }

  private:
    op::DeviceGroups groups_{};
    std::vector<std::int64_t> group_{}, place_{}; ///< of each device; empty where all are one group in their order
    std::int64_t size_ = 0;
};

/// A dimension of a collective's operand that its devices divide: the size of one part.
inline Result<std::int64_t> check_parts(const IndexShape& shape, std::int64_t dimension, std::int64_t parts)
{
    if (dimension < 1 || dimension >= count(shape))
        return Error(errc::bad_argument, -1, "dimension {0} must be in [1, {1}]; dimension 0 is the device", dimension,
                     count(shape) - 1);
    // Without devices there is nothing to divide.
    if (parts == 0) return entry(shape, dimension);
    if (entry(shape, dimension) % parts != 0)
        return Error(errc::size_mismatch, static_cast<int>(dimension), "dimension {0} is {1}, which {2} devices do not divide",
                     dimension, entry(shape, dimension), parts);
    return entry(shape, dimension) / parts;
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
