// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests from a stream. Reading and writing are the system's calls: what has come must be answered before more is waited for, and
// a buffered stream would hide which is which.
#include "batch.hpp"

#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "request.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

namespace axe_cli {
namespace {

/// Waits until there is something to read, or Ctrl-C. A signal that comes between the look at the flag and the wait must not be
/// slept through: it is held back until the wait itself lets it in.
bool wait_for_input()
{
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigprocmask(SIG_BLOCK, &held, &before);
    fd_set input;
    do {
        FD_ZERO(&input);
        FD_SET(STDIN_FILENO, &input);
    } while (!interrupted() && pselect(STDIN_FILENO + 1, &input, nullptr, nullptr, nullptr, &before) < 0 && errno == EINTR);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return !interrupted();
}

/// Reads what has come, at most `size` bytes; 0 at the end, −1 with errno.
ssize_t read_some(char* data, std::size_t size)
{
    for (;;) {
        if (!wait_for_input()) {
            errno = EINTR;
            return -1;
        }
        const ssize_t n = ::read(STDIN_FILENO, data, size);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
    }
}

/// One run over the input. Every function that can write says whether it could: a reader that has gone away ends the run.
class Batch {
  public:
    explicit Batch(bool json) : json_(json) {}

    int run()
    {
        const InterruptGuard guard;
        std::string block(block_size, '\0');
        for (;;) {
            const ssize_t n = read_some(block.data(), block.size());
            if (interrupted()) return interruption();
            if (n < 0) return failure("cannot read the requests", errno);
            if (n == 0) break;
            progress_.has_read(n);
            if (!take(std::string_view(block.data(), static_cast<std::size_t>(n)))) return unwritten();
            if (interrupted()) return interruption();
            if (!flush()) return unwritten();
        }
        if (!line_.empty() && !answer_line({})) return unwritten(); // the last line has no newline
        if (!flush()) return unwritten();
        progress_.clear();
        return 0;
    }

  private:
    static constexpr std::size_t block_size = std::size_t{1} << 16;
    static constexpr std::size_t most_held = std::size_t{1} << 18; ///< of answers not yet written
    static constexpr std::chrono::milliseconds longest_held{50};

    const bool json_;
    std::string line_; ///< the start of a line whose end has not come
    std::string answers_;
    Progress progress_;
    Progress::Clock::time_point flushed_ = Progress::Clock::now();

    /// Answers every line that ends in the block and keeps the rest. False when answers cannot be written.
    bool take(std::string_view block)
    {
        for (std::size_t end; (end = block.find('\n')) != std::string_view::npos; block.remove_prefix(end + 1)) {
            if (!answer_line(block.substr(0, end))) return false;
            if (interrupted()) return true;
        }
        keep(block);
        return true;
    }

    /// No more is kept of a line than shows that it is too long.
    void keep(std::string_view part) { line_ += part.substr(0, longest_request + 2 - line_.size()); }

    /// Answers the line that ends with this part.
    bool answer_line(std::string_view part)
    {
        if (!line_.empty()) {
            keep(part);
            part = line_;
        }
        answers_ += answer(part, json_);
        answers_ += '\n';
        line_.clear();
        const auto now = Progress::Clock::now();
        progress_.has_answered(now);
        return (answers_.size() < most_held && now - flushed_ < longest_held) || flush();
    }

    bool flush()
    {
        const bool written = write_all(STDOUT_FILENO, answers_);
        answers_.clear();
        flushed_ = Progress::Clock::now();
        return written;
    }

    /// After Ctrl-C: all that was answered is written.
    int interruption()
    {
        if (!flush()) return unwritten();
        progress_.clear();
        std::fprintf(stderr, "axe: interrupted after %lld answers\n", static_cast<long long>(progress_.answers()));
        return 130;
    }

    int unwritten() { return failure("cannot write the answers", errno); }

    int failure(const char* what, int error)
    {
        progress_.clear();
        std::fprintf(stderr, "axe: %s: %s\n", what, std::strerror(error));
        return 2;
    }
};

} // namespace

int run_batch(bool json)
{
    if (isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1)
        std::fputs("axe: one request a line, such as `eval; 64:1; (8,8); (1,2)`; Ctrl-D ends\n", stderr);
    return Batch(json).run();
}

} // namespace axe_cli
