// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fifteen characters fit, sixteen do not.
// expect-clang: no_value_because\(.*the name of an axis has at most 15 characters, this one has \{0\}.*16, 0, 0
// expect-gcc: the name of an axis has at most 15 characters, this one has \{0\}
#include <axe/layout/axis.hpp>

#ifdef AXE_CONTROL
constexpr axe::Axis axis{"abcdefghijklmno"};
#else
constexpr axe::Axis axis{"abcdefghijklmnop"};
#endif
static_assert(!(axis == axe::Axis{}));
