// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_DYNAMIC_SLICE_HPP
#define AXE_MAP_OPERATIONS_DYNAMIC_SLICE_HPP

#include <axe/map/operations/starts.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// y[d] = x[start + d] with starts that are known at run time: operands 1 to rank, scalars.
///
/// The starts are run-time variables in [0, n − size], as the operation clamps them.
struct DynamicSlice {
    IndexShape sizes{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const std::int64_t rank = detail::count(sizes);
        if (const Status e = detail::check_operands(operands, 1 + rank); !e.ok()) return e;
        if (const Status e = detail::check_rank(operands, 0, rank); !e.ok()) return e;
        if (const Status e = detail::check_slice_sizes(sizes, operands[0]); !e.ok()) return e;
        for (std::int64_t k = 1; k <= rank; ++k)
            if (const Status e = detail::check_rank(operands, k, 0); !e.ok()) return e;
        OperationMaps out = detail::one_result("dynamic_slice", operands, sizes);
        detail::relate(out.results[0], 0, detail::at_starts(sizes, operands[0], sizes, 1, 1),
                       detail::at_starts(operands[0], operands[0], sizes, 1, -1));
        for (std::int64_t k = 1; k <= rank; ++k) detail::relate_whole(out.results[0], k, {});
        detail::copies_operand(out, 0);
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
