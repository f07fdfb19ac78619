// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXTEND_MACHINE_HPP
#define EXTEND_MACHINE_HPP

#include <axe/machine/machine.hpp>

/// Brook, an accelerator made up for this example: cores of warps with 64 lanes, and in each core a memory of its own, the pond, which a
/// stream engine fills and a pooling engine works on.
namespace brook {

inline constexpr axe::Memory dram{"dram", "device", {axe::Role::global}, {"m"}, {0}, 0, 0, 0, 64};
/// No role: a program that is to run elsewhere does not ask for it, one for Brook asks by name.
inline constexpr axe::Memory pond{"pond", "core", {}, {"m"}, {65536}, 65536, 0, 0, 16};
inline constexpr axe::Memory shared{"shared", "core", {axe::Role::shared}, {"m"}, {32768}, 32768, 4, 32, 16};
inline constexpr axe::Memory reg{"reg", "lane", {axe::Role::registers, axe::Role::accumulator}, {"reg"}, {1024}, 1024, 0, 0, 4};

inline constexpr axe::Machine machine{"brook1",
                                      {{"device", "gpuid", 1}, {"core", "core", 0}, {"warp", "warp", 8}, {"lane", "lane", 64}},
                                      {{"thread", "warp", "lane", 64}}, // thread = 64·warp + lane
                                      {dram, pond, shared, reg},
                                      {},
                                      {"ld.*", "st.*", "fma.*", "barrier", "stream", "pool.2x2"},
                                      {{"ld.bytes", 16}},
                                      "Brook, made up"};

} // namespace brook

#endif
