// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No blanks in names; the refusal says which character.
// expect-clang: no_value_because\(.*character \{0\} of the name of an axis must be a letter.*2, 0, 0
// expect-gcc: character \{0\} of the name of an axis must be a letter
#include <axe/layout/axis.hpp>

#ifdef AXE_CONTROL
constexpr axe::Axis axis{"my_axis"};
#else
constexpr axe::Axis axis{"my axis"};
#endif
static_assert(!(axis == axe::Axis{}));
