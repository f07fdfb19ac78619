// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2^32 times 2^32 elements are more than a 64-bit integer counts. The strides are 0, so that only the size overflows.
// expect-clang: no_value_because\(.*the product of the extents overflows at iter \{0\}.*1, 0, 0
// expect-gcc: the product of the extents overflows at iter \{0\}
#include <axe/layout/layout.hpp>

constexpr std::int64_t many = std::int64_t{1} << 32;
#ifdef AXE_CONTROL
constexpr axe::Layout layout = *axe::make_layout({{many, 0}, {many / 4, 0}});
#else
constexpr axe::Layout layout = *axe::make_layout({{many, 0}, {many, 0}});
#endif
static_assert(layout.shard.size() == 2);
