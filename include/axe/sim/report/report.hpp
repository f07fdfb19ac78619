// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_REPORT_HPP
#define AXE_SIM_REPORT_REPORT_HPP

#include <axe/sim/bindings.hpp>
#include <axe/sim/report/counters.hpp>
#include <axe/sim/report/fault.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What a run came to: the outputs, or the fault that ended it; and what was counted up to there.
struct Report {
    Bindings outputs{};
    Fault fault{};
    Counters total{};
    std::map<int, Counters> statements{}; ///< by number
    int devices = 1;
    [[nodiscard]] bool ok() const noexcept { return !fault.found(); }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
