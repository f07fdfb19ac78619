// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_PROGRESS_HPP
#define AXE_CLI_RUN_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <string>

namespace axe_cli {

/// A bar on standard error for a run of more than a third of a second; only on a terminal.
class RunProgress {
  public:
    explicit RunProgress(std::string what);
    /// So many blocks of those that are known.
    void show(std::int64_t done, std::int64_t known);
    /// Takes the bar away.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    Clock::time_point start_ = Clock::now(), next_ = Clock::time_point::max();
    bool shown_ = false;
};

} // namespace axe_cli

#endif
