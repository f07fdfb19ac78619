// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_ONE_BLOCK_HPP
#define AXE_TESTS_ONE_BLOCK_HPP

#include <axe/program/kernel.hpp>

/// A grid of one block, of so many agents.
inline axe::Kernel& one_block(axe::Kernel& k, int agents, const std::function<void(axe::Scope)>& body,
                              axe::SourceLine at = axe::SourceLine::here())
{
    return k.cta(axe::tiles(1, 1), [&](axe::Scope block, const axe::Tile&) { body(block); }, agents, at);
}

#endif
