// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_FILES_HPP
#define AXE_CLI_RUN_FILES_HPP

#include "../common/perform.hpp"
#include "run_options.hpp"

#include <axe/sim/report/trace.hpp>

namespace axe_cli {

/// Can all be written that the request asks for, as far as can be told before the run? Makes the folder of the outputs.
axe::Result<void, axe::Problem> prepare_files(const RunRequest& request);

/// Writes what the request asks for, each file whole or not at all: report, picture, trace, and the outputs of a run without a fault.
axe::Result<void, axe::Problem> write_files(const RunRequest& request, const examples::Performance& performance,
                                            const axe::sim::Trace& trace);

} // namespace axe_cli

#endif
