// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a volume that does not exist.
// expect-clang: no_value_because\(.*dimension \{0\} of the shape is \{1\}; it must be at least 1.*1, 0, 0
// expect-gcc: dimension \{0\} of the shape is \{1\}; it must be at least 1
#include <axe/layout/shape.hpp>

#ifdef AXE_CONTROL
constexpr std::int64_t elements = *axe::volume(axe::Shape{4, 1, 2});
#else
constexpr std::int64_t elements = *axe::volume(axe::Shape{4, 0, 2});
#endif
static_assert(elements == 8);
