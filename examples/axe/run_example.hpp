// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_EXAMPLE_HPP
#define AXE_CLI_RUN_EXAMPLE_HPP

#include "arguments.hpp"

#include <string>

namespace axe_cli {

/// `axe run EXAMPLE OPTIONS…`: an example on simulated machines, checked and verified; without an example, what there is.
///
/// @returns the exit status: 0 when nothing was wrong; 1 after a fault, or numbers out of their bounds; 2 for misuse, with a message
///          on standard error; 130 after Ctrl-C, nothing being written
int run_example(Fields arguments, bool json);

/// The examples, what they take, and the options: a page, or one object on a line.
std::string examples_page();
std::string examples_json();

} // namespace axe_cli

#endif
