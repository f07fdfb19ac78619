// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_TEXT_HPP
#define AXE_CLI_RUN_TEXT_HPP

#include "../common/perform.hpp"
#include "run_options.hpp"

namespace axe_cli {

/// What a run came to, for a person.
std::string run_text(const RunRequest& request, const examples::Performance& performance);

/// The same as one object on a line.
std::string run_json(const RunRequest& request, const examples::Performance& performance);

} // namespace axe_cli

#endif
