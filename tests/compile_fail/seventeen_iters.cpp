// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout holds sixteen shard iters.
// expect-clang: no_value_because\(.*a layout has at most \{0\} shard iters, this one has \{1\}.*16, 17, 0
// expect-gcc: a layout has at most \{0\} shard iters, this one has \{1\}
#include <axe/layout/layout.hpp>

#ifdef AXE_CONTROL
#  define LAST
#else
#  define LAST , {2, 65536}
#endif
constexpr axe::Layout layout = *axe::make_layout({{2, 1},
                                                  {2, 2},
                                                  {2, 4},
                                                  {2, 8},
                                                  {2, 16},
                                                  {2, 32},
                                                  {2, 64},
                                                  {2, 128},
                                                  {2, 256},
                                                  {2, 512},
                                                  {2, 1024},
                                                  {2, 2048},
                                                  {2, 4096},
                                                  {2, 8192},
                                                  {2, 16384},
                                                  {2, 32768} LAST});
static_assert(layout.shard.full());
