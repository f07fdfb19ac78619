// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_COMMAND_HPP
#define AXE_CLI_RELAYOUT_COMMAND_HPP

#include "arguments.hpp"

namespace axe_cli {

/// `axe relayout IN OUT ...`; the exit status.
int run_relayout(Fields arguments, bool json);

} // namespace axe_cli

#endif
