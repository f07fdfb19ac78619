// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_OPTIONS_HPP
#define AXE_SCHEDULE_OPTIONS_HPP

#include <axe/schedule/schedule.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// Why a row does not do an operator with these options; empty where it does.
inline std::string why_not_with_options(const Request& request, const Schedule& row)
{
    const Operation& o = request.operation();
    const bool completes = o.op == Op::gather || o.op == Op::scatter || o.op == Op::atomic || is_matrix_product(o.op);
    if (o.options.cache != CacheHint::none && !row.also.cache_hints)
        return worded("{0} has no cache hints, and {1} is given", {row.name, name(o.options.cache)});
    const auto is_global = [&](const View& v) { return request.memory(v).roles.has(Role::global); };
    if (o.options.cache != CacheHint::none && std::none_of(o.operands.begin(), o.operands.end(), is_global))
        return worded("cache hints are of global memory, and no operand is there", {});
    if (o.options.fill_nan && !row.also.nan_fill) return worded("{0} does not fill with NaN", {row.name});
    if (o.options.byte_mask != 0xffff && !row.also.byte_masks) return worded("{0} has no byte masks", {row.name});
    if ((o.negate_a || o.negate_b) && !row.also.negated) return worded("{0} does not negate its operands", {row.name});
    if (o.unless_zero && !row.also.unless_zero) return worded("{0} does not find in the run whether it accumulates", {row.name});
    if (o.scale_d != 0 && !row.also.scaled_d) return worded("{0} does not scale D", {row.name});
    if (!o.kept_rows.empty() && !row.also.kept_rows) return worded("{0} keeps no rows of D", {row.name});
    if (!o.zero_columns.empty() && !row.also.zero_columns) return worded("{0} takes no columns of B as zeros", {row.name});
    if (completes && o.options.completes_on >= 0 && !row.also.mbarriers)
        return worded("{0} does not complete on an mbarrier", {row.name});
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
