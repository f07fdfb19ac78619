// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pair.hpp"

#include <catch.hpp>
#include <tests/required.hpp>

#include <stdexcept>
#include <string>

/// A run on several threads of the host ends with what ends it, and never ends the program.

TEST_CASE("host threads: what the caller's progress function throws comes out of the run", "[sim][threads]")
{
    const auto lowered = required(axe::lower(pair::program()));
    for (const int threads : {1, 2, 4}) {
        axe::sim::RunOptions options;
        options.threads = threads;
        options.progress = [](std::int64_t, std::int64_t) -> bool { throw std::runtime_error("enough"); };
        std::string caught;
        try {
            const auto report = axe::sim::run(lowered->program, pair::inputs(), options);
            CHECK_FALSE(report.has_value());
        } catch (const std::runtime_error& e) {
            caught = e.what();
        }
        CHECK(caught == "enough");
    }
}
