// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_CONCATENATE_HPP
#define AXE_MAP_OPERATIONS_CONCATENATE_HPP

#include <axe/map/errors.hpp>
#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// The operands one after another along a dimension:  y[…, o_k + i, …] = x_k[…, i, …],  o_k = n_0 + … + n_{k−1}
///
/// The operands agree in all other dimensions. Operand k is read where the index is in [o_k, o_k + n_k − 1].
struct Concatenate {
    std::int64_t dimension = 0;

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const std::int64_t n = std::max<std::int64_t>(detail::count(operands), 1);
        if (const Status e = detail::check_operands(operands, n); !e.ok()) return e;
        IndexShape shape = operands[0];
        if (const Status e = detail::check_dimensions({dimension}, detail::count(shape)); !e.ok()) return e;
        std::int64_t& total = detail::entry(shape, dimension);
        for (std::int64_t k = 1; k < n; ++k) {
            if (const Status e = detail::check_rank(operands, k, detail::count(shape)); !e.ok()) return e;
            for (std::int64_t d = 0; d < detail::count(shape); ++d)
                if (d != dimension)
                    if (const Status e = detail::check_dimension(operands, k, d, detail::entry(shape, d)); !e.ok()) return e;
            if (!detail::add(total, detail::entry(detail::entry(operands, k), dimension), total))
                return axe::detail::concatenation_overflows(static_cast<int>(k));
        }
        OperationMaps out = detail::one_result("concatenate", operands, shape);
        std::int64_t offset = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t size = detail::entry(detail::entry(operands, k), dimension);
            IndexingMap from = detail::identity_map(shape), to = detail::identity_map(detail::entry(operands, k));
            const auto at = static_cast<std::size_t>(dimension);
            constrain(from, from.results[at], {offset, offset + size - 1});
            from.results[at] = from.pool.add(from.results[at], -offset);
            to.results[at] = to.pool.add(to.results[at], offset);
            detail::relate(out.results[0], k, std::move(from), std::move(to));
            offset += size;
        }
        if (n == 1) detail::copies_operand(out, 0);
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
