// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_progress.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace axe_cli {

RunProgress::RunProgress(std::string what) : what_(std::move(what))
{
    if (isatty(STDERR_FILENO) == 1) next_ = start_ + std::chrono::milliseconds(300);
}

void RunProgress::show(std::int64_t done, std::int64_t known)
{
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    constexpr int width = 30;
    // Loops whose length a run finds out add blocks while it goes on.
    const double part = known > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(known), 0.0, 1.0) : 0;
    const int filled = static_cast<int>(part * width);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::fprintf(stderr, "\r\033[K%s [%s%s] %3.0f %%", what_.c_str(), std::string(static_cast<std::size_t>(filled), '#').c_str(),
                 std::string(static_cast<std::size_t>(width - filled), '.').c_str(), 100 * part);
    if (part > 0.02) std::fprintf(stderr, ", %.0f s left", seconds * (1 - part) / part);
    std::fflush(stderr);
    shown_ = true;
}

void RunProgress::clear()
{
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace axe_cli
