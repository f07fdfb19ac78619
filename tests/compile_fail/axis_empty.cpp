// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An axis has a name.
// expect-clang: no_value_because\(.*an axis needs a name
// expect-gcc: an axis needs a name
#include <axe/layout/axis.hpp>

#ifdef AXE_CONTROL
constexpr axe::Axis axis{"m"};
#else
constexpr axe::Axis axis{""};
#endif
static_assert(axis == axe::Axis{});
