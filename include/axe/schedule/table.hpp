// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_TABLE_HPP
#define AXE_SCHEDULE_TABLE_HPP

#include <axe/schedule/collective.hpp>
#include <axe/schedule/copy/scalar.hpp>
#include <axe/schedule/copy/shuffle.hpp>
#include <axe/schedule/copy/synchronous.hpp>
#include <axe/schedule/copy/through_shared.hpp>
#include <axe/schedule/fill.hpp>
#include <axe/schedule/gemm.hpp>
#include <axe/schedule/gemm/scaled.hpp>
#include <axe/schedule/indexed.hpp>
#include <axe/schedule/indexed_atomic.hpp>
#include <axe/schedule/map.hpp>
#include <axe/schedule/reduce.hpp>
#include <axe/schedule/scan.hpp>

namespace axe {
inline namespace v0 {

/// The schedules that suit any machine whose lanes load and store, within blocks: what a target of such a machine begins with.
inline constexpr Tables<Schedule> simt_schedules{fill_schedules,        move_schedules, shuffle_schedules, exchange_schedules,
                                                 synchronous_schedules, map_schedules,  indexed_schedules, gemm_schedules,
                                                 reduce_schedules,      iota_schedules, scan_schedules,    indexed_atomic_schedules,
                                                 scaled_schedules};

} // namespace v0
} // namespace axe

#endif
