// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_DYNAMIC_UPDATE_SLICE_HPP
#define AXE_MAP_OPERATIONS_DYNAMIC_UPDATE_SLICE_HPP

#include <axe/map/operations/starts.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y = x with an update (operand 1) written over it:  y[start + d] = update[d];  the starts are operands 2 on, scalars.
///
/// The starts are run-time variables in [0, n − size], as the operation clamps them. The map of x covers all elements, the ones
/// that the update hides too.
struct DynamicUpdateSlice {
    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const std::int64_t rank = operands.empty() ? 0 : detail::count(operands[0]);
        if (const Status e = detail::check_operands(operands, 2 + rank); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 1, rank); !e.ok()) return e;
        const IndexShape &x = operands[0], &update = operands[1];
        if (const Status e = detail::check_slice_sizes(update, x); !e.ok()) return e;
        for (std::int64_t k = 2; k < 2 + rank; ++k)
            if (const Status e = detail::check_rank(operands, k, 0); !e.ok()) return e;
        OperationMaps out = detail::one_result("dynamic_update_slice", operands, x);
        detail::relate(out.results[0], 0, detail::identity_map(x), detail::identity_map(x));
        detail::relate(out.results[0], 1, detail::at_starts(x, x, update, 2, -1), detail::at_starts(update, x, update, 2, 1));
        for (std::int64_t k = 2; k < 2 + rank; ++k) detail::relate_whole(out.results[0], k, {});
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
