// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_PERFORM_HPP
#define AXE_EXAMPLES_PERFORM_HPP

#include "example.hpp"

namespace examples {

/// All that came of an example: the kernel as written and as lowered, the run, and what it is worth.
struct Performance {
    axe::Program program{};
    axe::Lowered lowered{};
    axe::Bindings inputs{};
    axe::sim::Report report{};
    std::string hint{}; ///< after a fault: the barrier or wait that repairs it, if one does
    axe::Verification verification{};
    Conclusion conclusion{};
    double lower_seconds = 0, run_seconds = 0;

    /// No fault, every number within its bounds, and what the example says holds.
    [[nodiscard]] bool ok() const noexcept { return report.ok() && verification.ok() && conclusion.ok; }
};

/// The kernel of an example, its operators forced into the schedules that the setting names, and found valid.
axe::Result<axe::Program, axe::Problem> written(const Example& example, const Setting& setting);

/// From the kernel to the conclusion; after a fault there is only the run. A run that the caller's progress function stops has a fault;
/// a verification, a problem.
axe::Result<Performance, axe::Problem> perform(const Example& example, const Setting& setting,
                                               const axe::sim::RunOptions& options = {}, const axe::ReferenceOptions& compare = {});

} // namespace examples

#endif
