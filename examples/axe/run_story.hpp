// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_STORY_HPP
#define AXE_CLI_RUN_STORY_HPP

#include "arguments.hpp"

#include <string>

namespace axe_cli {

/// `axe run STORY OPTIONS…`: an example on simulated machines, checked and verified; without a story, what there is.
///
/// @returns the exit status: 0 when nothing was wrong; 1 after a fault, or numbers out of their bounds; 2 for misuse, with a sentence
///          on standard error; 130 after Ctrl-C, nothing being written
int run_story(Fields arguments, bool json);

/// The stories, what they take, and the options: a page, or one object on a line.
std::string stories_page();
std::string stories_json();

} // namespace axe_cli

#endif
