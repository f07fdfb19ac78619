// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_TARGETS_HPP
#define AXE_TESTS_TARGETS_HPP

#include <axe/target/targets.hpp>

/// The library's target that has the program's machine.
inline const axe::Target& target_of(const axe::Program& program) { return *axe::targets::find(program.machine.name); }

#endif
