// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_STORIES_PERFORM_HPP
#define AXE_STORIES_PERFORM_HPP

#include "story.hpp"

namespace stories {

/// All that came of a story: the kernel as written and as lowered, the run, and what it is worth.
struct Performance {
    axe::Program program{};
    axe::Lowered lowered{};
    axe::Bindings inputs{};
    axe::sim::Report report{};
    axe::Verification verification{};
    Conclusion conclusion{};
    double lower_seconds = 0, run_seconds = 0;

    /// No fault, every number within its bounds, and what the story says holds.
    [[nodiscard]] bool ok() const noexcept { return report.ok() && verification.ok() && conclusion.ok; }
};

/// The kernel of a story, its operators forced into the schedules that the setting names, and found valid.
axe::Outcome<axe::Program> written(const Story& story, const Setting& setting);

/// From the kernel to the conclusion; after a fault there is only the run. What the caller's progress function stops is a fault.
axe::Outcome<Performance> perform(const Story& story, const Setting& setting, const axe::sim::RunOptions& options = {});

} // namespace stories

#endif
