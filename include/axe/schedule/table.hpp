// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_TABLE_HPP
#define AXE_SCHEDULE_TABLE_HPP

#include <axe/schedule/collective.hpp>
#include <axe/schedule/elementary.hpp>
#include <axe/schedule/gemm.hpp>
#include <axe/schedule/indexed.hpp>
#include <axe/schedule/reduce.hpp>
#include <axe/target/spyre/schedules.hpp>
#include <axe/target/trainium/schedules.hpp>

namespace axe {
inline namespace v0 {

/// Every schedule of the library. One more is a header with rows and a line here.
AXE_KERNELS_INLINE const Schedules& schedules()
{
    static const Schedules rows = [] {
        Schedules out = elementary_schedules();
        const auto add = [&](const auto& list) {
            for (const Schedule& row : list) out.push_back(&row);
        };
        add(indexed_schedules);
        add(gemm_schedules);
        add(reduce_schedules);
        add(collective_schedules);
        add(trainium_schedules);
        add(spyre_schedules);
        return out;
    }();
    return rows;
}

/// What `lower` does for one operator: the first schedule of the table that applies.
/// Errors: those of `dispatch`.
inline Outcome<Body> dispatch(Request& request, Choice* choice = nullptr) { return dispatch(schedules(), request, choice); }

} // namespace v0
} // namespace axe

#endif
