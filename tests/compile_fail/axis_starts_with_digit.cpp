// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of an axis starts with a letter.
// expect-clang: no_value_because\(.*character \{0\} of the name of an axis must be a letter
// expect-gcc: character \{0\} of the name of an axis must be a letter
#include <axe/layout/axis.hpp>

#ifdef AXE_CONTROL
constexpr axe::Axis axis{"bad1"};
#else
constexpr axe::Axis axis{"1bad"};
#endif
static_assert(!(axis == axe::Axis{}));
