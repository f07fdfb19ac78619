// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_OPTIONS_HPP
#define AXE_CLI_RUN_OPTIONS_HPP

#include "../common/example.hpp"
#include "options.hpp"

namespace axe_cli {

/// What was typed after `axe run`.
struct RunRequest {
    const examples::Example* example = nullptr;
    examples::Setting setting{};
    axe::sim::Level level = axe::sim::Level::full;
    axe::ReferenceOptions verify{};
    axe::sim::RunOrder order = axe::sim::RunOrder::issue;
    int seed = 0;
    int threads = 0; ///< 0: as many as the machine has
    bool show = false;
    bool memory = false;        ///< print the allocation report
    std::string watch_tensor{}; ///< empty: none
    axe::Coord watch{};
    std::string output{};                                       ///< a folder
    std::string report{}, picture{}, trace{}, steps{}, roles{}; ///< files
};

std::span<const Option> run_options();

/// The request, or a message that says what would be right.
axe::Result<RunRequest, axe::Problem> read_run_request(Fields arguments);

} // namespace axe_cli

#endif
