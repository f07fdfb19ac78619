// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_OUTPUT_HPP
#define AXE_CLI_OUTPUT_HPP

#include <string>
#include <string_view>

namespace axe_cli {

/// Writes all of a text to a file descriptor, whatever interrupts it. False, with errno, when it cannot.
bool write_all(int fd, std::string_view text);

/// Writes an answer on standard output.
/// @returns `status`; 2, with a message on standard error, when it cannot be written
int write_answer(std::string_view text, int status = 0);

/// Writes `axe: <message>` on standard error.
/// @returns 2, the exit status of what was asked wrongly
int complain(const std::string& message);

} // namespace axe_cli

#endif
