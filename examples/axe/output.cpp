// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands print.
#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <poll.h>
#include <unistd.h>

namespace axe_cli {

bool write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n >= 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            pollfd room{fd, POLLOUT, 0};
            poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int write_answer(std::string_view text, int status)
{
    if (write_all(STDOUT_FILENO, text)) return status;
    return complain(std::string("cannot write the answer: ") + std::strerror(errno));
}

int complain(const std::string& message)
{
    std::fprintf(stderr, "axe: %s\n", message.c_str());
    return 2;
}

} // namespace axe_cli
