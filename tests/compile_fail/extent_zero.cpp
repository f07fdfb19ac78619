// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout with an empty iter, taken as a constant.
// expect-clang: no_value_because\(.*the extent of iter \{0\} is \{1\}; it must be at least 1.*1, 0, 0
// expect-gcc: the extent of iter \{0\} is \{1\}; it must be at least 1
// expect-gcc: at_position\[1\]
#include <axe/layout/layout.hpp>

#ifdef AXE_CONTROL
constexpr axe::Layout layout = *axe::make_layout({{8, 4}, {1, 1}});
#else
constexpr axe::Layout layout = *axe::make_layout({{8, 4}, {0, 1}});
#endif
static_assert(layout.shard.size() == 2);
