// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size fits, the coordinates do not.
// expect-clang: no_value_because\(.*the coordinates on the axis of iter \{0\} overflow
// expect-gcc: the coordinates on the axis of iter \{0\} overflow
#include <axe/layout/layout.hpp>

constexpr std::int64_t far = std::int64_t{1} << 61;
#ifdef AXE_CONTROL
constexpr axe::Layout layout = *axe::make_layout({{3, far}});
#else
constexpr axe::Layout layout = *axe::make_layout({{9, far}});
#endif
static_assert(layout.shard.size() == 1);
