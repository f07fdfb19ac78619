// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_BATCH_HPP
#define AXE_CLI_BATCH_HPP

namespace axe_cli {

/// Answers the requests on standard input, line by line, on standard output, until the input ends.
///
/// Every complete line that has come is answered before more is waited for. Memory is bounded: a longer line than `longest_request`
/// is dropped and answered by an error.
/// @returns the exit status: 0 at the end of the input, whatever the answers; 2 when the input cannot be read or the answers not be
///          written, with a message on standard error; 130 after Ctrl-C, all that was answered being written
int run_batch(bool json);

} // namespace axe_cli

#endif
