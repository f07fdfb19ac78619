// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_ELEMENTARY_HPP
#define AXE_SCHEDULE_ELEMENTARY_HPP

#include <axe/schedule/copy/scalar.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/fill.hpp>
#include <axe/schedule/map.hpp>
#include <axe/target/nvidia/schedules/cp_async.hpp>
#include <axe/target/nvidia/schedules/matrices.hpp>

namespace axe {
inline namespace v0 {

/// The schedules of copies, fills and maps within a block: what other schedules stage and finish their operands with.
inline const Schedules& elementary_schedules()
{
    static const Schedules rows = [] {
        Schedules out;
        const auto add = [&](const auto& list) {
            for (const Schedule& row : list) out.push_back(&row);
        };
        add(fill_schedules);
        add(matrix_copy_schedules);
        add(move_schedules);
        add(async_schedules);
        add(map_schedules);
        return out;
    }();
    return rows;
}

/// The statements of a copy, fill or map that a schedule needs within its own. Its temporaries become the outer request's.
/// Errors: those of `dispatch`.
inline Outcome<Body> emit_nested(Request& outer, const Operation& operation)
{
    return dispatch_within(elementary_schedules(), outer, operation);
}

} // namespace v0
} // namespace axe

#endif
