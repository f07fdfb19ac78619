// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RUN_TEXT_HPP
#define AXE_CLI_RUN_TEXT_HPP

#include "../common/perform.hpp"
#include "run_options.hpp"

#include <axe/sim/report/watch.hpp>

#include <vector>

namespace axe_cli {

/// The accesses of the watched element: the first ones, and how many there are.
struct Watched {
    static constexpr std::size_t most = 1000;
    std::vector<axe::sim::WatchedAccess> first{};
    std::int64_t all = 0;
    void add(const axe::sim::WatchedAccess& access)
    {
        if (first.size() < most) first.push_back(access);
        ++all;
    }
};

/// What a run came to, for a person.
std::string run_text(const RunRequest& request, const examples::Performance& performance, const Watched& watched);

/// The same as one object on a line.
std::string run_json(const RunRequest& request, const examples::Performance& performance, const Watched& watched);

} // namespace axe_cli

#endif
