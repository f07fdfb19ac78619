// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_REQUEST_HPP
#define AXE_CLI_REQUEST_HPP

#include "operation.hpp"

#include <string>
#include <string_view>

namespace axe_cli {

/// The most characters of a request. Far more than any layout needs: it bounds the memory of a batch.
inline constexpr std::size_t longest_request = std::size_t{1} << 20;

/// Answers one request of a batch, `slice; (5,2):(1@P,5@P); 10; [3:7]`, in one line without a newline.
///
/// Whatever the bytes, this returns: it never throws and never ends the process. Bytes that are no text are not echoed.
std::string answer(std::string_view request_line, bool json) noexcept;

/// The answer to a request as it was typed, the name of an operation and its arguments, into a reply of any form. It is not empty.
void run(Reply& reply, Fields request);

} // namespace axe_cli

#endif
