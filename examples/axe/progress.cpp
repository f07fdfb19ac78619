// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <cstdio>

#include <sys/stat.h>
#include <unistd.h>

namespace axe_cli {

Progress::Progress()
{
    if (isatty(STDERR_FILENO) != 1 || isatty(STDOUT_FILENO) == 1) return;
    next_ = start_ + std::chrono::seconds(1);
    struct stat input = {};
    if (fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode)) return;
    const off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (begin >= 0 && begin < input.st_size) bytes_total_ = input.st_size - begin;
}

void Progress::show(Clock::time_point now)
{
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::fprintf(stderr, "\r\033[K%lld answers, %.0f a second", static_cast<long long>(answers_),
                 static_cast<double>(answers_) / seconds);
    if (bytes_total_ > 0 && bytes_ > 0) {
        const double left = seconds * static_cast<double>(bytes_total_ - bytes_) / static_cast<double>(bytes_);
        std::fprintf(stderr, ", %.0f s left", left > 0 ? left : 0.0);
    }
    std::fflush(stderr);
    shown_ = true;
    next_ = now + std::chrono::milliseconds(250);
}

void Progress::clear()
{
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace axe_cli
