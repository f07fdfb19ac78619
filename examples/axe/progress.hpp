// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_PROGRESS_HPP
#define AXE_CLI_PROGRESS_HPP

#include <chrono>
#include <cstdint>

namespace axe_cli {

/// One line on standard error about a batch that runs for more than a second: answers, rate, and the time left where the input is a
/// file. Only on a terminal, and only when the answers go elsewhere: where they pass by, they are the progress.
class Progress {
  public:
    using Clock = std::chrono::steady_clock;

    Progress();
    void has_read(std::int64_t bytes) { bytes_ += bytes; }
    void has_answered(Clock::time_point now)
    {
        ++answers_;
        if (now >= next_) show(now);
    }
    [[nodiscard]] std::int64_t answers() const noexcept { return answers_; }
    /// Takes the line away.
    void clear();

  private:
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_ = Clock::time_point::max(); ///< when to show it the next time
    std::int64_t answers_ = 0;
    std::int64_t bytes_ = 0;       ///< of the input read
    std::int64_t bytes_total_ = 0; ///< 0 when it is not known
    bool shown_ = false;

    void show(Clock::time_point now);
};

} // namespace axe_cli

#endif
