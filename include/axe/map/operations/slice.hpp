// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_SLICE_HPP
#define AXE_MAP_OPERATIONS_SLICE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[d] = x[start + d·stride],  start + d·stride < limit in every dimension
///
/// The starts and limits are those of the operand, strides of at least 1; no strides are strides of 1.
struct Slice {
    std::vector<std::int64_t> starts{}, limits{}, strides{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        const IndexShape& x = operands[0];
        for (const auto* list : {&starts, &limits})
            if (const Status e = detail::check_length(*list, detail::count(x)); !e.ok()) return e;
        if (!strides.empty())
            if (const Status e = detail::check_length(strides, detail::count(x)); !e.ok()) return e;
        IndexShape shape;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto position = static_cast<int>(i);
            if (starts[i] < 0 || starts[i] > limits[i])
                return Error(errc::out_of_domain, position, "dimension {0} starts at {1}; it must be in [0, {2}], up to the limit",
                             position, starts[i], limits[i]);
            if (limits[i] > x[i])
                return Error(errc::out_of_domain, position, "dimension {0} ends at {1}; the operand ends at {2}", position,
                             limits[i], x[i]);
            if (stride(i) < 1)
                return Error(errc::bad_argument, position, "the stride of dimension {0} is {1}; it must be 1 or more", position,
                             stride(i));
            const std::int64_t length = limits[i] - starts[i];
            shape.push_back(length == 0 ? 0 : (length - 1) / stride(i) + 1);
        }

        IndexingMap from = IndexingMap::over(shape), to = detail::identity_map(x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            // A stride that is used once or never may be anything: 1.
            const std::int64_t step = shape[i] > 1 ? stride(i) : 1;
            const IndexExpr d = from.dimension(static_cast<int>(i));
            from.results.push_back(from.pool.add(from.pool.mul(d, step), starts[i]));
            constrain(to, to.results[i], {starts[i], starts[i] + (shape[i] - 1) * step});
            const IndexExpr inside = to.pool.add(to.results[i], -starts[i]);
            constrain(to, to.pool.mod(inside, step), {0, 0});
            to.results[i] = to.pool.floor_div(inside, step);
        }
        return detail::moves_elements("slice", operands, shape, std::move(from), std::move(to));
    }

  private:
    [[nodiscard]] std::int64_t stride(std::size_t i) const { return strides.empty() ? 1 : strides[i]; }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
