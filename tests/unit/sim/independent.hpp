// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_INDEPENDENT_HPP
#define AXE_TESTS_UNIT_SIM_INDEPENDENT_HPP

#include <axe/sim/compile.hpp>
#include <tests/unit/sim/all_threads.hpp>

namespace all_threads {

/// Are the blocks of the first grid, or its clusters, shown to be independent?
inline bool independent(const axe::Program& lowered, const axe::Target& target)
{
    const auto made = axe::sim::compile(lowered, target, 1);
    INFO((made ? "" : made.error().text));
    REQUIRE(made.has_value());
    return (*made)->grids.at(0).independent;
}
inline bool independent(const Write& write, const axe::Machine& machine = axe::machines::sm80,
                        const axe::Target& target = axe::targets::sm80)
{
    return independent(written(write, machine), target);
}

} // namespace all_threads

#endif
