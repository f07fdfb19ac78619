// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_CPU_MACHINES_HPP
#define AXE_TARGET_CPU_MACHINES_HPP

#include <axe/machine/machine.hpp>

namespace axe {
inline namespace v0 {
namespace machines {

/// A processor without limits, on which every program that names no chip's instruction runs: memory, a scratch memory for each
/// core, and registers for each core. No number here is a fact about a product. Devices are processes, or sockets, that reach each
/// other's memory.
inline constexpr Machine cpu{"cpu",
                             {{"device", "gpuid", 1}, {"core", "core", 0}, {"thread", "thread", 32}},
                             {},
                             {{"ram", "device", {Role::global}, {"m"}, {0}, 0, 0, 0, 64},
                              {"scratch", "core", {Role::shared}, {"m"}, {0}, 0, 0, 0, 64},
                              {"reg", "thread", {Role::registers, Role::accumulator}, {"reg"}, {0}, 0}},
                             {{"peer", "device", "ram", {"ld", "st"}}},
                             {"ld.*", "st.*", "fma.*", "atom.*", "barrier"},
                             {},
                             "portable"};

} // namespace machines
} // namespace v0
} // namespace axe

#endif
