// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is prepared reads its program in every run: a program that is gone by then would be read all the same.
// expect: deleted
#define AXE_COMPILED
#include <axe/target/targets.hpp>

axe::Result<axe::sim::PreparedProgram, axe::Problem> ready(axe::Lowered lowered, const axe::Target& target)
{
#ifdef AXE_CONTROL
    if (target.opcodes.empty()) return axe::sim::prepare(lowered.program);
    return axe::sim::prepare(lowered.program, target);
#else
    return axe::sim::prepare(axe::Lowered(lowered).program);
#endif
}
